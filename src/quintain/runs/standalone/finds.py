"""Finds from a file: which records attackers found, if results were measured elsewhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from quintain.errors import DataError, Faults
from quintain.rankings import Results
from quintain.rankings.results import pack_finds
from quintain.runs.standalone.rows import read_rows

_HEADER = ["attacker", "entry", "record"]


def read_finds(path: Path, results: Results) -> dict[tuple[str, str], bytes]:
    """The finds by entry and attacker, from a file with one line per find.

    A pair of the matrix without a line found nothing.
    """
    rows, faults = read_rows(path), Faults(path.name)
    if not rows or [name.strip() for name in rows[0]] != _HEADER:
        faults.add(f"expected the columns {', '.join(_HEADER)}", line=1)
        faults.raise_if_any(DataError)
    records: dict[str, dict[str, int]] = {entry.id: {} for entry in results.entries}
    finds: dict[tuple[str, str], set[int]] = {pair: set() for pair in results.table}
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != len(_HEADER):
            faults.add(f"expected {len(_HEADER)} cells, found {len(row)}", line=line)
            continue
        attacker, entry, record = (text.strip() for text in row)
        if (entry, attacker) not in finds:
            message = "the matrix has no attack of this attacker on this entry"
            faults.add(message, line=line, got=f"{attacker}, {entry}")
            continue
        number = records[entry].setdefault(record, len(records[entry]))
        if number in finds[entry, attacker]:
            faults.add("this find appears twice", line=line, got=record)
        finds[entry, attacker].add(number)
    faults.raise_if_any(DataError)
    return {
        pair: pack_finds(np.isin(np.arange(len(records[pair[0]])), sorted(numbers)))
        for pair, numbers in finds.items()
    }
