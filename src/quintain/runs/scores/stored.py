"""Stored readings: all cells of one attacker in one file of the cache, each under its key.

With one file per cell, opening 40,000 files would take longer than ranking them. A reading is used
only while its key is the one that the plan computes from the submissions and the truth.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter

from quintain.commitment import sha256
from quintain.jobs.files import write_file
from quintain.measures import Reading, Readings

FORMAT = "quintain.stored-readings/1"

_READINGS = TypeAdapter(dict[str, dict[str, Reading]])


@dataclass(frozen=True, slots=True)
class Stored:
    """One attacker's measured cells: their keys, by entry, and their readings as text."""

    keys: Mapping[str, str] = field(default_factory=dict)
    text: bytes = b"{}"

    @classmethod
    def read(cls, path: Path) -> Stored:
        """The content of a file; no cells if the file is missing or damaged."""
        try:
            first, text = path.read_bytes().split(b"\n", 1)
            head = json.loads(first)
            if head["format"] == FORMAT and head["sha256"] == sha256(text):
                return cls(head["keys"], text)
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return cls()

    def readings(self) -> dict[str, dict[str, Reading]]:
        """The readings by entry."""
        return _READINGS.validate_json(self.text)

    @classmethod
    def write(cls, path: Path, keys: Mapping[str, str], readings: Mapping[str, Readings]) -> Stored:
        """Replace a file: the keys on its first line, the readings on the second."""
        table = {
            entry: {name: reading.model_dump() for name, reading in readings[entry].items()}
            for entry in keys
        }
        text = json.dumps(table).encode()
        head = {"format": FORMAT, "keys": dict(keys), "sha256": sha256(text)}
        write_file(path, json.dumps(head).encode() + b"\n" + text)
        return cls(keys, text)
