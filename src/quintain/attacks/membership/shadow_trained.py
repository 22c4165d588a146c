"""Shadow-trained: learn the weight of each kind of evidence from runs with known members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.attacks.attack import Attack
from quintain.attacks.membership.focal_points import FocalView
from quintain.attacks.membership.mama_mia import preserved_ratio
from quintain.attacks.membership.matched_filter import Filter, learn_filters, log_ratios
from quintain.attacks.membership.tree_ratio import tree_ratio
from quintain.attacks.shadows import TrialUnits, without_ids
from quintain.attacks.threat import Fact, Knowledge
from quintain.data import Table, as_table
from quintain.data.arrays import Floats, Rows
from quintain.guesses import Guess, MembershipQuestion, Question
from quintain.kernels.cells import cell_counts
from quintain.kernels.linear_classifiers import logistic_weights, sigmoid
from quintain.registry import register
from quintain.releases import FocalPoint, Release


@register("shadow-trained-v1")
class ShadowTrained(Attack):
    """Combines all evidence about focal points with weights learned in shadow runs.

    For each shadow run the attack draws targets like the real ones from the base data, and a coin
    decides which are members. It then measures several kinds of evidence for each target: how much
    more common its cells are than expected, whether they occur at all, the ratios of MAMA-MIA, the
    matched filter and the tree ratio. A logistic regression learns the weight of each kind for this
    sanitizer with these parameters; the attack applies it to the real targets. Evidence is
    standardised within each release.

    What it assumes: the attacker knows the base data, which contain people like the private ones,
    and may run the sanitizer. About half of the targets are members. The sanitizer tells what it
    chose in these runs; if it chooses nothing, the attack answers as ``tree-ratio``.

    Numbers and times are counted in the bins of the schema, as the sanitizer does, or else in 32
    bins that are equally common in the release. A missing value is a value of its own.

    Parameters
    ----------
    shadows : how many shadow runs.
    targets : how many targets the attack draws for each shadow run.
    popularity : how often a focal point must be chosen, relative to the most popular one.
    ridge : how strongly the weights are pulled towards zero.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> sanitizer = q.part("sanitizer/mst", epsilon=100)
    >>> members = everybody.take(range(30))
    >>> release = q.sanitize(sanitizer, members, seed=1)
    >>> known = {"targets": everybody, "population": everybody, "sanitizer": sanitizer}
    >>> guess = q.attack("shadow-trained", release, **known, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.79; chance is 0.50'
    """

    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion,)
    needs: ClassVar[frozenset[Fact]] = frozenset({"base", "code"})

    shadows: Annotated[int, Field(ge=2, le=1000)] = 5
    targets: Annotated[int, Field(ge=10)] = 200
    popularity: Annotated[float, Field(gt=0, le=1)] = 0.5
    ridge: Annotated[float, Field(gt=0)] = 10.0

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Learn weights from shadow runs, then apply them to the release."""
        question, population = knowledge.question_as(MembershipQuestion), knowledge.population()
        base, rows = without_ids(population), len(as_table(release.data))
        units = TrialUnits.like(question, population)
        shadows = self.shadows if len(units.rows) > 1 else 0
        trials = [units.trial(self.targets, rows, rng) for _ in range(shadows)]
        samples = (base.take(trial.rows) for trial in trials)
        view = FocalView.of(knowledge, release, samples, self.popularity, rng=rng)
        if not view.points:
            ratio = tree_ratio(view.release, view.base, view.records)
            return question.answer_by_rank(question.by_target(ratio))
        lens = Lens(tuple(view.points), view.base, learn_filters(view, 10_000, rng=rng))
        shadow_evidence = [
            lens.evidence(
                as_table(run.release.data), view.base.take(trial.target_rows), trial.target_of
            )
            for run, trial in zip(view.counted_runs, trials, strict=True)
        ]
        labels = np.concatenate([trial.members for trial in trials])
        weights = logistic_weights(np.concatenate(shadow_evidence), labels, self.ridge)
        evidence = lens.evidence(view.release, view.records, question.target_of_row())
        table = np.column_stack([np.ones(len(evidence)), evidence])
        return question.answer(sigmoid(table @ weights))


@dataclass(frozen=True, slots=True, eq=False)
class Lens:
    """Focal points, base data, and filters that say how the sanitizer changes these statistics."""

    points: tuple[FocalPoint, ...]
    base: Table
    filters: list[Filter]

    def evidence(self, release: Table, records: Table, owner: Rows) -> Floats:
        """Measure several kinds of evidence per target, standardised within the release."""
        surplus, deviation, presence, conditional, ratio = (
            np.zeros(len(records)) for _ in range(5)
        )
        for point in self.points:
            joint = (*point.columns, *point.given)
            observed, expected = self._counts(release, joint, records)
            surplus += np.log((observed + 0.5) / (expected + 0.5))
            deviation += (observed - expected) / np.sqrt(expected + 1)
            presence += observed > 0
            around, usual = self._counts(release, point.given, records)
            shares = (observed + 0.1) / (around + 0.2), (expected + 0.1) / (usual + 0.2)
            conditional += np.log(shares[0] / shares[1])
            ratio += preserved_ratio(point, release, self.base, records)
        tree = tree_ratio(release, self.base, records)
        size = np.bincount(owner)
        columns = [
            np.bincount(owner, each) / size
            for each in (surplus, deviation, presence, conditional, tree)
        ]
        strongest = np.full(len(size), -np.inf)
        np.maximum.at(strongest, owner, surplus)
        columns += [
            strongest,
            np.log(np.bincount(owner, ratio) / size),
            np.clip(log_ratios(self.filters, release, records, owner), -8, 8),
        ]
        table = np.column_stack(columns)
        middle, spread = np.median(table, axis=0), table.std(axis=0)
        return np.asarray((table - middle) / (spread + 1e-9))

    def _counts(
        self, release: Table, names: tuple[str, ...], records: Table
    ) -> tuple[Floats, Floats]:
        observed = cell_counts(release, names, records)
        return observed, len(release) * cell_counts(self.base, names, records) / len(self.base)
