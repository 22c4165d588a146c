"""Labels: writes names beside points where they cover nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from quintain.figures.svg import text_width

_ANGLES = (0, 180, 35, -35, 145, -145, 60, -60, 120, -120, 90, -90)
_DISTANCES = (9, 18, 32, 50, 72)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a drawing; ``top`` is smaller than ``bottom``."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether two rectangles overlap."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def holds(self, other: Box) -> bool:
        """Whether the other rectangle lies inside this one."""
        return (
            self.left <= other.left
            and other.right <= self.right
            and self.top <= other.top
            and other.bottom <= self.bottom
        )


@dataclass(frozen=True, slots=True)
class Label:
    """The point that a name belongs to, and the box in which the name is written."""

    x: float
    y: float
    box: Box

    @property
    def far(self) -> bool:
        """Whether the label is so far away that it needs a line to its point."""
        x, y = self.nearest()
        return math.hypot(x - self.x, y - self.y) > 12

    def anchor(self) -> tuple[float, str]:
        """Where the text is anchored: at the end that is nearer to the point."""
        if self.box.left >= self.x:
            return self.box.left, "start"
        if self.box.right <= self.x:
            return self.box.right, "end"
        return (self.box.left + self.box.right) / 2, "middle"

    def nearest(self) -> tuple[float, float]:
        """The spot on the box that is nearest to the point."""
        return (
            min(max(self.x, self.box.left), self.box.right),
            min(max(self.y, self.box.top), self.box.bottom),
        )


def place(
    names: Sequence[tuple[float, float, str]], obstacles: Sequence[Box], frame: Box, size: float
) -> list[Label | None]:
    """Find a label for every point, in the given order; None if there is no room.

    Parameters
    ----------
    names : the places of points, with their names.
    obstacles : what labels must not cover.
    frame : labels must stay inside it.
    size : the size of the font.
    """
    full, out = list(obstacles), []
    for x, y, name in names:
        boxes = (
            _box(x, y, angle, distance, text_width(name, size), size)
            for distance in _DISTANCES
            for angle in _ANGLES
        )
        free_box = next((b for b in boxes if frame.holds(b) and not any(map(b.meets, full))), None)
        out.append(None if free_box is None else Label(x, y, free_box))
        full += [] if free_box is None else [free_box]
    return out


def _box(x: float, y: float, angle: float, distance: float, width: float, size: float) -> Box:
    """The box of a label at this angle and distance from its point."""
    across, down = math.cos(math.radians(angle)), -math.sin(math.radians(angle))
    centre_x = x + across * (distance + width / 2)
    centre_y = y + down * (distance + size / 2)
    half = size / 2 + 1
    return Box(centre_x - width / 2, centre_y - half, centre_x + width / 2, centre_y + half)
