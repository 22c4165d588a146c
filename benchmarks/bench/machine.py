"""The machine: which real data it has, how much memory was used, separate processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from quintain.data.sources.source import DATA_FOLDER

ROOT = Path(__file__).resolve().parent.parent.parent


def real_data(*names: str) -> bool:
    """Whether any of the files is in the folder of real data."""
    folder = os.environ.get(DATA_FOLDER)
    return bool(folder) and any((Path(str(folder)) / name).is_file() for name in names)


def people(real: bool) -> str:
    """How a table names the data: real or simulated."""
    return "real data" if real else "stand-in"


def peak(status: Path = Path("/proc/self/status")) -> float:
    """The peak memory of a process so far, in MB.

    Read from /proc, not from ``getrusage``, which counts the memory of the parent for a forked
    child.
    """
    lines = status.read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def run_alone(script: str, *arguments: object) -> str:
    """The output of a script that runs in its own process, so that its peak memory is its own."""
    module = ".".join(Path(script).resolve().relative_to(ROOT).with_suffix("").parts)
    command = [sys.executable, "-m", module, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.strip()
