"""Board view: a board with its intervals as drawings, and awards with their places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from markupsafe import Markup

from quintain.figures.interval_bar import bar_scale, bar_ticks, interval_bar
from quintain.measures import Reading
from quintain.rankings import Board
from quintain.runs.scores.boards import Prize

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
    return BoardView(board, bar_ticks(scale), tuple(interval_bar(one, scale) for one in scores))


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
