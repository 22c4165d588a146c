"""Row linkage: probabilistic record linkage, with one row for each target."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.attacks.attack import Attack
from quintain.attacks.record_comparison import RecordComparison, assign_columns, best_pairs
from quintain.attacks.threat import Knowledge
from quintain.data import as_table
from quintain.data.arrays import Rows
from quintain.guesses import Guess, PublishedRowQuestion, Question
from quintain.registry import register
from quintain.releases import Release


@register("row-linkage-v1")
class RowLinkage(Attack):
    """Learns how the sanitizer changes values, then gives each target the row that fits best.

    Every pair of a target and a row gets a weight for each known column, by the model of Fellegi
    and Sunter: to agree in a rare value, or to differ by what numbers usually change, speaks for a
    match. The attack learns from the release alone how often values are kept and how numbers
    change. Then it assigns rows to targets, no row twice, so that the total weight is as large as
    possible. It takes columns of every kind, and missing values. If targets may be absent, a target
    gets a row only if the match is likelier than none.

    Parameters
    ----------
    rounds : how many rounds of learning.
    candidates : how many rows per target take part in the assignment.

    References
    ----------
    Fellegi and Sunter, A theory for record linkage, JASA 64 (1969). Winkler, Using the EM algorithm
    for weight computation in the Fellegi-Sunter model of record linkage (1988). Jonker and
    Volgenant, A shortest augmenting path algorithm for dense and sparse linear assignment problems,
    Computing 38 (1987).

    >>> import quintain as q
    >>> from quintain.testing.examples import exercise
    >>> question, truth, _, release = exercise(q.part("published-row"))
    >>> attack = q.part("row-linkage")
    >>> guess = attack.infer(q.Knowledge(question), release, rng=np.random.default_rng(0))
    >>> right = guess.table.columns["row"] == truth.table.columns["row"]
    >>> f"{right.sum()} of {len(right)} rows found; the other rows have equals"
    '4 of 19 rows found; the other rows have equals'
    """

    answers: ClassVar[tuple[type[Question], ...]] = (PublishedRowQuestion,)

    rounds: Annotated[int, Field(ge=1, le=100)] = 10
    candidates: Annotated[int, Field(ge=1, le=10_000)] = 50

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Weigh all pairs, then assign rows to targets."""
        question = knowledge.question_as(PublishedRowQuestion)
        known = question.records()
        released = as_table(release.data).select(known.schema.names)
        if not len(known) or not len(released):
            return question.blind(rng=rng)
        order = rng.permutation(len(released))  # equal rows must not be taken in their order
        model = RecordComparison.learn(
            known, released.take(order), rng=rng, absent=question.absent, rounds=self.rounds
        )
        kept = [best_pairs(weights, self.candidates) for _, weights in model.blocks()]
        columns, weights = (np.concatenate(part) for part in zip(*kept, strict=True))
        alone = model.weight_of_nobody if question.absent else None
        row = assign_columns(columns, weights, len(released), alone)
        place = np.where(row >= 0, order[row], -1)
        return question.answer(place if question.absent else _fill(place, len(released), rng))


def _fill(rows: Rows, count: int, rng: np.random.Generator) -> Rows:
    """The rows, with a row that is still free, or any row, in place of -1."""
    empty = np.flatnonzero(rows < 0)
    free = np.setdiff1d(np.arange(count), rows)
    pool = free if len(free) >= len(empty) else np.arange(count)
    filled = rows.copy()
    filled[empty] = rng.choice(pool, len(empty), replace=len(pool) < len(empty))
    return filled
