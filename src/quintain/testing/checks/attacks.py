"""Checks of attacks: they are reproducible, valid and without side effects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from quintain.attacks import Attack, Knowledge
from quintain.errors import Faults
from quintain.guesses import Goal, Question, Truth
from quintain.plays import Situation, play_or_raise
from quintain.randomness.noise import Noise
from quintain.registry import parts
from quintain.releases import Release
from quintain.samples import Sample
from quintain.sanitizers.identity import Identity
from quintain.sanitizers.models.plain_trainers import TrainLogistic
from quintain.sanitizers.sanitizer import Sanitizer, Shadow, sanitize
from quintain.sanitizers.synthetic.deep.tabddpm import TabDdpm
from quintain.testing.examples import example, exercise


def _questions(part: Attack) -> Iterator[tuple[Goal, Question, Truth, Sample, Release]]:
    for cls in parts("goal"):
        for goal in cls.examples():
            assert isinstance(goal, Goal)
            if issubclass(goal.asks, part.answers):
                for shape in set(goal.shapes) & set(part.shapes):
                    yield goal, *exercise(goal, shape)
                if "model" in part.shapes and "table" in goal.shapes:
                    question, truth, sample, _ = exercise(goal)
                    yield goal, question, truth, sample, Release(example("model"))


def _made_for(part: Attack, sample: Sample, release: Release) -> tuple[Sanitizer, Release]:
    """Who made a release; where an attack needs the model of one with records, one that has it."""
    if release.data.schema.model is not None:
        return TrainLogistic(label="flag"), release
    if "weights" not in part.needs:
        return Identity(), release
    small = TabDdpm(steps=2, noise_steps=20, batch=20, hidden=(8,), publish_model=True)
    rng = np.random.default_rng(5)
    return small, sanitize(small, sample.private, rng=rng, noise=Noise.for_test(5)).release


def check_attack(part: Attack) -> None:
    """The same seed gives the same guess, the guess is valid, and the input stays unchanged."""
    for goal, question, _, sample, given in _questions(part):
        made_by, release = _made_for(part, sample, given)
        knowledge = Knowledge(question, sample.population, made_by.spec(), Shadow(made_by))
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
