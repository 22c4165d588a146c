"""What scoring a large contest again costs: with nothing new, and with one new guess.

    python -m benchmarks.scoring.again [TEAMS ENTRIES]

The table shows the CPU seconds of ``score`` in a process that has scored once. The column "before"
is from the version that looked at every cell in every scoring, measured once on the machine named
below.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.scoring.contest import answer, large_contest, targets_of
from quintain.jobs.executor import SERIAL
from quintain.runs.folder.folder import Folder
from quintain.runs.plan import plan
from quintain.runs.score import score
from quintain.runs.submissions.submit import submit

BEFORE = {(60, 60): 4.88, (200, 200): 68.4}
"""CPU seconds with nothing new at commit 75147f3, two shared cores, Python 3.11."""


def main() -> None:
    """Print the table."""
    teams, entries = (int(word) for word in sys.argv[1:3]) if sys.argv[1:] else (200, 200)
    with tempfile.TemporaryDirectory(prefix="quintain-bench-") as place:
        rows = figures(large_contest(Path(place) / "contest", teams, entries))
    before = BEFORE.get((teams, entries))
    shown = "" if before is None else f"{before:.2f}"
    print("| score again | before, CPU s | now, CPU s |\n|---|---:|---:|")
    for (name, seconds), old in zip(rows.items(), (shown, shown, ""), strict=True):
        print(f"| {teams} x {entries}, {name} | {old} | {seconds:.2f} |")


def figures(folder: Folder) -> dict[str, float]:
    """CPU seconds of the two scorings, and of measuring the new guess alone."""
    score(folder)
    nothing = cpu(lambda: score(folder))
    _hand_in(folder, seed=1)
    score(folder)  # the first cell loads libraries that later ones share
    _hand_in(folder, seed=2)
    (job,) = plan(folder)
    measuring = cpu(lambda: job.run(folder.root))
    one = cpu(lambda: score(folder, executor=SERIAL))
    return {"nothing new": nothing, "one new guess": one, "measuring that guess alone": measuring}


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
