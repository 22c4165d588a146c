"""What a second worker wins and what it costs: three editions played by real commands.

    python -m benchmarks.workers [--workers 1 2] [--best-of 5] [--only tiny snake1 amic]

plays each edition by ``quintain play`` with so many workers, several times in turn, and prints the
shortest wall clock, the least processor time and both beside those of the first number of workers.
Processor time counts the command with all its workers. All runs of an edition have the same seed;
a run whose files differ from those of the first one ends the benchmark. The
wall clock needs a machine that does nothing else; the load of the machine is printed with it.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from quintain.commitment import sha256
from quintain.runs.folder import paths

PLAYS = {
    "tiny": ("tiny", "--set", "repeats=200"),
    "snake1": ("snake1", "--quick"),
    "amic": ("amic", "--quick"),
}
SEED = "5"


class Cost(NamedTuple):
    """What a command took, in seconds."""

    wall: float
    cpu: float

    @classmethod
    def of(cls, command: Sequence[str]) -> Cost:
        """Run a command; the processor time of its workers is known once they have ended."""
        begun, start = _children(), time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return cls(time.perf_counter() - start, _children() - begun)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def digest(folder: Path) -> str:
    """A fingerprint of all files of a run but those that only save time."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    names = {str(path.relative_to(folder)): path for path in files}
    lasting = {name: at for name, at in names.items() if not name.startswith(f"{paths.CACHE}/")}
    facts = [f"{name} {sha256(at.read_bytes())}" for name, at in lasting.items()]
    return sha256("\n".join(facts).encode())


def measure(play: Sequence[str], workers: Sequence[int], best_of: int) -> dict[int, Cost]:
    """The best of several runs for each number of workers; raises if their files differ."""
    runs: dict[int, list[Cost]] = {number: [] for number in workers}
    digests = set()
    for _ in range(best_of):
        for number in workers:
            with tempfile.TemporaryDirectory() as place:
                out = str(Path(place) / "run")
                how = ("--seed", SEED, "--out", out, "--workers", str(number))
                command = (sys.executable, "-m", "quintain", "play", *play, *how)
                runs[number].append(Cost.of(command))
                digests.add(digest(Path(out)))
    if len(digests) > 1:
        raise SystemExit(f"{' '.join(play)}: the files depend on the number of workers")
    return {
        number: Cost(min(c.wall for c in costs), min(c.cpu for c in costs))
        for number, costs in runs.items()
    }


def rows(play: Sequence[str], costs: dict[int, Cost]) -> Iterator[str]:
    """The rows of the table about one edition."""
    first = next(iter(costs.values()))
    for number, cost in costs.items():
        faster, dearer = first.wall / cost.wall, cost.cpu / first.cpu
        yield (
            f"| `{' '.join(play)}` | {number} | {cost.wall:.1f} | {faster:.2f}x "
            f"| {cost.cpu:.1f} | {dearer:.2f}x |"
        )


def main(arguments: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="benchmarks.workers")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--best-of", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=PLAYS, default=list(PLAYS))
    given = parser.parse_args(arguments)
    print("| edition | workers | wall s | faster | CPU s | of the first |")
    print("|---|---|---|---|---|---|")
    for name in given.only:
        for row in rows(PLAYS[name], measure(PLAYS[name], given.workers, given.best_of)):
            print(row, flush=True)
    print(f"\nload of the machine in the last 1, 5 and 15 minutes: {os.getloadavg()}")


if __name__ == "__main__":
    main(sys.argv[1:])
