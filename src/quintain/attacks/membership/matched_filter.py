"""Matched filter: weigh preserved statistics by how much of them reaches the release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field
from scipy.sparse import csc_array

from quintain.attacks.attack import Attack
from quintain.attacks.membership.focal_points import FocalView
from quintain.attacks.shadows import ShadowRun, random_samples, without_ids
from quintain.attacks.threat import Fact, Knowledge
from quintain.data import Table, as_table
from quintain.data.arrays import Floats, Rows
from quintain.guesses import Guess, MembershipQuestion, Question
from quintain.kernels.cells import cell_counts, cell_keys
from quintain.kernels.linear_classifiers import sigmoid
from quintain.registry import register
from quintain.releases import FocalPoint, Release

EDGES = np.array([0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 1000.0])
"""Limits between classes of cells that are about equally common, in expected records."""


@register("matched-filter-v1")
class MatchedFilter(Attack):
    r"""Applies the best linear test of whether the release counts a target's records.

    For every cell c of a focal point that contains records of a target, let k_c be the number of
    these records, y_c the number of released records there (scaled to the private size n) and p_c
    the share of the base data. Shadow runs show which part g of a deviation in the private data
    reaches the release, and the variance V that the sanitizer adds. With C the covariance of the
    cells in the base data, membership shifts the mean of y by g k, and the log likelihood ratio is

    $$ (g k)^T (n g C g + V)^{-1} (y - n p - g k / 2). $$

    So overlapping cells are not counted twice (all focal points describe the same people), and
    cells that the sanitizer covers with noise or merges count for nothing. The probability is the
    sigmoid of the ratio, so one half means that the evidence is balanced.

    What it assumes: the attacker knows the base data, which contain people like the private ones,
    and may run the sanitizer. The sanitizer tells what it chose in these runs, and chooses about
    the same for the attacked release. If it chooses nothing, everybody gets one half.

    Numbers and times are counted in the bins of the schema, as the sanitizer does, or else in 32
    bins that are equally common in the release. A missing value is a value of its own.

    Parameters
    ----------
    shadows : how many shadow runs.
    popularity : how often a focal point must be chosen, relative to the most popular one.
    sample : how many base records the attack uses to compute covariances.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> sanitizer = q.part("sanitizer/mst", epsilon=100)
    >>> members = everybody.take(range(30))
    >>> release = q.sanitize(sanitizer, members, seed=1)
    >>> known = {"targets": everybody, "population": everybody, "sanitizer": sanitizer}
    >>> guess = q.attack("matched-filter", release, **known, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.78; chance is 0.50'
    """

    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion,)
    needs: ClassVar[frozenset[Fact]] = frozenset({"base", "code"})

    shadows: Annotated[int, Field(ge=2, le=1000)] = 5
    popularity: Annotated[float, Field(gt=0, le=1)] = 0.5
    sample: Annotated[int, Field(ge=100)] = 20_000

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Learn from shadow runs what reaches a release, then test every target."""
        question = knowledge.question_as(MembershipQuestion)
        base, rows = without_ids(knowledge.population()), len(as_table(release.data))
        samples = random_samples(base, count=self.shadows, rows=rows, rng=rng)
        view = FocalView.of(knowledge, release, samples, self.popularity, rng=rng)
        if not view.points:
            return question.answer(np.full(len(question.targets()), 0.5))
        filters = learn_filters(view, self.sample, rng=rng)
        ratios = log_ratios(filters, view.release, view.records, question.target_of_row())
        return question.answer(sigmoid(ratios))


@dataclass(frozen=True, slots=True, eq=False)
class Filter:
    """What one focal point shows of people: gain and variance for cells of each frequency class.

    A regression through the origin explains the deviation of a shadow release from its expectation
    by the deviation of its private data, over the cells of random people and all shadow runs. These
    cells must not be those of the private sample, which contain more records than usual.
    """

    columns: tuple[str, ...]
    base: Table
    crowd: Rows
    gain: Floats
    variance: Floats

    @classmethod
    def learn(
        cls, point: FocalPoint, runs: Sequence[ShadowRun], base: Table, crowd: Table
    ) -> Filter:
        """Learn gain and variance of a focal point from shadow runs."""
        columns = (*point.columns, *point.given)
        keys = cell_keys(crowd, columns)
        examples = crowd.take(np.unique(keys, return_index=True)[1])  # one record per cell
        share = cell_counts(base, columns, examples) / len(base)
        size = len(EDGES) + 1
        inner, outer, rest, cells = (np.zeros(size) for _ in range(4))
        deviations = []
        for run in runs:
            sample, release = as_table(run.sample), as_table(run.release.data)
            expected = len(sample) * share
            scale = len(sample) / len(release)
            private = cell_counts(sample, columns, examples) - expected
            shown = scale * cell_counts(release, columns, examples) - expected
            which = np.searchsorted(EDGES, expected)
            deviations.append((which, private, shown))
            inner += np.bincount(which, private * shown, size)
            outer += np.bincount(which, private**2, size)
        gain = np.clip(inner / np.maximum(outer, 1e-12), 0.0, 1.0)
        for which, private, shown in deviations:
            rest += np.bincount(which, (shown - gain[which] * private) ** 2, size)
            cells += np.bincount(which, minlength=size)
        return cls(columns, base, keys, gain, np.maximum((rest + 1) / (cells + 1), 0.02))

    def look(self, release: Table, records: Table) -> tuple[Rows, Floats]:
        """Find the cell of each record: its key, and its excess, gain and variance."""
        expected = len(release) * cell_counts(self.base, self.columns, records) / len(self.base)
        excess = cell_counts(release, self.columns, records) - expected
        which = np.searchsorted(EDGES, expected)
        figures = np.column_stack([excess, self.gain[which], self.variance[which]])
        return cell_keys(records, self.columns), figures


def learn_filters(view: FocalView, most: int, *, rng: np.random.Generator) -> list[Filter]:
    """The filter of every focal point, learned on at most so many random people."""
    size = len(view.base)
    crowd = view.base.take(rng.choice(size, min(most, size), replace=False))
    runs = view.counted_runs
    return [Filter.learn(point, runs, view.base, crowd) for point in view.points]


def log_ratios(filters: Sequence[Filter], release: Table, records: Table, owner: Rows) -> Floats:
    """The log likelihood ratio of membership per target; ``owner`` names each record's target."""
    looks = [learned.look(release, records) for learned in filters]
    order = np.argsort(owner, kind="stable")
    ends = np.cumsum(np.bincount(owner))
    crowds = [_Crowd.of(learned.crowd) for learned in filters]
    return np.array(
        [_log_ratio(looks, crowds, rows, len(release)) for rows in np.split(order, ends[:-1])]
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Crowd:
    """Random people by their cell: a cell of a target has few of them."""

    keys: Rows
    order: Rows

    @classmethod
    def of(cls, keys: Rows) -> _Crowd:
        """Sort the people by their cell."""
        order = np.argsort(keys, kind="stable")
        return cls(keys[order], order)

    def inside(self, cells: Rows) -> list[Rows]:
        """The people in each of some cells."""
        low, high = (np.searchsorted(self.keys, cells, side) for side in ("left", "right"))
        return [self.order[start:end] for start, end in zip(low, high, strict=True)]


def _log_ratio(
    looks: Sequence[tuple[Rows, Floats]], crowds: Sequence[_Crowd], rows: Rows, size: int
) -> float:
    """The log likelihood ratio for the target with these records."""
    parts, people = [], []
    for (keys, figures), crowd in zip(looks, crowds, strict=True):
        cells, first, times = np.unique(keys[rows], return_index=True, return_counts=True)
        parts.append(np.column_stack([times, figures[rows[first]]]))
        people += crowd.inside(cells)
    times, excess, gain, variance = np.concatenate(parts).T
    together, count = _in_both(people, len(crowds[0].keys)), np.float32(len(crowds[0].keys))
    mean = np.diagonal(together) / count
    covariance = size * (together / count - np.outer(mean, mean))
    covariance = covariance * np.outer(gain, gain)
    covariance[np.diag_indices_from(covariance)] += variance
    shift = times * gain
    return float(np.linalg.solve(covariance, shift) @ (excess - shift / 2))


def _in_both(people: Sequence[Rows], count: int) -> npt.NDArray[np.float32]:
    """How many people are in both of any two cells, given the people in each cell."""
    ends = np.cumsum([0, *(len(inside) for inside in people)])
    ones = np.ones(ends[-1], np.float32)
    where = csc_array((ones, np.concatenate(people), ends), shape=(count, len(people)))
    return np.asarray((where.T @ where).toarray())
