"""What the next submission costs after a hundred others, and after ten thousand.

    python -m benchmarks.live.many_submissions [SUBMISSIONS TEAMS]

Teams join the edition ``tiny`` and submit in turn. The table shows the median of twenty submissions
in a process that takes all of them, as a server would, and of twenty commands ``quintain submit``.
The submissions in between are admitted, stored and recorded, but their files are not examined: that
takes long, and what it costs does not depend on other submissions.
CPU time is of this process without the one that reads the files, and of a command with all of its
processes; the wall clock includes waiting for the disk and for other programs. Memory is what the
process has at that moment, and for commands the most they ever had.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from quintain.contests import load
from quintain.journal.events import Submitted
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import record, writing
from quintain.runs.folder.rules import write_rules
from quintain.runs.organising.join import Joining, join
from quintain.runs.organising.prepare import prepare
from quintain.runs.submissions.counting import store
from quintain.runs.submissions.submit import admission_for, submit

_REPEATS = 20
_SMALL = {"repeats": 1, "dataset": {"rows": 400}, "sample": {"targets": 20, "background": 60}}


class Cost(NamedTuple):
    """Milliseconds and megabytes of one submission."""

    cpu: float
    wall: float
    memory: float


def main() -> None:
    """Print the table."""
    last, teams = (int(word) for word in sys.argv[1:3]) if sys.argv[1:] else (10_000, 200)
    with tempfile.TemporaryDirectory(prefix="quintain-bench-") as place:
        contest = Contest(Path(place) / "contest", teams)
        moments = [min(100, last // 10), last]
        rows = {moment: contest.costs_at(moment) for moment in moments}
    print(f"{teams} teams joined in {contest.joining:.1f} s (wall clock).\n")
    print("| submission | process | CPU ms | wall ms | memory MB |\n|---:|---|---:|---:|---:|")
    for moment, costs in rows.items():
        for name, cost in costs.items():
            cpu, wall, memory = cost
            print(f"| {moment} | {name} | {cpu:.1f} | {wall:.1f} | {memory:.0f} |")
    early, late = rows[moments[0]], rows[moments[1]]
    for name in early:
        print(f"\n{name}: CPU {late[name].cpu / early[name].cpu:.2f} times as much")
    print(f"\nLoad average at the end: {os.getloadavg()[0]:.1f}")


class Contest:
    """A contest to which many teams submit in turn."""

    def __init__(self, root: Path, teams: int) -> None:
        write_rules(root, load("tiny", overrides=_SMALL))
        self.folder = Folder(root)
        prepare(self.folder, seed=3)
        self.teams = [f"team-{i:03d}" for i in range(teams)]
        start = time.perf_counter()
        join(self.folder, [Joining(team) for team in self.teams])
        self.joining = time.perf_counter() - start
        (track,) = self.folder.edition().track
        task = self.folder.tasks(track)[0]
        rows = self.folder.question(track, task).table.records()
        self.name, self.targets = f"{task.name}.csv", [row["target"] for row in rows]
        self.phase = track.phase[0].id
        self.random, self.count = random.Random(1), 0

    def costs_at(self, number: int) -> dict[str, Cost]:
        """The costs of the submissions up to this number, in one process and as commands."""
        while self.count < number - 2 * _REPEATS:
            self._record(*self._next())
        return {
            "one process": _median(self._in_process),
            "quintain submit": _median(self._command),
        }

    def _record(self, team: str, files: dict[str, bytes]) -> None:
        admission_for(self.folder, team)
        digests = store(self.folder, files)
        event = Submitted(team=team, track="main", phase=self.phase, kind="guess", files=digests)
        with writing(self.folder) as journal:
            record(self.folder, journal, event, now=datetime.now(UTC))

    def _next(self) -> tuple[str, dict[str, bytes]]:
        team = self.teams[self.count % len(self.teams)]
        self.count += 1
        lines = [f"{target},{self.random.random():.3f}\n" for target in self.targets]
        return team, {self.name: ("target,probability\n" + "".join(lines)).encode()}

    def _in_process(self) -> Cost:
        team, files = self._next()
        cpu, wall = time.process_time(), time.perf_counter()
        submit(self.folder, team, files)
        used, waited = time.process_time() - cpu, time.perf_counter() - wall
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return Cost(1e3 * used, 1e3 * waited, pages * os.sysconf("SC_PAGE_SIZE") / 1e6)

    def _command(self) -> Cost:
        team, files = self._next()
        ((name, content),) = files.items()
        upload = self.folder.root.parent / name
        upload.write_bytes(content)
        command = [sys.executable, "-m", "quintain", "submit", str(self.folder.root), str(upload)]
        start = time.perf_counter()
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        child = subprocess.Popen([*command, "--team", team], **quiet)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit(f"quintain submit ended with {child.returncode}")
        waited = time.perf_counter() - start
        return Cost(1e3 * (usage.ru_utime + usage.ru_stime), 1e3 * waited, usage.ru_maxrss / 1e3)


def _median(measure: Callable[[], Cost]) -> Cost:
    costs = [measure() for _ in range(_REPEATS)]
    return Cost(*(statistics.median(values) for values in zip(*costs, strict=True)))


if __name__ == "__main__":
    main()
