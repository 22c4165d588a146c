"""What a journal costs as it grows: appending, finding the lines of one team, proofs.

    python -m benchmarks.journal

A line has about 700 bytes, as a submission with five files has. Appending includes the wait for the
disk, so the table shows the median of the wall clock; CPU time says what the journal itself does.
The rest is CPU time, the least of some repetitions.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks.bench.machine import peak
from quintain.journal.checkpoint import Checkpoint
from quintain.journal.database_store import DatabaseStore
from quintain.journal.file_store import FileStore
from quintain.journal.receipt import Receipt
from quintain.journal.signing import SigningKey
from quintain.journal.store import Store
from quintain.journal.tree import Tree, inclusion_proof, leaf_hash

SIZES = (100, 10_000, 100_000)
DATABASE_SIZES = (100, 10_000)
"""Filling a database one line at a time takes too long for a quick benchmark."""

_TEAMS = 200
_APPENDS = 100
_REPEATS = 5


class Row(NamedTuple):
    """What one journal costs, in milliseconds."""

    append: float
    append_cpu: float
    last: float
    team: float
    skip: float


def main() -> None:
    """Print both tables."""
    before = peak()
    with tempfile.TemporaryDirectory(prefix="quintain-bench-") as place:
        print(
            "| store, lines | append, ms | append, CPU ms | last line, CPU ms "
            "| one team of 200, CPU ms | all but ten skipped, CPU ms |\n"
            "|---|---:|---:|---:|---:|---:|"
        )
        for size in SIZES:
            show(f"file, {size:,}", cost_of(_file(Path(place), size), size))
        memory = peak() - before
        for size in DATABASE_SIZES:
            show(f"SQLite, {size:,}", cost_of(_database(Path(place), size), size))
    print(f"\nPeak memory that the files added: {memory:.0f} MB\n")
    print(
        "| lines | tree: append and root, CPU µs | newest receipt, CPU ms | its check, CPU ms "
        "| proof of any line, CPU ms |\n|---|---:|---:|---:|---:|"
    )
    for size in SIZES:
        print(f"| {size:,} | " + " | ".join(proofs(size)) + " |")
    print(f"\nLoad average at the end: {os.getloadavg()[0]:.1f}")


def line(number: int) -> bytes:
    """An event that looks like a submission."""
    fields = {
        "event": "submitted",
        "files": {f"guess-{file}.csv": "0123456789abcdef" * 4 for file in range(5)},
        "format": "quintain.journal/1",
        "number": number,
        "previous": "f" * 64,
        "salt": "0" * 32,
        "team": f"team-{number % _TEAMS:03}",
        "time": "2026-05-01T12:00:00Z",
        "track": "final",
    }
    return json.dumps(fields, sort_keys=True).encode()


def _file(place: Path, size: int) -> Store:
    store = FileStore(place / f"{size}.jsonl")
    with store.path.open("wb") as file:
        file.writelines(line(number) + b"\n" for number in range(1, size + 1))
    return store


def _database(place: Path, size: int) -> Store:
    store = DatabaseStore(f"sqlite:///{place / 'host.db'}", str(size))
    with store.locked():
        for number in range(1, size + 1):
            store.append(line(number))
    return store


def cost_of(store: Store, size: int) -> Row:
    """What a journal of this size costs."""
    team = least_cpu(lambda: list(store.lines(team="team-007", event="submitted")))
    skip = least_cpu(lambda: list(store.lines(start=size - 10)))
    last = least_cpu(store.last)
    waits, begin = [], time.process_time()
    for number in range(size + 1, size + 1 + _APPENDS):
        start = time.perf_counter()
        with store.locked():
            store.last()
            store.append(line(number))
        waits.append(1000 * (time.perf_counter() - start))
    cpu = 1000 * (time.process_time() - begin) / _APPENDS
    return Row(statistics.median(waits), cpu, last, team, skip)


def show(name: str, row: Row) -> None:
    """Print a row of the first table."""
    print(f"| {name} | " + " | ".join(f"{value:.2f}" for value in row) + " |", flush=True)


def proofs(size: int) -> list[str]:
    """What the tree over a journal of this size costs."""
    key = SigningKey.from_seed(b"\x01" * 32)
    leaves = [leaf_hash(line(number)) for number in range(1, size + 1)]
    tree = Tree.of(line(number) for number in range(1, size))

    def receipt() -> Receipt:
        whole = tree.append(leaves[-1])
        text = Checkpoint("quintain/bench", size, whole.root()).signed(key)
        return Receipt(line(size), tuple(tree.proof_of_next()), text)

    made = receipt()
    grow = least_cpu(lambda: [tree.append(leaves[-1]).root() for _ in range(1000)])
    return [
        f"{grow:.1f}",  # milliseconds for a thousand
        f"{least_cpu(receipt):.2f}",
        f"{least_cpu(lambda: made.check(key.public)):.2f}",
        f"{least_cpu(lambda: inclusion_proof(leaves, size // 3)):.2f}",
    ]


def least_cpu(work: Callable[[], object]) -> float:
    """CPU milliseconds of a call: the least of some repetitions."""
    times = []
    for _ in range(_REPEATS):
        start = time.process_time()
        work()
        times.append(1000 * (time.process_time() - start))
    return min(times)


if __name__ == "__main__":
    main()
