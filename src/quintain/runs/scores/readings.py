"""Readings as files of the cache: JSON, with null for what was not measured."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from quintain.commitment import canonical_json
from quintain.measures import Reading


def readings_bytes(readings: Mapping[str, Reading]) -> bytes:
    """Readings as the content of a file."""
    return canonical_json({name: reading.model_dump() for name, reading in readings.items()})


def read_readings(path: Path) -> dict[str, Reading]:
    """The readings that :func:`readings_bytes` wrote, by name."""
    nan = float("nan")
    return {
        name: Reading(**{key: nan if value is None else value for key, value in values.items()})
        for name, values in json.loads(path.read_bytes()).items()
    }
