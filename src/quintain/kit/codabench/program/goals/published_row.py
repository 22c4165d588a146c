"""Published row: the row of the release that is about each target, and how many are found."""

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
    """Check that every target is answered once, with a row that the release has."""
    check_published(rows, question, "row", "the release has rows")


def blind(question: Question, plan: dict[str, Any], dice: Random) -> list[list[str]]:
    """A random row for each target."""
    return random_published(question, dice)


def measure(cases: list[tuple[Values, Values]], rule: dict[str, Any]) -> list[float]:
    """The share of the targets with a row whose row is named, over all repetitions."""
    return found_share(cases, "row", lambda row: row >= 0, "no target has a row")
