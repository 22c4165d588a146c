"""Refit: models that are estimated again after every new measurement, and all their marginals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats, Ints
from quintain.sanitizers.synthetic.pgm.domain import Domain
from quintain.sanitizers.synthetic.pgm.factor import Factor
from quintain.sanitizers.synthetic.pgm.junction_tree import Clique, JunctionTree
from quintain.sanitizers.synthetic.pgm.measurement import Measurement, estimate_total, fuse
from quintain.sanitizers.synthetic.pgm.minimise import minimise
from quintain.sanitizers.synthetic.pgm.model import GraphicalModel

# Nest: all measured marginals of one clique, in few passes over its large table.
#
# A marginal is a sum over the columns that it lacks. Many marginals lack the same column, so this
# column is summed once for all of them, the largest first, and the rest is done on the smaller
# table. The same nest adds potentials up: small ones are added to each other before they reach
# the large table.


@dataclass(frozen=True, slots=True)
class Nest:
    """A table over some columns, the marginals that equal it, and smaller tables inside.

    Parameters
    ----------
    shape : the shape of the table.
    own : the numbers of the marginals over exactly these columns.
    inside : tables with one column less, each with the axis of this column.
    """

    shape: tuple[int, ...]
    own: tuple[int, ...]
    inside: tuple[tuple[int, Nest], ...]

    @classmethod
    def of(
        cls, domain: Domain, columns: Sequence[str], marginals: dict[int, tuple[str, ...]]
    ) -> Nest:
        """Arrange numbered marginals, whose columns have the order of the domain, in a table."""
        own = tuple(n for n, names in marginals.items() if len(names) == len(columns))
        rest = {n: names for n, names in marginals.items() if n not in own}
        inside = []
        for axis in np.argsort([-domain.size(name) for name in columns], kind="stable").tolist():
            lacking = {n: names for n, names in rest.items() if columns[axis] not in names}
            if lacking:
                fewer = [name for name in columns if name != columns[axis]]
                inside.append((axis, cls.of(domain, fewer, lacking)))
                rest = {n: names for n, names in rest.items() if n not in lacking}
        return cls(domain.shape(columns), own, tuple(inside))

    def sums(self, table: Floats, out: list[Floats]) -> None:
        """Write every marginal of a table to its place in a list."""
        for number in self.own:
            out[number] = table.ravel()
        for axis, nest in self.inside:
            nest.sums(table.sum(axis=axis), out)

    def total(self, parts: Sequence[Floats]) -> Floats:
        """Add potentials of all marginals up in one table."""
        out = np.zeros(self.shape)
        for number in self.own:
            out += parts[number].reshape(self.shape)
        for axis, nest in self.inside:
            out += nest.total(parts).reshape(*self.shape[:axis], 1, *self.shape[axis + 1 :])
        return out


# Calibration: the probabilities of every clique, fast, for fits that need them very often.
#
# :func:`~quintain.sanitizers.synthetic.pgm.propagation.propagate` works with logarithms, so it is
# exact for any numbers. A fit that evaluates hundreds of models one after another spends most of
# its time on those logarithms. Here messages are plain numbers, rescaled to a largest value of
# one at each step, and a cell below e**-200 of the largest in its clique is raised to that. No
# sum can underflow then, and no probability changes by an amount that matters.


_LEAST_LOG = -200.0


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a small table lies in a larger one: the axes it lacks, and its shape beside it."""

    home: int
    axes: tuple[int, ...]
    shape: tuple[int, ...]

    @classmethod
    def of(cls, domain: Domain, columns: Sequence[str], home: int, larger: Sequence[str]) -> Spot:
        """Find the spot of a table in a larger one; the columns of both are in domain order."""
        axes = tuple(axis for axis, name in enumerate(larger) if name not in columns)
        shape = tuple(domain.size(name) if name in columns else 1 for name in larger)
        return cls(home, axes, shape)


