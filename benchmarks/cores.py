"""How much faster more workers are: the jobs of a played edition, measured once, then simulated.

    python -m benchmarks.cores tiny [--quick] [--set repeats=200] [--json]

plays an edition in one process and notes how many CPU seconds each job takes and which jobs follow
from it. The rest of the CPU time is the part that one process does alone: rules, journal,
commitments, ranking, report. Then the same graph is worked off by 1, 2, 4, 16 and 64 imagined
workers, in the order of :class:`quintain.jobs.graph.Ready`, the one that real workers get.

The simulation has no imports, no contention for memory, and no waiting for the disk. It says how
much of a machine the graph can use, not how long a machine takes.
"""

import argparse
import json
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from pathlib import Path
from time import process_time
from typing import Any

from quintain.contests import load
from quintain.jobs.executor import Executor
from quintain.jobs.graph import Kind, Ready, nothing_more
from quintain.runs.play import play

WORKERS = (1, 2, 4, 16, 64)
HAND_OVER = 0.001
"""How many seconds it takes to hand a batch to a worker."""


@dataclass(slots=True)
class Piece:
    """A job: its kind, its CPU seconds, and the places of those that follow from it."""

    kind: str
    seconds: float
    followers: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Stage:
    """Jobs that ran without a pause; ``first`` are the places of those that waited for nothing."""

    pieces: list[Piece] = field(default_factory=list)
    first: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Recording(Executor):
    """Works in this process, and notes what each item takes and what follows from it."""

    stages: list[Stage] = field(default_factory=list)

    def run(
        self,
        work: Callable[[Any], Any],
        items: Iterable[Any],
        *,
        then: Callable[[Any], Iterable[Any]] = nothing_more,
        kind: Kind[Any] | None = None,
        shared: Path | None = None,
    ) -> Iterator[Any]:
        """Do the work, one item after the other."""
        stage = Stage()
        self.stages.append(stage)
        waiting = deque((item, stage.first) for item in items)
        while waiting:
            item, place = waiting.popleft()
            start = process_time()
            result = work(item)
            # Without a kind no two items go together: each is one of its own.
            name = str(len(stage.pieces)) if kind is None else kind(item)
            piece = Piece(name, process_time() - start)
            place.append(len(stage.pieces))
            stage.pieces.append(piece)
            waiting.extend((following, piece.followers) for following in then(result))
            yield result


def makespan(stage: Stage, workers: int) -> float:
    """How long so many workers take for a stage."""
    ready = Ready[int](workers, kind=lambda place: stage.pieces[place].kind)
    ready.add(stage.first)
    now, running, numbers = 0.0, list[tuple[float, int, list[int]]](), count()
    while ready or running:
        while ready and len(running) < workers:
            batch = ready.take()
            seconds = HAND_OVER + sum(stage.pieces[place].seconds for place in batch)
            heappush(running, (now + seconds, next(numbers), batch))
        now, _, batch = heappop(running)
        for place in batch:
            ready.took(place, stage.pieces[place].seconds)
            ready.add(stage.pieces[place].followers)
    return now


def longest_chain(stages: Sequence[Stage]) -> float:
    """The time that no number of workers can go below: jobs that wait for each other."""
    total = 0.0
    for stage in stages:
        chain = [0.0] * len(stage.pieces)
        for place in reversed(range(len(stage.pieces))):  # followers come later in the list
            piece = stage.pieces[place]
            chain[place] = piece.seconds + max((chain[f] for f in piece.followers), default=0.0)
        total += max(chain, default=0.0)
    return total


def measure(edition: str, *, quick: bool, changes: dict[str, Any]) -> dict[str, Any]:
    """The CPU seconds of one play, and the simulated time by number of workers."""
    rules, recording = load(edition, quick=quick, overrides=changes), Recording()
    with tempfile.TemporaryDirectory() as place:
        start = process_time()
        play(rules, Path(place) / "run", seed=1, executor=recording)
        total = process_time() - start
    in_jobs = sum(piece.seconds for stage in recording.stages for piece in stage.pieces)
    alone = total - in_jobs
    times = {n: alone + sum(makespan(s, n) for s in recording.stages) for n in WORKERS}
    return {
        "edition": edition,
        "jobs": sum(len(stage.pieces) for stage in recording.stages),
        "cpu_seconds": round(total, 2),
        "alone_share": round(alone / total, 4),
        "longest_chain": round(longest_chain(recording.stages), 2),
        "speedup": {n: round(times[1] / seconds, 2) for n, seconds in times.items()},
    }


def main(arguments: list[str]) -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(prog="benchmarks.cores")
    parser.add_argument("edition")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=NUMBER")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    changes = {key: int(value) for key, _, value in (item.partition("=") for item in given.set)}
    measured = measure(given.edition, quick=given.quick, changes=changes)
    if given.json:
        print(json.dumps(measured))
        return
    print(f"{measured['edition']}: {measured['jobs']} jobs, {measured['cpu_seconds']} CPU seconds,")
    print(f"{measured['alone_share']:.1%} of them in one process alone;")
    print(f"the longest chain of jobs takes {measured['longest_chain']} seconds")
    for workers, speedup in measured["speedup"].items():
        print(f"{workers:>3} workers: {speedup}x")


if __name__ == "__main__":
    main(sys.argv[1:])
