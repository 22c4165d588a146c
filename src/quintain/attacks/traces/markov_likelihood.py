"""Markov likelihood: whose usual steps explain a published trajectory best?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from quintain.attacks.traces.matching import TraceMatching
from quintain.attacks.traces.visit_likelihood import log_shares
from quintain.data import Trajectories
from quintain.data.arrays import Floats
from quintain.kernels.places import step_counts, visit_counts
from quintain.registry import register

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@register("markov-likelihood-v1")
class MarkovLikelihood(TraceMatching):
    """Recognises people by how they go from cell to cell.

    Each known person has a first-order Markov model: the probability of the next cell, given the
    last one. A step that the person never made gets the probability of its cell, a few points of it
    at least. A published person is the known one whose model makes the published steps most likely.

    Parameters
    ----------
    prior : how many steps out of a cell the usual places of the person are worth.
    blur : how far a known visit counts for the cells around it, in cells; 0 is not at all.

    References
    ----------
    Gambs, Killijian and Nunez del Prado, De-anonymization attack on geolocated data, Journal of
    Computer and System Sciences 80 (2014).

    >>> import quintain as q
    >>> from quintain.testing.examples import exercise
    >>> question, truth, _, release = exercise(q.part("pseudonym"), "trajectories")
    >>> attack = q.part("markov-likelihood")
    >>> guess = attack.infer(q.Knowledge(question), release, rng=np.random.default_rng(0))
    >>> right = guess.table.columns["pseudonym"] == truth.table.columns["pseudonym"]
    >>> f"{right.sum()} of {len(right)} people; chance is 1"
    '19 of 25 people; chance is 1'
    """

    prior: Annotated[float, Field(gt=0)] = 5.0
    blur: Annotated[float, Field(ge=0, le=20)] = 0.7

    def score(self, known: Trajectories, published: Trajectories) -> Floats:
        """The logarithm of how likely the published steps are for each known person.

        With s = ``prior`` and n the known steps, a step from a to b has the probability
        (n(a, b) + s p(b)) / (n(a) + s). That is p(b) times s / (n(a) + s), times
        1 + n(a, b) / (s p(b)); the last factor is 1 for all but the few steps that a person made.
        """
        visits = log_shares(visit_counts(known), known, 1, self.blur, 1.0)
        known_steps, steps = step_counts(known), step_counts(published)
        size = known.grid.size
        out_of = _sum_pairs(known_steps, size, ends=False)
        score = visits @ _sum_pairs(steps, size, ends=True).T
        score += np.log(self.prior / (out_of + self.prior)) @ _sum_pairs(steps, size, ends=False).T
        made = known_steps.copy()
        person = np.repeat(np.arange(len(known)), np.diff(made.indptr))
        share = np.exp(visits[person, made.indices % size])
        made.data = np.log1p(made.data / (self.prior * share))
        return np.asarray(score + (made @ steps.T).toarray())


def _sum_pairs(steps: csr_array, size: int, *, ends: bool) -> Floats:
    """How many steps of each person end, or begin, in each cell."""
    person = np.repeat(np.arange(steps.shape[0]), np.diff(steps.indptr))
    cell = steps.indices % size if ends else steps.indices // size
    counts = np.bincount(person * size + cell, steps.data, steps.shape[0] * size)
    return np.asarray(counts.reshape(-1, size))
