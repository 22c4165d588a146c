"""What scoring a large contest again costs: with nothing new, and with one new guess.

    python -m benchmarks.scoring.again [TEAMS ENTRIES]

The table shows the CPU seconds of ``score`` in a process that has scored before: the least of some
repetitions, because other processes disturb them. The column "before" is from the version that
looked at every cell in every scoring, measured on the machine named below.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.scoring.contest import answer, large_contest, targets_of
from quintain.runs.folder.folder import Folder
from quintain.runs.score import plan, score
from quintain.runs.submissions.submit import submit

NOTHING = "nothing new"
RANKED = "one new guess, without the page"
WRITTEN = "one new guess, with the page"
MEASURED = "measuring that guess alone"

BEFORE = {
    (60, 60): {NOTHING: 2.65, WRITTEN: 2.40},
    (200, 200): {NOTHING: 68.4},
}
"""CPU seconds at commit 75147f3, two shared cores, Python 3.11: the least of three, a single run
at 200 x 200. That version always wrote the page."""

_REPEATS = 5


def main() -> None:
    """Print the table."""
    teams, entries = (int(word) for word in sys.argv[1:3]) if sys.argv[1:] else (200, 200)
    with tempfile.TemporaryDirectory(prefix="quintain-bench-") as place:
        rows = figures(large_contest(Path(place) / "contest", teams, entries))
    before = BEFORE.get((teams, entries), {})
    print("| score again | before, CPU s | now, CPU s |\n|---|---:|---:|")
    for name, seconds in rows.items():
        old = f"{before[name]:.2f}" if name in before else "not measured"
        print(f"| {teams} x {entries}, {name} | {old} | {seconds:.3f} |")
    print(f"\nLoad average at the end: {os.getloadavg()[0]:.1f}")


def figures(folder: Folder) -> dict[str, float]:
    """CPU seconds of scoring with nothing new and with one new guess, and of measuring that."""
    score(folder)
    _hand_in(folder, seed=99)
    score(folder)  # the first cell brings in libraries that later ones share
    times: dict[str, list[float]] = {name: [] for name in (NOTHING, RANKED, WRITTEN, MEASURED)}
    for seed in range(100, 100 + _REPEATS):
        times[NOTHING].append(cpu(partial(score, folder)))
        for name, page in ((RANKED, False), (WRITTEN, True)):
            _hand_in(folder, seed=seed + 100 * page)
            times[name].append(cpu(partial(score, folder, report=page)))
        _hand_in(folder, seed=seed + 200)
        (job,) = plan(folder)
        times[MEASURED].append(cpu(partial(job.run, folder.root)))
    return {name: min(several) for name, several in times.items()}


def _hand_in(folder: Folder, *, seed: int) -> None:
    name, targets = next(iter(targets_of(folder).items()))
    submit(folder, "team-000", {name: answer(targets, random.Random(seed))})


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of a call."""
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main()
