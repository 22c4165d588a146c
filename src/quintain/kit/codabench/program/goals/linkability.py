"""Linkability: the right half that belongs to each left half, and how many are joined."""

from __future__ import annotations

from random import Random
from typing import Any

from quintain.kit.codabench.program.faults import OrganisersFault
from quintain.kit.codabench.program.table import Rows
from quintain.kit.codabench.program.targets import Question, Values, answers, check_targets


def check(rows: Rows, question: Question) -> None:
    """Check that every target is answered once, with a half that exists."""
    check_targets(rows, question)
    for at, half in enumerate(rows.values["half"]):
        if half >= question["halves"]:
            rows.note(f"the right halves are 0..{question['halves'] - 1}", at, "half")


def blind(question: Question, plan: dict[str, Any], dice: Random) -> list[list[str]]:
    """Another half for every target, at random."""
    halves = dice.sample(range(question["halves"]), question["halves"])
    return [[target, str(half)] for target, half in zip(question["targets"], halves)]


def measure(cases: list[tuple[Values, Values]], rule: dict[str, Any]) -> list[float]:
    """The share of the members whose halves are joined, beside that of the control group."""
    right: tuple[list[bool], list[bool]] = ([], [])
    for truth, guess in cases:
        for member, half, answer in answers(truth, guess, "half"):
            right[member].append(half == answer)
    controls, members = right
    if not (members and controls):
        raise OrganisersFault("the reference data have only members or only non-members")
    shares = [sum(members) / len(members), sum(controls) / len(controls)]
    return [shares[0] - shares[1], *shares]
