"""Record scores: attacks that give each record a number, higher if it is likelier a member."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np

from quintain.attacks.attack import Attack
from quintain.attacks.shadows import without_ids
from quintain.attacks.threat import Fact, Knowledge
from quintain.data import Table, as_table
from quintain.data.arrays import Floats
from quintain.guesses import Guess, MembershipQuestion, MembershipSetQuestion, Question
from quintain.kernels.value_classes import QuantileBins
from quintain.releases import Release


class RecordScores(Attack):
    """Guesses that the records with the highest scores are members.

    For membership, the attack averages the scores of a target's records and ranks the targets. For
    a set of rows, it names the rows with the highest scores, and equal scores in random order.

    Attributes
    ----------
    bins : into how many bins of equal size the attack cuts numbers and times that have no
        finite domain; the bins come from the release. 0 if it reads numbers as they are.
    """

    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion, MembershipSetQuestion)
    needs: ClassVar[frozenset[Fact]] = frozenset({"base"})
    bins: ClassVar[int] = 50

    @abstractmethod
    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Score each record: higher means that it was more likely in the private data.

        For a set of rows, ``records`` is ``base`` itself. All three tables have the same columns,
        without ids, and a finite domain for each of them if the attack cuts numbers into bins.
        """

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Score the records, then rank targets or rows."""
        return self.rank(knowledge, release, self.scores, rng=rng)

    def rank(
        self,
        knowledge: Knowledge,
        release: Release,
        scores_of: Callable[..., Floats],
        *,
        rng: np.random.Generator,
    ) -> Guess:
        """Rank targets or rows by scores; ``scores_of`` has the signature of ``scores``."""
        question, released = knowledge.question, as_table(release.data)
        base = without_ids(knowledge.population()).select(released.schema.names)
        bins = QuantileBins.of(released, self.bins)
        released, base = bins.encode(released), bins.encode(base)
        if isinstance(question, MembershipQuestion):
            records = bins.encode(question.records().select(released.schema.names))
            scores = scores_of(released, base, records, rng=rng)
            return question.answer_by_rank(question.by_target(scores))
        question = knowledge.question_as(MembershipSetQuestion)
        scores = scores_of(released, base, base, rng=rng)
        best = np.lexsort((rng.random(len(scores)), -scores))
        return question.answer(best[: question.guesses])
