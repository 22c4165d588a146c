"""Stage 7, measures: guesses against truths, releases against originals; readings out.

A reading is a value with its interval, direction and sample size. What does not belong here:
comparing teams (that is ranking).
"""

from quintain.measures.blind_law import BlindLaw
from quintain.measures.measure import (
    Case,
    Curve,
    Measure,
    PrivacyMeasure,
    Readings,
    UtilityMeasure,
)
from quintain.measures.reading import Direction, Reading, average

__all__ = [
    "BlindLaw",
    "Case",
    "Curve",
    "Direction",
    "Measure",
    "PrivacyMeasure",
    "Reading",
    "Readings",
    "UtilityMeasure",
    "average",
]
