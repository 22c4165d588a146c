"""Stage 8, rankings: turn the matrix of readings into boards.

A ranking is a pure function, so that anybody can repeat it. Measuring does not belong here.
"""

from __future__ import annotations

from quintain.builtin import offer_parts
from quintain.rankings.board import Board, Candidate, Place, order
from quintain.rankings.results import Contestant, Entry, Refusals, Results
from quintain.rankings.rule import RankingRule
from quintain.rankings.ties import TieRule, break_ties

__all__ = [
    "Board",
    "Candidate",
    "Contestant",
    "Entry",
    "Place",
    "RankingRule",
    "Refusals",
    "Results",
    "TieRule",
    "break_ties",
    "order",
]

__getattr__, __dir__ = offer_parts(__name__, __all__)