class Calibration:
    """Computes the clique tables of one junction tree from potentials, again and again."""

    def __init__(self, domain: Domain, tree: JunctionTree) -> None:
        self.domain, self.tree = domain, tree
        self._links = [
            (
                Spot.of(domain, separator, child, tree.cliques[child]),
                Spot.of(domain, separator, parent, tree.cliques[parent]),
            )
            for child, (separator, parent) in enumerate(
                zip(tree.separators, tree.parents, strict=True)
            )
            if child
        ]

    def spot(self, columns: Sequence[str]) -> Spot:
        """Find the smallest clique that contains some columns."""
        wanted = set(columns)
        homes = [n for n, clique in enumerate(self.tree.cliques) if wanted.issubset(clique)]
        home = min(homes, key=lambda n: self.domain.cells(self.tree.cliques[n]))
        return Spot.of(self.domain, columns, home, self.tree.cliques[home])

    def tables(self, logs: Sequence[Floats]) -> tuple[list[Floats], float]:
        """Compute the probabilities of every clique, and the log normaliser.

        Parameters
        ----------
        logs : the logarithm of the potential of each clique.
        """
        tables, log_total = [], 0.0
        for log in logs:
            top = float(log.max())
            table = np.maximum(log - top, _LEAST_LOG)
            tables.append(np.exp(table, out=table))
            log_total += top
        messages = []
        for child, parent in reversed(self._links):
            message = tables[child.home].sum(axis=child.axes, keepdims=True)
            top = float(message.max())
            tables[child.home] /= top
            message /= top
            messages.append(message)
            tables[parent.home] *= message.reshape(parent.shape)
            log_total += float(np.log(top))
        whole = float(tables[0].sum())
        tables[0] /= whole
        for (child, parent), message in zip(self._links, reversed(messages), strict=True):
            known = tables[parent.home].sum(axis=parent.axes).reshape(child.shape)
            tables[child.home] *= known / message
        return tables, log_total + float(np.log(whole))


# Crossing: the marginal of columns that no clique of a model has together.
#
# Between two cliques of a junction tree lie only the columns that they share, the separator.
# Given these, what is on one side is independent of the other side. For columns in different
# places of the tree there is a clique where their ways meet. From its table, the distribution of
# each column given the separator on its way leads to the wanted marginal. These conditional
# distributions are shared by many marginals, so they are kept.


_HERE = -1


class Crossing:
    """All marginals of up to three columns of one calibrated model.

    Parameters
    ----------
    calibration : the junction tree.
    tables : the expected counts of each clique.
    """

    def __init__(self, calibration: Calibration, tables: Sequence[Floats]) -> None:
        self.domain, self.tree = calibration.domain, calibration.tree
        self.tables = tables
        self.total = float(tables[0].sum())
        self._ways = _ways(calibration)
        self._sums: dict[tuple[int, Clique], Floats] = {}
        self._given: dict[tuple[int, int, str], Floats] = {}

    def meetings(self, sets: Sequence[Clique]) -> Ints:
        """Find for each set of columns a clique where the ways of its columns meet; -1: none.

        A clique that contains all of them comes first, and the smallest of several.
        """
        cells = [self.domain.cells(clique) for clique in self.tree.cliques]
        order = np.argsort(cells, kind="stable")
        out = np.full(len(sets), -1)
        for width in {len(columns) for columns in sets}:
            which = np.flatnonzero([len(columns) == width for columns in sets])
            places = np.array([[self.domain.place(c) for c in sets[n]] for n in which.tolist()])
            ways = self._ways[order][:, places]
            inside = (ways == _HERE).sum(axis=2)
            meet = inside >= 0
            for one in range(width):
                for other in range(one):
                    meet &= (ways[..., one] != ways[..., other]) | (ways[..., one] == _HERE)
            best = np.where(meet, inside, -1).argmax(axis=0)
            meets = meet[best, np.arange(len(which))]
            out[which[meets]] = order[best[meets]]
        return out

    def counts(self, columns: Clique, meeting: int) -> Floats:
        """Compute the expected counts of some columns, which are in the order of the domain."""
        ways = [int(self._ways[meeting, self.domain.place(name)]) for name in columns]
        outside = [(n, way) for n, way in zip(columns, ways, strict=True) if way != _HERE]
        if not outside:
            return self._sum(meeting, columns)
        needed = {name for name, way in zip(columns, ways, strict=True) if way == _HERE}
        for _, way in outside:
            needed.update(self._separator(meeting, way))
        axes = self.domain.sort(needed)
        table = self._sum(meeting, axes)
        for number, (name, way) in enumerate(outside):
            later = [self._separator(meeting, w) for _, w in outside[number + 1 :]]
            wanted = {*columns}.union(*later)
            given = (*self._separator(meeting, way), name)
            kept = tuple(c for c in (*axes, name) if c in wanted)
            table = _contract(table, axes, self._conditional(meeting, way, name), given, kept)
            axes = kept
        return np.transpose(table, [axes.index(name) for name in columns])

    def _sum(self, clique: int, columns: Clique) -> Floats:
        key = clique, columns
        if key not in self._sums:
            names = self.tree.cliques[clique]
            axes = tuple(axis for axis, name in enumerate(names) if name not in columns)
            self._sums[key] = self.tables[clique].sum(axis=axes)
        return self._sums[key]

    def _separator(self, clique: int, way: int) -> Clique:
        child = clique if self.tree.parents[clique] == way else way
        return self.tree.separators[child]

    def _conditional(self, clique: int, way: int, name: str) -> Floats:
        """Give the distribution of a column that lies this way, given the separator there."""
        key = clique, way, name
        if key not in self._given:
            separator = self._separator(clique, way)
            onward = int(self._ways[way, self.domain.place(name)])
            axes: Clique = (*separator, name)
            if onward == _HERE:
                joint = self._sum(way, self.domain.sort(axes))
                joint = np.moveaxis(joint, self.domain.sort(axes).index(name), -1)
            else:
                next_ = self._separator(way, onward)
                both = self.domain.sort({*separator, *next_})
                given = self._conditional(way, onward, name)
                joint = _contract(self._sum(way, both), both, given, (*next_, name), axes)
            whole = joint.sum(axis=-1, keepdims=True)
            self._given[key] = joint / np.where(whole > 0, whole, 1.0)
        return self._given[key]


