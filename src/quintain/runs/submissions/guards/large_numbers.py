"""Large numbers: values of a release that exist only to make attacks fail.

Where a column has no bounds, a few astronomic numbers would make distances overflow. Attacks that
compare records would refuse the release, and it would look safe.
"""

from __future__ import annotations

import numpy as np

from quintain.data.columns import Columns
from quintain.errors import Faults
from quintain.guesses.goal import note_rows

LARGEST = 1e100
"""Distances between numbers of this size are still finite, and so are their squares."""
_WORDS = f"too large to compare; numbers must be within {-LARGEST:g}..{LARGEST:g}"


def check_large_numbers(rows: Columns, faults: Faults) -> None:
    """Note every number that is too large to compare with others.

    >>> from quintain.data import Column, Schema
    >>> schema, faults = Schema(columns=(Column(name="pay", kind="real"),)), Faults("release.csv")
    >>> check_large_numbers(Columns(schema, {"pay": [1e9, -1e308]}), faults)
    >>> print(faults.findings[0])
    release.csv:2 pay='-1e+308': too large to compare; numbers must be within -1e+100..1e+100
    """
    for column in rows.schema.columns:
        values = rows.columns[column.name]
        if column.kind == "real":
            large = np.flatnonzero(np.abs(values) > LARGEST)
            note_rows(faults, large, column.name, values, lambda _: _WORDS)
