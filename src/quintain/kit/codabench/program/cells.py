"""Cells: the values that a column may have, and how a file writes them."""

from __future__ import annotations

import math
import re
from datetime import datetime, timezone
from typing import Any, Callable, Dict

Column = Dict[str, Any]
"""A column of the plan: name, kind, domain, and ``expected``, what a cell must be in words."""

INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
REAL = re.compile(r"-?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|-?\.[0-9]+(?:[eE][-+]?[0-9]+)?")
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
FORMULA = re.compile(r"[=+@\t\r]|-(?![0-9]+(?:\.[0-9]+)?\Z)")
HIDDEN = re.compile("[\x01-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069]")


def missing(column: Column) -> Any:
    """What stands for a missing value; a refused cell has it, too."""
    return {"real": math.nan, "id": "", "time": -math.inf}.get(column["kind"], -1)


def parser(column: Column) -> Callable[[str], Any]:
    """A function from the text of a cell to its value; None if the column does not allow it.

    A category is the number of its value, and an integer the distance from the lowest one, so the
    order of values is that of the schema.
    """
    kind = column["kind"]
    if kind == "category":
        parse: Callable[[str], Any] = {v: i for i, v in enumerate(column["values"])}.get
    else:
        parse = {"id": _name, "time": _time, "integer": _integer, "real": _real}[kind](column)
    if not column["nullable"]:
        return parse
    absent, value = column["missing"], missing(column)
    return lambda text: value if text == absent else parse(text)


def _name(column: Column) -> Callable[[str], Any]:
    return lambda text: text if text and not CONTROL.search(text) else None


def _time(column: Column) -> Callable[[str], Any]:
    form, (low, high) = column["time_format"], _bounds(column)

    def parse(text: str) -> float | None:
        try:
            moment = datetime.strptime(text, form).replace(tzinfo=timezone.utc)
        except ValueError:
            return None
        seconds = moment.timestamp()
        return seconds if moment.strftime(form) == text and low <= seconds <= high else None

    return parse


def _integer(column: Column) -> Callable[[str], Any]:
    low, high = _bounds(column)
    lowest = 0 if column["low"] is None else int(column["low"])

    def parse(text: str) -> int | None:
        if not INTEGER.fullmatch(text) or text == "-0" or not low <= int(text) <= high:
            return None
        return int(text) - lowest

    return parse


def _real(column: Column) -> Callable[[str], Any]:
    low, high = _bounds(column)

    def parse(text: str) -> float | None:
        if len(text) > 60 or not REAL.fullmatch(text):
            return None
        value = float(text)
        return value if math.isfinite(value) and low <= value <= high else None

    return parse


def _bounds(column: Column) -> tuple[float, float]:
    low, high = column["low"], column["high"]
    return -math.inf if low is None else low, math.inf if high is None else high


def free_text_faults(text: str) -> list[str]:
    """Why an identifier is more than text to the program that opens a published file."""
    faults = []
    if FORMULA.match(text):
        faults.append(
            "a spreadsheet would run this text as a formula; begin it with a letter or a digit"
        )
    if HIDDEN.search(text):
        faults.append("contains a character that cannot be seen; use letters, digits and marks")
    return faults
