"""People with several rows, under new pseudonyms: who is recognised by all rows together?

    python -m benchmarks.audit.histories [PART [DRAWS [PEOPLE [FIRST]]]]

PART is one of "patients", "customers", "pseudonyms", "strangers" and "nulls"; by default all.
DRAWS audits are made, of which the first has the seed FIRST, by default 0.

- patients: simulated people with twelve visits each. The release has new pseudonyms, redraws two of
  the twelve codes, and redraws all places.
- customers: real customers (UCI Online Retail) with their purchases as groups of items. The release
  has new pseudonyms, drops a third of the rows, shuffles weekdays and sizes, and redraws a tenth of
  the items.
- pseudonyms: patients of whom nothing but the pseudonym is new.
- strangers: the release is about other patients. Nothing must be found in it.
- nulls: the same with 1 to 50 rows per person, unequal, with columns that depend on each other and
  on the season. An alarm (p of at most the level of the audit) in more than 5 % of the draws is
  one too many.

Each finished audit is kept in a file (``QUINTAIN_RESULTS``), so a run that was stopped goes on.
Delete the file after a change of the code.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.kept import keep_line, kept_lines, results_folder
from quintain.audits.release import audit_release
from quintain.audits.results import ReleaseAudit
from quintain.data.arrays import Array, Rows
from quintain.measures.intervals import clopper_pearson

PEOPLE, VISITS, CODES, PLACES, PERMUTATIONS = 800, 12, 200, 30, 199
GROUPS = 39
FOLDER = Path(os.environ.get("QUINTAIN_DATA", "../shared/data"))
DRAWS = {"patients": 3, "customers": 3, "pseudonyms": 1, "strangers": 20, "nulls": 40}


@dataclass(frozen=True, slots=True)
class Released:
    """Tables of one audit, and the key: who has which pseudonym."""

    original: pa.Table
    control: pa.Table
    release: pa.Table
    key: pa.Table | None = None


def favourites(people: int, *, rng: np.random.Generator) -> tuple[Array, Array]:
    """Five codes of each person, and how common codes are in all."""
    common = np.arange(1, CODES + 1) ** -0.8
    chances = common / common.sum()
    return rng.choice(CODES, (people, 5), p=chances), chances


def visits(people: int, first: int, *, rng: np.random.Generator) -> pa.Table:
    """Patients with twelve visits: mostly codes of their own, mostly in one place."""
    own, chances = favourites(people, rng=rng)
    person = np.repeat(np.arange(people), VISITS)
    drawn = rng.choice(CODES, len(person), p=chances)
    usual = own[person, rng.integers(5, size=len(person))]
    home = rng.integers(PLACES, size=people)[person]
    places = rng.integers(PLACES, size=len(person))
    return pa.table(
        {
            "person": names("p", person + first),
            "code": names("c", np.where(rng.random(len(person)) < 0.6, usual, drawn)),
            "place": names("place", np.where(rng.random(len(person)) < 0.8, home, places)),
        }
    )


def names(letter: str, numbers: Array) -> Array:
    """Numbers as words, so that no column is taken for a number."""
    return np.char.add(f"{letter} ", numbers.astype(np.str_))


def put(table: pa.Table, **columns: Array) -> pa.Table:
    """The table with other cells in some columns."""
    return pa.table({name: columns.get(name, table[name]) for name in table.column_names})


def new_pseudonyms(table: pa.Table, *, rng: np.random.Generator) -> tuple[pa.Table, pa.Table]:
    """The rows in random order under new pseudonyms, and the key."""
    persons = table["person"].to_numpy(zero_copy_only=False)
    people, person = np.unique(persons, return_inverse=True)
    pseudonyms = names("x", rng.permutation(len(people)))
    key = pa.table({"person": people, "pseudonym": pseudonyms})
    return put(table, person=pseudonyms[person]).take(rng.permutation(len(table))), key


def patients(people: int, *, rng: np.random.Generator) -> Released:
    """Two codes of twelve are redrawn, and all places."""
    original, control = visits(people, 0, rng=rng), visits(people, 10**6, rng=rng)
    _, chances = favourites(1, rng=rng)
    codes = original["code"].to_numpy(zero_copy_only=False).reshape(people, VISITS).copy()
    for code in codes:
        changed = rng.choice(VISITS, 2, replace=False)
        code[changed] = names("c", rng.choice(CODES, 2, p=chances))
    places = names("place", rng.integers(PLACES, size=len(original)))
    changed = put(original, code=codes.ravel(), place=places)
    return Released(original, control, *new_pseudonyms(changed, rng=rng))


def pseudonyms(people: int, *, rng: np.random.Generator) -> Released:
    """Nothing but the pseudonym is new."""
    original, control = visits(people, 0, rng=rng), visits(people, 10**6, rng=rng)
    return Released(original, control, *new_pseudonyms(original, rng=rng))


def strangers(people: int, *, rng: np.random.Generator) -> Released:
    """The release is about other patients."""
    tables = [visits(people, group * 10**6, rng=rng) for group in range(3)]
    return Released(tables[0], tables[1], new_pseudonyms(tables[2], rng=rng)[0])


def purchases(people: int, *, rng: np.random.Generator) -> list[pa.Table]:
    """Purchases of so many real customers, twice."""
    sold = pq.read_table(FOLDER / "online_retail.parquet")
    sold = sold.filter(pc.and_(pc.greater(sold["Quantity"], 0), pc.is_valid(sold["CustomerID"])))
    group = pc.utf8_slice_codeunits(sold["StockCode"], 0, 3).to_numpy(zero_copy_only=False)
    known, of, sizes = np.unique(group.astype(np.str_), return_inverse=True, return_counts=True)
    common = np.argsort(-sizes, kind="stable")[:GROUPS]
    item = np.where(np.isin(of, common), known[of], "other")
    customer = sold["CustomerID"].to_numpy(zero_copy_only=False).astype(np.int64)
    ids, rows = np.unique(customer, return_counts=True)
    chosen = rng.choice(ids[(rows >= 5) & (rows <= 400)], 2 * people, replace=False)
    size = np.digitize(sold["Quantity"].to_numpy(), [2, 3, 5, 7, 11, 13, 25])
    weekday = pc.day_of_week(sold["InvoiceDate"]).to_numpy()
    table = pa.table(
        {
            "person": names("p", customer),
            "item": item,
            "weekday": names("day", weekday),
            "size": names("size", size),
        }
    )
    sides = (chosen[:people], chosen[people:])
    return [table.filter(pa.array(np.isin(customer, side))) for side in sides]


def customers(people: int, *, rng: np.random.Generator) -> Released:
    """A third of the rows is dropped, a tenth of the items redrawn, the rest shuffled."""
    original, control = purchases(people, rng=rng)
    kept = original.take(np.sort(rng.permutation(len(original))[: 2 * len(original) // 3]))
    item = kept["item"].to_numpy(zero_copy_only=False).copy()
    redrawn = rng.random(len(item)) < 0.1
    item[redrawn] = rng.choice(original["item"].to_numpy(zero_copy_only=False), redrawn.sum())
    mixed = {
        name: rng.permutation(kept[name].to_numpy(zero_copy_only=False))
        for name in ("weekday", "size")
    }
    release, key = new_pseudonyms(put(kept, item=item, **mixed), rng=rng)
    return Released(original, control, release, key)


def seasons(people: int, first: int, *, rng: np.random.Generator) -> pa.Table:
    """People with 1 to 50 rows: codes follow the season, and places follow the codes."""
    person: Rows = np.repeat(np.arange(people), rng.integers(1, 51, people))
    day = rng.integers(200, size=people)[person] + rng.integers(400, size=len(person))
    own, chances = favourites(people, rng=rng)
    season = day // 90 * 20 + rng.integers(20, size=len(person))
    drawn = np.where(
        rng.random(len(person)) < 0.5, season, rng.choice(CODES, len(person), p=chances)
    )
    code = np.where(rng.random(len(person)) < 0.6, own[person, day % 5], drawn)
    place = np.where(rng.random(len(person)) < 0.7, code % PLACES, person % PLACES)
    start = np.datetime64("2011-01-01")
    return pa.table(
        {
            "person": names("p", person + first),
            "day": pa.array((start + day).astype("datetime64[D]").astype(str)),
            "code": names("c", code),
            "place": names("place", place),
            "dose": np.round(rng.gamma(2, 2, people)[person] + rng.normal(size=len(person)), 1),
        }
    )


def nulls(people: int, *, rng: np.random.Generator) -> Released:
    """Unequal strangers, all of whose days are shifted by one number per person."""
    tables = [seasons(people, group * 10**6, rng=rng) for group in range(3)]
    release, _ = new_pseudonyms(tables[2], rng=rng)
    person = np.unique(release["person"].to_numpy(zero_copy_only=False), return_inverse=True)[1]
    shift = rng.integers(-60, 61, people)[person]
    days = release["day"].to_numpy(zero_copy_only=False).astype("datetime64[D]") + shift
    return Released(tables[0], tables[1], put(release, day=days.astype(str)))


MAKE: dict[str, Callable[..., Released]] = {
    "patients": patients,
    "customers": customers,
    "pseudonyms": pseudonyms,
    "strangers": strangers,
    "nulls": nulls,
}


def draw(part: str, number: int, people: int) -> ReleaseAudit:
    """One audit."""
    made = MAKE[part](people, rng=np.random.default_rng(number))
    return audit_release(
        made.original,
        made.release,
        made.control,
        unit="person",
        key=made.key,
        seed=number,
        permutations=PERMUTATIONS,
    )


def figures(audit: ReleaseAudit, seconds: float) -> dict[str, Any]:
    """What is kept of an audit."""
    seen = audit.histories
    assert seen is not None and audit.p is not None  # there are pseudonyms and a control
    return {
        "verdict": audit.verdict,
        "p": audit.p,
        "stands out": str(seen.stands_out),
        "control": str(seen.control),
        "right": str(seen.right),
        "enough rows": str(seen.enough),
        "alarm": audit.p <= audit.level or audit.verdict == "unsafe",
        "CPU s": round(seconds, 1),
    }


def main() -> None:
    """Print a line per audit, and the shares of each part."""
    parts = sys.argv[1:2] if len(sys.argv) > 1 else list(MAKE)
    path = results_folder() / "histories.jsonl"
    kept = {tuple(line["task"]): line["figures"] for line in kept_lines(path)}
    for part in parts:
        count = int(sys.argv[2]) if len(sys.argv) > 2 else DRAWS[part]
        people = int(sys.argv[3]) if len(sys.argv) > 3 else PEOPLE // (1 if DRAWS[part] < 9 else 4)
        first = int(sys.argv[4]) if len(sys.argv) > 4 else 0
        print(f"\n{part}: {count} audits, {people} people in each table\n")
        lines = []
        for number in range(first, first + count):
            task = (part, people, number)
            if task not in kept:
                before = time.process_time()
                audit = draw(part, number, people)
                kept[task] = figures(audit, time.process_time() - before)
                keep_line(path, {"task": task, "figures": kept[task]})
            if not lines:
                print("| draw |", " | ".join(kept[task]), "|")
                print("|---" * (len(kept[task]) + 1), "|", sep="")
            lines.append(kept[task])
            print("|", number, "|", " | ".join(map(str, kept[task].values())), "|", flush=True)
        for name, found in (
            ("alarms", [line["alarm"] for line in lines]),
            ("unsafe", [line["verdict"] == "unsafe" for line in lines]),
        ):
            low, high = clopper_pearson(sum(found), count)
            print(f"\n{name}: {sum(found)} of {count}, {low:.3f} to {high:.3f}", flush=True)


if __name__ == "__main__":
    main()
