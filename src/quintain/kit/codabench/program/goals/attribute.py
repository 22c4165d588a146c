"""Attribute: the hidden value of each target, and how many more are right for members."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

from quintain.kit.codabench.program.faults import OrganisersFault
from quintain.kit.codabench.program.table import Rows
from quintain.kit.codabench.program.targets import (
    Judge,
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
    """A random value of the hidden column for each target."""
    return random_answers(question, plan, dice)


def measure(cases: list[tuple[Values, Values]], rule: dict[str, Any]) -> list[float]:
    """Right guesses for members beside those for the others and beside the best blind guess."""
    comparable, judge = JUDGES[rule["key"]]
    kind = list(rule["kinds"].values())[-1]
    groups: tuple[list[Any], list[Any]] = ([], [])
    for truth, guess in cases:
        for member, value, answer in answers(truth, guess, list(truth)[-1]):
            groups[member].append((comparable(value, kind), comparable(answer, kind)))
    outside, inside = groups
    if not (inside and outside):
        raise OrganisersFault("the reference data have only members or only non-members")
    tolerance = 0.0 if kind == "category" else float(rule.get("tolerance", 0))
    right, best = judge([value for value, _ in outside], tolerance)
    members, others = (sum(right(v, a) for v, a in group) for group in (inside, outside))
    gained = sum(right(v, a) and not right(v, best) for v, a in inside)
    lost = sum(right(v, best) and not right(v, a) for v, a in inside)
    return [
        members / len(inside) - others / len(outside),
        (gained - lost) / len(inside),
        members / len(inside),
        others / len(outside),
    ]


def equal(controls: list[Any], tolerance: float) -> Judge:
    """A guess is right if it is equal; the best blind guess is the most frequent value.

    Of several frequent values, the first in the order of the schema counts.
    """
    counts = Counter(controls)
    best = min(counts, key=lambda value: (-counts[value], value != value, value))
    return (lambda value, guess: value == guess), best


def unchanged(value: Any, kind: str) -> Any:
    """A value that is compared as it is."""
    return value


JUDGES = {"excess": (unchanged, equal), "within": (number, nearly_equal)}
