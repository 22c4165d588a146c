"""Shape view: the columns in which a release differs most, as small pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from quintain.audits.release_audit import ColumnShape
from quintain.figures.audit.shape_plot import shape_plot

SHOWN = 6
"""How many columns are shown at once; the others are folded."""


@dataclass(frozen=True, slots=True)
class ShapeView:
    """One column with its picture."""

    column: str
    distance: float
    drawn: Markup


def shape_views(shapes: Sequence[ColumnShape]) -> list[ShapeView]:
    """Draw every column, the most different first."""
    ordered = sorted(shapes, key=lambda shape: -shape.distance)
    return [
        ShapeView(
            shape.column,
            shape.distance,
            shape_plot(shape.column, shape.labels, shape.original, shape.release, f"shape-{i}"),
        )
        for i, shape in enumerate(ordered, start=1)
    ]
