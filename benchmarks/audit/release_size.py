"""What an audit of a release costs: processor time and memory, by the size of the tables.

    python -m benchmarks.audit.release_size
    python -m benchmarks.audit.release_size --sizes 10000x12,100000x50

Original, control and release have the same number of simulated people each; three in a hundred
released records are copies. The command ``quintain audit release`` runs in a process of its own
with one thread. Beside it stands what the command says before it begins. With ``--parts`` the time
of each part of the audit is printed as well.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.audit.wide_people import wide_people
from quintain.audits.work_ahead import TableSize, release_audit

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
PARTS = (
    "read_inputs", "check_control", "measure_membership", "measure_inference",
    "measure_linkability", "measure_singling_out", "joint_test", "nameable", "exposed_share",
    "measure_utility",
)  # fmt: skip


def write_tables(folder: Path, rows: int, columns: int) -> list[str]:
    """Write original, release and control; returns the options that name them."""
    people = wide_people(3 * rows, columns, rng=np.random.default_rng(1))
    copies = rows * 3 // 100
    chosen = {
        "original": np.arange(rows),
        "release": np.concatenate([np.arange(copies), np.arange(rows + copies, 2 * rows)]),
        "control": np.arange(2 * rows, 3 * rows),
    }
    options = []
    for name, which in chosen.items():
        people.take(which).to_csv(folder / f"{name}.csv")
        options += [f"--{name}", str(folder / f"{name}.csv")]
    return options


def measure(rows: int, columns: int) -> tuple[float, float, float, str]:
    """Processor seconds, seconds, the peak of memory in MB, and the verdict of one audit."""
    with tempfile.TemporaryDirectory() as place:
        options = write_tables(Path(place), rows, columns)
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
        command = [sys.executable, "-m", __spec__.name, "--audit", *options]
        done = subprocess.run(
            command, env={**os.environ, **ONE_THREAD}, stdout=subprocess.PIPE, text=True, check=True
        )
        after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.time() - began
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    verdict, peak = done.stdout.split()
    return seconds, wall, float(peak), verdict


def audit(paths: dict[str, Path], *, parts: bool = False) -> None:
    """Run one audit in this process; print the verdict and the peak of memory in MB."""
    from quintain.audits.release import audit_release

    profile = cProfile.Profile()
    made = profile.runcall(audit_release, **paths) if parts else audit_release(**paths)
    print(made.verdict, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    for (_, _, name), (_, _, _, seconds, _) in pstats.Stats(profile).stats.items() if parts else ():
        if name in PARTS:
            print(f"{name:>20} {seconds:8.1f} s", file=sys.stderr)


def main() -> None:
    """Measure each size."""
    parser = argparse.ArgumentParser(description="What an audit of a release costs.")
    parser.add_argument("--sizes", default="10000x12")
    parser.add_argument("--parts", action="store_true")
    parser.add_argument("--audit", action="store_true", help=argparse.SUPPRESS)
    for name in ("original", "release", "control"):
        parser.add_argument(f"--{name}", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.audit:
        names = ("original", "release", "control")
        audit({name: getattr(given, name) for name in names}, parts=given.parts)
        return
    for size in given.sizes.split(","):
        rows, columns = map(int, size.split("x"))
        if given.parts:
            with tempfile.TemporaryDirectory() as place:
                paths = write_tables(Path(place), rows, columns)[1::2]
                roles = ("original", "release", "control")
                audit(dict(zip(roles, map(Path, paths), strict=True)), parts=True)
            continue
        seconds, wall, peak, verdict = measure(rows, columns)
        work = release_audit([TableSize(rows, columns)], control=True, attacks=0)
        print(
            f"{size:>12}: {seconds:7.1f} CPU s {wall:7.1f} s {peak:7.0f} MB at most; {verdict}; "
            f"estimated {work.seconds:.1f} CPU s ({seconds / work.seconds:.2f} times that) and "
            f"{work.megabytes:.0f} MB ({peak / work.megabytes:.2f})",
            flush=True,
        )


if __name__ == "__main__":
    main()
