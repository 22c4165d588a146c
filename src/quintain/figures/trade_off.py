"""Trade-off: how useful a release is against what its strongest attacker learned."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from quintain.figures.axis import Axis, axis
from quintain.figures.format import interval_name, reading_text, spaced, wrap_lines
from quintain.figures.matrix import Matrix, Worst, entry_name, short_labels
from quintain.figures.svg import Element, add, describe, drawing, markup, text_width, tooltip
from quintain.measures import Direction, Reading
from quintain.wording.languages import in_context, say, say_list, to_say

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


_WIDTH, _HEIGHT = 580, 400
_FRAME = Box(66, 30, _WIDTH - 58, _HEIGHT - 62)
_INSET = 12
_FONT = 13
_LINE = 15
_MOST_POINTS, _MOST_LABELS = 40, 20


@dataclass(frozen=True, slots=True)
class Utility:
    """One utility reading of a track, with its gates as ``bounds``."""

    name: str
    better: Direction
    summary: str
    bounds: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class _Point:
    worst: Worst
    utility: Reading
    x: float
    y: float
    name: str


@dataclass(frozen=True, slots=True)
class TradeOff:
    """A plot, the entries that are missing from it, and the points without a label.

    Parameters
    ----------
    left_out : entries that are not in the plot, each with the reason.
    nameless : entries whose label found no room.
    labelled, unlabelled : how many points were to get a label, and how many were not, because
        there are too many.
    """

    utility: Utility
    drawn: Markup
    left_out: list[str]
    nameless: list[str]
    labelled: int
    unlabelled: int


def trade_off(matrix: Matrix, utility: Utility, name: str, *, joined: bool = False) -> TradeOff:
    """Plot one utility reading; ``name`` is unique on the page.

    With ``joined``, a line connects the entries in their order: the frontier of one sanitizer.
    """
    shown, left_out = _split_by_measured(matrix, utility)
    down, across = _axes(matrix, utility, shown)
    root = describe(
        drawing(_WIDTH, _HEIGHT, "plot"),
        name,
        say(
            "%(leak)s of the strongest attack against %(utility)s",
            leak=spaced(matrix.name),
            utility=spaced(utility.name),
        ),
        say(
            "Each point is an entry; its vertical line is the %(interval)s of the strongest "
            "attack. The figures are in the table of entries.",
            interval=interval_name(worst.reading for worst, _ in shown),
        ),
    )
    _grid(root, across, down)
    _words(root, matrix, utility)
    for text, bound in utility.bounds:
        x = across.at(bound)
        add(root, "line", css="gate", x1=x, x2=x, y1=_FRAME.top, y2=_FRAME.bottom)
        words = _bound_words(text)
        add(root, "text", words, css="gate", x=x, y=_FRAME.top - 6, text_anchor="middle")
    if matrix.chance.expected is not None:
        y = down.at(matrix.chance.expected)
        add(root, "line", css="chance", x1=_FRAME.left, x2=_FRAME.right, y1=y, y2=y)
        add(
            root,
            "text",
            say(in_context("what luck gives", "chance")),
            css="tick",
            x=_FRAME.right + 6,
            y=y + 4,
        )
    labels = short_labels(matrix.entries, matrix.names)
    points = [
        _Point(
            worst,
            reading,
            across.at(reading.value),
            down.at(worst.reading.value),
            labels[worst.entry.id],
        )
        for worst, reading in shown
    ]
    if joined and points:
        way = "L".join(f"{point.x:.1f} {point.y:.1f}" for point in points)
        add(root, "path", css="frontier", d=f"M{way}")
    for point in points:
        _draw(root, point, matrix, utility, across, down)
    first = _choose_points_to_label(matrix, points)
    nameless = [entry_name(p.worst.entry, matrix.names) for p in _names(root, first, points, down)]
    unlabelled = len(points) - len(first)
    return TradeOff(utility, markup(root), left_out, nameless, len(first), unlabelled)


def _bound_words(text: str) -> str:
    """The words for a bound of a gate, such as "at most 0.2", in the language that is spoken."""
    word, _, value = text.rpartition(" ")
    if word == "at least":
        return say("at least %(value)s", value=value)
    return say("at most %(value)s", value=value) if word == "at most" else text


def _choose_points_to_label(matrix: Matrix, points: Sequence[_Point]) -> Sequence[_Point]:
    """The points that get labels: all, or only those that leaked most if there are too many."""
    if len(points) <= _MOST_POINTS:
        return points
    ordered = sorted(points, key=lambda point: -matrix.leak(point.worst.reading))
    return ordered[:_MOST_LABELS]


def _split_by_measured(
    matrix: Matrix, utility: Utility
) -> tuple[list[tuple[Worst, Reading]], list[str]]:
    """Entries with both readings; the names of all others with the reason."""
    shown, left_out = [], []
    for entry in matrix.entries:
        worst, reading = matrix.worst(entry), entry.readings.get(utility.name)
        called = entry_name(entry, matrix.names)
        if worst is None:
            left_out.append(say("%(entry)s (no attack was measured)", entry=called))
        elif reading is None or not reading.measured:
            why = "" if reading is None or not reading.note else f": {reading.note}"
            left_out.append(
                say(
                    "%(entry)s (%(reading)s was not measured%(why)s)",
                    entry=called,
                    reading=spaced(utility.name),
                    why=why,
                )
            )
        else:
            shown.append((worst, reading))
    return shown, left_out


def _axes(
    matrix: Matrix, utility: Utility, shown: Sequence[tuple[Worst, Reading]]
) -> tuple[Axis, Axis]:
    ys = [x for w, _ in shown for x in (w.reading.value, w.reading.low, w.reading.high)]
    ys += [] if matrix.chance.expected is None else [matrix.chance.expected]
    xs = [x for _, r in shown for x in (r.value, r.low, r.high)]
    xs += [bound for _, bound in utility.bounds]
    down = axis(ys, _FRAME.bottom - _INSET, _FRAME.top + _INSET)
    return down, axis(xs, _FRAME.left + _INSET, _FRAME.right - _INSET)


def _grid(root: Element, across: Axis, down: Axis) -> None:
    for x, label in across.ticks():
        add(root, "line", css="grid", x1=x, x2=x, y1=_FRAME.top, y2=_FRAME.bottom)
        y = _FRAME.bottom + 16
        add(root, "text", label, css="tick", x=x, y=y, text_anchor="middle")
    for y, label in down.ticks():
        add(root, "line", css="grid", x1=_FRAME.left, x2=_FRAME.right, y1=y, y2=y)
        add(root, "text", label, css="tick", x=_FRAME.left - 7, y=y + 4, text_anchor="end")
    width, height = _FRAME.right - _FRAME.left, _FRAME.bottom - _FRAME.top
    add(root, "rect", css="frame", x=_FRAME.left, y=_FRAME.top, width=width, height=height)


def _words(root: Element, matrix: Matrix, utility: Utility) -> None:
    """Write the names of the axes with an arrow in the direction that is better."""
    right, up = utility.better == "higher", matrix.better == "higher"
    x_name = spaced(utility.name)
    y_name = say("%(reading)s, strongest attack", reading=spaced(matrix.name))
    onwards, back = to_say("%(reading)s   better →"), to_say("← better   %(reading)s")
    x_text = say(onwards if right else back, reading=x_name)
    y_text = say(onwards if up else back, reading=y_name)
    middle, centre = (_FRAME.left + _FRAME.right) / 2, (_FRAME.top + _FRAME.bottom) / 2
    for i, line in enumerate(wrap_lines(x_text, 66)):
        y = _HEIGHT - 26 + i * _LINE
        add(root, "text", line, css="axis", x=middle, y=y, text_anchor="middle")
    for i, line in enumerate(reversed(wrap_lines(y_text, 38))):
        x = 24 - i * _LINE
        turn = f"rotate(-90 {x} {centre:.1f})"
        add(root, "text", line, css="axis", x=x, y=centre, text_anchor="middle", transform=turn)


def _draw(
    root: Element, point: _Point, matrix: Matrix, utility: Utility, across: Axis, down: Axis
) -> None:
    """Draw a point with its intervals: hollow if it could be luck, a cross if disqualified."""
    worst, x, y = point.worst, point.x, point.y
    accepted = worst.entry.accepted
    group = add(root, "g", css="point" if accepted else "point out")
    tooltip(
        group,
        entry_name(worst.entry, matrix.names),
        say(
            "%(reading)s, by %(attackers)s",
            reading=f"{spaced(matrix.name)} {reading_text(worst.reading)}",
            attackers=say_list(worst.attackers),
        ),
        say("could be luck") if worst.luck else "",
        f"{spaced(utility.name)} {reading_text(point.utility)}",
        *(say("disqualified: %(why)s", why=fault) for fault in worst.entry.faults),
    )
    for ends, css, vertical in (
        (point.utility, "thin", False),
        (worst.reading, "span", True),
    ):
        low, high = ((down if vertical else across).at(v) for v in _ends(ends))
        if vertical:
            add(group, "line", css=css, x1=x, x2=x, y1=low, y2=high)
        else:
            add(group, "line", css=css, x1=low, x2=high, y1=y, y2=y)
    if accepted:
        add(group, "circle", css="dot luck" if worst.luck else "dot", cx=x, cy=y, r=5)
    else:
        cross = f"M{x - 5:.1f} {y - 5:.1f}l10 10m0 -10l-10 10"
        add(group, "path", css="cross", d=cross)


def _ends(reading: Reading) -> tuple[float, float]:
    low, high = reading.low, reading.high
    return (reading.value if math.isnan(low) else low, reading.value if math.isnan(high) else high)


def _names(
    root: Element, labelled: Sequence[_Point], points: Sequence[_Point], down: Axis
) -> list[_Point]:
    """Write the labels; return the points whose label found no room."""
    obstacles = [Box(p.x - 6, p.y - 6, p.x + 6, p.y + 6) for p in points]
    for point in points:
        low, high = map(down.at, _ends(point.worst.reading))
        obstacles.append(Box(point.x - 2, min(low, high), point.x + 2, max(low, high)))
    labels = place([(p.x, p.y, p.name) for p in labelled], obstacles, _FRAME, _FONT)
    crowded = []
    for point, label in zip(labelled, labels, strict=True):
        if label is None:
            crowded.append(point)
            continue
        if label.far:
            to_x, to_y = label.nearest()
            add(root, "line", css="leader", x1=point.x, y1=point.y, x2=to_x, y2=to_y)
        css = "name" if point.worst.entry.accepted else "name out"
        x, anchor = label.anchor()
        add(root, "text", point.name, css=css, x=x, y=label.box.bottom - 4, text_anchor=anchor)
    return crowded
