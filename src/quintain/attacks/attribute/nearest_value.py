"""Nearest value: the hidden value of the released record most like the target."""

from __future__ import annotations

from quintain.data import Table
from quintain.data.arrays import Array
from quintain.guesses import AttributeQuestion
from quintain.kernels.neighbours import Distance, nearest


def nearest_values(question: AttributeQuestion, release: Table, distance: Distance) -> Array:
    """Look up the hidden value of the released record nearest to each target in known columns."""
    known = question.records()
    rows = nearest(known, release.select(known.schema.names), distance)[1]
    return release.columns[question.secret.name][rows]