def _ways(calibration: Calibration) -> Ints:
    """Tell for each clique and column which neighbour leads there; -1 if the clique has it."""
    tree, domain = calibration.tree, calibration.domain
    has = np.zeros((len(tree.cliques), len(domain.names)), bool)
    for number, clique in enumerate(tree.cliques):
        has[number, [domain.place(name) for name in clique]] = True
    below = has.copy()
    ways = np.repeat(np.array(tree.parents)[:, None], has.shape[1], axis=1)
    for child in range(len(has) - 1, 0, -1):
        below[tree.parents[child]] |= below[child]
    for child in range(1, len(has)):
        parent = tree.parents[child]
        ways[parent, below[child] & ~has[parent]] = child
    ways[has] = _HERE
    return ways


def _contract(one: Floats, axes: Clique, other: Floats, given: Clique, kept: Clique) -> Floats:
    """Multiply two tables, and sum over all columns that are not kept."""
    batch = [c for c in axes if c in given and c in kept]
    summed = [c for c in axes if c in given and c not in kept]
    alone = [c for c in axes if c not in given]
    left = np.transpose(one, [axes.index(c) for c in (*batch, *alone, *summed)])
    new = [c for c in given if c not in axes]
    right = np.transpose(other, [given.index(c) for c in (*batch, *summed, *new)])
    heads, rest = left.shape[: len(batch)], left.shape[len(batch) :]
    sides, inner = rest[: len(alone)], math.prod(rest[len(alone) :])
    ends = right.shape[len(batch) + len(summed) :]
    product = left.reshape(*heads, -1, inner) @ right.reshape(*heads, inner, -1)
    order = (*batch, *alone, *new)
    return np.transpose(product.reshape(*heads, *sides, *ends), [order.index(c) for c in kept])


# Refit: estimate a model again and again, while measurements are added one by one.
#
# Each estimate solves one smooth convex problem without constraints. Over distributions p of
# total n,
#
# $$ min_p  sum_i (M_i p - y_i)^2 / (2 variance_i) + tau KL(p || uniform) $$
#
# has the solution p ~ exp(sum_i theta_i), where theta minimises
#
# $$ n log Z(theta) - theta y + tau / 2 sum_i variance_i theta_i^2 $$
#
# The second term keeps the model as close to uniform as the measurements allow. It is weak. It
# gives the problem a unique solution, and cells whose noisy counts are negative get finite
# potentials. A new fit starts from the potentials of the last one, so it needs few steps.


_PULL = 0.3
"""The curvature that the pull towards uniform adds to a typical cell, in standard deviations."""


_NEWTON_STEPS = 20


