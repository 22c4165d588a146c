"""Time formats: find out how the times of a column are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quintain.data.own_files.spelling import plain_times

DAY_NUMBER = "%Y%m%d"
"""The format of days that look like whole numbers."""
_DAYS = (
    "%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%m-%d-%Y", "%Y.%m.%d",
    DAY_NUMBER, "%d %b %Y", "%d-%b-%Y", "%b %d, %Y", "%d %B %Y", "%B %d, %Y", "%d.%m.%y",
    "%d/%m/%y", "%m/%d/%y", "%d-%b-%y",
)  # fmt: skip
_HOURS = (" %H:%M:%S", "T%H:%M:%S", "T%H:%M:%SZ", " %H:%M", "T%H:%M")
FORMATS = (*_DAYS, *(day + hour for day in _DAYS for hour in _HOURS), "%Y-%m")
"""The formats that are tried; the first that fits all times is taken."""

_FIRST, _LAST = -5_364_662_400, 7_258_118_400
"""The years 1800 to 2199: what is beyond them is rather not a date."""
_FEW = 50
"""So many texts say in which format most of a column may be."""
_TRIED = (1, 500)
"""So many texts are tried first: most formats do not fit even one."""


@dataclass(slots=True)
class TimeFormats:
    """The formats in which all texts so far can be read, and the first and last time in each."""

    left: dict[str, tuple[int, int]] = field(
        default_factory=lambda: dict.fromkeys(FORMATS, (_LAST, _FIRST))
    )

    def narrow(self, texts: pa.Array) -> None:
        """Drop the formats that do not fit further texts, each of them given once."""
        if not self.left or not len(texts):
            return
        padded = plain_times(texts)
        for sample in (*(padded[:count] for count in _TRIED), padded):
            self.left = {
                form: bounds
                for form, seen in self.left.items()
                if (bounds := _bounds(sample, form, seen)) is not None
            }

    @property
    def best(self) -> str | None:
        """The format to take; None if no format fits."""
        return next(iter(self.left), None)

    def doubt(self) -> str:
        """A caution if two formats fit and mean different times; else empty."""
        first, *others = self.left
        rival = next((form for form in others if _swap_day_and_month(form) == first), None)
        return f"{rival} fits all times as well: check which it is" if rival else ""


def odd_time(texts: Sequence[str]) -> tuple[str, str]:
    """The format in which most texts are times, and the first that is not; both empty if none is.

    >>> odd_time(["2020-01-31", "31.01.2020", "2020-02-31", "2020-03-01", "2020-03-02"])
    ('%Y-%m-%d', '31.01.2020')
    >>> odd_time(["tea", "jam"])
    ('', '')
    """
    padded = plain_times(pa.array(texts, pa.string()))
    for form in FORMATS:
        if 2 * pc.sum(_are_times(padded[:_FEW], form)).as_py() > min(_FEW, len(padded)):
            fits = _are_times(padded, form).to_numpy(zero_copy_only=False)
            return (form, texts[int(np.argmin(fits))]) if not fits.all() else ("", "")
    return "", ""


def _are_times(texts: pa.Array, form: str) -> pa.Array:
    moments = pc.strptime(texts, format=form, unit="s", error_is_null=True)
    return pc.fill_null(pc.equal(_lower(pc.strftime(moments, format=form)), _lower(texts)), False)


def _swap_day_and_month(form: str) -> str:
    """The format with day and month in each other's place."""
    return form.replace("%d", "%?").replace("%m", "%d").replace("%?", "%m")


def _bounds(texts: pa.Array, form: str, seen: tuple[int, int]) -> tuple[int, int] | None:
    moments = pc.strptime(texts, format=form, unit="s", error_is_null=True)
    if moments.null_count:
        return None
    # The reader takes February 31 for March 3, so the time must give the text again.
    if not pc.all(pc.equal(_lower(pc.strftime(moments, format=form)), _lower(texts))).as_py():
        return None
    seconds = moments.cast(pa.int64()).to_numpy()
    low, high = int(np.min(seconds)), int(np.max(seconds))
    if low < _FIRST or high > _LAST:
        return None
    return min(low, seen[0]), max(high, seen[1])


def _lower(texts: pa.Array) -> pa.Array:
    return pc.utf8_lower(texts)


def time_texts(seconds: Iterable[int], form: str) -> list[str]:
    """Times as texts."""
    moments = pa.array(list(seconds), pa.int64()).cast(pa.timestamp("s"))
    return [str(text) for text in pc.strftime(moments, format=form).to_pylist()]
