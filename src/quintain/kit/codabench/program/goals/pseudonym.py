"""Pseudonym: the pseudonym of each target's trajectory, and how many people are named."""

from __future__ import annotations

from random import Random
from typing import Any

from quintain.kit.codabench.program.table import Rows
from quintain.kit.codabench.program.targets import (
    Question,
    Values,
    check_published,
    found_share,
    random_published,
)


def check(rows: Rows, question: Question) -> None:
    """Check that every target is answered once, with a pseudonym that exists."""
    check_published(rows, question, "pseudonym", "the pseudonyms are")


def blind(question: Question, plan: dict[str, Any], dice: Random) -> list[list[str]]:
    """A random pseudonym for each target."""
    return random_published(question, dice)


def measure(cases: list[tuple[Values, Values]], rule: dict[str, Any]) -> list[float]:
    """The share of the targets whose pseudonym is named, over all repetitions."""
    return found_share(cases, "pseudonym", lambda number: number >= 0, "there is no target")
