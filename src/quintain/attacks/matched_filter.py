"""Matched filter: weigh what the sanitizer preserves by how much of it reaches the release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.attacks.attack import Attack, Given, Knowledge
from quintain.attacks.shadows import ShadowRun, often_chosen, shadow_runs, without_ids
from quintain.data import Table, as_table
from quintain.data.cells import cell_counts, cell_keys
from quintain.guesses import Guess, MembershipQuestion, Question
from quintain.registry import register
from quintain.releases import FocalPoint, Release

Floats = npt.NDArray[np.float64]

EDGES = np.array([0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 1000.0])
"""Cells that are about as common are treated alike: the limits, in expected records."""


@register("matched-filter-v1")
class MatchedFilter(Attack):
    r"""The best linear test of whether a target's records were counted.

    For every cell c of a focal point that a target falls into, let k_c be how many of its records
    do, y_c the records of the release there (scaled to the private size n) and p_c the share of
    the base data. Shadow runs tell which part g of a deviation in the private data reaches the
    release, and the variance V of what is added on the way. With C the covariance of the cells in
    the base data, membership shifts the mean of y by g k, and the log likelihood ratio is

    $$ (g k)^T (n g C g + V)^{-1} (y - n p - g k / 2). $$

    Cells that overlap (all focal points look at the same people) are thereby not counted twice,
    and cells that the sanitizer drowns in noise or merges away count for nothing. The probability
    is the sigmoid of the ratio, so one half is where the evidence turns.

    Parameters
    ----------
    shadows : how many shadow runs.
    popularity : how often a focal point must be chosen, relative to the most popular one.
    sample : how many base records the covariances are computed from.
    """

    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion,)
    needs: ClassVar[frozenset[Given]] = frozenset({"base", "code"})

    shadows: Annotated[int, Field(ge=2, le=1000)] = 5
    popularity: Annotated[float, Field(gt=0, le=1)] = 0.5
    sample: Annotated[int, Field(ge=100)] = 30_000

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Learn the channel from shadow runs, then test every target."""
        question = knowledge.question
        assert isinstance(question, MembershipQuestion)
        published = as_table(release.data)
        runs = list(shadow_runs(knowledge, count=self.shadows, rows=len(published), rng=rng))
        points = list(often_chosen(runs, self.popularity))
        base = without_ids(knowledge.population())
        records = question.records().select(published.schema.names)
        if not points:
            return question.answer(np.full(len(question.targets()), 0.5))
        views = [_view(point, runs, published, base, records) for point in points]
        chosen = rng.choice(len(base), min(self.sample, len(base)), replace=False)
        crowd = [cell_keys(base.take(chosen), view.columns) for view in views]
        owner = question.target_of_row()
        ratios = [
            log_ratio(views, crowd, np.flatnonzero(owner == target), len(published))
            for target in range(len(question.targets()))
        ]
        return question.answer(1 / (1 + np.exp(-np.clip(ratios, -30, 30))))


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """One focal point: what it shows of the target records, and how well the release shows it."""

    columns: tuple[str, ...]
    keys: npt.NDArray[np.int64]
    share: Floats
    excess: Floats
    gain: Floats
    variance: Floats


def _view(
    point: FocalPoint, runs: list[ShadowRun], release: Table, base: Table, records: Table
) -> View:
    columns = (*point.columns, *point.given)
    size = len(release)
    share = cell_counts(base, columns, records) / len(base)
    seen = cell_counts(release, columns, records) / size
    gain, variance = channel(columns, runs, base)
    which = np.searchsorted(EDGES, size * share)
    excess = size * (seen - share)
    keys = cell_keys(records, columns)
    return View(columns, keys, share, excess, gain[which], variance[which])


def channel(columns: tuple[str, ...], runs: list[ShadowRun], base: Table) -> tuple[Floats, Floats]:
    """How deviations in private counts reach the release, for cells of each commonness.

    Regression through the origin of the release's deviation from what is expected on the private
    data's, over all cells and shadow runs: the gain, and the variance of the rest.
    """
    inner, outer, rest, cells = (np.zeros(len(EDGES) + 1) for _ in range(4))
    deviations = []
    for run in runs:
        size = len(run.sample)
        some = run.sample.take(np.unique(cell_keys(run.sample, columns), return_index=True)[1])
        expected = size * cell_counts(base, columns, some) / len(base)
        private = cell_counts(run.sample, columns, some) - expected
        shown = size * cell_counts(run.release, columns, some) / len(run.release) - expected
        which = np.searchsorted(EDGES, expected)
        deviations.append((which, private, shown))
        inner += np.bincount(which, private * shown, len(inner))
        outer += np.bincount(which, private**2, len(outer))
    gain = np.clip(inner / np.maximum(outer, 1e-12), 0.0, 1.0)
    for which, private, shown in deviations:
        rest += np.bincount(which, (shown - gain[which] * private) ** 2, len(rest))
        cells += np.bincount(which, minlength=len(cells))
    variance = (rest + 1.0) / (cells + 1.0)
    return gain, np.maximum(variance, 0.05)


def log_ratio(
    views: list[View], crowd: list[npt.NDArray[np.int64]], rows: npt.NDArray[np.int64], size: int
) -> float:
    """The log likelihood ratio for one target, whose records have these numbers."""
    parts, inside = [], []
    for view, keys in zip(views, crowd, strict=True):
        cells, first, times = np.unique(view.keys[rows], return_index=True, return_counts=True)
        at = rows[first]
        parts.append(
            np.column_stack(
                [times * view.gain[at], view.excess[at], view.gain[at], view.variance[at]]
            )
        )
        inside.append(keys[:, None] == cells[None, :])
    shift, excess, gain, variance = np.concatenate(parts).T
    where = np.concatenate(inside, axis=1).astype(np.float32)
    common = where.T @ where / len(where)
    mean = where.mean(axis=0)
    covariance = size * (common - np.outer(mean, mean)) * np.outer(gain, gain)
    covariance[np.diag_indices_from(covariance)] += variance
    weights = np.linalg.solve(covariance, shift)
    return float(weights @ (excess - shift / 2))