class Refit:
    """The model of all measurements so far; ``add`` more, then ``fit`` again."""

    def __init__(self, domain: Domain, measured: Sequence[Measurement]) -> None:
        self.domain = domain
        self.measured = fuse(measured, domain)
        self._theta: dict[tuple[str, ...], Floats] = {}
        self._hang()

    def add(self, measurement: Measurement, expected: Floats) -> None:
        """Add one more measurement, and change its potential so that the model agrees with it.

        Parameters
        ----------
        measurement : the noisy counts.
        expected : the counts of the same columns in the model so far.
        """
        self.measured = fuse([*self.measured, measurement], self.domain)
        fused = next(m for m in self.measured if m.columns == measurement.columns)
        pull = _PULL * fused.variance / _middle(self.measured)
        known = self._theta.get(measurement.columns, np.zeros(expected.shape))
        self._theta[measurement.columns] = known + _matching(
            expected, fused.counts - pull * known, pull
        )
        if self.calibration.tree.home(measurement.columns) < 0:
            self._hang()

    def fit(self, *, tolerance: float, steps: int) -> None:
        """Estimate the model, starting from the last one.

        Parameters
        ----------
        tolerance : stop if the remaining slope is below this, in standard deviations per cell.
        steps : the most steps.
        """
        self.total = estimate_total(self.measured)
        problem = _Problem(self.calibration, self.measured, self.total)
        start = np.concatenate(
            [self._theta.get(m.columns, np.zeros(m.counts.shape)).ravel() for m in self.measured]
        )
        enough = tolerance**2 * len(start)
        theta = minimise(
            problem,
            start,
            scale=problem.curvature(start),
            done=lambda slope: float((slope**2 / problem.variance).sum()) <= enough,
            limit=steps,
        )
        parts = problem.split(theta)
        self._theta = {m.columns: part for m, part in zip(self.measured, parts, strict=True)}
        self.logs = problem.logs(theta)
        self.tables = [self.total * t for t in self.calibration.tables(self.logs)[0]]

    def counts(self, columns: Sequence[str]) -> Floats:
        """Give the expected counts of some columns of one clique."""
        spot = self.calibration.spot(columns)
        return np.asarray(self.tables[spot.home].sum(axis=spot.axes))

    def model(self) -> GraphicalModel:
        """Give the model of the last fit."""
        tree = self.calibration.tree
        pairs = zip(tree.cliques, self.logs, strict=True)
        potentials = tuple(Factor(clique, log) for clique, log in pairs)
        return GraphicalModel(self.domain, self.total, tree, potentials)

    def _hang(self) -> None:
        tree = JunctionTree.build(self.domain, [m.columns for m in self.measured])
        self.calibration = Calibration(self.domain, tree)


def _middle(measured: Sequence[Measurement]) -> float:
    """Give the standard deviation of a typical cell."""
    variances = np.concatenate([m.variance.ravel() for m in measured])
    return float(np.sqrt(np.median(variances)))


def _matching(expected: Floats, counts: Floats, pull: Floats) -> Floats:
    """Solve expected exp(x) + pull x = counts for x, cell by cell.

    The left side is convex and rising in x. From a start that is too large, Newton's steps come
    down to the solution without passing it.
    """
    least = np.maximum(expected, 1e-30)
    x = np.maximum(np.log(np.maximum(counts, pull) / least), 0.0)
    for _ in range(_NEWTON_STEPS):
        grown = least * np.exp(x)
        x = x - (grown + pull * x - counts) / (grown + pull)
    return np.asarray(x)


class _Problem:
    """The function that a fit minimises: value and gradient for all potentials as one vector."""

    def __init__(
        self, calibration: Calibration, measured: Sequence[Measurement], total: float
    ) -> None:
        self.calibration, self.total = calibration, total
        self.counts = np.concatenate([m.counts.ravel() for m in measured])
        self.variance = np.concatenate([m.variance.ravel() for m in measured])
        self.pull = _PULL * self.variance / _middle(measured)
        self.shapes = [m.counts.shape for m in measured]
        self.ends = np.cumsum([m.counts.size for m in measured])[:-1]
        homes = [calibration.spot(m.columns).home for m in measured]
        self.nests = [
            Nest.of(
                calibration.domain,
                clique,
                {n: m.columns for n, m in enumerate(measured) if homes[n] == number},
            )
            for number, clique in enumerate(calibration.tree.cliques)
        ]

    def split(self, theta: Floats) -> list[Floats]:
        """Give the potentials of each measurement, in its shape."""
        parts = np.split(theta, self.ends)
        return [part.reshape(shape) for part, shape in zip(parts, self.shapes, strict=True)]

    def logs(self, theta: Floats) -> list[Floats]:
        """Add the potentials of all measurements up by clique."""
        parts = np.split(theta, self.ends)
        return [nest.total(parts) for nest in self.nests]

    def predict(self, theta: Floats) -> tuple[Floats, float]:
        """Compute the expected counts of every measurement, and the log normaliser."""
        tables, log_total = self.calibration.tables(self.logs(theta))
        parts: list[Floats] = [theta] * len(self.shapes)
        for nest, table in zip(self.nests, tables, strict=True):
            nest.sums(table, parts)
        return self.total * np.concatenate(parts), log_total

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        expected, log_total = self.predict(theta)
        pull = self.pull * theta
        value = self.total * log_total + float(theta @ (pull / 2 - self.counts))
        return value, expected - self.counts + pull

    def curvature(self, theta: Floats) -> Floats:
        """Estimate the curvature along each potential: its expected count, plus the pull."""
        return np.asarray(self.predict(theta)[0] + self.pull)
