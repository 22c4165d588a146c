"""Stage 7, measures: compare guesses with truths, and releases with originals.

The result is a reading: a value with its interval, direction and sample size. Comparing teams does
not belong here; that is ranking.
"""

from __future__ import annotations

from typing import Any

from quintain.builtin import part_class, part_classes
from quintain.measures.blind_law import BlindLaw
from quintain.measures.measure import (
    About,
    Case,
    Curve,
    GuessMeasure,
    Measure,
    Readings,
    ReleaseMeasure,
    reading_rng,
)
from quintain.measures.reading import Direction, Kind, Reading, average
from quintain.measures.record_measure import RecordMeasure

__all__ = [
    "About",
    "BlindLaw",
    "Case",
    "Curve",
    "Direction",
    "GuessMeasure",
    "Kind",
    "Measure",
    "Reading",
    "Readings",
    "RecordMeasure",
    "ReleaseMeasure",
    "average",
    "reading_rng",
]


def __getattr__(name: str) -> Any:
    """Return a built-in part by its class name; its module is imported when first used."""
    return part_class(__name__, name)


def __dir__() -> list[str]:
    return sorted([*__all__, *part_classes(__name__)])
