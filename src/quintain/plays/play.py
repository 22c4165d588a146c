"""Play: the only place where an attack is run on a release."""

from __future__ import annotations

import numpy as np

from quintain.attacks.attack import Attack
from quintain.attacks.threat import explain
from quintain.errors import KnowledgeError
from quintain.guesses import Guess
from quintain.plays.refusal import REFUSALS, Refusal
from quintain.plays.situation import Situation


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
        _require(attack, situation)
        return attack.infer(situation.knowledge, situation.release, rng=rng)
    except REFUSALS as error:
        return Refusal(attack.name(), error)


def play_or_raise(attack: Attack, situation: Situation, *, rng: np.random.Generator) -> Guess:
    """The guess of an attack, for callers that cannot go on without it.

    A refusal is raised as the error by which the attack refused.
    """
    outcome = play(attack, situation, rng=rng)
    if isinstance(outcome, Refusal):
        raise outcome.error
    return outcome


def _require(attack: Attack, situation: Situation) -> None:
    """Raise if the attack cannot answer the question, read the data or do with what it is given."""
    knowledge, release = situation.knowledge, situation.release
    if not isinstance(knowledge.question, attack.answers):
        kinds = " or ".join(kind.about() for kind in attack.answers)
        raise KnowledgeError(
            f"{attack.id} answers questions about {kinds}, not about {knowledge.question.about()}"
        )
    attack.require(release.data.schema)
    missing = attack.needs - knowledge.facts(release)
    if missing:
        raise KnowledgeError(
            f"{attack.id} needs {explain(missing)}; the threat model does not give it"
        )
