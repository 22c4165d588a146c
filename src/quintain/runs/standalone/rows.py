"""Rows: the cells of a small CSV file from elsewhere, as texts."""

from __future__ import annotations

from pathlib import Path

from quintain.data.files import file_content
from quintain.data.files.subprocess_reader import rows_apart
from quintain.errors import DataError, Faults


def read_rows(path: Path) -> list[list[str]]:
    """The rows of a CSV file, read in a process apart; raises with every fault."""
    faults = Faults(path.name)
    rows = rows_apart(file_content(path), faults)
    faults.raise_if_any(DataError)
    return rows
