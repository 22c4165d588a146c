"""False alarms of the release audit on data of many shapes, none of which leaks anything.

    python -m benchmarks.audit.null_designs [--draws 34] [--first 0] [--designs NAME ...]
        [--folder build/null-designs] [--workers 2]

Original, control and release are drawn apart from each other. So no verdict but ``nothing-found``
and ``cannot-say`` is right: alarms (some leakage, or unsafe) must be at most 5 % within their
interval, and nothing may be called unsafe. In some designs the control is drawn from slightly
other people, and in some a person has several rows. The folder keeps every draw, so that a run that
was stopped goes on.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.audit.truth_table import VERDICTS
from benchmarks.bench.workers import in_workers
from quintain.audits.release import audit_release
from quintain.measures.intervals import clopper_pearson

ALARMS = ("some-leakage", "unsafe")

Cells = dict[str, Any]
Draw = Callable[[int, np.random.Generator], Cells]


@dataclass(frozen=True, slots=True)
class Design:
    """How people are drawn, and how many of them.

    Parameters
    ----------
    people : draws so many people.
    sizes : how many are in the original, in the release and in the control.
    control : draws the people of the control, where they are others.
    unit : the column that says whose row it is, if the audit is told.
    """

    people: Draw
    sizes: tuple[int, int, int] = (300, 300, 300)
    control: Draw | None = None
    unit: str | None = None


def survey(count: int, rng: np.random.Generator, shift: float = 0.0) -> Cells:
    """Six columns of several kinds that depend on a hidden factor; its mean may be shifted."""
    hidden = rng.normal(shift, 1, count)
    age = np.clip(45 + 12 * hidden + rng.normal(0, 8, count), 18, 95).round().astype(int)
    wage = np.exp(10 + hidden / 2 + rng.normal(0, 0.4, count)).round(-2)
    return {
        "age": age,
        "wage": wage,
        "children": rng.poisson(1.2, count),
        "sex": rng.choice(["f", "m"], count),
        "region": rng.choice(["north", "south", "east", "west"], count, p=[0.4, 0.3, 0.2, 0.1]),
        "job": np.where(hidden + rng.normal(0, 1, count) > 0.5, "office", "other"),
    }


def ties(count: int, rng: np.random.Generator) -> Cells:
    """Four answers with two or three values each: nearly everybody has an equal."""
    return {f"answer {n}": rng.integers(0, 2 + n % 2, count).astype(str) for n in range(4)}


def correlated(count: int, rng: np.random.Generator) -> Cells:
    """Ten numbers that say nearly the same."""
    hidden = rng.normal(size=count)
    return {f"reading {n}": (hidden + rng.normal(0, 0.1, count)).round(2) for n in range(10)}


def packages(count: int, rng: np.random.Generator) -> Cells:
    """Everybody has one of forty contracts: equal rows of different people."""
    fixed = survey(40, np.random.default_rng(5))
    chosen = rng.integers(0, 40, count)
    return {name: np.asarray(cells)[chosen] for name, cells in fixed.items()}


def by_time(count: int, rng: np.random.Generator) -> Cells:
    """Rows in the order of a date on which the other columns depend."""
    days = np.sort(rng.integers(0, 2000, count))
    cells = survey(count, rng)
    cells["wage"] = (np.asarray(cells["wage"]) * (1 + days / 4000)).round(-2)
    dates = np.datetime64("2015-01-01") + days
    return {"date": [str(date) for date in dates], **cells}


def heavy_tails(count: int, rng: np.random.Generator) -> Cells:
    """Money with a few very large sums, and towns of which most are rare."""
    return {
        "wealth": (1000 * (1 + rng.pareto(1.1, count))).round(2),
        "debt": np.where(rng.random(count) < 0.6, 0, rng.lognormal(8, 2, count)).round(),
        "town": [f"town {n}" for n in np.minimum(rng.zipf(1.5, count), 500)],
    }


def with_gaps(count: int, rng: np.random.Generator) -> Cells:
    """A survey with a quarter of the cells missing."""
    gaps = {name: rng.random(count) < 0.25 for name in survey(1, rng)}
    return {
        name: pa.array(np.asarray(column).tolist(), mask=gaps[name])
        for name, column in survey(count, rng).items()
    }


def wide(count: int, rng: np.random.Generator) -> Cells:
    """Thirty columns of numbers and answers."""
    parts = [survey(count, rng) for _ in range(5)]
    return {f"{name} {n}": cells for n, part in enumerate(parts) for name, cells in part.items()}


def visits(count: int, rng: np.random.Generator) -> Cells:
    """Three visits on average; the visits of a person are alike."""
    rows = 1 + rng.poisson(2, count)
    who = np.repeat(np.arange(count), rows)
    people = survey(count, rng)
    cells = {name: np.asarray(column)[who] for name, column in people.items() if name != "wage"}
    cost = np.asarray(people["wage"])[who] / 100 * rng.lognormal(0, 0.2, len(who))
    names = rng.choice(10**9, count, replace=False)
    return {"person": [f"p{name}" for name in names[who]], "cost": cost.round(), **cells}


DESIGNS = {
    "survey": Design(survey),
    "tiny": Design(survey, (40, 40, 40)),
    "ties": Design(ties),
    "unbalanced": Design(survey, (600, 300, 80)),
    "large release": Design(survey, (200, 1500, 200)),
    "correlated": Design(correlated),
    "equal rows": Design(packages),
    "shifted .25": Design(survey, control=partial(survey, shift=0.25)),
    "shifted .5": Design(survey, control=partial(survey, shift=0.5)),
    "by time": Design(by_time),
    "heavy tails": Design(heavy_tails),
    "with gaps": Design(with_gaps),
    "wide": Design(wide, (250, 250, 250)),
    "visits with unit": Design(visits, (150, 150, 150), unit="person"),
    "visits without unit": Design(visits, (150, 150, 150)),
}


def draw(name: str, number: int) -> dict[str, Any]:
    """The verdict on one draw of a design."""
    design, rng = DESIGNS[name], np.random.default_rng([number, *name.encode()])
    drawn = (design.people, design.people, design.control or design.people)
    original, release, control = (
        pa.table(people(count, rng)) for people, count in zip(drawn, design.sizes, strict=True)
    )
    audit = audit_release(
        original, release, control, unit=design.unit, seed=number, permutations=499
    )
    return {"verdict": audit.verdict, "p": audit.p, "reasons": audit.reasons}


def lines(folder: Path, designs: Sequence[str]) -> Iterator[str]:
    """One line per design, and one for all: verdicts, and alarms with their interval."""
    yield "| design | draws | " + " | ".join(VERDICTS) + " | alarms | exact 95 % interval |"
    yield "|---" * (len(VERDICTS) + 4) + "|"
    every: Counter[str] = Counter()
    for name in (*designs, "all"):
        files = sorted(folder.glob(f"{name.replace(' ', '-')}.*.json"))
        said = Counter(json.loads(file.read_text())["verdict"] for file in files)
        every.update(said)
        said = every if name == "all" else said
        total, alarms = said.total(), sum(said[alarm] for alarm in ALARMS)
        if total:
            low, high = clopper_pearson(alarms, total)
            counts = " | ".join(str(said[verdict]) for verdict in VERDICTS)
            share = f"{100 * alarms / total:.1f} % | {100 * low:.1f} to {100 * high:.1f} %"
            yield f"| {name} | {total} | {counts} | {share} |"


def keep(folder: Path, name: str, number: int) -> None:
    """Audit one draw, unless it is there."""
    file = folder / f"{name.replace(' ', '-')}.{number:04d}.json"
    if not file.exists():
        file.write_text(json.dumps(draw(name, number)))


def main() -> None:
    """Run the draws that are missing and print the table."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--draws", type=int, default=34)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--designs", nargs="*", default=list(DESIGNS))
    parser.add_argument("--folder", type=Path, default=Path("build/null-designs"))
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    wanted = [
        (given.folder, name, number)
        for number in range(given.first, given.first + given.draws)
        for name in given.designs
    ]
    in_workers(keep, wanted, given.workers)
    print("\n".join(lines(given.folder, given.designs)))


if __name__ == "__main__":
    main()
