"""Attribute: the hidden value of each target, and how many more are right for members."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

from quintain.kit.codabench.program.faults import OrganisersFault
from quintain.kit.codabench.program.table import Rows
from quintain.kit.codabench.program.targets import Question, Values, answers, check_targets


def check(rows: Rows, question: Question) -> None:
    """Check that every target is answered once; the columns check the values."""
    check_targets(rows, question)


def blind(question: Question, plan: dict[str, Any], dice: Random) -> list[list[str]]:
    """A random value of the hidden column for each target."""
    column = plan["guess"][-1]
    if column["kind"] == "category":
        values = column["values"]
    else:
        values = [str(value) for value in range(int(column["low"]), int(column["high"]) + 1)]
    return [[target, dice.choice(values)] for target in question["targets"]]


def measure(cases: list[tuple[Values, Values]], rule: dict[str, Any]) -> list[float]:
    """Right guesses for members beside those for the others and beside the best blind guess."""
    pooled = []
    for truth, guess in cases:
        pooled += answers(truth, guess, list(truth)[-1])
    inside = [(value, answer) for member, value, answer in pooled if member]
    outside = [(value, answer) for member, value, answer in pooled if not member]
    if not (inside and outside):
        raise OrganisersFault("the reference data have only members or only non-members")
    members, others = (sum(v == a for v, a in group) for group in (inside, outside))
    frequent = most_frequent([value for value, _ in outside])
    gained = sum(value == answer != frequent for value, answer in inside)
    lost = sum(value == frequent != answer for value, answer in inside)
    return [
        members / len(inside) - others / len(outside),
        (gained - lost) / len(inside),
        members / len(inside),
        others / len(outside),
    ]


def most_frequent(values: list[int]) -> int:
    """The most frequent value; of several, the first in the order of the schema."""
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], value))
