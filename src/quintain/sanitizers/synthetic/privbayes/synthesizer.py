"""PrivBayes: learn a Bayesian network with differential privacy, and draw records from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Column, Schema, Table
from quintain.data.arrays import Ints
from quintain.errors import PartError
from quintain.noise import Noise
from quintain.registry import register
from quintain.releases import Claim, FocalPoint
from quintain.sanitizers.synthesizer import Arrays, FittedModel, Synthesizer
from quintain.sanitizers.synthetic.pgm import Domain, Measurement, estimate_total
from quintain.sanitizers.synthetic.pgm.rounding import draw_given
from quintain.sanitizers.synthetic.privbayes.network import (
    Network,
    any_pair_fits,
    learn_network,
)
from quintain.sanitizers.synthetic.privbayes.tables import Conditional, conditionals, measure

COUNT_SHARE = 0.01
"""The part of epsilon that is spent on the number of records."""

MOST_CELLS = 1_500_000
"""The most cells in all tables with parents together; this bounds time and memory."""

MOST_VALUES = 5_000_000
"""The most possible values of all columns together."""

MOST_RECORDS = 10_000_000
"""The limit on the estimated number of records; with a tiny epsilon it is mostly noise."""


@dataclass(frozen=True, slots=True, eq=False)
class PrivBayesModel(FittedModel):
    """Columns in order, each with its distribution given some of the columns before it.

    A missing value counts as one more value, after those of the domain.
    """

    kind: ClassVar[str] = "privbayes"

    schema: Schema
    size: int
    conditionals: Mapping[str, Conditional]

    def sample(self, rows: int, *, rng: np.random.Generator) -> Table:
        """Draw column by column, given the values of the parents; counts are rounded, not drawn."""
        sizes = levels(self.schema)
        drawn: dict[str, Ints] = {}
        for child, conditional in self.conditionals.items():
            given = np.zeros(rows, np.int64)
            for parent in conditional.parents:
                given = given * sizes[parent] + drawn[parent]
            drawn[child] = draw_given(given, conditional.shares, rng)
        return Table(self.schema, {c.name: _decode(c, drawn[c.name]) for c in self.schema.columns})

    def focal_points(self) -> tuple[FocalPoint, ...]:
        """List every column with its parents: the tables that the model preserves."""
        return tuple(
            FocalPoint((child,), tuple(sorted(conditional.parents)))
            for child, conditional in self.conditionals.items()
        )

    def arrays(self) -> Arrays:
        """Give the order of the columns, and for each its parents (as places) and its shares."""
        place = {name: number for number, name in enumerate(self.schema.names)}
        out: Arrays = {"order": np.array([place[child] for child in self.conditionals])}
        for child, conditional in self.conditionals.items():
            parents = [place[parent] for parent in conditional.parents]
            out[f"parents{place[child]}"] = np.array(parents, np.int64)
            out[f"shares{place[child]}"] = conditional.shares
        return out

    @classmethod
    def from_arrays(cls, schema: Schema, size: int, arrays: Arrays) -> PrivBayesModel:
        """Make a model from what :meth:`arrays` gave."""
        conditionals = {}
        for number in arrays["order"].tolist():
            parents = tuple(schema.names[parent] for parent in arrays[f"parents{number}"])
            conditionals[schema.names[number]] = Conditional(parents, arrays[f"shares{number}"])
        return cls(schema, size, conditionals)


@register("privbayes-v1")
class PrivBayes(Synthesizer):
    r"""Draws synthetic records from a Bayesian network that was learned with privacy.

    The exponential mechanism chooses a few parents for each column, among the columns before it,
    by how strongly the column depends on them. The column is drawn from noisy counts, given the
    values of its parents. A larger epsilon allows more parents: a column and its parents may have
    m combinations of values only if

    $$ n / m \ge \theta d / \epsilon_{tables} $$

    that is, if an average count is at least theta times the noise that each of d tables would get
    with equal shares of epsilon (usefulness).

    One record more or less changes each table by one count, and the score of a choice by less
    than two. The number of records n costs 1 % of epsilon, the d - 1 choices of the network
    share ``network_share``, and the tables get the rest. The total is epsilon, under adding or
    removing a record. If no two columns fit into one table, there is no choice, and the tables get
    that part as well. Only the schema's domain is used; a missing value counts as one more value.

    Differences from the publication: records are added or removed rather than replaced, so n is
    not public; tables share epsilon in proportion to the roots of their cells; tables are made
    non-negative by projection and fitted to common margins; rare combinations of parents use the
    estimate with fewer parents instead of becoming uniform; counts are rounded rather than drawn.

    Parameters
    ----------
    epsilon : the total privacy loss.
    theta : the least ratio of an average count to the noise; a larger one means fewer parents.
    network_share : the part of epsilon for choosing the network. The publication uses 0.3 and
        SNAKE 0.5. On the SNAKE data 0.1 is clearly better up to epsilon 100 and equal at 1000,
        because the score is far less sensitive, relative to its size, than the counts are.

    The learned network of the example table, as parents by column:

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> rng, noise = np.random.default_rng(1), q.Noise.for_test(1)
    >>> model = PrivBayes(epsilon=10).fit(people(example_table()), rng=rng, noise=noise)
    >>> {point.columns[0]: point.given for point in model.focal_points()}
    {'flag': (), 'colour': ('flag',), 'size': ('colour', 'flag')}
    >>> len(model.sample(50, rng=rng))
    50

    References
    ----------
    Zhang, Cormode, Procopiuc, Srivastava and Xiao (2017), "PrivBayes: private data release via
    Bayesian networks", ACM TODS 42(4). SNAKE 1 (2023).
    """

    most_values: ClassVar[int | None] = MOST_VALUES

    epsilon: Annotated[float, Field(gt=0, lt=1e6)] = 1.0
    theta: Annotated[float, Field(gt=0, le=1000)] = 4.0
    network_share: Annotated[float, Field(gt=0, le=0.9)] = 0.1

    def claim(self) -> Claim:
        """Claim pure differential privacy."""
        return Claim(epsilon=self.epsilon, neighbours="add-remove")

    def fit(self, data: Table, *, rng: np.random.Generator, noise: Noise) -> PrivBayesModel:
        """Count the records, choose the network, and count its tables, each with noise."""
        columns, domain = _encoded(self, data)
        spent = COUNT_SHARE * self.epsilon
        size, network = self._learn(columns, domain, len(data), rng=rng, noise=noise)
        if any_pair_fits(domain, self._cells(domain, size)):
            spent += self.network_share * self.epsilon
        measured = measure(columns, domain, network, epsilon=self.epsilon - spent, noise=noise)
        counted = Measurement.of((), size, 2 / (COUNT_SHARE * self.epsilon) ** 2)
        # Rounded, because a fraction would be spread over cells that are empty.
        total = min(round(estimate_total([counted, *measured])), MOST_RECORDS)
        varied = conditionals(measured, domain, total)
        constant = Conditional((), np.ones((1, 1)))
        ordered = {child: varied.get(child, constant) for child in network.order}
        return PrivBayesModel(data.schema, total, ordered)

    def structure(self, data: Table, *, noise: Noise) -> tuple[FocalPoint, ...]:
        """Give only the network that one run chooses: every column with its parents."""
        columns, domain = _encoded(self, data)
        rng = np.random.default_rng(int(noise.integers(2**63, 1)[0]))
        _, network = self._learn(columns, domain, len(data), rng=rng, noise=noise)
        return tuple(
            FocalPoint((child,), tuple(sorted(network.parents[child]))) for child in network.order
        )

    def _learn(
        self,
        columns: Mapping[str, Ints],
        domain: Domain,
        rows: int,
        *,
        rng: np.random.Generator,
        noise: Noise,
    ) -> tuple[int, Network]:
        """Estimate the number of records, and choose the network, each with noise."""
        size = max(1, rows + int(noise.laplace(1 / (COUNT_SHARE * self.epsilon), 1)[0]))
        network = learn_network(
            columns,
            domain,
            cells=self._cells(domain, size),
            records=size,
            epsilon=self.network_share * self.epsilon,
            rng=rng,
            noise=noise,
        )
        return size, network

    def _cells(self, domain: Domain, size: int) -> int:
        """Give the most cells that a table can have and still be useful."""
        tables = max(1, sum(values > 1 for values in domain.sizes))
        scale = tables / ((1 - COUNT_SHARE - self.network_share) * self.epsilon)
        return int(min(size / (self.theta * scale), MOST_CELLS // tables))


def levels(schema: Schema) -> dict[str, int]:
    """Count the possible values of each column; where it may be missing, that is one more."""
    return {column.name: column.size + column.nullable for column in schema.columns}


def _encoded(sanitizer: PrivBayes, data: Table) -> tuple[dict[str, Ints], Domain]:
    """Number the values of every column, or refuse a table with too many values."""
    domain = Domain.of(levels(data.schema))
    if sum(domain.sizes) > MOST_VALUES:
        raise PartError(
            f"{sanitizer.id}: the columns have {sum(domain.sizes):,} possible values in all; the "
            f"limit is {MOST_VALUES:,}; set groups, or drop a column"
        )
    return {column.name: _encode(column, data) for column in data.schema.columns}, domain


def _encode(column: Column, data: Table) -> Ints:
    codes = data.columns[column.name].astype(np.int64)
    missing = codes < 0
    if missing.any() and not column.nullable:
        raise PartError(f"column {column.name!r} has missing values, which its schema forbids")
    codes[missing] = column.size
    return codes


def _decode(column: Column, codes: Ints) -> Ints:
    return np.where(codes == column.size, -1, codes)
