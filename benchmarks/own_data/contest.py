"""From a table nobody prepared to a played contest: how long each step takes, and how much memory.

    python -m benchmarks.own_data.contest --rows 10000
    python -m benchmarks.own_data.contest --rows 1000000

The table has up to 60 columns, see ``ugly_table.py``; the contest is ``mine.toml``. Each step is a
process of its own, so that its peak of memory is its own. With ``--write table.csv`` the table is
written and nothing is measured.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.own_data.ugly_table import write_table
from quintain.data.learning.learn import read_schema_file
from quintain.data.own_files.reading import read_own

STEPS = ("learn", "read", "play")
EDITION = Path(__file__).parent / "mine.toml"


def do(name: str, folder: Path) -> None:
    """Do one step in the folder."""
    quintain = [sys.executable, "-m", "quintain"]
    if name == "learn":
        with (folder / "schema.json").open("w") as out, (folder / "reasons.txt").open("w") as why:
            command = [*quintain, "schema", "learn", "table.csv"]
            subprocess.run(command, cwd=folder, stdout=out, stderr=why, check=True)
    elif name == "read":
        read_own(folder / "table.csv", read_schema_file(folder / "schema.json"))
    else:
        shutil.copy(EDITION, folder)
        command = [*quintain, "play", EDITION.name, "--seed", "1", "--out", "run", "--workers", "1"]
        subprocess.run(command, cwd=folder, check=True)


def step(name: str, folder: Path) -> None:
    """Do one step and print what it took."""
    began = time.time()
    do(name, folder)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds = sum(one.ru_utime + one.ru_stime for one in used)
    peak = max(one.ru_maxrss for one in used) / 1e6
    wall = time.time() - began
    print(f"{name:<6}{seconds:8.1f} CPU s {wall:8.1f} s {peak:7.2f} GB at most", flush=True)


def main() -> None:
    """Make the table, then do each step."""
    parser = argparse.ArgumentParser(description="Learn, read and play a table nobody prepared.")
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--columns", type=int, default=60)
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=STEPS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--write", type=Path, metavar="FILE", help="Only write the table.")
    given = parser.parse_args()
    if given.write is not None:
        write_table(given.write, given.rows, only=given.columns)
        return
    if given.folder is not None:
        step(given.steps[0], given.folder)
        return
    with tempfile.TemporaryDirectory() as name:
        table = Path(name) / "table.csv"
        write_table(table, given.rows, only=given.columns)
        size = table.stat().st_size / 1e6
        print(f"{given.rows} rows x {given.columns} columns, {size:.0f} MB", flush=True)
        for one in given.steps:
            words = ["--steps", one, "--folder", name]
            subprocess.run(
                [sys.executable, "-m", "benchmarks.own_data.contest", *words], check=True
            )


if __name__ == "__main__":
    main()
