"""MAMA-MIA: a target is a member if its preserved statistics are more common than expected."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.attacks.attack import Attack
from quintain.attacks.membership.focal_points import FocalView
from quintain.attacks.shadows import random_samples, without_ids
from quintain.attacks.threat import Fact, Knowledge
from quintain.data import Table, as_table
from quintain.guesses import Guess, MembershipQuestion, Question
from quintain.kernels.cells import cell_counts
from quintain.registry import register
from quintain.releases import FocalPoint, Release

THRESHOLDS = ((0.01, 0.5), (1.0, 0.6), (10.0, 0.7), (100.0, 0.8), (1000.0, 0.85))
"""How popular a focal point must be; the largest epsilon that is not above ours decides."""

ABSENT = 1e-10


@register("mama-mia-v1")
class MamaMia(Attack):
    r"""Compares the release with the base data on the statistics that the sanitizer preserves.

    Shadow runs show which marginals or conditionals the sanitizer tends to choose (its focal
    points F). A record r scores $$ A(r) = 1/|F| \sum_f w_f p_{release}(r_f) / p_{base}(r_f) $$ with
    $w_f$ the share of shadow runs that chose f for marginals, and 1 for conditionals. A
    household scores the mean of its records. The attack standardises the log scores and turns them
    into probabilities by a sigmoid around their median.

    What it assumes: the attacker knows the base data, which contain people like the private ones,
    and may run the sanitizer. The sanitizer tells what it chose in these runs, and chooses about
    the same for the attacked release. If it chooses nothing, everybody gets one half.

    Numbers and times are counted in the bins of the schema, as the sanitizer does, or else in 32
    bins that are equally common in the release. A missing value is a value of its own.

    Parameters
    ----------
    shadows : how many shadow runs.
    popularity : how often a focal point must be chosen, relative to the most popular one; by
        default this grows with epsilon, as in the winning entry of SNAKE 1.

    References
    ----------
    Golob et al., arXiv 2402.06699 and 2410.05506; winner of SNAKE 1 (2023).

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> sanitizer = q.part("sanitizer/mst", epsilon=100)
    >>> members = everybody.take(range(30))
    >>> release = q.sanitize(sanitizer, members, seed=1)
    >>> known = {"targets": everybody, "population": everybody, "sanitizer": sanitizer}
    >>> guess = q.attack("mama-mia", release, **known, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.81; chance is 0.50'
    """

    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion,)
    needs: ClassVar[frozenset[Fact]] = frozenset({"base", "code"})

    shadows: Annotated[int, Field(ge=1, le=1000)] = 5
    popularity: Annotated[float, Field(gt=0, le=1)] | None = None

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Find the focal points, then compare release and base data on each of them."""
        question = knowledge.question_as(MembershipQuestion)
        base, rows = without_ids(knowledge.population()), len(as_table(release.data))
        samples = random_samples(base, count=self.shadows, rows=rows, rng=rng)
        view = FocalView.of(knowledge, release, samples, self._popularity(knowledge), rng=rng)
        if not view.points:
            return question.answer(np.full(len(question.targets()), 0.5))
        scores = np.zeros(len(view.records))
        for point, count in view.points.items():
            weight = 1.0 if point.given else count / self.shadows
            scores += weight * preserved_ratio(point, view.release, view.base, view.records)
        evidence = np.log(question.by_target(scores / len(view.points)))
        spread = evidence.std()
        z = (evidence - evidence.mean()) / spread if spread > 0 else np.zeros(len(evidence))
        return question.answer(1 / (1 + np.exp(-(z - np.median(z)))))

    def _popularity(self, knowledge: Knowledge) -> float:
        if self.popularity is not None:
            return self.popularity
        epsilon = (knowledge.parameters or {}).get("epsilon", 1.0)
        return max((share for least, share in THRESHOLDS if least <= epsilon), default=0.5)


def preserved_ratio(
    point: FocalPoint, release: Table, base: Table, records: Table
) -> npt.NDArray[np.float64]:
    """How many times more common each record's values are in the release than in the base."""
    joint = (*point.columns, *point.given)
    shares = []
    for table in (release, base):
        inside = cell_counts(table, joint, records)
        whole = cell_counts(table, point.given, records)
        shares.append(np.where(inside > 0, inside / np.maximum(whole, 1), ABSENT))
    return shares[0] / shares[1]
