"""Stage 7, measures: compare guesses with truths, and releases with originals.

The result is a reading: a value with its interval, direction and sample size. Comparing teams does
not belong here; that is ranking.
"""

from __future__ import annotations

from quintain.builtin import offer_parts
from quintain.measures.aligned import RecordMeasure
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

__getattr__, __dir__ = offer_parts(__name__, __all__)
