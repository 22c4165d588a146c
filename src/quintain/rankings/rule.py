"""Ranking rule: results in, board out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from quintain.rankings.board import Board
from quintain.rankings.results import Results
from quintain.registry import Part


class RankingRule(Part, ABC):
    """Orders contestants; a pure function of the results and of earlier boards."""

    family: ClassVar[str] = "ranking"

    @property
    @abstractmethod
    def uses(self) -> tuple[str, ...]:
        """The names of the readings it looks at."""

    @property
    def follows(self) -> tuple[str, ...]:
        """The earlier boards it looks at."""
        return ()

    @abstractmethod
    def rank(self, board: str, results: Results, boards: Mapping[str, Board]) -> Board:
        """The board with that id.

        ``boards`` has those that stand before it in the edition: of its own track by their ids,
        and for a board over all tracks those of every track, as "track/board".
        """
