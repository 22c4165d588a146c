"""Published row: the row of the release that is about each target, and how many are found."""

from __future__ import annotations

from random import Random
from typing import Any

from quintain.kit.codabench.program.faults import OrganisersFault
from quintain.kit.codabench.program.table import Rows
from quintain.kit.codabench.program.targets import Question, Values, check_targets


def check(rows: Rows, question: Question) -> None:
    """Check that every target is answered once, with a row that the release has."""
    check_targets(rows, question)
    for at, number in enumerate(rows.values["row"]):
        if number >= question["published"]:
            rows.note(f"the release has rows 0..{question['published'] - 1}", at, "row")


def blind(question: Question, plan: dict[str, Any], dice: Random) -> list[list[str]]:
    """A random row for each target."""
    return [[target, str(dice.randrange(question["published"]))] for target in question["targets"]]


def measure(cases: list[tuple[Values, Values]], rule: dict[str, Any]) -> list[float]:
    """The share of the targets with a row whose row is named, over all repetitions."""
    hits = targets = 0
    for truth, guess in cases:
        named = dict(zip(guess["target"], guess["row"]))
        rows = [(row, named[name]) for name, row in zip(truth["target"], truth["row"]) if row >= 0]
        hits += sum(row == answer for row, answer in rows)
        targets += len(rows)
    if not targets:
        raise OrganisersFault("no target has a row")
    return [hits / targets]
