"""Hidden columns: the hidden values of each person, and the share of them that is right."""

from __future__ import annotations

import math
from random import Random
from typing import Any

from quintain.kit.codabench.program.faults import OrganisersFault
from quintain.kit.codabench.program.table import Rows
from quintain.kit.codabench.program.targets import Question, Values, check_targets, random_answers


def check(rows: Rows, question: Question) -> None:
    """Check that everybody is answered once; the columns check the values."""
    check_targets(rows, question)


def blind(question: Question, plan: dict[str, Any], dice: Random) -> list[list[str]]:
    """A random value of every hidden column for each person."""
    return random_answers(question, plan, dice)


def measure(cases: list[tuple[Values, Values]], rule: dict[str, Any]) -> list[float]:
    """The mean over all people of the share of right values."""
    shares = []
    for truth, guess in cases:
        person, *hidden = truth
        row_of = {name: row for row, name in enumerate(guess[person])}
        for row, name in enumerate(truth[person]):
            at = row_of[name]
            right = sum(truth[column][row] == guess[column][at] for column in hidden)
            shares.append(right / len(hidden))
    if not shares:
        raise OrganisersFault("nobody is asked about")
    return [math.fsum(shares) / len(shares)]
