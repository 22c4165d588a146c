"""Plays: one attack on one release. Contests, audits, notebooks and the terminal all play here.

:func:`play` is the only place where an attack is run on a release, and :data:`REFUSALS` the one
list of errors that count as a refusal: those by which a part speaks of its parameters, its
knowledge, its data or what it lacks on this machine. Everything else, such as a mistake in its code
or too little memory, ends the work of the caller.

What does not belong here: attacks themselves, how a guess is scored, and the words in which a
caller tells people of a refusal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Knowledge
from quintain.data.plain import is_plain, plain_view
from quintain.errors import (
    DataError,
    KnowledgeError,
    MissingExtra,
    NoiseError,
    PartError,
    QuintainError,
    SubmissionError,
)
from quintain.guesses import Goal, Guess, Question, Truth
from quintain.releases import Release


@dataclass(frozen=True, slots=True, eq=False)
class Situation:
    """A question about a release, with everything that the attacker knows.

    Parameters
    ----------
    goal : what the attacker wants to know.
    release : what was published, as attackers see it.
    knowledge : the question, and what the attacker knows beside the release.
    truth : the secret answer, for callers that score the guess; no attack gets it.
    """

    goal: Goal
    release: Release
    knowledge: Knowledge
    truth: Truth | None = None

    @property
    def question(self) -> Question:
        """The question that the attack has to answer."""
        return self.knowledge.question


LASTING = (PartError, KnowledgeError, DataError, NoiseError, SubmissionError)
"""Refusals that follow from rules, keys and data alone: everybody who plays again gets the same."""

REFUSALS = (*LASTING, MissingExtra)
"""All refusals; a missing extra is a fact about one machine."""


@dataclass(frozen=True, slots=True, eq=False)
class Refusal:
    """A part that did not answer, and the error by which it refused.

    >>> Refusal("nearest", PartError("needs a number")).lasting
    True
    >>> Refusal("binary-classifier", MissingExtra("it", "torch", "torch")).lasting
    False
    """

    part: str
    error: QuintainError

    @property
    def reason(self) -> str:
        """The words of the part, which may be several lines."""
        return str(self.error)

    @property
    def lasting(self) -> bool:
        """Whether rules, keys and data alone say so.

        A contest stores lasting refusals alone: a verifier who has the missing extra would not
        come to the same result.
        """
        return isinstance(self.error, LASTING)


def play(attack: Attack, situation: Situation, *, rng: np.random.Generator) -> Guess | Refusal:
    """Let an attack answer the question of a situation; a refusal says why it does not.

    >>> import quintain as q
    >>> from quintain.testing import example_table
    >>> records = example_table(rows=4)
    >>> goal = q.guesses.MembershipSet(guesses=2)
    >>> knowledge = q.Knowledge(goal.question_about(records))
    >>> situation = Situation(goal, q.Release(records), knowledge)
    >>> play(q.attacks.Nearest(), situation, rng=np.random.default_rng(0)).reason
    'attackers do not get the base data'
    """
    try:
        release, knowledge = _with_plain_columns(situation.release, situation.knowledge)
        attack.require_facts(knowledge, release)
        return attack.infer(knowledge, release, rng=rng)
    except REFUSALS as error:
        return Refusal(attack.name(), error)


def _with_plain_columns(release: Release, knowledge: Knowledge) -> tuple[Release, Knowledge]:
    """Release and knowledge with plain columns alone, as attacks know them."""
    base, question = knowledge.base, knowledge.question
    tables = (release.data, question.table, *([] if base is None else [base]))
    if all(is_plain(table.schema) for table in tables):
        return release, knowledge
    base = None if base is None else plain_view(base)
    seen = replace(knowledge, question=question.plain(), base=base)
    return replace(release, data=plain_view(release.data)), seen


def play_or_raise(attack: Attack, situation: Situation, *, rng: np.random.Generator) -> Guess:
    """The guess of an attack, for callers that cannot go on without it.

    A refusal is raised as the error by which the attack refused.
    """
    outcome = play(attack, situation, rng=rng)
    if isinstance(outcome, Refusal):
        raise outcome.error
    return outcome
