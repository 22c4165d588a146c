"""The releases of four contests through the audit, beside the contests' own figures.

    QUINTAIN_DATA=folder python -m benchmarks.audit.contests [--only amic ...]
        [--size amic=2000 ...] [--seed 7] [--workers 1] [--out FOLDER]

Plays SNAKE 1 (MST and PrivBayes at four epsilons), AMIC, DARC and Hide-and-Seek at a chosen size,
audits every release, and prints Markdown tables. The folder has real data or not: without them the
stand-ins are used, and the tables say so. A run that was stopped goes on where it was, in
``benchmarks/results/audit.contests`` unless told otherwise. Delete the folder after a change to an
attack, a sanitizer or the audit.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.audit.played import CONTESTS, Cell, Row, audited, played
from benchmarks.bench.machine import people

RESULTS = Path(__file__).resolve().parents[1] / "results" / "audit.contests"

TITLES = {
    "readings": "The audit's attacks",
    "asked": "The contest's question to the audit's attacks",
    "contest": "The contest's own figures",
}


def rows_of(name: str, size: int, seed: int, out: Path, *, workers: int = 1) -> list[Row]:
    """What the audit finds in each release; those of an earlier run are kept."""
    place = out / f"{name}-{size}-{seed}"
    folder = played(name, size, place / "run", seed=seed, workers=workers)
    (track,) = folder.edition().track
    rows = []
    for task in folder.tasks(folder.edition().track_by_id(track.id)):
        file = place / "audits" / f"{task.entry}.json"
        if not file.is_file():
            file.parent.mkdir(exist_ok=True)
            file.write_text(json.dumps(audited(folder, task, seed=seed)))
        rows.append(json.loads(file.read_text()))
    order = list(track.entries) or [baseline.id for baseline in track.baseline]
    return sorted(rows, key=lambda row: order.index(row["release"]))


def report(name: str, rows: Sequence[Row], size: int, seed: int) -> str:
    """The tables of one contest."""
    contest = CONTESTS[name]
    people_of = f"{size:,} {contest.people}, {people(contest.real)}, seed {seed}"
    grids = [
        f"{title}, {measure}:\n\n{grid(rows, kind, measure)}"
        for kind, title in TITLES.items()
        for measure in dict.fromkeys(cell[1] for row in rows for cell in row[kind])
    ]
    return "\n\n".join([f"### {name}: {people_of}", verdicts(rows), *grids])


def verdicts(rows: Iterable[Row]) -> str:
    """The verdict on each release with its effects."""
    lines = [
        "| release | verdict | p | exposed share (at least) | nameable people (at least) "
        "| smallest detectable share | CPU s |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        share, names = (bounded(*row[key]) for key in ("exposed", "names"))
        p = "–" if row["p"] is None else f"{row['p']:.2g}"
        facts = (row["release"], row["verdict"], p, share, names)
        lines.append(f"| {' | '.join(facts)} | {short(row['smallest'])} | {row['cpu']:.0f} |")
    return "\n".join(lines)


def grid(rows: Sequence[Row], kind: str, measure: str) -> str:
    """One line per attack, one column per release; each cell has its 95 % interval."""
    by_release = {row["release"]: cells_of(row[kind], measure) for row in rows}
    attacks = dict.fromkeys(name for cells in by_release.values() for name in cells)
    lines = ["| | " + " | ".join(by_release) + " |", "|---" * (len(by_release) + 1) + "|"]
    for attack in attacks:
        cells = [interval(cells.get(attack)) for cells in by_release.values()]
        lines.append(f"| {attack} | {' | '.join(cells)} |")
    return "\n".join(lines)


def cells_of(cells: Iterable[Cell], measure: str) -> dict[str, Cell]:
    """The cells of one measure by attack."""
    return {cell[0]: cell for cell in cells if cell[1] == measure}


def interval(cell: Cell | None) -> str:
    """A value with its interval."""
    if cell is None or math.isnan(cell[2]):
        return "–"
    return f"{short(cell[2])} ({short(cell[3])} to {short(cell[4])})"


def bounded(value: float, low: float) -> str:
    """A value with its lower bound; shares with digits, numbers of people without."""
    if math.isnan(value):
        return "–"
    if value > 1 or value == low == 0:
        return f"{value:,.0f} ({low:,.0f})"
    return f"{short(value)} ({short(low)})"


def short(value: float) -> str:
    """Three digits after the point."""
    return "–" if math.isnan(value) else f"{value:.3f}".replace("0.", ".", 1)


def sizes(texts: Iterable[str]) -> dict[str, int]:
    """The size of each contest, from texts such as "amic=2000"."""
    given = {name: int(number) for name, _, number in (text.partition("=") for text in texts)}
    return {name: given.get(name, contest.size) for name, contest in CONTESTS.items()}


def main() -> None:
    """Audit what is missing and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", nargs="*", choices=list(CONTESTS), default=list(CONTESTS))
    parser.add_argument("--size", nargs="*", default=[], metavar="CONTEST=NUMBER")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    for name in options.only:
        size = sizes(options.size)[name]
        rows = rows_of(name, size, options.seed, options.out, workers=options.workers)
        print(report(name, rows, size, options.seed) + "\n", flush=True)


if __name__ == "__main__":
    main()
