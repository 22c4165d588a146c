"""What everything that is published tells about one person, for each part that claims an epsilon.

    python -m benchmarks.audit.published [--runs 600] [--parts mst aim] [--workers 16]

Each case is a table and the same table less one person, made to be hard: three rows or two, a table
of one row, a value outside the stated bounds, an extreme number, a category between two others, a
person with three rows. A part makes so many releases of both through ``q.sanitize``, with noise of
the operating system. All that comes out becomes features: the files of the release, their size and
the order of their rows, the schema, the card, the facts, warnings, the screen, and refusals. A text
is a category, and the numbers in it are numbers. Of tables, the counts of values are features, too.

Half of the runs choose the feature and the threshold that tell the two sides apart best. The other
half give the bound: the part loses at least this epsilon (Clopper-Pearson, both error rates, 95 %,
the claimed delta included). Of honest parts, about 5 % of the bounds may be above the claim where a
part loses all that it claims. Kinds of cells are the same on both sides. The last column names
the feature. Seconds are those of the processor for all runs.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import multiprocessing
import re
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
import quintain as q
from quintain.data import TrainedModel, Trajectories, Trees
from quintain.data.arrays import Floats
from quintain.data.files import to_bytes
from quintain.data.people_files import people_bytes
from quintain.measures.epsilon.thresholds import epsilon_bound
from quintain.measures.intervals import clopper_pearson
from quintain.releases import ReleaseCard

Features = dict[str, float]
MANY = 50
"""Of columns with more values the counts are no features, only where the values lie."""
MOST_THRESHOLDS = 30
NUMBER = re.compile(r"-?\d+(?:[.,]\d+)*(?:e-?\d+)?")
CHUNK = 25
"""How many runs a worker makes at once."""


# --- cases: tables with and without one person ---


@dataclass(frozen=True)
class Case:
    """A part, and data with and without one person, or with another person in that place.

    Parameters
    ----------
    make : gives the data with the person or without.
    given : the options of ``q.sanitize``: parameters of the part, schema, unit.
    """

    part: str
    name: str
    make: Callable[[bool], Any]
    given: Mapping[str, Any] = field(default_factory=dict)


AGE = q.Column(name="age", kind="integer", low=0, high=9)
COLOUR = q.Column(name="colour", kind="category", values=("a", "b", "c"))
PUBLIC = q.Schema(columns=(COLOUR, AGE))
PUBLIC_UNIT = q.Schema(columns=(q.Column(name="pid", kind="id"), COLOUR, AGE))
TABLES: Mapping[str, Mapping[str, Any]] = {
    "independent": {},
    "privbayes": {},
    "mst": {},
    "aim": {},
    "pategan": {"teachers": 3, "queries": 20, "rounds": 2, "steps": 2},
}
MEASURING = ("independent", "privbayes", "mst", "aim")


def few(inside: bool) -> Any:
    """Two people who are alike, and one who differs from them in everything."""
    import pandas as pd

    return pd.DataFrame({"colour": ["a", "a", *["c"] * inside], "age": [0, 0, *[9] * inside]})


def nobody(inside: bool) -> Any:
    """One person, or a table without rows."""
    return few(True).iloc[2 : 2 + inside].reset_index(drop=True)


def outside(inside: bool) -> Any:
    """Thirty people, and one whose age is beyond the bounds of the schema."""
    import pandas as pd

    colours, ages = ["a", "b"] * 15 + ["c"] * inside, [*range(10)] * 3 + [104] * inside
    return pd.DataFrame({"colour": colours, "age": ages})


def ordered(inside: bool) -> Any:
    """1,300 people with grades a, c and d, and one whose grade b is between them."""
    import pandas as pd

    grades = pd.Series(["a"] * 600 + ["c"] * 100 + ["d"] * 600 + ["b"] * inside)
    ages = np.arange(len(grades)) % 40
    grade = pd.Categorical(grades, sorted(grades.unique()), ordered=True)
    return pd.DataFrame({"grade": grade, "age": ages})


def extreme(inside: bool) -> Any:
    """600 people with usual pay, and one who earns 1,000 times as much in a town of her own."""
    import pandas as pd

    pay = [*(2000 + np.arange(600) % 97 * 10), *[3_000_000] * inside]
    return pd.DataFrame({"pay": pay, "town": ["bath", "kent"] * 300 + ["ely"] * inside})


def units(inside: bool) -> Any:
    """Two people with three rows each, and one with three rows unlike theirs."""
    import pandas as pd

    people = ["p1"] * 3 + ["p2"] * 3 + ["p3"] * 3 * inside
    colours = ["a"] * 6 + ["c"] * 3 * inside
    return pd.DataFrame({"pid": people, "colour": colours, "age": [0] * 6 + [9] * 3 * inside})


def extreme_units(inside: bool) -> Any:
    """300 people with two rows each, and one with three extreme rows."""
    frame = extreme(False)
    frame.insert(0, "pid", [f"p{n // 2}" for n in range(600)])
    rows = extreme(True).iloc[[600] * 3 * inside].assign(pid="last")
    import pandas as pd

    return pd.concat([frame, rows], ignore_index=True)


def replaced(inside: bool) -> Any:
    """Three people, of whom the last has one colour or another."""
    import pandas as pd

    return pd.DataFrame({"colour": ["a", "a", "c" if inside else "b"]})


def trips(inside: bool) -> Any:
    """40 people at four times of a day, and one who was somewhere at 03:17."""
    role = {"kind": "integer", "low": 0, "high": 7}
    schema = q.Schema(
        shape="trajectories",
        columns=(
            q.Column(name="person", kind="id", role="person"),
            q.Column(
                name="time",
                kind="time",
                role="time",
                time_format="%Y-%m-%d %H:%M",
                earliest="2024-03-07 00:00",
                latest="2024-03-07 23:59",
            ),
            q.Column(name="x", role="x", **role),
            q.Column(name="y", role="y", **role),
        ),
    )
    midnight = int(np.datetime64("2024-03-07", "s").astype(np.int64))
    hours = np.tile([8, 12, 16, 20], 40) * 3600
    times = midnight + np.append(hours, [197 * 60] * inside)
    places = np.append(np.arange(160) % 3, [7] * inside)
    people = 40 + inside
    offsets = np.append(4 * np.arange(41), [161] * inside)
    columns = {"time": times, "x": places, "y": places}
    return Trajectories(schema, np.arange(people), offsets, columns)


def patients(inside: bool) -> Any:
    """1,300 patients with a visit each, and one with 40 visits to a ward of her own."""
    import pandas as pd

    people = [f"p{n}" for n in range(1300 + inside)]
    grade = ordered(inside)["grade"]
    visits = people[:1300] + people[1300:] * 40
    wards = ["east", "west"] * 650 + ["north"] * 40 * inside
    return {
        "patients": pd.DataFrame({"pid": people, "grade": grade}),
        "visits": pd.DataFrame({"pid": visits, "ward": wards}),
    }


def trained(inside: bool) -> Any:
    """60 people of one label, and one of the other."""
    import pandas as pd

    colours, ages = ["a"] * 60 + ["c"] * inside, [0] * 60 + [9] * inside
    return pd.DataFrame({"colour": colours, "age": ages})


@cache
def cases() -> tuple[Case, ...]:
    """All cases, part by part."""
    made = []
    for part, given in TABLES.items():
        plain = {"epsilon": 1, **given}
        public = {**plain, "schema": PUBLIC}
        made += [
            Case(part, "3 rows or 2, public", few, public),
            Case(part, "1 row or none, public", nobody, public),
            Case(part, "age outside the bounds, public", outside, public),
        ]
        if part in MEASURING:
            unit = {"unit": "pid", "rows_per_unit": 3}
            made += [
                Case(part, "unit of 3 rows, public", units, plain | unit | {"schema": PUBLIC_UNIT}),
                Case(part, "ordered categories, measured", ordered, plain),
                Case(part, "extreme person, measured", extreme, plain),
                Case(part, "unit of 3 extreme rows, measured", extreme_units, plain | unit),
            ]
    keep = (np.e - 1) / (np.e + 2)  # with three values, epsilon is 1
    one = {"schema": PUBLIC.drop("age"), "keep": keep}
    training = {"schema": PUBLIC, "label": "colour", "epsilon": 1, "steps": 10, "hidden": ()}
    return (
        *made,
        Case("rr", "one of 3 rows replaced, public", replaced, one),
        Case("train-dp-sgd", "61 rows or 60, public", trained, training),
        Case("markov-trips", "a time of her own, public", trips, {"epsilon": 1}),
        Case("people-marginals", "a patient with 40 visits", patients, {"epsilon": 1}),
    )


# --- everything that is published, as features ---


def published(case: Case, inside: bool) -> tuple[Features, tuple[float, float] | None]:
    """Sanitize once; give what anybody can see, and the claimed epsilon and delta."""
    data, seen = case.make(inside), Counter[str]()
    out, err = io.StringIO(), io.StringIO()
    claim = None
    with (
        warnings.catch_warnings(record=True) as notes,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        warnings.simplefilter("always")
        try:
            release = q.sanitize(case.part, data, **case.given)
        except Exception as error:
            add_text(seen, "refusal", f"{type(error).__name__}: {error}")
        else:
            claim = release.claim and (release.claim.epsilon, release.claim.delta)
            add_text(seen, "repr", repr(release))
            add_text(seen, "facts", release.facts())
            add_json(seen, "card", json.loads(ReleaseCard.of(release).to_bytes()))
            add_json(seen, "schema", release.data.schema.model_dump(mode="json"))
            add_records(seen, release.data)
    for note in notes:
        add_text(seen, f"warning {note.category.__name__}", str(note.message))
    for name, text in (("stdout", out.getvalue()), ("stderr", err.getvalue())):
        add_text(seen, name, text)
    return dict(seen), claim


def add_text(seen: Counter[str], where: str, text: str) -> None:
    """A text is a category; its numbers are numbers."""
    seen[f"{where}: {text}"] += 1
    for place, number in enumerate(NUMBER.findall(text)[:MANY]):
        with contextlib.suppress(ValueError):
            seen[f"number {place} of {where}"] += float(number.replace(",", ""))


def add_json(seen: Counter[str], where: str, value: Any) -> None:
    """Add each field of a JSON value by its path, and how many there are of each."""
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        seen[f"size of {where}"] += len(value)
        for name, inner in items:
            add_json(seen, f"{where}.{name}", inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        seen[where] += value
        seen[f"{where} is there"] += 1
    else:
        add_text(seen, where, str(value))


def add_records(seen: Counter[str], data: Any) -> None:
    """Add what the files of a release show."""
    if isinstance(data, TrainedModel):
        numbers = data.columns["value"]
        seen["numbers of the model"] += len(numbers)
        for place, number in enumerate(numbers[:MANY].tolist()):
            seen[f"number {place} of the model"] += number
        return
    several = isinstance(data, Trees)
    files = people_bytes(data) if several else {"release.csv": to_bytes(data, ".csv")}
    seen["files"] += len(files)
    for name, content in files.items():
        seen[f"bytes of {name}"] += len(content)
        seen[f"{name} is there"] += 1
        if name.endswith(".csv"):
            add_table(seen, name, content.decode())
        else:
            add_text(seen, name, content.decode(errors="replace"))


def add_table(seen: Counter[str], name: str, text: str) -> None:
    """Add the header, the rows, their order, and the values of each column."""
    header, *rows = csv.reader(io.StringIO(text))
    add_text(seen, f"header of {name}", ",".join(header))
    seen[f"rows of {name}"] += len(rows)
    if rows:
        add_text(seen, f"first row of {name}", ",".join(rows[0]))
        add_text(seen, f"last row of {name}", ",".join(rows[-1]))
        seen[f"rows of {name} in order"] += sum(a <= b for a, b in pairwise(rows))
    records = Counter(",".join(row) for row in rows)
    if len(records) <= MANY:
        seen.update({f"{name}: record {record}": n for record, n in records.items()})
    for place, column in enumerate(header):
        add_column(seen, f"{name}.{column}", [row[place] for row in rows])


def add_column(seen: Counter[str], where: str, cells: Sequence[str]) -> None:
    """Add how many cells have each value, or where their numbers lie."""
    counts = Counter(cells)
    seen[f"values of {where}"] += len(counts)
    seen.update({f"{where}={value}": n for value, n in counts.items() if len(counts) <= MANY})
    with contextlib.suppress(ValueError):
        numbers = np.array([float(cell) for cell in cells if cell])
        if len(numbers):
            places = np.quantile(numbers, [0, 0.25, 0.5, 0.75, 1])
            for share, number in zip((0, 25, 50, 75, 100), places.tolist(), strict=True):
                seen[f"{share} % of {where}"] += number  # type: ignore[assignment]
            seen[f"mean of {where}"] += float(numbers.mean())  # type: ignore[assignment]


# --- the best distinguisher ---


class Distinguisher(NamedTuple):
    """Says that the person is there if a feature is above a threshold, or if it is not."""

    feature: str
    threshold: float
    above: bool

    def count(self, runs: Sequence[Features]) -> int:
        """For how many runs it says so."""
        return sum((run.get(self.feature, 0.0) > self.threshold) is self.above for run in runs)


def choose(inside: Sequence[Features], out: Sequence[Features], delta: float) -> Distinguisher:
    """The distinguisher with the largest bound on these runs."""
    n, m = len(inside), len(out)
    limits = [np.array([clopper_pearson(k, size)[1] for k in range(size + 1)]) for size in (n, m)]
    best, chosen = -np.inf, Distinguisher("nothing", 0.0, True)
    names = dict.fromkeys(name for run in (*inside, *out) for name in run)
    for name in names:
        sides = [np.array([run.get(name, 0.0) for run in runs]) for runs in (inside, out)]
        for threshold in thresholds(np.concatenate(sides)):
            yes = [int((side > threshold).sum()) for side in sides]
            for above in (True, False):
                hits, false = yes if above else (n - yes[0], m - yes[1])
                value = _bound(limits[0][n - hits], limits[1][false], delta)
                if value > best:
                    best, chosen = value, Distinguisher(name, float(threshold), above)
    return chosen


def thresholds(values: Floats) -> Floats:
    """Numbers between the values; of many, some."""
    known = np.unique(values)
    if len(known) > MOST_THRESHOLDS:
        known = np.unique(np.quantile(values, np.linspace(0, 1, MOST_THRESHOLDS)))
    return np.asarray((known[1:] + known[:-1]) / 2)


def _bound(missed: float, false: float, delta: float) -> float:
    one = np.log(max(1 - missed - delta, 1e-9) / false)
    other = np.log(max(1 - false - delta, 1e-9) / missed)
    return float(max(one, other))


class Verdict(NamedTuple):
    """What the fresh half of the runs shows."""

    claimed: tuple[float, float] | None
    bound: float
    hits: str
    by: str


def judge(
    inside: Sequence[Features], out: Sequence[Features], claimed: tuple[float, float] | None
) -> Verdict:
    """Choose on half of the runs, and bound epsilon on the other half."""
    delta = claimed[1] if claimed else 0.0
    best = choose(inside[::2], out[::2], delta)
    fresh, without = inside[1::2], out[1::2]
    hits, false = best.count(fresh), best.count(without)
    bound = epsilon_bound(hits, len(fresh), false, len(without), delta=delta).value
    shown = f"{hits} of {len(fresh)}, {false} of {len(without)}"
    sign = ">" if best.above else "<="
    return Verdict(claimed, bound, shown, f"{best.feature} {sign} {best.threshold:g}")


# --- all of them, in processes ---


class Chunk(NamedTuple):
    """Some runs of one side."""

    number: int
    inside: bool
    runs: list[Features]
    claimed: tuple[float, float] | None
    seconds: float


def play(job: tuple[int, bool, int]) -> Chunk:
    """Make some runs of one side of a case."""
    number, inside, runs = job
    case, start = cases()[number], time.process_time()
    made = [published(case, inside) for _ in range(runs)]
    claimed = next((claim for _, claim in made if claim is not None), None)
    return Chunk(number, inside, [seen for seen, _ in made], claimed, time.process_time() - start)


def line(case: Case, chunks: Sequence[Chunk]) -> str:
    """One line of the table."""
    sides = [[run for c in chunks if c.inside is side for run in c.runs] for side in (True, False)]
    claimed = next((c.claimed for c in chunks if c.claimed is not None), None)
    verdict = judge(*sides, claimed)
    claim = f"{claimed[0]:.3g}, {claimed[1]:.0e}" if claimed else "none"
    beyond = claimed is not None and verdict.bound > claimed[0] * (1 + 1e-9)
    seconds = sum(chunk.seconds for chunk in chunks)
    by = verdict.by.replace("|", "/").replace("\n", " ")[:90]
    cells = [case.part, case.name, claim, f"{verdict.bound:.2f}{' ABOVE' if beyond else ''}"]
    return "| " + " | ".join([*cells, verdict.hits, f"{seconds:.0f}", by]) + " |"


def lines(numbers: Sequence[int], runs: int, workers: int) -> Iterator[str]:
    """The lines of the table, each as soon as its runs are there."""
    sizes = [CHUNK] * (runs // CHUNK) + [runs % CHUNK] * (runs % CHUNK > 0)
    jobs = [(n, side, size) for n in numbers for side in (True, False) for size in sizes]
    kept: dict[int, list[Chunk]] = {number: [] for number in numbers}
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        for chunk in pool.imap(play, jobs):
            kept[chunk.number].append(chunk)
            if len(kept[chunk.number]) == 2 * len(sizes):
                yield line(cases()[chunk.number], kept.pop(chunk.number))


def main() -> None:
    """Print the table."""
    parts = tuple(dict.fromkeys(case.part for case in cases()))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=600, help="runs per side")
    parser.add_argument("--parts", nargs="+", choices=parts, default=parts)
    parser.add_argument("--workers", type=int, default=multiprocessing.cpu_count())
    given = parser.parse_args()
    numbers = [n for n, case in enumerate(cases()) if case.part in given.parts]
    print(f"{given.runs} runs with the person and as many without\n")
    head = "part | case | claim | epsilon is at least | says so with, without | CPU s | by"
    print(f"| {head} |\n{'|---' * 7}|", flush=True)
    for text in lines(numbers, given.runs, given.workers):
        print(text, flush=True)


if __name__ == "__main__":
    main()
