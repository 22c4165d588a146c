"""Checks of attacks: they are reproducible, valid and without side effects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from quintain.attacks import Attack, Knowledge
from quintain.errors import Faults
from quintain.guesses import Goal, Question, Truth
from quintain.plays import Situation, play_or_raise
from quintain.registry import parts
from quintain.releases import Release
from quintain.samples import Sample
from quintain.sanitizers.identity import Identity
from quintain.sanitizers.sanitizer import Shadow
from quintain.testing.examples import exercise


def _questions(part: Attack) -> Iterator[tuple[Goal, Question, Truth, Sample, Release]]:
    for cls in parts("goal"):
        for goal in cls.examples():
            assert isinstance(goal, Goal)
            if issubclass(goal.asks, part.answers):
                for shape in set(goal.shapes) & set(part.shapes):
                    yield goal, *exercise(goal, shape)


def check_attack(part: Attack) -> None:
    """The same seed gives the same guess, the guess is valid, and the input stays unchanged."""
    for goal, question, _, sample, release in _questions(part):
        knowledge = Knowledge(question, sample.population, {"use": "identity"}, Shadow(Identity()))
        before = (release.data.digest(), sample.population.digest(), question.table.digest())
        situation = Situation(goal, replace(release, methods=(), claim=None), knowledge)
        once, again = (
            play_or_raise(part, situation, rng=np.random.default_rng(6)) for _ in range(2)
        )
        assert once.table.digest() == again.table.digest(), f"{part.id} is not reproducible"
        after = (release.data.digest(), sample.population.digest(), question.table.digest())
        assert before == after, f"{part.id} changed what it was given"
        faults = Faults("guess.csv")
        goal.check(once, question, faults)
        assert not faults, f"{part.id} gives an invalid guess: {faults.findings[:3]}"
