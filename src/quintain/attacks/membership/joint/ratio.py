"""Joint ratio: read the structure off the release, then test each target with all its tables."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.attacks.attack import Attack
from quintain.attacks.membership.focal_points import Counted
from quintain.attacks.membership.joint.cells import CellPopulation, CellTargets
from quintain.attacks.membership.joint.chain import CellChain, Sight, learn_channels, penalties
from quintain.attacks.membership.network.ratio import NetworkRatio
from quintain.attacks.membership.trials import Trial, TrialUnits
from quintain.attacks.shadows import ShadowRun, shadow_runs, without_ids
from quintain.attacks.threat import Fact, Knowledge
from quintain.data import as_table
from quintain.guesses import Guess, MembershipQuestion, Question
from quintain.kernels.linear_classifiers import logistic_weights, sigmoid
from quintain.registry import register
from quintain.releases import Release


@register("joint-ratio-v1")
class JointRatio(Attack):
    r"""Computes one likelihood ratio per target over all tables that the sanitizer counted.

    The attack has four steps.

    1. It makes the sanitizer's own choice, without noise, on the release. A release preserves the
       tables that its sanitizer chose, so this choice is nearly always the same.
    2. For each cell of a target it computes the count e to expect if the target is not a member:
       from the base data without all targets, and half of the other targets. Members of a
       household in the same cell are counted together: the target adds k records.
    3. Shadow runs with known members show the probability K of a released count y given a private
       count x, for cells of each expected count. The log likelihood ratio of a cell is

       $$ \log \sum_x P_e(x - k) K(y | x) - \log \sum_x P_e(x) K(y | x) $$

       with P_e the Poisson distribution of mean e; cells with 16 or more expected records have a
       Gaussian form of it.
    4. Ratios of tables that overlap repeat each other. So the sum over all tables is reduced by
       the ratio of what they share: the parents in a network, and a column of several tables. A
       logistic regression over the targets of the shadow runs learns the weight of this sum, small
       corrections for its parts, and so the probabilities.

    What it assumes: the attacker knows the base data and may run the sanitizer. The base data
    contain the people that the private sample was drawn from, and about half of the targets are
    members. The sanitizer can tell what it would choose on given data. If it chooses nothing, the
    attack makes no shadow run and answers as ``network-ratio``.

    Numbers and times are counted in the bins of the schema, as the sanitizer does, or else in 32
    bins that are equally common in the release. A missing value is a value of its own.

    Parameters
    ----------
    shadows : how many shadow runs.
    targets : how many targets the attack draws for each shadow run.
    ridge : how strongly corrections of the weights are pulled towards zero.

    References
    ----------
    Golob et al., arXiv 2402.06699, introduce focal points of a sanitizer.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> sanitizer = q.part("sanitizer/mst", epsilon=100)
    >>> members = everybody.take(range(30))
    >>> release = q.sanitize(sanitizer, members, seed=1)
    >>> known = {"targets": everybody, "population": everybody, "sanitizer": sanitizer}
    >>> guess = q.attack("joint-ratio", release, **known, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.79; chance is 0.50'
    """

    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion,)
    needs: ClassVar[frozenset[Fact]] = frozenset({"base", "code"})

    shadows: Annotated[int, Field(ge=1, le=1000)] = 5
    targets: Annotated[int, Field(ge=10)] = 200
    ridge: Annotated[float, Field(gt=0)] = 30.0

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Recover the structure, learn from shadow runs, and test every target."""
        question, released = knowledge.question_as(MembershipQuestion), as_table(release.data)
        units = TrialUnits.like(question, knowledge.population())
        points = knowledge.sanitizer_code().structure(released)
        if not points or len(units.rows) < 2:
            network = NetworkRatio()
            return network.rank(knowledge, release, network.scores, rng=rng)
        names, counted = released.schema.names, Counted.of(released, knowledge)
        base = without_ids(knowledge.population()).select(names)
        population = CellPopulation(counted.encode(base))
        trials = [units.trial(self.targets, len(released), rng) for _ in range(self.shadows)]
        runs = shadow_runs(knowledge, (base.take(trial.rows) for trial in trials), rng=rng)
        sights = [
            _shadow_sight(population, trial, run, counted)
            for trial, run in zip(trials, runs, strict=True)
        ]
        channels = learn_channels(sights)
        lessons = np.concatenate([sight.evidence(channels) for sight in sights])
        members = np.concatenate([trial.members for trial in trials])
        weights = logistic_weights(lessons, members, penalties(lessons, self.ridge))
        records = counted.encode(question.records().select(names))
        targets = CellTargets.of(population, records, question.target_of_row())
        sight = CellChain.of(points, names).look(targets, counted.encode(released))
        return question.answer(sigmoid(weights[0] + sight.evidence(channels) @ weights[1:]))


def _shadow_sight(
    population: CellPopulation, trial: Trial, run: ShadowRun, counted: Counted
) -> Sight:
    """What the release of a shadow run shows of its targets, in the tables that the run chose."""
    targets = CellTargets.of(population, population.base.take(trial.target_rows), trial.target_of)
    chain = CellChain.of(run.trace.focal_points, population.base.schema.names)
    return chain.look(
        targets, counted.encode(as_table(run.release.data)), population.base.take(trial.rows)
    )
