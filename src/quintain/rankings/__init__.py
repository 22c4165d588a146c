"""Stage 8, rankings: turn the matrix of readings into boards.

A ranking is a pure function, so that anybody can repeat it. Measuring does not belong here.
"""

from __future__ import annotations

from typing import Any

from quintain.builtin import part_class, part_classes
from quintain.rankings.board import Board, Candidate, Place, break_ties, order
from quintain.rankings.results import Contestant, Entry, Refusals, Results
from quintain.rankings.rule import RankingRule

__all__ = [
    "Board",
    "Candidate",
    "Contestant",
    "Entry",
    "Place",
    "RankingRule",
    "Refusals",
    "Results",
    "break_ties",
    "order",
]


def __getattr__(name: str) -> Any:
    """Return a built-in part by its class name; its module is imported when first used."""
    return part_class(__name__, name)


def __dir__() -> list[str]:
    return sorted([*__all__, *part_classes(__name__)])
