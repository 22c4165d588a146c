"""Free text: identifiers that a team may choose, and what a spreadsheet would make of them.

The judge publishes the pseudonyms of a release. A spreadsheet runs a cell that begins with ``=`` as
a formula, and some characters change how the text around them looks.
"""

from __future__ import annotations

import re

import numpy as np

from quintain.data.arrays import Array, Mask
from quintain.data.columns import Columns
from quintain.errors import Faults

_STARTS = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"-[0-9]+(\.[0-9]+)?")
_HIDDEN = ((0x00, 0x1F), (0x7F, 0x9F), (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x2069))
"""Control characters, spaces without a width, and marks that turn the direction of a text."""


def check_free_text(rows: Columns, faults: Faults) -> None:
    """Note every identifier that is more than text to the program that opens a published file.

    >>> from quintain.data import Column, Schema
    >>> schema, faults = Schema(columns=(Column(name="who", kind="id"),)), Faults("release.csv")
    >>> check_free_text(Columns(schema, {"who": ["p1", "=1+1", "-5"]}), faults)
    >>> print(faults.findings[0])
    release.csv:2 who='=1+1': a spreadsheet would run this text as a formula; begin it with a
    letter or a digit
    """
    for column in rows.schema.columns:
        values = rows.columns[column.name]
        if column.kind == "id" and values.dtype.kind == "U" and len(values):
            formula = "a spreadsheet would run this text as a formula; begin it with a letter or a "
            _note(column.name, values, _runs(values), f"{formula}digit", faults)
            hidden = "contains a character that cannot be seen; use letters, digits and marks"
            _note(column.name, values, _hides(values), hidden, faults)


def _runs(values: Array) -> Mask:
    """Which texts begin like a formula and are not negative numbers."""
    suspicious = np.isin(values.astype("U1"), _STARTS)
    texts, where = np.unique(values[suspicious], return_inverse=True)
    formulas = np.array([not _NUMBER.fullmatch(text) for text in texts.tolist()], bool)
    suspicious[suspicious] = formulas[where]
    return suspicious


def _hides(values: Array) -> Mask:
    """Which texts contain a character that is not shown; NumPy pads texts with zeros."""
    codes = np.ascontiguousarray(values).view(np.uint32).reshape(len(values), -1)
    hidden = np.zeros(len(values), bool)
    for low, high in _HIDDEN:
        hidden |= ((codes >= max(low, 1)) & (codes <= high)).any(axis=1)
    return hidden


def _note(name: str, values: Array, bad: Mask, message: str, faults: Faults) -> None:
    rows = np.flatnonzero(bad)
    listed = rows[: faults.room()]
    for row in listed.tolist():
        faults.add(message, line=faults.line_of(row), column=name, got=str(values[row]))
    faults.count(len(rows) - len(listed))
