"""Ranking rule: computes a board from results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from quintain.rankings.board import Board
from quintain.rankings.results import Results
from quintain.registry import Part


class RankingRule(Part, ABC):
    """A rule that orders contestants; a pure function of the results and of earlier boards."""

    family: ClassVar[str] = "ranking"

    @property
    @abstractmethod
    def uses(self) -> tuple[str, ...]:
        """The names of the readings that it ranks by."""

    @property
    def uses_guesses(self) -> tuple[str, ...]:
        """Of these names, those whose readings must come from attackers' guesses."""
        return ()

    @property
    def follows(self) -> tuple[str, ...]:
        """The ids of the earlier boards that it needs."""
        return ()

    @abstractmethod
    def rank(self, board: str, results: Results, boards: Mapping[str, Board]) -> Board:
        """Compute the board with the id ``board``.

        ``boards`` has the earlier boards of the edition: those of the same track by their ids, and
        for a board over all tracks those of every track, as "track/board".
        """
