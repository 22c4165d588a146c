"""Attempt: one attack on one question about the pool, or the words with which it refused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from quintain.attacks import Attack, Knowledge, ThreatModel, attack
from quintain.audits.finding import Finding, NotComputed, Risk
from quintain.audits.panels.playable import Playable
from quintain.errors import QuintainError
from quintain.guesses import Goal, Question, Truth
from quintain.measures import Case, GuessMeasure, Reading


@dataclass(frozen=True, slots=True, eq=False)
class Exam:
    """A question about the people of a pool, with its secret answer.

    Parameters
    ----------
    goal : what the attacker wants, with the names of columns that the user knows.
    """

    goal: Goal
    question: Question
    truth: Truth


def ask(goal: Goal, play: Playable, *, shown: Goal) -> Exam | NotComputed:
    """Ask about every person of the pool; ``shown`` is the goal with the user's names."""
    try:
        question, truth = goal.ask(play.pool.sample(), play.release)
    except QuintainError as error:
        return NotComputed(what=f"{goal.name()}: {shown.wanted()}", reason=str(error))
    return Exam(shown, question, truth)


def attempt(
    attacker: Attack, exam: Exam, play: Playable, *, rng: np.random.Generator
) -> Case | NotComputed:
    """Let an attack answer; it gets the question and the release, and nothing else."""
    try:
        guess = attack(attacker, Knowledge(exam.question), play.release, rng=rng)
    except QuintainError as error:
        what = f"the attack {attacker.name()} on {exam.goal.wanted()}"
        return NotComputed(what=what, reason=str(error))
    return Case(exam.truth, guess)


def threat_of(goal: Goal) -> tuple[str, ...]:
    """What the attacker of a panel wants and knows: the question and the release alone."""
    return tuple(sentence for _, sentence in ThreatModel(goal).rows())


def finding(
    risk: Risk,
    attacker: Attack,
    goal: Goal,
    measure: GuessMeasure,
    name: str,
    reading: Reading,
    *,
    control: Reading | None = None,
    chance: float | None = None,
    detectable: float | None = None,
    columns: Iterable[str] = (),
) -> Finding:
    """A reading of a measure as a finding, with the words of the measure and of the goal."""
    return Finding(
        risk=risk,
        attack=attacker.name(),
        parameters=attacker.parameters(),
        name=name,
        says=measure.caption(name),
        reading=reading,
        chance=measure.chance.get(name, chance),
        control=control,
        smallest_detectable=detectable,
        threat=threat_of(goal),
        columns=tuple(columns),
    )
