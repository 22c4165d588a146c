"""Ties: which of two teams with equal scores is first.

A tie rule is a part in a file of its own. A plugin adds one as it adds an attack.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from quintain.errors import Fault
from quintain.rankings.board import Board, ranks_in_order
from quintain.rankings.results import Contestant, Results
from quintain.rankings.rule import KnownNames, RankingRule, available
from quintain.registry import Part, register

Keys = Mapping[str, float]
"""A number for each team: of equal ones, the team with the lowest is first; a team without is last.
"""


class TieRule(Part, ABC):
    """A rule that parts teams with equal scores. Rules of contests show its summary."""

    family: ClassVar[str] = "tie"

    @property
    def follows(self) -> tuple[str, ...]:
        """The ids of the earlier boards that it needs."""
        return ()

    def faults(self, known: KnownNames) -> Iterator[Fault]:
        """Every name that it uses and the edition does not have."""
        for name in self.follows:
            if name not in known.boards:
                message = f"unknown board {name!r} among those before it"
                yield Fault(f"{message}; {available(known.boards)}")

    @abstractmethod
    def keys(
        self, board: Board, rule: RankingRule, results: Results, boards: Mapping[str, Board]
    ) -> Keys:
        """A number for each team of a board that this rule of the edition made."""


@register("rank-on-v1")
class RankOn(TieRule):
    """The team with the better rank on ``board`` is first.

    In an edition, the id of the board alone says the same.

    Parameters
    ----------
    board : an earlier board.

    Examples
    --------
    Ann and bob are equal, and bob is before ann on the other board:

    >>> from quintain.testing import example_board
    >>> tied, other = example_board("wins", {"ann": 3, "bob": 3}), example_board("hits", {"bob": 9})
    >>> rule = RankOn(board="hits")
    >>> keys = rule.keys(tied, None, None, {"hits": other})
    >>> [(place.rank, place.team) for place in break_ties(tied, [keys], []).places]
    [(1, 'bob'), (2, 'ann')]
    """

    board: str

    @classmethod
    def examples(cls) -> list[RankOn]:
        """The rank on some board."""
        return [cls(board="other")]

    @property
    def follows(self) -> tuple[str, ...]:
        """The other board."""
        return (self.board,)

    def keys(
        self, board: Board, rule: RankingRule, results: Results, boards: Mapping[str, Board]
    ) -> Keys:
        """The ranks on the other board."""
        places = boards[self.board].places
        return {place.team: place.rank for place in places if place.rank is not None}


def break_ties(board: Board, keys: Sequence[Keys], contestants: Sequence[Contestant]) -> Board:
    """Part equal ranks by the numbers of one tie rule after another."""
    last = len(contestants) + 1
    every = {
        place.team: (place.rank or last, *(of.get(place.team, math.inf) for of in keys))
        for place in board.places
    }
    ordered = sorted(board.places, key=lambda place: every[place.team] if place.rank else (last,))
    ranks = ranks_in_order({p.team: every[p.team] for p in ordered if p.rank}, contestants)
    places = tuple(place.model_copy(update={"rank": ranks.get(place.team)}) for place in ordered)
    return board.model_copy(update={"places": places})
