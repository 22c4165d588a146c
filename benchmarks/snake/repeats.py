"""What 100 repetitions of one experiment of SNAKE 1 cost; prints times and memory.

    QUINTAIN_DATA=folder-with-snake_base.parquet python -m benchmarks.snake.repeats

One repetition is a whole experiment: a fresh private sample of 100 households among 10,000 people,
a release by MST, MAMA-MIA with five shadow runs, and the score. The engine plays it like any
contest and writes everything to disk. The benchmark plays 10 and 100 repetitions, which must need
the same memory per worker; then 100 again, killed in the middle and resumed, which must give the
same bytes. Without the real data it uses the stand-in.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.machine import real_data
from quintain.data.sources.cps import FILE

SECONDS = 0.1
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Seen:
    """What the processes of a run used: CPU seconds and the peak memory of each, in MB."""

    main: int = 0
    wall: float = 0.0
    cpu: dict[int, float] = field(default_factory=dict)
    peak: dict[int, float] = field(default_factory=dict)
    together: float = 0.0

    def look(self) -> None:
        """Read from /proc what every process of the run's session uses."""
        total = 0.0
        for path in Path("/proc").glob("[0-9]*"):
            try:
                facts = (path / "stat").read_text().rpartition(")")[2].split()
                status = (path / "status").read_text().splitlines()
            except OSError:
                continue  # the process has just ended
            if len(facts) < 13 or int(facts[3]) != self.main:
                continue
            memory = {line.split()[0]: line.split()[1] for line in status if line.startswith("Vm")}
            pid = int(path.name)
            self.cpu[pid] = (int(facts[11]) + int(facts[12])) / TICKS
            self.peak[pid] = max(self.peak.get(pid, 0.0), int(memory.get("VmHWM:", 0)) / 1024)
            total += int(memory.get("VmRSS:", 0)) / 1024
        self.together = max(self.together, total)


def edition_file(folder: Path, repeats: int, epsilon: float) -> Path:
    """The edition: one sanitizer, one attack, many repetitions."""
    file = folder / f"repeats{repeats}.toml"
    file.write_text(f"""
include = "snake1"
id = "snake-repeats"
repeats = {repeats}
[dataset]
use = "cps"
real = {str(real_data(FILE[0])).lower()}
[[sanitizer]]
use = "mst"
name = "mst"
epsilon = {epsilon}
delta = 1e-9
rows = 10_000
[[baseline]]
id = "mama-mia"
attack = {{ use = "mama-mia", shadows = 5 }}
""")
    return file


def play(edition: Path, out: Path, workers: int, kill_after: int | None = None) -> Seen:
    """Play an edition and watch its processes; kill them all after ``kill_after`` jobs."""
    command = [sys.executable, "-m", "quintain", "play", edition, "--seed", "7"]
    begin = time.monotonic()
    run = subprocess.Popen(
        [*command, "--out", out, "--workers", str(workers)],
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    seen = Seen(run.pid)
    while run.poll() is None:
        seen.look()
        if kill_after is not None and len(list(out.glob(".cache/stamps/*.json"))) >= kill_after:
            os.killpg(run.pid, signal.SIGKILL)
        time.sleep(SECONDS)
    seen.wall = time.monotonic() - begin
    if kill_after is None and run.returncode:
        sys.exit(f"quintain play {edition} failed with exit code {run.returncode}")
    if kill_after is not None and not run.returncode:
        sys.exit("the run ended before it could be killed; use more repetitions")
    return seen


def line(what: str, seen: Seen) -> str:
    """One line of the table."""
    others = [peak for process, peak in seen.peak.items() if process != seen.main]
    worker = f"{max(others):.0f}" if others else ""
    main = f"{seen.peak[seen.main]:.0f}"
    cells = f"{seen.wall:.0f} | {sum(seen.cpu.values()):.0f} | {main} | {worker}"
    return f"| {what} | {cells} | {seen.together:.0f} |"


def reading(root: Path) -> str:
    """What the attack reached, with 95 % intervals."""
    import pyarrow.parquet

    rows = pyarrow.parquet.read_table(root / "results/cells.parquet").to_pylist()
    readings = {row["measure"]: row for row in rows}
    return ", ".join(
        "{measure} {value:.3f} ({low:.3f} to {high:.3f})".format(**readings[name])
        for name in ("membership_advantage", "auc")
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--epsilon", type=float, default=10.0)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    few, many = max(1, options.repeats // 10), options.repeats
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = {n: edition_file(folder, n, options.epsilon) for n in (few, many)}
        print(
            f"MST at epsilon {options.epsilon:g}, {options.workers} workers; memory is peak RSS\n"
        )
        print("| repetitions | wall s | CPU s | MB main | MB largest worker | MB all together |")
        print("|---|---|---|---|---|---|", flush=True)
        print(line(f"{few}", play(files[few], folder / "few", options.workers)), flush=True)
        print(line(f"{many}", play(files[many], folder / "many", options.workers)), flush=True)
        # A repetition is a task, an attack and a utility; the middle is in the attacks.
        broken, half = folder / "broken", many + many // 2
        first = play(files[many], broken, options.workers, kill_after=half)
        print(line(f"{many}, killed after {half} jobs", first), flush=True)
        print(line("... and resumed", play(files[many], broken, options.workers)), flush=True)
        results = [
            {file.name: file.read_bytes() for file in sorted((folder / run / "results").iterdir())}
            for run in ("many", "broken")
        ]
        same = "the same bytes" if results[0] == results[1] else "DIFFERENT BYTES"
        size = sum(f.stat().st_size for f in (folder / "many").rglob("*") if f.is_file()) / 1e6
        print(f"\nThe run that was killed and resumed gives {same}.")
        print(f"{many} repetitions: {reading(folder / 'many')}; {size:.0f} MB on disk.")


if __name__ == "__main__":
    main()
