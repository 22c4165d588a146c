"""Half linkage: join two halves of records through the released records that fit both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.attacks.attack import Attack
from quintain.attacks.record_comparison import RecordComparison, assign_pairs, posterior
from quintain.attacks.threat import Knowledge
from quintain.data import Table, as_table
from quintain.data.arrays import Rows
from quintain.guesses import Guess, LinkabilityQuestion, Question
from quintain.kernels.distances import spans
from quintain.kernels.neighbours import Distance, k_nearest
from quintain.registry import register
from quintain.releases import Release

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_PRESENT = 0.5  # the share of targets that are expected in the release
_STEP = 1000  # left halves that are joined at a time
_LEAST = 1e-12  # no two halves are certain to be of different people
_TIE = 1e-9  # how much chance decides between halves that are connected equally


@register("half-linkage-v1")
class HalfLinkage(Attack):
    """Gives each left half the right half that released records connect with it most.

    By the model of Fellegi and Sunter, each released record has a probability to be that of a left
    half, and one to be that of a right half. Two halves are connected if the same released records
    are likely for both. Then the attack assigns right halves to left halves, no half twice, so that
    the total is as large as possible. It takes columns of every kind. Half a record says too little
    to learn from it how the sanitizer changes values, so that is a parameter. Each half is compared
    with its nearest released records only: all others are so unlike that they hardly count. So the
    attack can be used with large releases.

    Parameters
    ----------
    kept : how often the sanitizer leaves a category unchanged, as the attacker believes; numbers
        change more often.
    candidates : how many right halves per left half take part in the assignment.
    records : how many released records each half is compared with.

    References
    ----------
    Fellegi and Sunter, A theory for record linkage, JASA 64 (1969).

    >>> import quintain as q
    >>> from quintain.testing.examples import exercise
    >>> goal = q.part("linkability", left=["size"], right=["colour", "flag"])
    >>> question, truth, _, release = exercise(goal)
    >>> attack = q.part("half-linkage", records=100)
    >>> guess = attack.infer(q.Knowledge(question), release, rng=np.random.default_rng(0))
    >>> right = guess.table.columns["half"] == truth.table.columns["half"]
    >>> f"{right.sum()} of {len(right)} halves joined; chance is 1"
    '3 of 30 halves joined; chance is 1'
    """

    answers: ClassVar[tuple[type[Question], ...]] = (LinkabilityQuestion,)

    kept: Annotated[float, Field(gt=0, lt=1)] = 0.98
    candidates: Annotated[int, Field(ge=1, le=10_000)] = 20
    records: Annotated[int, Field(ge=1, le=10_000)] = 30

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Connect the halves through the release, then assign them one to one."""
        question, released = knowledge.question_as(LinkabilityQuestion), as_table(release.data)
        halves = question.left_halves(), question.right_halves()
        left, right = (self._likely_records(half, released, rng) for half in halves)
        joint = (left @ right.T).tocoo()
        row, column = (place.astype(np.int64) for place in joint.coords)
        # Equal halves must not be taken in their order.
        weight = np.log(joint.data * (1 + _TIE * rng.random(len(joint.data))) + _LEAST)
        order = np.lexsort((-weight, row))
        starts = np.searchsorted(row[order], row[order])
        order = order[np.arange(len(order)) - starts < self.candidates]
        shape = len(question.table), len(question.table)
        match = assign_pairs(row[order], column[order], weight[order], shape)
        return question.answer(_complete(match, rng))

    def _likely_records(self, half: Table, released: Table, rng: np.random.Generator) -> csr_array:
        """How likely released records are those of each half: halves x released records."""
        from scipy.sparse import csr_array

        shown = released.select(half.schema.names)
        widths = spans(half.schema, [half, shown])
        factors = {name: 1 / width if width > _LEAST else 0.0 for name, width in widths.items()}
        count = min(self.records, len(shown))
        near = k_nearest(half, shown, count, Distance("gower", factors))[1]
        model = RecordComparison.before_looking(half, shown, rng=rng, kept=self.kept)
        shares = posterior(model.weights_at(near), _PRESENT, len(shown))
        starts = np.arange(len(half) + 1) * count
        return csr_array((shares.ravel(), near.ravel(), starts), shape=(len(half), len(shown)))


def _complete(halves: Rows, rng: np.random.Generator) -> Rows:
    """The assignment, with the halves that are left over in place of -1, in random order."""
    completed = halves.copy()
    free = np.setdiff1d(np.arange(len(halves)), halves)
    completed[halves < 0] = rng.permutation(free)
    return completed
