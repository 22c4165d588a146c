"""Peers: other tools, installed in an environment of their own by ``make bench PEERS=1``."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from benchmarks.bench.machine import ROOT

VARIABLE = "QUINTAIN_PEERS"
"""The Python of another environment with the tools, if it is not ``.venv-peers``."""


def peers() -> Path | None:
    """The Python that has the other tools; None if they are not installed."""
    named = os.environ.get(VARIABLE)
    python = Path(named) if named else ROOT / ".venv-peers" / "bin" / "python"
    return python if python.exists() else None


def run_peer(script: Path, *arguments: object) -> str:
    """What a script prints that runs with the other tools, on one thread.

    Its folder is not searched for modules: files there are named after the tools.
    """
    python = peers()
    if python is None:
        raise FileNotFoundError("the other tools are not installed: make bench PEERS=1")
    alone = dict(os.environ, OMP_NUM_THREADS="1", POLARS_MAX_THREADS="1", PYTHONPATH="")
    command = [str(python), "-P", str(script), *map(str, arguments)]
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, env=alone).stdout
