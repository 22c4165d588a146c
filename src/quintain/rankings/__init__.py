"""Stage 8, rankings: from the matrix of readings to boards.

A ranking is a pure function, so that anybody can repeat it. What does not belong here: measuring.
"""

from quintain.rankings.board import Board, Place, order
from quintain.rankings.results import Contestant, Entry, Results
from quintain.rankings.rule import RankingRule

__all__ = ["Board", "Contestant", "Entry", "Place", "RankingRule", "Results", "order"]
