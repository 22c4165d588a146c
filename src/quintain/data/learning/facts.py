"""Facts: what is known about the cells of one column once all of them were seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Content = Literal["nothing", "numbers", "times", "words"]


@dataclass(frozen=True, slots=True)
class Facts:
    """What the cells of a column have in common.

    Parameters
    ----------
    rows, missing : how many cells there are, and how many of them have no value.
    spellings : how missing values are written, with the number of cells of each spelling.
    low, high : the smallest and the largest number; for times, in seconds since 1970.
    whole : whether all numbers are whole.
    pointed : whether a whole number is written with a decimal point, such as 3.0.
    distinct : whether all values differ.
    values : the different texts with their numbers of cells; None if there are too many.
    sample : some of the texts.
    longest, words_per_text : the length of the longest text, and how many words a text has.
    leading_zeros : whether a number begins with a zero, as codes do.
    decimal_comma : whether numbers are written with a decimal comma.
    spoiler : the text without which most cells would be numbers.
    time_format, doubt : how times are written, and a caution about it.
    """

    name: str
    rows: int
    missing: int
    content: Content
    spellings: Mapping[str, int] = field(default_factory=dict)
    low: float = 0.0
    high: float = 0.0
    whole: bool = False
    pointed: bool = False
    distinct: bool = False
    values: Mapping[str, int] | None = None
    sample: tuple[str, ...] = ()
    longest: int = 0
    words_per_text: float = 0.0
    leading_zeros: bool = False
    decimal_comma: bool = False
    spoiler: str = ""
    time_format: str = ""
    doubt: str = ""

    @property
    def filled(self) -> int:
        """How many cells have a value."""
        return self.rows - self.missing
