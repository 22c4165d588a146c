"""Stage 8, rankings: from the matrix of readings to boards.

A ranking is a pure function, so that anybody can repeat it. What does not belong here: measuring.
"""

from quintain.rankings.board import Board, Candidate, Place, break_ties, order
from quintain.rankings.results import Contestant, Entry, Results
from quintain.rankings.rule import RankingRule

__all__ = [
    "Board",
    "Candidate",
    "Contestant",
    "Entry",
    "Place",
    "RankingRule",
    "Results",
    "break_ties",
    "order",
]
