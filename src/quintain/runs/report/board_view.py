"""Board view: a board with its intervals drawn, and awards with their places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from markupsafe import Markup

from quintain.figures.interval_bar import bar_scale, bar_ticks, interval_bar
from quintain.measures import Reading
from quintain.rankings import Board
from quintain.runs.scores.boards import Prize


@dataclass(frozen=True, slots=True)
class BoardView:
    """A board with its intervals drawn."""

    board: Board
    ticks: Markup
    bars: tuple[Markup, ...]

    @property
    def lucky(self) -> bool:
        """Whether it is known how likely luck alone gives the scores."""
        return any(place.p is not None for place in self.board.places)

    @property
    def methods(self) -> list[str]:
        """How its intervals were made."""
        return list(dict.fromkeys(p.score.method for p in self.board.places if p.score.method))


@dataclass(frozen=True, slots=True)
class Winner:
    """Who gets an award, and for which place; a jury gives none."""

    team: str
    rank: int | None


def board_view(board: Board) -> BoardView:
    """A board, drawn; a disqualified team has a score by the rules, and nothing was measured."""
    nothing = Reading.missing("lower", "disqualified")
    scores = [nothing if place.disqualified else place.score for place in board.places]
    scale = bar_scale(scores)
    return BoardView(board, bar_ticks(scale), tuple(interval_bar(one, scale) for one in scores))


def winners(prize: Prize, boards: Mapping[str, Board]) -> list[Winner]:
    """Who gets an award, in order of their places."""
    board = boards.get(prize.board or "")
    ranks = {} if board is None else {place.team: place.rank for place in board.places}
    return [Winner(team, ranks.get(team)) for team in prize.winners]


def boards_by_name(
    tracks: Mapping[str, Iterable[Board]], overall: Iterable[Board]
) -> dict[str, Board]:
    """Boards under the names that awards use: "track/board", or the id of an overall board."""
    named = {f"{track}/{board.id}": board for track, boards in tracks.items() for board in boards}
    return named | {board.id: board for board in overall}
