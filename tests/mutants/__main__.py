"""Break the code that decides what somebody is told, and see whether a test notices.

    python -m tests.mutants reach                which test runs which line (whole suite, once)
    python -m tests.mutants reach --tests FILES  record these tests anew, and keep what is known
    python -m tests.mutants draw 400 --seed 5    that many changes, as many of each area
    python -m tests.mutants changed --base main  every change of the lines that a branch changed

Areas stand in ``areas.py``. A change that no test notices needs a test, or a line in ``notes.toml``
that says why nobody could notice it; without one, the command fails.
"""

import argparse
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest

from tests.mutants.areas import AREAS, files_of
from tests.mutants.changes import Mutant, mutants_of
from tests.mutants.hunt import Fate, Hunt, draw
from tests.mutants.reach import Reach
from tests.sources import ROOT

FOLDER = ROOT / "build/mutants"
NOTES = Path(__file__).with_name("notes.toml")


def main() -> None:
    """Record the reach, or hunt mutants."""
    parser = argparse.ArgumentParser(
        "python -m tests.mutants",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=["reach", "draw", "changed"])
    parser.add_argument("number", nargs="?", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--base", default="origin/main", help="what a branch began from")
    parser.add_argument("--area", choices=AREAS, action="append", help="only this one")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--budget", type=float, default=60, help="seconds of tests for one mutant")
    parser.add_argument("--every", action="store_true", help="go on after a test failed")
    parser.add_argument(
        "--tests", nargs="*", help="record, or hunt with, these files of tests alone"
    )
    parser.add_argument("--only", default="", help="mutants whose line of the report has this text")
    given = parser.parse_args()
    if given.what == "reach":
        sys.exit(record_reach(given.tests, given.workers))
    if not any((FOLDER / "reach").rglob("*.json")):
        sys.exit("Which test runs which line is not known yet: python -m tests.mutants reach")
    areas = given.area or list(AREAS)
    every = {
        area: [m for file in files_of(area) for m in mutants_of(file) if given.only in m.name]
        for area in areas
    }
    if given.what == "draw":
        mutants = list(draw(every, given.number, given.seed))
    else:
        mutants = changed_mutants(every, given.base)
    fates = hunt(mutants, given)
    (FOLDER / "fates.json").write_text(
        json.dumps({mutant.name: vars(fate) for mutant, fate in fates.items()}, indent=1)
    )
    print("\n".join(report(every, fates)))
    sys.exit(any(not fate.killers and not noted(mutant) for mutant, fate in fates.items()))


def record_reach(tests: list[str] | None, workers: int) -> int:
    """Run tests and record the lines of each; a record of some tests lies beside what is known."""
    known = FOLDER / "reach"
    if tests is None:
        shutil.rmtree(known, ignore_errors=True)
    folder = known / f"{len(list(known.glob('*'))):04}"
    folder.mkdir(parents=True)
    command = [
        *(sys.executable, "-m", "pytest", "-p", "tests.mutants.reach", "-n", str(workers)),
        *("-m", "not static", "--slow", "-q", *(tests or ["tests"])),
    ]
    return subprocess.run(
        command, cwd=ROOT, env={**os.environ, "QUINTAIN_REACH": str(folder)}, check=False
    ).returncode


def changed_mutants(every: dict[str, list[Mutant]], base: str) -> list[Mutant]:
    """Those on lines that changed since a branch began."""
    difference = subprocess.run(
        ["git", "diff", "-U0", f"{base}...", "--", "src", "packages"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    changed = defaultdict[str, set[int]](set)
    file = ""
    for line in difference.splitlines():
        if line.startswith("+++ "):
            file = line.removeprefix("+++ b/")
        elif part := re.match(r"@@ .* \+(\d+)(?:,(\d+))? @@", line):
            first, count = int(part[1]), int(part[2] or 1)
            changed[file].update(range(first, first + count))
    return [
        mutant
        for mutants in every.values()
        for mutant in mutants
        if changed[mutant.file.relative_to(ROOT).as_posix()].intersection(
            range(mutant.line, mutant.last + 1)
        )
    ]


def hunt(mutants: list[Mutant], given: argparse.Namespace) -> dict[Mutant, Fate]:
    """The fate of each."""
    reach = Reach(FOLDER / "reach", tuple(given.tests or ["tests"]))
    names = set[str]()
    for mutant in mutants:
        place = mutant.file.relative_to(ROOT).as_posix()
        names.update(reach.tests_of(place, mutant.line, mutant.last))
    files = sorted({name.partition("::")[0] for name in names})
    plugin = Hunt(mutants, reach, workers=given.workers, budget=given.budget, every=given.every)
    pytest.main(
        ["-p", "no:xdist", "-o", "addopts=", "--slow", "-q", "-p", "no:schemathesis", *files],
        plugins=[plugin],
    )
    return plugin.fates


def noted(mutant: Mutant) -> bool:
    """Whether somebody wrote down why no test can notice it."""
    notes = tomllib.loads(NOTES.read_text())["note"] if NOTES.exists() else []
    place = mutant.file.relative_to(ROOT).as_posix()
    code = mutant.file.read_text().splitlines()[mutant.line - 1].strip()
    about = {"file": place, "function": mutant.function, "code": code, "change": mutant.text}
    return any(note.items() >= about.items() for note in notes)


def report(every: dict[str, list[Mutant]], fates: dict[Mutant, Fate]) -> list[str]:
    """The share that dies, with its interval, by area, and who lives."""
    lines = ["", f"{'area':26} killed of drawn (noted)"]
    total = [0, 0]
    for area, mutants in every.items():
        ours = [mutant for mutant in mutants if mutant in fates]
        excused = [m for m in ours if not fates[m].killers and noted(m)]
        killed = sum(bool(fates[mutant].killers) for mutant in ours)
        rest = len(ours) - len(excused)
        lines.append(f"{area:26} {killed}/{rest} ({len(excused)}){_interval(killed, rest)}")
        total = [total[0] + killed, total[1] + rest]
    lines += [f"{'together':26} {total[0]}/{total[1]}{_interval(*total)}", ""]
    for mutant, fate in fates.items():
        if not fate.killers and not noted(mutant):
            reached = f"{fate.tried} of {fate.reached} tests ran" if fate.reached else "no test"
            lines.append(f"SURVIVED {mutant.name} ({reached})")
    return lines


def _interval(hits: int, n: int) -> str:
    """Wilson's, for 95 %."""
    if not n:
        return ""
    z = 1.959964
    share = hits / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return f" = {share:.0%} ({middle - half:.0%} to {middle + half:.0%})"


if __name__ == "__main__":
    main()
