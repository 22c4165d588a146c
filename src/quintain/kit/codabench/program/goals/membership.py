"""Membership: the probability that each target was in the private data, and what it is worth.

The membership advantage and the accuracy count the targets of all repetitions together. The area
under the curve and the true positive rate are measured in each repetition and averaged.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from random import Random
from typing import Any

from quintain.kit.codabench.program.faults import OrganisersFault
from quintain.kit.codabench.program.sums import pairwise_sum
from quintain.kit.codabench.program.table import Rows
from quintain.kit.codabench.program.targets import Question, Values, answers, check_targets


def check(rows: Rows, question: Question) -> None:
    """Check that every target is answered once; the columns check the probabilities."""
    check_targets(rows, question)


def blind(question: Question, plan: dict[str, Any], dice: Random) -> list[list[str]]:
    """A random probability for each target."""
    return [[target, repr(dice.random())] for target in question["targets"]]


def measure(cases: list[tuple[Values, Values]], rule: dict[str, Any]) -> list[float]:
    """The readings of the measure, from the truth and the guess of each repetition."""
    repeats = [answers(truth, guess, "probability") for truth, guess in cases]
    if rule["key"] in ("adv", "acc"):
        repeats = [[answer for repeat in repeats for answer in repeat]]
    functions = {"adv": advantage, "acc": accuracy, "auc": area}
    values = []
    for repeat in repeats:
        members = [probability for member, _, probability in repeat if member]
        others = [probability for member, _, probability in repeat if not member]
        if rule["key"] != "acc" and not (members and others):
            raise OrganisersFault("the reference data have only members or only non-members")
        if rule["key"] == "tpr":
            values.append(true_positives(members, others, float(rule["fpr"])))
        else:
            values.append(functions[rule["key"]](members, others))
    return [math.fsum(values) / len(values)]


def advantage(members: list[float], others: list[float]) -> float:
    """The share of the members called members, less the share of the others called members."""
    return called(members) / len(members) - called(others) / len(others)


def accuracy(members: list[float], others: list[float]) -> float:
    """The share of the targets on the right side of one half."""
    right = called(members) + len(others) - called(others)
    return right / (len(members) + len(others))


def called(probabilities: list[float]) -> int:
    """How many targets are called members."""
    return sum(probability > 0.5 for probability in probabilities)


def area(members: list[float], others: list[float]) -> float:
    """The area under the curve: the mean share of the others that a member beats; ties are half."""
    lower = sorted(others)
    beaten = [(bisect_left(lower, member) + bisect_right(lower, member)) / 2 for member in members]
    return pairwise_sum([count / len(others) for count in beaten]) / len(members)


def true_positives(members: list[float], others: list[float], fpr: float) -> float:
    """The share of the members above the lowest threshold that at most ``fpr`` others pass."""
    falling = sorted(others, reverse=True)
    allowed = math.floor(fpr * len(falling) + 1e-9)
    threshold = falling[allowed] if allowed < len(falling) else -math.inf
    return sum(member > threshold for member in members) / len(members)
