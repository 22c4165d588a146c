"""Is the verdict right on releases that a stranger would try? Prints the verdicts of each kind.

    QUINTAIN_DATA=folder python -m benchmarks.audit.known_truth_table [--seeds 20] [--rows 1000]
        [--kinds NAME ...] [--folder build/known-truth] [--peers [ROWS]] [--workers 1]

Each seed deals people of Adult into an original and a control of 1,000 each and strangers, and
makes one release of every kind of ``known_truth.py``. The folder keeps everything, so that a run
that was stopped goes on. With ``--peers``, Anonymeter and SDMetrics judge the same files
(``scripts/peers.sh`` installs them); SDMetrics compares ROWS of each table, 500 by default.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.audit.adult_people import People, people, population
from benchmarks.audit.known_truth import KINDS
from benchmarks.audit.truth_table import VERDICTS, file_name, peer_alarms
from benchmarks.bench.peers import run_peer
from benchmarks.bench.workers import in_workers
from quintain.audits.release import audit_release


def main() -> None:
    """Make the releases, audit them, and print the table."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--rows", type=int, default=1_000)
    parser.add_argument("--kinds", nargs="*", default=list(KINDS))
    parser.add_argument("--folder", type=Path, default=Path("build/known-truth"))
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--peers", type=int, nargs="?", const=500, metavar="ROWS")
    given = parser.parse_args()
    seeds = range(given.first, given.first + given.seeds)
    folders = [given.folder / f"seed{seed:03d}" for seed in seeds]
    for seed, folder in zip(seeds, folders, strict=True):
        write_people(seed, given.rows, folder)
    wanted = [
        (kind, seed, given.rows, folder)
        for seed, folder in zip(seeds, folders, strict=True)
        for kind in given.kinds
    ]
    in_workers(audit, wanted, given.workers)
    for folder in folders if given.peers else ():
        if not (folder / "peers.json").exists():
            script = Path(__file__).with_name("peers.py")
            names = [file_name(kind) for kind in given.kinds]
            (folder / "peers.json").write_text(
                run_peer(script, folder, "--rows", given.peers, *names)
            )
    print("\n".join(lines(folders, given.kinds)))


_everybody = cache(population)


@cache
def people_of(seed: int, rows: int) -> People:
    """The people of a seed."""
    return people(_everybody(), rows, rng=np.random.default_rng([seed, 1]))


def write_people(seed: int, rows: int, folder: Path) -> None:
    """Write the original and the control of one seed, unless they are there."""
    if (folder / "control.csv").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    dealt = people_of(seed, rows)
    dealt.original.to_csv(folder / "original.csv")
    dealt.control.to_csv(folder / "control.csv")


def audit(name: str, seed: int, rows: int, folder: Path) -> None:
    """Write a release of one kind and our verdict on it, unless they are there."""
    from pyarrow import csv

    release, verdict = (folder / f"{file_name(name)}.{end}" for end in ("csv", "json"))
    if verdict.exists():
        return
    rng = np.random.default_rng([seed, 2, list(KINDS).index(name)])
    csv.write_csv(KINDS[name].make(people_of(seed, rows), rng), release)
    start = time.process_time()
    said = audit_release(folder / "original.csv", release, folder / "control.csv")
    seconds = time.process_time() - start
    kept = said.model_dump(mode="json") | {"cpu_seconds": seconds}
    verdict.write_text(json.dumps(kept))


def lines(folders: Sequence[Path], kinds: Sequence[str]) -> Iterator[str]:
    """One line per kind: how often the verdict was right, and what it was."""
    heads = ("release", "right are", "right", *VERDICTS, "CPU s", "Anonymeter", "SDMetrics")
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    for name in kinds:
        files = [folder / f"{file_name(name)}.json" for folder in folders]
        said = [json.loads(file.read_text()) for file in files if file.exists()]
        verdicts = Counter(audit["verdict"] for audit in said)
        right = sum(verdicts[verdict] for verdict in KINDS[name].right)
        cells = (
            name,
            ", ".join(KINDS[name].right),
            f"{right} of {len(said)}",
            *(str(verdicts[verdict]) for verdict in VERDICTS),
            f"{np.mean([audit['cpu_seconds'] for audit in said]):.1f}" if said else "",
            *peer_alarms(list(folders), file_name(name)),
        )
        yield f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
