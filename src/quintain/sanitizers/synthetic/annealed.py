"""Annealed synthetic data: as useful as a contest requires, and no closer to the private data.

Rare values reveal members first. If nine people of the population have a value, and four people of
the private data, then each of the nine is a member with probability four in nine. So the allowed
error of counts is spent on rare values. Then values are swapped: numbers until the dependence
between columns is close enough, categories so that the release leads to the same decision trees.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Self

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from quintain.data import Column, Data, Schema, Table, as_table
from quintain.data.arrays import Array, Floats, Mask, Rows
from quintain.data.codec import missing_cells
from quintain.data.coding import Coding
from quintain.errors import PartError
from quintain.kernels.dummies import moments
from quintain.kernels.trees import FittedTree, require_target
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import FocalPoint, Method, Release, Sanitized, Trace
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.shuffling import permutation
from quintain.sanitizers.synthesizer import require_bounds
from quintain.sanitizers.synthetic.annealed_moments import (
    MomentGoal,
    PublicGoal,
    PublicPeople,
    SwapCloseness,
    settle,
)

Share = Annotated[float, Field(gt=0, le=1)]

_MARGIN = 0.92
"""The part of an allowed distance that the search aims at."""
_LOOSE = 0.1
"""The error of one-way counts that is allowed where no bound is given."""

Counts = npt.NDArray[np.int64]

_BANDWIDTH = 0.5
"""The bandwidth with which counts of numbers are smoothed, in standard deviations."""
_STEPS = 60
"""How many amounts of noise or smoothing are tried, from most to least."""
_FOR_NUMBERS = 0.6
"""The part of the error for numbers: smoothing hides more people than noise of the same error."""

_CLEAR = 0.005
"""A majority in a leaf is clear if it exceeds one half by this share of the records."""

_ROUNDS = 30
"""The most rounds of swaps at one node."""
_SMALL = 30
"""Nodes with fewer records than this stay as they are."""
_SHARE = 0.005
"""The share of a node's records that swap in one round."""


class KeptTree(BaseModel):
    """A decision tree that the release must reproduce.

    Parameters
    ----------
    target : the column that the tree predicts, a category.
    positive : the category that it separates from the others.
    depth : its largest depth.
    at_least : the least F-measure of the release's tree against the private data's tree.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: str
    positive: str
    depth: Annotated[int, Field(ge=1, le=64)] = 5
    at_least: Annotated[float, Field(ge=0, le=1)] = 0.95

    def learn(self, table: Table) -> FittedTree:
        """Learn the tree from a table."""
        return FittedTree.learn(table, self.target, self.positive, depth=self.depth)

    def agreement(self, expected: FittedTree, release: Table, records: Table) -> float:
        """Give the F-measure between the release's tree and the expected one, over some records."""
        one, other = (
            expected.predicts_positive(records),
            self.learn(release).predicts_positive(records),
        )
        either = int((one | other).sum())
        both = int((one & other).sum())
        return 2 * both / (both + either) if either else 1.0

    def relabel(
        self,
        table: Table,
        original: Table,
        tree: FittedTree,
        noise: Noise,
        *,
        gently: bool = False,
    ) -> Table:
        """Swap target values between the leaves of the private data's tree.

        Afterwards each leaf has about the same share of positive records as in the private data,
        and on the same side of one half; ``gently`` only corrects the side. The records that swap
        are chosen at random, and no count changes.
        """
        code = original.schema[self.target].values.index(self.positive)
        leaf, original_leaf = tree.leaves(table), tree.leaves(original)
        size = int(max(leaf.max(), original_leaf.max())) + 1
        positive = table.columns[self.target] == code
        records, have = (np.bincount(rows, minlength=size) for rows in (leaf, leaf[positive]))
        positives = np.bincount(
            original_leaf[original.columns[self.target] == code], minlength=size
        )
        share = positives / np.maximum(np.bincount(original_leaf, minlength=size), 1)
        wanted = have.astype(float) if gently else share * records
        wanted = _on_the_same_side(wanted, records, share > 0.5, int(positive.sum()))
        missing = np.rint(wanted).astype(np.int64) - have
        order = permutation(len(table), noise)
        place = np.empty(len(table), np.int64)
        for flag in (False, True):  # number the positive and the negative records of each leaf
            rows = order[positive[order] == flag]
            rows = rows[np.argsort(leaf[rows], kind="stable")]
            place[rows] = np.arange(len(rows)) - np.searchsorted(leaf[rows], leaf[rows])
        rises = order[~positive[order] & (place[order] < missing[leaf[order]])]
        falls = order[positive[order] & (place[order] < -missing[leaf[order]])]
        count = min(len(rises), len(falls))
        labels = table.columns[self.target].copy()
        labels[rises[:count]] = table.columns[self.target][falls[:count]]
        labels[falls[:count]] = table.columns[self.target][rises[:count]]
        return table.replace({self.target: labels})


