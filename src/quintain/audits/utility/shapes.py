"""Shapes: how the columns are distributed in the original and in the release."""

from __future__ import annotations

from quintain.audits.release_audit import ColumnShape
from quintain.data import Table
from quintain.data.arrays import Floats
from quintain.kernels.tables.value_classes import ValueClasses

MOST_COLUMNS, MOST_CLASSES = 12, 12
FEWEST_PEOPLE = 10
"""A report names no value that fewer people of the original have: it could tell who they are."""


def column_shapes(
    original: Table, release: Table, *, most: int = MOST_COLUMNS
) -> tuple[ColumnShape, ...]:
    """The columns in which a release differs most from the original, the worst first.

    Numbers and times are shown in bins. Of many categories the most common are shown, and the
    others as one. No value is named that fewer than ten people of the original have. Equally
    different columns keep their order.

    >>> from quintain.testing import example_table, people
    >>> original = people(example_table(rows=100))
    >>> release = original.replace({"flag": [0] * 100})
    >>> worst = column_shapes(original, release)[0]
    >>> worst.column, worst.labels, worst.release
    ('flag', ('no', 'yes'), (1.0, 0.0))
    """
    shapes = [_shape(original, release, c.name) for c in original.schema.attributes]
    return tuple(sorted(shapes, key=lambda shape: -shape.distance)[:most])


def _shape(original: Table, release: Table, name: str) -> ColumnShape:
    classes = ValueClasses.of(original, name, MOST_CLASSES, fewest=FEWEST_PEOPLE)
    shares = _shares(classes, original, release)
    whole = _shares(ValueClasses.of(original, name, MOST_CLASSES), original, release)
    return ColumnShape(
        column=name,
        labels=classes.labels,
        original=tuple(shares[0].tolist()),
        release=tuple(shares[1].tolist()),
        distance=float(abs(whole[0] - whole[1]).sum() / 2),
    )


def _shares(classes: ValueClasses, *tables: Table) -> list[Floats]:
    """The share of records in each class, table by table."""
    return [classes.counts(table) / max(len(table), 1) for table in tables]
