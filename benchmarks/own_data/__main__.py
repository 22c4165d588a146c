"""How long it takes to learn and to read a large table, and how much memory.

    python -m benchmarks.own_data --rows 1000000 --columns 50

Each step runs in a process of its own, so that its peak of memory is its own.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.own_data.ugly_table import write_table
from quintain.data.learning.files import learn_file
from quintain.data.own_files.reading import read_own
from quintain.data.own_files.schema_file import read_schema_file

STEPS = ("learn", "read")


def step(name: str, folder: Path) -> None:
    """Do one step in this process and print what it took."""
    table, schema = folder / "table.csv", folder / "schema.json"
    began = time.process_time()
    if name == "learn":
        schema.write_text(learn_file(table).to_json())
        result = f"{len(read_schema_file(schema).columns)} columns"
    else:
        result = f"{len(read_own(table, read_schema_file(schema)))} records"
    seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{name:<6} {seconds:7.1f} CPU s {peak:7.2f} GB at most   {result}", flush=True)


def main() -> None:
    """Make the table, then do each step."""
    parser = argparse.ArgumentParser(description="Learn and read a large table.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--step", nargs=2, metavar=("NAME", "FOLDER"))
    given = parser.parse_args()
    if given.step:
        step(given.step[0], Path(given.step[1]))
        return
    with tempfile.TemporaryDirectory() as name:
        table = Path(name) / "table.csv"
        write_table(table, given.rows, only=given.columns)
        size = table.stat().st_size / 1e6
        print(f"{given.rows} rows x {given.columns} columns, {size:.0f} MB", flush=True)
        for one in STEPS:
            command = [sys.executable, "-m", "benchmarks.own_data", "--step", one, name]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
