"""Kept lines: finished runs in a file of JSON lines, so that a run that was stopped goes on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from benchmarks.bench.machine import ROOT


def results_folder() -> Path:
    """Where finished runs are kept: QUINTAIN_RESULTS, or a folder that is not committed."""
    return Path(os.environ.get("QUINTAIN_RESULTS", ROOT / "benchmarks" / "results"))


def kept_lines(path: Path) -> list[dict[str, Any]]:
    """The finished runs; half a line, which a killed run may leave, is not one."""
    lines = path.read_text().splitlines() if path.is_file() else []
    return [json.loads(line) for line in lines if line.endswith("}")]


def keep_line(path: Path, line: dict[str, Any]) -> None:
    """Add a finished run, on a line of its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.is_file() and path.stat().st_size and not path.read_bytes().endswith(b"\n")
    with path.open("a") as file:
        file.write(("\n" if half else "") + json.dumps(line) + "\n")
