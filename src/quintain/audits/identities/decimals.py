"""Decimals: digits of released numbers behind the last one that the original has.

Nobody measured them. They may be errors of calculation, averages or noise; and they may be an id.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_FEWEST = 20
"""Averages of few numbers have few different ends."""
_USUAL = 0.99
"""So many numbers of the original have at most so many decimals as it is said to have."""
_UNITS = 4
"""So many units in the last place are an error of calculation."""


def digits_behind(released: Sequence[str], known: Sequence[str]) -> list[str] | None:
    """The digits of each released number behind those that others have; None if they say nothing.

    >>> ends = digits_behind([f"{70 + n % 9}.5{n:03}" for n in range(101, 199)], ["70.5", "81"])
    >>> ends[:2]
    ['101', '102']
    >>> digits_behind(["0.30000000000000004", "1.2"], ["0.3"]) is None
    True
    """
    usual = [len(_fraction(cell)) for cell in known if cell]
    if not usual:
        return None
    most = int(np.quantile(usual, _USUAL, method="higher"))
    ends = [_fraction(cell)[most:] for cell in released]
    if len({*ends}) <= _FEWEST:
        return None
    exact = [
        end if end and not _is_error(float(cell.replace(",", ".")), most) else ""
        for cell, end in zip(released, ends, strict=True)
    ]
    if len({*exact}) <= _FEWEST:
        return None
    width = max(map(len, exact))
    return [end.ljust(width, "0") if end else "" for end in exact]


def _fraction(cell: str) -> str:
    """The decimals of a number, as long as they say something."""
    whole, mark, fraction = cell.replace(",", ".").partition(".")
    if not mark or not fraction.isdecimal() or not whole.lstrip("-").isdecimal():
        return ""
    return fraction.rstrip("0")


def _is_error(number: float, places: int) -> bool:
    """Whether a number has no more decimals but for how computers keep numbers."""
    rounded = round(number, places)
    return (
        abs(number - rounded) <= _UNITS * float(np.spacing(abs(rounded)))
        or float(np.float32(rounded)) == number
    )
