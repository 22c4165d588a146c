"""Situation: what one attack is played on."""

from __future__ import annotations

from dataclasses import dataclass

from quintain.attacks.threat import Knowledge
from quintain.guesses import Goal, Question, Truth
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
