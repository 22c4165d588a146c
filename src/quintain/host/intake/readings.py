"""Readings of an upload: stored in a row, whose JSON has no word for a number that is missing."""

from __future__ import annotations

import math
from typing import Any

from quintain.measures import Reading


def stored_reading(reading: Reading) -> dict[str, Any]:
    """A reading for a row; numbers that JSON cannot write become texts.

    >>> stored_reading(Reading(value=float("nan"), low=0, high=1, n=0, better="lower"))["value"]
    'nan'
    """
    fields = reading.model_dump(mode="json")
    return {name: _number(value) for name, value in fields.items()}


def shown_reading(stored: dict[str, Any]) -> Reading:
    """The reading in a row.

    >>> shown_reading({"value": "inf", "low": 0, "high": "inf", "n": 3, "better": "lower"}).value
    inf
    """
    return Reading.model_validate(stored)


def _number(value: Any) -> Any:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
