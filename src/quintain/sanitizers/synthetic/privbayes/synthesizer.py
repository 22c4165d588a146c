"""PrivBayes: a Bayesian network of few parents, learned privately, that draws synthetic people."""

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
from quintain.sanitizers.synthetic.privbayes.network import any_pair_fits, learn_network
from quintain.sanitizers.synthetic.privbayes.tables import Conditional, conditionals, measure

COUNT_SHARE = 0.01
"""The part of epsilon that buys the number of records."""

MOST_CELLS = 1_500_000
"""The most cells of all tables that have parents, to bound time and memory."""

MOST_VALUES = 5_000_000
"""The most values of all columns together."""

MOST_RECORDS = 10_000_000
"""The largest number of records to believe in: with a tiny epsilon it is mostly noise."""


@dataclass(frozen=True, slots=True, eq=False)
class PrivBayesModel(FittedModel):
    """Columns in order, each with its distribution given columns before it.

    A missing value is one more value after those of the domain.
    """

    kind: ClassVar[str] = "privbayes"

    schema: Schema
    size: int
    conditionals: Mapping[str, Conditional]

    def sample(self, rows: int, *, rng: np.random.Generator) -> Table:
        """Draw column by column, given the parents' values; counts are rounded, not drawn."""
        sizes = levels(self.schema)
        drawn: dict[str, Ints] = {}
        for child, held in self.conditionals.items():
            given = np.zeros(rows, np.int64)
            for parent in held.parents:
                given = given * sizes[parent] + drawn[parent]
            drawn[child] = draw_given(given, held.shares, rng)
        return Table(self.schema, {c.name: _decoded(c, drawn[c.name]) for c in self.schema.columns})

    def focal_points(self) -> tuple[FocalPoint, ...]:
        """Every column given its parents."""
        return tuple(
            FocalPoint((child,), tuple(sorted(held.parents)))
            for child, held in self.conditionals.items()
        )

    def arrays(self) -> Arrays:
        """The order of the columns; for each its parents, as places in the schema, and shares."""
        place = {name: number for number, name in enumerate(self.schema.names)}
        out: Arrays = {"order": np.array([place[child] for child in self.conditionals])}
        for child, held in self.conditionals.items():
            parents = [place[parent] for parent in held.parents]
            out[f"parents{place[child]}"] = np.array(parents, np.int64)
            out[f"shares{place[child]}"] = held.shares
        return out

    @classmethod
    def from_arrays(cls, schema: Schema, size: int, arrays: Arrays) -> PrivBayesModel:
        """A model from its order, parents and shares."""
        held = {}
        for number in arrays["order"].tolist():
            parents = tuple(schema.names[parent] for parent in arrays[f"parents{number}"])
            held[schema.names[number]] = Conditional(parents, arrays[f"shares{number}"])
        return cls(schema, size, held)


@register("privbayes-v1")
class PrivBayes(Synthesizer):
    r"""Draws synthetic records from a Bayesian network that was learned with privacy.

    Each column gets a few parents among the columns before it, chosen by the exponential
    mechanism for how much they tell of it, and is drawn from noisy counts given their values. The
    more epsilon there is, the more parents can be afforded. A column and its parents may have m
    combinations of values only if

    $$ n / m \ge \theta d / \epsilon_{tables} $$

    that is, if an average count is theta times the noise that each of d tables gets with equal
    shares of epsilon (usefulness).

    One record more or less changes each table by one count, and the score of a choice by less
    than two. The number of records n costs 1 % of epsilon, the d - 1 choices of the network
    share ``network_share``, the tables the rest: epsilon in all, under adding or removing a
    record. If no two columns can share a table, there is nothing to choose and the tables get
    that part, too. Only the schema's domain is used; a missing value is one more value.

    Differences from the publication: records are added or removed rather than replaced, so that
    n is not public; tables share epsilon by the roots of their cells; tables are made
    non-negative by projection and fitted to common margins; rare combinations of parents lean on
    fewer parents instead of becoming uniform; counts are rounded rather than drawn.

    Parameters
    ----------
    epsilon : the privacy loss in all.
    theta : how many times the noise an average count must be; larger means fewer parents.
    network_share : the part of epsilon for choosing the network. The publication has 0.3 and
        SNAKE a half; on the SNAKE data 0.1 is clearly better up to epsilon 100 and level at 1000,
        for the score is far less sensitive, relative to its size, than the counts are.

    References
    ----------
    Zhang, Cormode, Procopiuc, Srivastava and Xiao (2017), "PrivBayes: private data release via
    Bayesian networks", ACM TODS 42(4). SNAKE 1 (2023).
    """

    epsilon: Annotated[float, Field(gt=0, lt=1e6)] = 1.0
    theta: Annotated[float, Field(gt=0, le=1000)] = 4.0
    network_share: Annotated[float, Field(gt=0, le=0.9)] = 0.1

    def claim(self) -> Claim:
        """Pure differential privacy."""
        return Claim(epsilon=self.epsilon, neighbours="add-remove")

    def fit(self, data: Table, *, rng: np.random.Generator, noise: Noise) -> PrivBayesModel:
        """Count the records, choose the network, count its tables."""
        domain = Domain.of(levels(data.schema))
        if sum(domain.sizes) > MOST_VALUES:
            raise PartError(
                f"{self.id}: the columns have {sum(domain.sizes):,} values in all, and at most "
                f"{MOST_VALUES:,} can be counted: give narrower bounds, or drop a column"
            )
        columns = {column.name: _coded(column, data) for column in data.schema.columns}
        spent = COUNT_SHARE * self.epsilon
        size = max(1, len(data) + int(noise.laplace(1 / spent, 1)[0]))
        network_epsilon = self.network_share * self.epsilon
        cells = self._cells(domain, size)
        network = learn_network(
            columns,
            domain,
            cells=cells,
            records=size,
            epsilon=network_epsilon,
            rng=rng,
            noise=noise,
        )
        if any_pair_fits(domain, cells):
            spent += network_epsilon
        measured = measure(columns, domain, network, epsilon=self.epsilon - spent, noise=noise)
        counted = Measurement.of((), size, 2 / (COUNT_SHARE * self.epsilon) ** 2)
        # A whole number: a fraction would be spread over cells that are empty.
        total = min(round(estimate_total([counted, *measured])), MOST_RECORDS)
        found = conditionals(measured, domain, total)
        constant = Conditional((), np.ones((1, 1)))
        held = {child: found.get(child, constant) for child in network.order}
        return PrivBayesModel(data.schema, total, held)

    def _cells(self, domain: Domain, size: int) -> int:
        """The most cells of a table that is still useful."""
        tables = max(1, sum(values > 1 for values in domain.sizes))
        scale = tables / ((1 - COUNT_SHARE - self.network_share) * self.epsilon)
        return int(min(size / (self.theta * scale), MOST_CELLS // tables))


def levels(schema: Schema) -> dict[str, int]:
    """How many values each column has, a missing one among them."""
    return {column.name: column.size + column.nullable for column in schema.columns}


def _coded(column: Column, data: Table) -> Ints:
    codes = data.columns[column.name].astype(np.int64)
    missing = codes < 0
    if missing.any() and not column.nullable:
        raise PartError(f"values of {column.name!r} are missing, which the schema does not allow")
    codes[missing] = column.size
    return codes


def _decoded(column: Column, codes: Ints) -> Ints:
    return np.where(codes == column.size, -1, codes)