@register("annealed-synthetic-v1")
class AnnealedSynthetic(Sanitizer):
    """Publishes invented records that keep only the statistics a contest requires.

    Every column is drawn on its own, without dependence on the others. Its counts are those of the
    private data up to an allowed error, which is spent on rare values. Then records swap values
    until covariances and correlations are close enough. The values that decision trees predict are
    swapped between the leaves of the private data's trees. Statistics without a bound are ignored.
    If some bounds are still missed, the part starts again, and publishes the best release.

    No published record is made from a private one, so there are no records to link. Attackers can
    still use the statistics themselves: moment-tracing-v1 does. The part claims no privacy: the
    statistics are those of the private data, and not noisy enough for a proof.

    Real numbers, times and large integers are cut into bins of the schema first, and a missing
    value counts as one more value. The bounds then hold for the numbers of the bins.

    Parameters
    ----------
    histogram : the least value of measure/histogram-v1: one minus the mean error of one-way counts.
    histogram_worst : the same bound for the worst column.
    covariance : the least value of measure/covariance-v1: one over the largest row sum of
        differences.
    correlation : the largest value of measure/correlation-v1: the largest difference of a
        correlation.
    trees : decision trees that the release must reproduce, as measure/decision-tree-v1 compares
        them, but over the private records: ``[{ target = "income", positive = "<=50K", depth = 5,
        at_least = 0.95 }]``
    tries : the most releases to make; the first one that keeps every bound is published.
    public : public data that resemble the population, such as ``{ source = { use = "adult" } }``.
        Where the bounds allow it, counts, covariances and shares in leaves are then those of the
        public data, so they say nothing about a member. AMIC made its population from public data.

    A bound that is not set (None) is ignored.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> table = people(example_table())
    >>> release = q.sanitize("annealed-synthetic", table, correlation=0.1, seed=1)
    >>> release.methods[0].detail
    'one-way counts, correlations and decision trees kept within bounds'
    >>> [np.bincount(each.columns["flag"]).tolist() for each in (table, release.data)]
    [[135, 65], [136, 64]]

    References
    ----------
    AMIC (PWSCup 2020): the best anonymizers published synthetic records, annealed or learned
    (review of the contest, 2021). Kirkpatrick, Gelatt and Vecchi, Optimization by simulated
    annealing, Science 220 (1983).
    """

    histogram: Share | None = 0.99
    histogram_worst: Share | None = 0.97
    covariance: Annotated[float, Field(gt=0)] | None = 0.4
    correlation: Annotated[float, Field(gt=0)] | None = 0.1
    trees: tuple[KeptTree, ...] = ()
    tries: Annotated[int, Field(ge=1, le=100)] = 6
    public: PublicPeople | None = None

    @classmethod
    def examples(cls) -> list[Self]:
        """List one sanitizer without trees and one with a tree."""
        tree = KeptTree(target="flag", positive="yes", depth=3, at_least=0.8)
        loose = {"histogram": 0.9, "histogram_worst": None, "covariance": None}
        return [cls(tries=1), cls.model_validate({**loose, "trees": (tree,), "tries": 2})]

    def require(self, schema: Schema) -> None:
        """Every column needs a finite domain or bounds, and every tree a category to predict."""
        super().require(schema)
        require_bounds(self, schema)
        for kept in self.trees:
            require_target(self.id, schema, kept.target, kept.positive)

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Draw, swap and check until every bound is kept; publish the best release."""
        private = as_table(data)
        if len(private) < 2:
            raise PartError(f"{self.id} needs at least two records")
        coding = Coding.of(_with_missing_where_it_occurs(private))
        table = coding.encode(private)
        trees = [kept.learn(table) for kept in self.trees]
        public = coding.encode(self.public.table(private.schema)) if self.public else None
        best = self._make(table, trees, noise, public)
        missed = self._missed_bounds(table, trees, best)
        for _ in range(self.tries - 1):
            if not missed:
                break
            made = self._make(table, trees, noise, public)
            still = self._missed_bounds(table, trees, made)
            if (len(still), sum(still.values())) < (len(missed), sum(missed.values())):
                best, missed = made, still
        method = Method(
            name="synthetic data generation",
            rows=len(table),
            detail="one-way counts, correlations and decision trees kept within bounds"
            + (f"; not within: {', '.join(missed)}" if missed else ""),
        )
        made = Table(private.schema, coding.decode(best, rng).columns)
        trace = Trace(self.choice(data, noise=noise))
        return Sanitized(Release(made.take(made.order()), methods=(method,)), trace)

    def choice(self, data: Data, *, noise: Noise) -> tuple[FocalPoint, ...]:
        """Give every column: there is nothing to choose."""
        return tuple(FocalPoint((name,)) for name in data.schema.names)

    def _make(
        self, table: Table, trees: list[FittedTree], noise: Noise, public: Table | None
    ) -> Table:
        worst, total = self._errors(table)
        counts = redrawn_counts(table, _MARGIN * worst, _MARGIN * total, noise, public)
        made = Table(
            table.schema,
            {
                column.name: arrange(column, counts[column.name], permutation(len(table), noise))
                for column in table.schema.columns
            },
        )
        close = self._closeness(_MARGIN)
        goal = (
            MomentGoal(table, close)
            if public is None
            else PublicGoal(table, moments(public), made, close)
        )
        made = settle(made, goal, (), noise)
        fixed = {kept.target for kept in self.trees}
        for _ in range(2 if trees else 0):  # relabelling changes moments, settling changes leaves
            for kept, tree in zip(self.trees, trees, strict=True):
                made = kept.relabel(made, table if public is None else public, tree, noise)
            made = settle(made, goal, fixed, noise)
        for kept, tree in zip(self.trees, trees, strict=True):
            made = teach_splits(made, kept, tree, noise)
            made = kept.relabel(made, table, tree, noise, gently=True)
        return made

    def _missed_bounds(
        self, table: Table, trees: list[FittedTree], made: Table
    ) -> dict[str, float]:
        """List the bounds that a release misses, and by how much."""
        errors = [
            error(*(np.bincount(t.columns[c.name], minlength=c.size) for t in (table, made)))
            for c in table.schema.columns
        ]
        worst, total = self._errors(table)
        off = {
            "one-way counts": max(max(errors) - worst, sum(errors) - total),
            "covariances": MomentGoal(table, self._closeness(1.0)).excess(moments(made)),
        }
        for kept, tree in zip(self.trees, trees, strict=True):
            # The measure compares trees on other records, so the bound here is a little stricter.
            enough = 1 - 0.75 * (1 - kept.at_least)
            off[f"the tree of {kept.target}"] = enough - kept.agreement(tree, made, table)
        return {name: by for name, by in off.items() if by > 0}

    def _errors(self, table: Table) -> tuple[float, float]:
        """Give the error allowed for one column, and for all columns together."""
        worst = _LOOSE if self.histogram_worst is None else 1 - self.histogram_worst
        mean = _LOOSE if self.histogram is None else 1 - self.histogram
        return worst, mean * len(table.schema.names)

    def _closeness(self, margin: float) -> SwapCloseness:
        return SwapCloseness(
            math.inf if self.correlation is None else margin * self.correlation,
            math.inf if self.covariance is None else margin / self.covariance,
        )


def _with_missing_where_it_occurs(table: Table) -> Schema:
    """Give the schema in which only columns with missing values are nullable.

    A value that never occurs would take part in the covariances. Nothing is claimed, so it does no
    harm that the private data decide.
    """
    columns = (
        column.model_copy(update={"nullable": bool(missing_cells(column, contents).any())})
        for column, contents in ((c, table.columns[c.name]) for c in table.schema.columns)
    )
    return table.schema.model_copy(update={"columns": tuple(columns)})


def redrawn_counts(
    table: Table, worst: float, total: float, noise: Noise, public: Table | None = None
) -> dict[str, Counts]:
    """Give new counts for every column, with the same sum as the private ones.

    ``worst`` bounds the error of a column, and ``total`` the sum of errors over columns. The error
    is half the sum of differences, as a share of the records. Numbers get the larger part of the
    total. With public people, rare values have the counts of the public people, and as few others
    as possible stay private; without them, counts get noise.
    """
    columns = table.schema.columns
    numeric = [c for c in columns if not c.listed]
    values = sum(c.size for c in columns if c.listed)
    for_numbers = _FOR_NUMBERS * total if values else total
    out, left = {}, total
    for column in sorted(columns, key=lambda c: c.listed):
        counts = np.bincount(table.columns[column.name], minlength=column.size)
        if column.listed:
            allowed, candidates = left * column.size / values, _noisy(counts, noise)
        else:
            allowed, candidates = for_numbers / len(numeric), _smooth(counts, noise)
        if public is not None:
            others = np.bincount(public.columns[column.name], minlength=column.size)
            candidates = _replace(counts, others, noise, number=not column.listed)
        out[column.name] = _first_within(candidates, counts, min(worst, allowed))
        if not column.listed or public is not None:
            left -= error(counts, out[column.name])
            values -= column.size if column.listed else 0
    return out


def error(counts: Counts, others: Counts) -> float:
    """Give half the sum of differences between counts, as a share of the records."""
    return float(np.abs(counts - others).sum() / (2 * counts.sum()))


def arrange(column: Column, counts: Counts, order: npt.NDArray[np.int64]) -> Counts:
    """List values in the given order, each as often as its count says."""
    return np.repeat(np.arange(column.size), counts)[order]


def _first_within(candidates: Iterator[Counts], counts: Counts, allowed: float) -> Counts:
    """Give the first counts that are close enough; the true counts if none are."""
    return next((each for each in candidates if error(counts, each) <= allowed), counts)


def _noisy(counts: Counts, noise: Noise) -> Iterator[Counts]:
    """Try counts of categories with less and less noise, equal for rare and common categories.

    A category that occurs in the private data also occurs in the release, and no other does.
    Otherwise its correlations would be undefined in one of the two.
    """
    present = np.flatnonzero(counts)
    for scale in np.geomspace(max(1.0, counts.sum() / 20), 0.5, _STEPS):
        noisy = counts.copy()
        noisy[present] = np.maximum(1, counts[present] + noise.gaussian(float(scale), len(present)))
        surplus = noisy.sum() - counts.sum()
        noisy[present] -= np.rint(surplus * counts[present] / counts.sum()).astype(np.int64)
        noisy[present] = np.maximum(1, noisy[present])
        noisy[noisy.argmax()] -= noisy.sum() - counts.sum()
        if noisy.min() >= 0:
            yield noisy


def _smooth(counts: Counts, noise: Noise) -> Iterator[Counts]:
    """Try counts of numbers, smoothing fewer and fewer of them; common numbers stay unchanged."""
    at = np.arange(len(counts))
    mean = (at * counts).sum() / counts.sum()
    spread = np.sqrt((counts * (at - mean) ** 2).sum() / counts.sum())
    for common in _spread(np.unique(counts)[::-1], _STEPS):
        rare = counts <= common
        rare[: np.flatnonzero(counts)[0]] = rare[np.flatnonzero(counts)[-1] + 1 :] = False
        smooth = np.where(rare, _kernel_mean(counts, rare, _BANDWIDTH * spread), counts)
        tilted = _with_moments(smooth, rare, counts, at - mean)
        rounded = _round(tilted, int(counts.sum()), noise)
        if rounded.min() >= 0 and rounded.sum() == counts.sum():
            yield rounded


def _replace(counts: Counts, public: Counts, noise: Noise, *, number: bool) -> Iterator[Counts]:
    """Try the counts of public people, for fewer and fewer values; common values stay private.

    A category that occurs in the private data also occurs in the release, and no other does.
    """
    at = np.arange(len(counts))
    centred = at - (at * counts).sum() / counts.sum()
    others = public * (counts.sum() / public.sum())
    if not number:
        others = np.where(counts > 0, np.maximum(others, 1.0), 0.0)
    for common in _spread(np.unique(others)[::-1], _STEPS):
        rare = others <= common
        if number:
            tilted = _with_moments(np.where(rare, others, counts), rare, counts, centred)
        else:
            missing = counts[rare].sum() / max(others[rare].sum(), 1e-9)
            tilted = np.where(
                rare, np.where(counts > 0, np.maximum(missing * others, 1), 0), counts
            )
        rounded = _round(tilted, int(counts.sum()), noise)
        kept = number or ((rounded > 0) == (counts > 0)).all()
        if rounded.min() >= 0 and rounded.sum() == counts.sum() and kept:
            yield rounded


def _round(values: Floats, total: int, noise: Noise) -> Counts:
    """Round counts at random, then correct the largest ones until the sum is ``total``."""
    rounded = np.floor(values + noise.uniform(len(values))).astype(np.int64)
    surplus = int(rounded.sum() - total)
    largest = np.argsort(-rounded, kind="stable")[: abs(surplus)]
    rounded[largest] -= np.sign(surplus)
    return rounded


def _spread(values: Counts, count: int) -> Counts:
    """Pick ``count`` of the values, evenly spread over their places."""
    chosen = np.linspace(0, len(values) - 1, min(count, len(values)))
    return values[np.rint(chosen).astype(np.int64)]


def _kernel_mean(counts: Counts, where: npt.NDArray[np.bool_], width: float) -> Floats:
    """Give, around each value, the weighted mean of the counts selected by ``where``."""
    far = max(1, min(len(counts) - 1, round(4 * width)))
    kernel = np.exp(-0.5 * (np.arange(-far, far + 1) / max(width, 0.1)) ** 2)
    padded = [np.pad(part.astype(float), far) for part in (counts * where, where)]
    total, weight = (np.convolve(part, kernel, "valid") for part in padded)
    return np.asarray(total / np.maximum(weight, 1e-9))


def _with_moments(
    smooth: Floats, rare: npt.NDArray[np.bool_], counts: Counts, centred: Floats
) -> Floats:
    """Adjust smoothed counts until their sum, mean and variance are those of the true counts."""
    powers = np.stack([np.ones(len(counts)), centred, centred**2])
    scale = np.abs(powers).max(axis=1, keepdims=True)
    powers /= np.where(scale > 0, scale, 1)
    free = smooth * rare
    missing = powers @ (counts - smooth)
    tilt = np.linalg.lstsq((powers * free) @ powers.T, missing, rcond=None)[0]
    return np.asarray(np.maximum(smooth + free * (tilt @ powers), 0))


def _on_the_same_side(wanted: Floats, records: Counts, most: Mask, total: int) -> Floats:
    """Adjust the numbers of positive records so that they are a clear majority where ``most`` says.

    Their sum stays ``total``: the leaves with room for it take or give the difference.
    """
    slack = np.ceil(_CLEAR * records)
    low = np.where(most, np.minimum(records // 2 + 1 + slack, records), 0)
    high = np.where(most, records, np.maximum((records + 1) // 2 - 1 - slack, 0))
    wanted = np.clip(wanted, low, high)
    surplus = wanted.sum() - total
    room = wanted - low if surplus > 0 else high - wanted
    return np.asarray(wanted - surplus * room / max(room.sum(), abs(surplus), 1e-9))


# Splits: swap categories until the release's decision tree splits like the private data's.
#
# A tree takes the best split of each node, and the second best is often nearly as good. Where the
# release's tree would take another split (the rival), positives that favour the rival swap values
# with negatives that count against it.


def teach_splits(table: Table, kept: KeptTree, tree: FittedTree, noise: Noise) -> Table:
    """Swap target values within nodes until the splits of the given tree are the best ones."""
    for rows, likelier in tree.branches(table):
        if len(rows) >= _SMALL and likelier.any() and not likelier.all():
            labels = table.columns[kept.target].copy()
            labels[rows] = _defend(table.take(rows), kept, likelier, noise)
            table = table.replace({kept.target: labels})
    return table


def _defend(node: Table, kept: KeptTree, likelier: Mask, noise: Noise) -> Array:
    """Give the records of a node target values with which a split beats every rival."""
    code = node.schema[kept.target].values.index(kept.positive)
    for _ in range(_ROUNDS):
        labels = node.columns[kept.target]
        positive = labels == code
        rival = _best_split(node, kept, positive)
        if rival is None or np.array_equal(rival, likelier):
            break
        falls, rises = _opponents(positive, likelier, rival)
        count = min(len(falls), len(rises), max(1, round(_SHARE * len(node))))
        if not count:
            break
        falls = falls[permutation(len(falls), noise)[:count]]
        rises = rises[permutation(len(rises), noise)[:count]]
        swapped = labels.copy()
        swapped[falls], swapped[rises] = labels[rises], labels[falls]
        node = node.replace({kept.target: swapped})
    return node.columns[kept.target]


def _best_split(node: Table, kept: KeptTree, positive: Mask) -> Mask | None:
    """Find the best split of a node: the records on the side with more frequent positives."""
    leaves = FittedTree.learn(node, kept.target, kept.positive, depth=1).leaves(node)
    one = leaves == leaves.max()
    if one.all():
        return None
    return np.asarray(one if positive[one].mean() > positive[~one].mean() else ~one)


def _opponents(positive: Mask, likelier: Mask, rival: Mask) -> tuple[Rows, Rows]:
    """List positives that favour the rival, and negatives that count against it.

    Pairs that also favour the wanted split come first, then pairs that do not change it.
    """
    falls, rises = positive & rival, ~positive & ~rival
    for from_side, to_side in ((~likelier, likelier), (~likelier, ~likelier), (likelier, likelier)):
        if (falls & from_side).any() and (rises & to_side).any():
            return np.flatnonzero(falls & from_side), np.flatnonzero(rises & to_side)
    return np.flatnonzero(falls)[:0], np.flatnonzero(rises)[:0]
