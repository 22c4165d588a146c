"""Shapes: how the columns are distributed in the original and in the release."""

from __future__ import annotations

from quintain.audits.release_audit import ColumnShape
from quintain.data import Table
from quintain.kernels.tables.value_classes import ValueClasses

MOST_COLUMNS, MOST_CLASSES = 12, 12


def column_shapes(
    original: Table, release: Table, *, most: int = MOST_COLUMNS
) -> tuple[ColumnShape, ...]:
    """The columns in which a release differs most from the original, the worst first.

    Numbers and times are shown in bins. Of many categories the most common are shown, and the
    others as one. Equally different columns keep their order.

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
    classes = ValueClasses.of(original, name, MOST_CLASSES)
    shares = [classes.counts(t) / max(len(t), 1) for t in (original, release)]
    return ColumnShape(
        column=name,
        labels=classes.labels,
        original=tuple(shares[0].tolist()),
        release=tuple(shares[1].tolist()),
        distance=float(abs(shares[0] - shares[1]).sum() / 2),
    )
