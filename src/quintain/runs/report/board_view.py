"""Board view: a board with its intervals as drawings, and awards with their places."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from quintain.figures.axis import Axis, axis, drawable
from quintain.figures.svg import add, drawing, markup
from quintain.measures import Reading
from quintain.rankings import Board
from quintain.runs.scores.scores import Prize

_WIDTH, _HEIGHT, _EDGE = 130, 18, 6


def bar_scale(readings: Sequence[Reading]) -> Axis:
    """The common scale of a board; it includes 0 unless that would waste half of it."""
    ends = [x for r in readings for x in (r.low, r.value, r.high)]
    finite = [x for x in ends if drawable(x)]
    if finite and (0 <= min(finite) <= max(finite) / 2 or max(finite) <= 0):
        ends.append(0.0)
    return axis(ends, _EDGE, _WIDTH - _EDGE, ticks=4)


def interval_bar(reading: Reading, scale: Axis) -> Markup:
    """Draw a dot for the value and a line for the interval; nothing if it was not measured."""
    root = drawing(_WIDTH, _HEIGHT, "bar")
    middle = _HEIGHT / 2
    for x, _ in scale.ticks():
        add(root, "line", css="grid", x1=x, x2=x, y1=0, y2=_HEIGHT)
    if reading.measured:
        value = scale.at(reading.value)
        low, high = (value if math.isnan(x) else scale.at(x) for x in (reading.low, reading.high))
        add(root, "line", css="span", x1=low, x2=high, y1=middle, y2=middle)
        add(root, "circle", css="dot", cx=value, cy=middle, r=4)
    return markup(root)


def bar_ticks(scale: Axis) -> Markup:
    """Draw the ends of the scale, for the head of the column."""
    root = drawing(_WIDTH, 14, "bar")
    ticks = scale.ticks()
    for (x, label), anchor in zip((ticks[0], ticks[-1]), ("start", "end"), strict=True):
        shift = -_EDGE if anchor == "start" else _EDGE
        add(root, "text", label, css="tick", x=x + shift, y=11, text_anchor=anchor)
    return markup(root)


MOST_PLACES = 30
"""A board with more places is folded, so that readers reach what follows it."""


@dataclass(frozen=True, slots=True)
class BoardView:
    """A board, with a drawing of the interval on each line and of the scale above them."""

    board: Board
    ticks: Markup
    bars: tuple[Markup, ...]

    @property
    def folded(self) -> bool:
        """Whether the page shows the title only until a reader opens the board."""
        return len(self.board.places) > MOST_PLACES

    @property
    def lucky(self) -> bool:
        """Whether any place has a probability that luck alone gives the score."""
        return any(place.p is not None for place in self.board.places)

    @property
    def methods(self) -> list[str]:
        """The names of the methods behind its intervals, each once."""
        return list(dict.fromkeys(p.score.method for p in self.board.places if p.score.method))


@dataclass(frozen=True, slots=True)
class Winner:
    """A team that gets an award, and its place; None if a jury decided."""

    team: str
    rank: int | None


def board_view(board: Board) -> BoardView:
    """A board with its drawings; the score of a disqualified team is set by rule, so not drawn."""
    nothing = Reading.missing("lower", "disqualified")
    scores = [nothing if place.disqualified else place.score for place in board.places]
    scale = bar_scale(scores)
    return BoardView(board, bar_ticks(scale), tuple(interval_bar(score, scale) for score in scores))


def winners(prize: Prize, boards: Mapping[str, Board]) -> list[Winner]:
    """The teams that get an award, in order of their places."""
    board = boards.get(prize.board or "")
    ranks = {} if board is None else {place.team: place.rank for place in board.places}
    return [Winner(team, ranks.get(team)) for team in prize.winners]


def boards_by_name(
    tracks: Mapping[str, Iterable[Board]], overall: Iterable[Board]
) -> dict[str, Board]:
    """Boards under the names that awards use: "track/board", or the id of an overall board."""
    named = {f"{track}/{board.id}": board for track, boards in tracks.items() for board in boards}
    return named | {board.id: board for board in overall}
