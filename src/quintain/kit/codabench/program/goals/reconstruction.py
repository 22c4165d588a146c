"""Reconstruction: the hidden values of each target, and how many more are right for members."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from random import Random
from typing import Any

from quintain.kit.codabench.program.faults import OrganisersFault
from quintain.kit.codabench.program.table import Rows
from quintain.kit.codabench.program.targets import (
    Question,
    Values,
    answers,
    check_targets,
    nearly_equal,
    number,
    random_answers,
)


def check(rows: Rows, question: Question) -> None:
    """Check that every target is answered once; the columns check the values."""
    check_targets(rows, question)


def blind(question: Question, plan: dict[str, Any], dice: Random) -> list[list[str]]:
    """A random value of every hidden column for each target."""
    return random_answers(question, plan, dice)


def measure(cases: list[tuple[Values, Values]], rule: dict[str, Any]) -> list[float]:
    """Right cells of members beside those of the others and beside the best blind guess."""
    columns = list(cases[0][0])[2:]
    scores = [_column(cases, name, rule) for name in columns]
    members, others, blindly = (math.fsum(column) / len(columns) for column in zip(*scores))
    return [members - others, members - blindly, members, others]


def _column(
    cases: list[tuple[Values, Values]], name: str, rule: dict[str, Any]
) -> tuple[float, float, float]:
    """The weighted shares of right cells: of members, of others, of members guessed blindly."""
    kind = rule["kinds"][name]
    rows = [
        (member, number(value, kind), number(guess, kind))
        for truth, given in cases
        for member, value, guess in answers(truth, given, name)
    ]
    if len({member for member, _, _ in rows}) < 2:
        raise OrganisersFault("the reference data have only members or only non-members")
    reach = float(rule.get("tolerance", 0)) * rule["widths"].get(name, 0.0)
    controls = [value for member, value, _ in rows if not member]
    right, best = nearly_equal(controls, reach)
    weigh = _by_rarity([value for _, value, _ in rows], reach) if rule["key"] == "rarity" else None
    shares = []
    for group, guessed in ((True, None), (False, None), (True, best)):
        own = [(value, guess) for member, value, guess in rows if member == group]
        weights = [1.0 if weigh is None else weigh(value) for value, _ in own]
        hits = [right(value, guess if guessed is None else guessed) for value, guess in own]
        sums = math.fsum(weight * hit for weight, hit in zip(weights, hits))
        shares.append(sums / math.fsum(weights))
    return shares[0], shares[1], shares[2]


def _by_rarity(values: list[float], reach: float) -> Any:
    """How much a cell counts: one over the number of people with about the same value."""
    arranged, slack = sorted(values), reach * (1 + 1e-9)

    def weigh(value: float) -> float:
        until = bisect_right(arranged, value + slack)
        return 1 / float(until - bisect_left(arranged, value - slack))

    return weigh
