"""Naming: the pseudonym of the release that is each target, and how many people are named."""

from __future__ import annotations

from random import Random
from typing import Any

from quintain.kit.codabench.program.table import Rows
from quintain.kit.codabench.program.targets import Question, Values, check_targets, found_share


def check(rows: Rows, question: Question) -> None:
    """Check that every target is answered once, with a pseudonym that the release has."""
    check_targets(rows, question)
    known = {str(number + 1) for number in range(question["published"])}
    for at, name in enumerate(rows.values["pseudonym"]):
        if name and name not in known:
            rows.note(f"the release has the pseudonyms 1..{len(known)}", at, "pseudonym")


def blind(question: Question, plan: dict[str, Any], dice: Random) -> list[list[str]]:
    """A random pseudonym for each target."""
    most = question["published"]
    return [[target, str(1 + dice.randrange(most))] for target in question["targets"]]


def measure(cases: list[tuple[Values, Values]], rule: dict[str, Any]) -> list[float]:
    """The share of the targets with a pseudonym whose pseudonym is named, over all repetitions."""
    return found_share(cases, "pseudonym", bool, "no target has a pseudonym")
