"""Half linkage: join two halves of records through the released records that fit both."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.attacks.assignment import assigned, best_pairs
from quintain.attacks.attack import Attack
from quintain.attacks.record_comparison import RecordComparison, posterior
from quintain.attacks.threat import Knowledge
from quintain.data import Table, as_table
from quintain.data.arrays import Rows, Singles
from quintain.guesses import Guess, LinkabilityQuestion, Question
from quintain.registry import register
from quintain.releases import Release

_PRESENT = 0.5  # the share of targets that are expected in the release
_STEP = 1000  # left halves that are joined at a time
_LEAST = 1e-12  # no two halves are certain to be of different people


@register("half-linkage-v1")
class HalfLinkage(Attack):
    """Gives each left half the right half that released records connect with it most.

    By the model of Fellegi and Sunter, each released record has a probability to be that of a left
    half, and one to be that of a right half. Two halves are connected if the same released records
    are likely for both. Then the attack assigns right halves to left halves, no half twice, so that
    the total is as large as possible. It takes columns of every kind. Half a record says too little
    to learn from it how the sanitizer changes values, so that is a parameter.

    Parameters
    ----------
    kept : how often the sanitizer leaves a category unchanged, as the attacker believes; numbers
        change more often.
    candidates : how many right halves per left half take part in the assignment.

    References
    ----------
    Fellegi and Sunter, A theory for record linkage, JASA 64 (1969).

    >>> import quintain as q
    >>> from quintain.testing.examples import exercise
    >>> goal = q.part("linkability", left=["size"], right=["colour", "flag"])
    >>> question, truth, _, release = exercise(goal)
    >>> attack = q.part("half-linkage")
    >>> guess = attack.infer(q.Knowledge(question), release, rng=np.random.default_rng(0))
    >>> right = guess.table.columns["half"] == truth.table.columns["half"]
    >>> f"{right.sum()} of {len(right)} halves joined; chance is 1"
    '3 of 30 halves joined; chance is 1'
    """

    answers: ClassVar[tuple[type[Question], ...]] = (LinkabilityQuestion,)

    kept: Annotated[float, Field(gt=0, lt=1)] = 0.98
    candidates: Annotated[int, Field(ge=1, le=10_000)] = 100

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Connect the halves through the release, then assign them one to one."""
        question, released = knowledge.question_as(LinkabilityQuestion), as_table(release.data)
        left, right = (
            _likely(half, released.select(half.schema.names), self.kept, rng)
            for half in (question.left_halves(), question.right_halves())
        )
        halves = len(question.table)
        kept = []
        for start in range(0, halves, _STEP):
            joint = left[start : start + _STEP].astype(np.float64) @ right.T
            # Equal halves must not be taken in their order.
            joint += _LEAST * (1 + rng.random(joint.shape))
            kept.append(best_pairs(np.log(joint), self.candidates))
        columns, weights = (np.concatenate(part) for part in zip(*kept, strict=True))
        return question.answer(_completed(assigned(columns, weights, halves), rng))


def _likely(half: Table, released: Table, kept: float, rng: np.random.Generator) -> Singles:
    """How likely each released record is that of each half: halves x released records."""
    model = RecordComparison.before_looking(half, released, rng=rng, kept=kept)
    out = np.empty((model.known, model.released), np.float32)
    for rows, weights in model.blocks():
        out[rows] = posterior(weights, _PRESENT)
    return out


def _completed(halves: Rows, rng: np.random.Generator) -> Rows:
    """The assignment, with the halves that are left over in place of -1, in random order."""
    completed = halves.copy()
    free = np.setdiff1d(np.arange(len(halves)), halves)
    completed[halves < 0] = rng.permutation(free)
    return completed
