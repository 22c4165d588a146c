"""Visit likelihood: whose usual places explain a published trajectory best?"""

from __future__ import annotations

from typing import Annotated, Self

import numpy as np
from pydantic import Field

from quintain.attacks.traces.matching import TraceMatching
from quintain.data import Trajectories
from quintain.data.arrays import Floats
from quintain.kernels.places import blur_counts, visit_counts
from quintain.registry import register


@register("visit-likelihood-v1")
class VisitLikelihood(TraceMatching):
    """Recognises people by how often they are in which cells, and at which time of the day.

    Each known person has a probability to be in each cell, part by part of the day. A published
    person is the known one whose probabilities make the published places most likely. Cells around
    those of a known person count a little, too, so that noise and coarse places do not hide people.

    Parameters
    ----------
    slots : into how many parts the day is cut; 1 compares places alone.
    blur : how far a known visit counts for the cells around it, in cells; 0 is not at all.
    prior : how many points the places of all people are worth beside those of one person.

    References
    ----------
    Murakami et al., Designing a location trace anonymization contest, arXiv:2107.10407, which gave
    its teams a likelihood of visits without parts of the day, blur and pairs.

    >>> import quintain as q
    >>> from quintain.testing.examples import exercise
    >>> question, truth, _, release = exercise(q.part("pseudonym"), "trajectories")
    >>> attack = q.part("visit-likelihood")
    >>> guess = attack.infer(q.Knowledge(question), release, rng=np.random.default_rng(0))
    >>> right = guess.table.columns["pseudonym"] == truth.table.columns["pseudonym"]
    >>> f"{right.sum()} of {len(right)} people; chance is 1"
    '23 of 25 people; chance is 1'
    """

    slots: Annotated[int, Field(ge=1, le=24)] = 4
    blur: Annotated[float, Field(ge=0, le=20)] = 1.0
    prior: Annotated[float, Field(gt=0)] = 1.0

    @classmethod
    def examples(cls) -> list[Self]:
        """With parts of the day and blur, and as the contest of 2019 had it."""
        return [cls(), cls(slots=1, blur=0)]

    def score(self, known: Trajectories, published: Trajectories) -> Floats:
        """The logarithm of how likely the published places are for each known person."""
        usual = log_shares(
            visit_counts(known, self.slots), known, self.slots, self.blur, self.prior
        )
        return np.asarray(usual @ visit_counts(published, self.slots).T)


def log_shares(
    counts: Floats, known: Trajectories, slots: int, blur: float, prior: float
) -> Floats:
    """The logarithm of each person's probability of each cell, given the part of the day."""
    grid = known.grid
    smooth = blur_counts(counts, grid, blur).reshape(len(known), slots, grid.size)
    everybody = smooth.sum(axis=0) + 1.0 / grid.size
    everybody /= everybody.sum(axis=1, keepdims=True)
    shares = smooth + prior * everybody
    shares /= shares.sum(axis=2, keepdims=True)
    return np.asarray(np.log(shares).reshape(counts.shape))
