"""Does an audit of people with several tables see who they are, and nothing where nothing is?

Patients have visits, and visits have drugs: three tables. Their releases: with new pseudonyms
alone; perturbed, too; and about strangers. Real customers (UCI Online Retail) have invoices, and
invoices have lines. The nulls are strangers in five designs: twelve visits each; one visit each; 1
to 50 visits; columns that depend on each other; and days that are shifted by person.

    python -m benchmarks.audit.folders [PART [DRAWS [PEOPLE [FIRST]]]]
    python -m benchmarks.audit.folders size PEOPLE ROWS

DRAWS audits are made, of which the first has the seed FIRST, by default 0.
``size`` audits so many people with so many rows in each of three tables, and prints CPU seconds and
memory.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.audit.histories import FOLDER, favourites, names, put
from quintain.audits.release import audit_release
from quintain.audits.results import ReleaseAudit
from quintain.data.arrays import Array, Rows
from quintain.measures.intervals import clopper_pearson

Tables = Mapping[str, pa.Table]
CODES, DRUGS, WARDS, TOWNS, VISITS, PERMUTATIONS = 200, 150, 30, 25, 12, 199
START = np.datetime64("2011-01-01")
DESIGNS = ("equal", "one visit", "unequal", "correlated", "shifted")
DRAWS = {"patients": 10, "pseudonyms": 3, "customers": 10, "strangers": 20, "nulls": 200}


@dataclass(frozen=True, slots=True)
class ReleasedTables:
    """The tables of one audit, and the key: who has which pseudonym."""

    original: Tables
    control: Tables
    release: Tables
    key: pa.Table | None = None


def hospital(
    people: int,
    first: int,
    *,
    rng: np.random.Generator,
    visits: Array | None = None,
    seasons: bool = False,
) -> Tables:
    """Patients with visits and drugs, mostly of their own kinds.

    Parameters
    ----------
    first : the number of the first patient.
    visits : how many visits each patient has; by default twelve.
    seasons : whether codes follow the season, and wards the codes.
    """
    own, chances = favourites(people, rng=rng)
    drugs = rng.integers(DRUGS, size=(people, 3))
    patient: Rows = np.repeat(np.arange(people), VISITS if visits is None else visits)
    size = len(patient)
    day = rng.integers(300, size=people)[patient] + rng.integers(400, size=size)
    usual = own[patient, rng.integers(5, size=size)]
    drawn = rng.choice(CODES, size, p=chances)
    ward = rng.integers(WARDS, size=people)[patient]
    if seasons:
        drawn = (day // 90 * 20 + rng.integers(20, size=size)) % CODES
    code = np.where(rng.random(size) < 0.6, usual, drawn)
    if seasons:
        ward = code % WARDS
    elsewhere = rng.integers(WARDS, size=size)
    visit: Rows = np.repeat(np.arange(size), rng.integers(0, 3, size))
    given = drugs[patient[visit], rng.integers(3, size=len(visit))]
    other = rng.integers(DRUGS, size=len(visit))
    numbers = np.arange(size) + 100 * first
    return {
        "patients": pa.table(
            {
                "patient_id": names("p", np.arange(people) + first),
                "sex": names("sex", rng.integers(2, size=people)),
                "born": 1930 + rng.integers(80, size=people),
                "town": names("town", rng.integers(TOWNS, size=people)),
            }
        ),
        "visits": pa.table(
            {
                "visit_id": names("v", numbers),
                "patient_id": names("p", patient + first),
                "day": pa.array((START + day).astype("datetime64[D]")),
                "code": names("c", code),
                "ward": names("w", np.where(rng.random(size) < 0.7, ward, elsewhere)),
            }
        ),
        "drugs": pa.table(
            {
                "visit_id": names("v", numbers[visit]),
                "drug": names("d", np.where(rng.random(len(visit)) < 0.6, given, other)),
                "dose": np.round(rng.gamma(2, 2, len(visit)), 1),
            }
        ),
    }


def cells(table: pa.Table, name: str) -> Array:
    """A column as an array that may be changed."""
    return np.array(table[name].to_numpy(zero_copy_only=False))


def rename(
    tables: Tables, key: str, letter: str, *, rng: np.random.Generator
) -> tuple[Tables, pa.Table]:
    """New names in the place of keys, in all tables that have them; and who has which."""
    owner = next(name for name, table in tables.items() if key in table.column_names)
    old = np.unique(cells(tables[owner], key))
    new = names(letter, rng.permutation(len(old)))
    known = {
        name: put(table, **{key: new[np.searchsorted(old, cells(table, key))]})
        if key in table.column_names
        else table
        for name, table in tables.items()
    }
    return known, pa.table({key: old, "pseudonym": new})


def pseudonymise(
    tables: Tables, person: str, row: str, *, rng: np.random.Generator
) -> tuple[Tables, pa.Table]:
    """New pseudonyms of people and of rows, everything in random order; and the key."""
    renamed, key = rename(tables, person, "x", rng=rng)
    renamed, _ = rename(renamed, row, "y", rng=rng)
    return {name: t.take(rng.permutation(len(t))) for name, t in renamed.items()}, key


def redraw(table: pa.Table, column: str, share: float, *, rng: np.random.Generator) -> pa.Table:
    """A share of the cells is drawn anew from the column."""
    old = cells(table, column)
    changed = rng.random(len(old)) < share
    old[changed] = rng.choice(cells(table, column), int(changed.sum()))
    return put(table, **{column: old})


def patients(people: int, *, rng: np.random.Generator) -> ReleasedTables:
    """Codes and drugs partly redrawn; wards, towns and days all of them."""
    original, control = hospital(people, 0, rng=rng), hospital(people, 10**6, rng=rng)
    changed = {**original}
    for table, column, share in (
        ("visits", "code", 1 / 6),
        ("visits", "ward", 1.0),
        ("visits", "day", 1.0),
        ("drugs", "drug", 0.25),
        ("drugs", "dose", 1.0),
        ("patients", "town", 1.0),
        ("patients", "born", 0.5),
    ):
        changed[table] = redraw(changed[table], column, share, rng=rng)
    release, key = pseudonymise(changed, "patient_id", "visit_id", rng=rng)
    return ReleasedTables(original, control, release, key)


def pseudonyms(people: int, *, rng: np.random.Generator) -> ReleasedTables:
    """Nothing but the pseudonyms is new."""
    original, control = hospital(people, 0, rng=rng), hospital(people, 10**6, rng=rng)
    release, key = pseudonymise(original, "patient_id", "visit_id", rng=rng)
    return ReleasedTables(original, control, release, key)


def strangers(people: int, *, rng: np.random.Generator) -> ReleasedTables:
    """The release is about other patients."""
    sides = [hospital(people, group * 10**6, rng=rng) for group in range(3)]
    return ReleasedTables(*sides[:2], pseudonymise(sides[2], "patient_id", "visit_id", rng=rng)[0])


def nulls(people: int, *, rng: np.random.Generator, design: str = "") -> ReleasedTables:
    """Strangers in one of five designs; by default, a random one."""
    design = design or str(rng.choice(DESIGNS))
    counts: dict[str, Callable[[], Array]] = {
        "one visit": lambda: np.ones(people, np.int64),
        "unequal": lambda: rng.integers(1, 51, people),
    }
    sides = [
        hospital(
            people,
            group * 10**6,
            rng=rng,
            visits=counts[design]() if design in counts else None,
            seasons=design == "correlated",
        )
        for group in range(3)
    ]
    shown, _ = pseudonymise(sides[2], "patient_id", "visit_id", rng=rng)
    if design == "shifted":
        visits = shown["visits"]
        person = np.unique(cells(visits, "patient_id"), return_inverse=True)[1]
        shift = rng.integers(-60, 61, people)[person].astype("timedelta64[D]")
        shown = {**shown, "visits": put(visits, day=cells(visits, "day") + shift)}
    return ReleasedTables(*sides[:2], shown)


def shop(people: int, *, rng: np.random.Generator) -> list[Tables]:
    """So many real customers with invoices and lines, twice."""
    sold = pq.read_table(FOLDER / "online_retail.parquet")
    sold = sold.filter(pc.and_(pc.greater(sold["Quantity"], 0), pc.is_valid(sold["CustomerID"])))
    customer = sold["CustomerID"].to_numpy(zero_copy_only=False).astype(np.int64)
    ids, rows = np.unique(customer, return_counts=True)
    chosen = rng.choice(ids[(rows >= 5) & (rows <= 400)], 2 * people, replace=False)
    item = pc.utf8_slice_codeunits(sold["StockCode"], 0, 3)
    lines = pa.table(
        {
            "customer_id": names("p", customer),
            "invoice_no": pc.cast(sold["InvoiceNo"], pa.string()),
            "day": pc.cast(sold["InvoiceDate"], pa.date32()),
            "country": pc.cast(sold["Country"], pa.string()),
            "item": item,
            "count": sold["Quantity"],
        }
    )
    sides = []
    for half in (chosen[:people], chosen[people:]):
        part = lines.filter(pa.array(np.isin(customer, half)))
        first = {
            key: np.unique(cells(part, key), return_index=True)[1]
            for key in ("customer_id", "invoice_no")
        }
        sides.append(
            {
                "customers": part.take(first["customer_id"]).select(["customer_id", "country"]),
                "invoices": part.take(first["invoice_no"]).select(
                    ["invoice_no", "customer_id", "day"]
                ),
                "lines": part.select(["invoice_no", "item", "count"]),
            }
        )
    return sides


def customers(people: int, *, rng: np.random.Generator) -> ReleasedTables:
    """A third of the lines is dropped, a tenth of the items redrawn, days and counts shuffled."""
    original, control = shop(people, rng=rng)
    lines = original["lines"]
    lines = lines.take(np.sort(rng.permutation(len(lines))[: 2 * len(lines) // 3]))
    changed = {
        "customers": original["customers"],
        "invoices": redraw(original["invoices"], "day", 1.0, rng=rng),
        "lines": redraw(redraw(lines, "item", 0.1, rng=rng), "count", 1.0, rng=rng),
    }
    release, key = pseudonymise(changed, "customer_id", "invoice_no", rng=rng)
    return ReleasedTables(original, control, release, key)


MAKE: dict[str, Callable[..., ReleasedTables]] = {
    "patients": patients,
    "pseudonyms": pseudonyms,
    "customers": customers,
    "strangers": strangers,
    "nulls": nulls,
}


def draw(part: str, number: int, people: int) -> ReleaseAudit:
    """One audit."""
    made = MAKE[part](people, rng=np.random.default_rng(number))
    tables = dict(made.original), dict(made.release), dict(made.control)
    return audit_release(*tables, key=made.key, seed=number, permutations=PERMUTATIONS)


def flat(people: int, rows: int, first: int, *, rng: np.random.Generator) -> Tables:
    """People with so many rows in each of three tables, mostly with values of their own."""
    person = np.repeat(np.arange(people), rows)
    tables = {}
    for place in range(3):
        own = rng.integers(300, size=(people, 6))
        usual = own[person, rng.integers(6, size=len(person))]
        drawn = rng.integers(300, size=len(person))
        day = START + rng.integers(700, size=len(person))
        tables[f"rows{place}"] = pa.table(
            {
                "person_id": person + first,
                "day": pa.array(day.astype("datetime64[D]")),
                "code": names("c", np.where(rng.random(len(person)) < 0.7, usual, drawn)),
                "kind": names("k", rng.integers(8, size=len(person))),
                "amount": np.round(rng.gamma(2, 20, len(person))),
            }
        )
    return tables


def size(people: int, rows: int) -> None:
    """One audit of many people, of whom a third of the codes is redrawn."""
    rng = np.random.default_rng(0)
    original, control = flat(people, rows, 0, rng=rng), flat(people, rows, 10**8, rng=rng)
    release = {}
    pseudonym = rng.permutation(people)
    for name, table in original.items():
        changed = redraw(table, "code", 1 / 3, rng=rng)
        shown = put(changed, person_id=pseudonym[cells(table, "person_id")])
        release[name] = shown.take(rng.permutation(len(shown)))
    key = pa.table({"person_id": np.arange(people), "pseudonym": pseudonym})
    before, memory = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    audit = audit_release(original, release, control, key=key, permutations=PERMUTATIONS)
    spent, most = time.process_time() - before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{people} people, {rows} rows in each of 3 tables: {spent:.0f} CPU s")
    print(f"memory {most / 1e6:.2f} GB, of which {memory / 1e6:.2f} GB before the audit")
    print(audit.verdict, audit.histories and audit.histories.says, flush=True)


def main() -> None:
    """Print a line per audit, and the shares of each part."""
    if sys.argv[1:2] == ["size"]:
        size(int(sys.argv[2]), int(sys.argv[3]))
        return
    parts = sys.argv[1:2] if len(sys.argv) > 1 else list(MAKE)
    for part in parts:
        count = int(sys.argv[2]) if len(sys.argv) > 2 else DRAWS[part]
        people = int(sys.argv[3]) if len(sys.argv) > 3 else 800 if DRAWS[part] < 20 else 150
        first = int(sys.argv[4]) if len(sys.argv) > 4 else 0
        print(f"\n{part}: {count} audits, {people} people on each side\n")
        print("| draw | verdict | p | stands out | control | right | enough rows |")
        print("|---|---|---|---|---|---|---|")
        alarms = unsafe = 0
        for number in range(first, first + count):
            audit = draw(part, number, people)
            seen = audit.histories
            assert seen is not None and audit.p is not None  # there are pseudonyms and a control
            alarms += audit.p <= audit.level or audit.verdict in ("unsafe", "some-leakage")
            unsafe += audit.verdict == "unsafe"
            row = (number, audit.verdict, audit.p, seen.stands_out, seen.control, seen.right)
            print("|", " | ".join(map(str, row)), "|", seen.enough, "|", flush=True)
        low, high = clopper_pearson(alarms, count)
        print(
            f"\nalarms: {alarms} of {count}, {low:.3f} to {high:.3f}; unsafe: {unsafe}", flush=True
        )


if __name__ == "__main__":
    main()
