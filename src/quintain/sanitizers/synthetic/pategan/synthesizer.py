"""PATE-GAN: train a generator on the noisy votes of teachers, and draw records from it."""

from __future__ import annotations

import importlib.util
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field
from threadpoolctl import threadpool_limits

from quintain.accounting.pate import Ledger, least_scale, most_answers, with_more
from quintain.accounting.split import Account
from quintain.data import Schema, Table
from quintain.data.arrays import Floats, Ints
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Claim, FocalPoint
from quintain.sanitizers.synthesizer import Arrays, FittedModel, Synthesizer
from quintain.sanitizers.synthetic.pategan.generator import (
    Encoding,
    View,
    codes_of,
    domain_sizes,
    draw_levels,
    first_weights,
    latent,
    level_shares,
    one_thread,
    require_torch,
)
from quintain.sanitizers.synthetic.pategan.training import PateganTraining, Teachers
from quintain.sanitizers.synthetic.pgm import Measurement, estimate_total, nearest_counts

# How PATE-GAN spends its budget; the plan depends on public facts alone, never on records.


_COUNT_SHARE = 0.01
"""The part of epsilon spent on the number of records, if there are no histograms."""
_LOUDEST = 0.5
"""The largest scale of vote noise that is useful, as a part of the number of teachers."""


@dataclass(frozen=True, slots=True)
class PateganPlan:
    """The number of noisy answers of each kind, and the scale of their noise.

    Parameters
    ----------
    counts : how many histograms are counted before the first vote; at least one, which may have a
        single cell: the number of records.
    count_scale : the scale of the noise in each histogram.
    queries : how many generated records the teachers label.
    vote_scale : the scale of the noise in each count of votes.
    """

    counts: int
    count_scale: float
    queries: int
    vote_scale: float

    def answers(self) -> dict[float, int]:
        """Count all answers of the plan by the scale of their noise, for the privacy account."""
        return with_more({self.count_scale: self.counts}, self.vote_scale, self.queries)


@lru_cache(maxsize=64)
def make_plan(
    epsilon: float, delta: float, *, share: float, columns: int, teachers: int, queries: int
) -> PateganPlan:
    """Plan histograms for a share of epsilon, then as many queries as the rest allows.

    The scale of the vote noise is at most half the number of teachers. If all queries fit with less
    noise, the plan uses less.

    >>> plan = make_plan(1.0, 1e-5, share=0.5, columns=3, teachers=2000, queries=10_000)
    >>> plan.queries, round(plan.vote_scale)
    (10000, 613)
    """
    counts = columns if share else 1
    count_scale = least_scale(epsilon * (share or _COUNT_SHARE), delta, {}, counts)
    histograms, scale = {count_scale: counts}, _LOUDEST * teachers
    number = most_answers(epsilon, delta, histograms, scale, queries)
    if number:
        scale = min(scale, least_scale(epsilon, delta, histograms, number))
    return PateganPlan(counts, count_scale, number, scale)


WIDTH = 256
"""About how many levels all columns have together."""
MOST_VALUES = 5_000_000
"""The most possible values of all columns together."""
MOST_RECORDS = 10_000_000
"""The limit on the estimated number of records; with a tiny epsilon it is mostly noise."""
_BLOCK = 20_000
_WEIGHTS = ("w1", "b1", "w2", "b2", "w3", "b3")


@dataclass(frozen=True, slots=True, eq=False)
class PateGanModel(FittedModel):
    """A trained generator, with the levels that its output stands for."""

    kind: ClassVar[str] = "pategan"

    schema: Schema
    size: int
    encoding: Encoding
    weights: Arrays

    def sample(self, rows: int, *, rng: np.random.Generator) -> Table:
        """Draw latent noise, then every column from its shares; PyTorch is not needed."""
        sizes = self.encoding.sizes
        blocks = [np.empty((0, len(sizes)), np.int64)]
        # One thread, because sums in another order give other bytes.
        with threadpool_limits(1):
            for start in range(0, rows, _BLOCK):
                points = latent(min(_BLOCK, rows - start), rng=rng)
                shares = level_shares(self.weights, sizes, points)
                blocks.append(draw_levels(shares, sizes, rng=rng))
        return self.encoding.decode(np.concatenate(blocks), rng=rng)

    def focal_points(self) -> tuple[FocalPoint, ...]:
        """Give no focal points, because a network chooses no statistics to preserve."""
        return ()

    def arrays(self) -> Arrays:
        """Give the generator's weights, and the levels of each column."""
        out = dict(self.weights)
        for i, levels in enumerate(self.encoding.level_of):
            out[f"level_of_{i}"], out[f"shares_{i}"] = levels, self.encoding.shares[i]
        return out

    @classmethod
    def from_arrays(cls, schema: Schema, size: int, arrays: Arrays) -> PateGanModel:
        """Make a model from what :meth:`arrays` gave."""
        columns = range(len(schema.columns))
        encoding = Encoding(
            schema,
            tuple(arrays[f"level_of_{i}"] for i in columns),
            tuple(arrays[f"shares_{i}"] for i in columns),
        )
        return cls(schema, size, encoding, {name: arrays[name] for name in _WEIGHTS})


@register("pategan-v1")
class PateGan(Synthesizer):
    """Draws records from a neural network that learned from noisy votes of teachers.

    Each record is assigned to one of k teachers by a secret random draw. In every round the
    generator makes records, and each teacher votes for those that look real to it. Only the numbers
    of votes are released, with discrete Laplace noise. A student learns from generated records and
    noisy votes, and the generator learns until the student sees no difference to real records.

    One record more or less changes the data of one teacher, so it changes each count of votes by at
    most one, and each histogram by one in one cell. The whole is (epsilon, delta)-private under
    adding or removing a record, by the exact composition in :mod:`quintain.accounting.pate`. The
    noise is as small as the planned number of answers allows, and an answer that would exceed the
    budget is refused before it is given.

    Differences from the publication, all within its privacy argument: teachers and student are
    linear in levels and pairs of levels. The two vote counts of a query sum to k, so one noisy
    count is released, at half the variance. The student learns from that count, which costs no more
    than its majority and says more. Labels of earlier rounds are used again. The account is exact
    and does not depend on the data. A part of the budget pays for one-way histograms, from which
    the generator starts with independent columns; ``marginal_share=0`` starts from the uniform
    distribution, as the publication does. With epsilon 1 and 10,000 records the votes add almost
    nothing to the histograms.

    Parameters
    ----------
    epsilon, delta : the total privacy loss.
    teachers : k, the number of teachers; some may get no records. With more teachers the noise
        matters less, but each teacher knows less.
    queries : the most generated records that teachers label; the budget may allow fewer.
    rounds : how often generator, teachers and student take turns.
    marginal_share : the part of epsilon that the histograms alone may cost.
    steps : training steps of the generator in each round.

    The plan of the budget needs no data and no PyTorch. Here 2000 teachers answer every query, and
    the noise in each count of votes has a scale of 613:

    >>> from quintain.testing import example_table
    >>> plan = PateGan(epsilon=1, teachers=2000).plan(example_table().drop("home").schema)
    >>> plan.queries, round(plan.vote_scale)
    (10000, 613)

    References
    ----------
    Jordon, Yoon and van der Schaar (2019), PATE-GAN. Papernot et al. (2017), Semi-supervised
    Knowledge Transfer for Deep Learning from Private Training Data. SNAKE 1 (2023).
    """

    most_values: ClassVar[int | None] = MOST_VALUES
    account: ClassVar[Account] = "approximate"

    epsilon: Annotated[float, Field(ge=1e-6, lt=1e6)] = 1.0
    delta: Annotated[float, Field(ge=0, lt=1)] = 1e-5
    teachers: Annotated[int, Field(ge=1, le=1_000_000)] = 2000
    queries: Annotated[int, Field(ge=0, le=1_000_000)] = 10_000
    rounds: Annotated[int, Field(ge=1)] = 10
    marginal_share: Annotated[float, Field(ge=0, lt=1)] = 0.5
    steps: Annotated[int, Field(ge=1)] = 50

    @classmethod
    def examples(cls) -> list[Self]:
        """List tiny sanitizers with either start; none if PyTorch is missing."""
        if importlib.util.find_spec("torch") is None:
            return []
        return [
            cls(epsilon=3, teachers=12, queries=30, rounds=1, steps=3),
            cls(epsilon=3, teachers=12, queries=30, rounds=2, steps=2, marginal_share=0),
        ]

    def claim(self) -> Claim:
        """Claim approximate differential privacy."""
        return Claim(epsilon=self.epsilon, delta=self.delta)

    def plan(self, schema: Schema) -> PateganPlan:
        """Plan how the budget is spent on data with this schema."""
        return make_plan(
            self.epsilon,
            self.delta,
            share=self.marginal_share,
            columns=len(_counted_columns(schema)),
            teachers=self.teachers,
            queries=self.queries,
        )

    def detail(self, schema: Schema) -> str:
        """How the budget is spent on data with these columns, in words."""
        plan = self.plan(schema)
        start = "the uniform distribution"
        if self.marginal_share:
            start = f"histograms of every column with noise of scale {plan.count_scale:.4g}"
        if plan.queries == 0:
            return f"PATE-GAN: the budget allows no label query; records are drawn from {start}"
        return (
            f"PATE-GAN: {self.teachers} teachers answered {plan.queries} label queries with "
            f"discrete Laplace noise of scale {plan.vote_scale:.4g}; started from {start}"
        )

    def fit(self, data: Table, *, rng: np.random.Generator, noise: Noise) -> PateGanModel:
        """Count noisy histograms, then train on noisy votes until the plan is used up."""
        require_torch()
        values = sum(domain_sizes(data.schema))
        if values > MOST_VALUES:
            raise PartError(
                f"{self.id}: the columns have {values:,} possible values in all; the limit is "
                f"{MOST_VALUES:,}; set groups, or drop a column"
            )
        codes, plan, ledger = (
            codes_of(data),
            self.plan(data.schema),
            Ledger(self.epsilon, self.delta),
        )
        shares, size = self._start(data.schema, codes, plan, ledger, noise)
        encoding = Encoding.cut(data.schema, shares, WIDTH)
        start = encoding.level_shares()
        if plan.queries == 0:
            weights = first_weights(start, rng=rng)
            weights["w3"] = np.zeros_like(weights["w3"])  # columns stay independent
            return PateGanModel(data.schema, size, encoding, weights)
        part = noise.integers(self.teachers, len(data))
        teachers = Teachers(encoding.encode(codes), part, self.teachers)

        def ask(queries: Ints, view: View) -> Floats:
            counts = ledger.votes(teachers.votes(queries, view), plan.vote_scale, noise)
            return counts / self.teachers

        training = PateganTraining(
            teachers=self.teachers,
            records=size,
            vote_scale=plan.vote_scale,
            queries=plan.queries,
            rounds=self.rounds,
            steps=self.steps,
            error=math.sqrt(2) * plan.count_scale / size if self.marginal_share else None,
        )
        with one_thread():
            weights = training.run(ask, encoding.sizes, start, rng=rng)
        return PateGanModel(data.schema, size, encoding, weights)

    def _start(
        self, schema: Schema, codes: Ints, plan: PateganPlan, ledger: Ledger, noise: Noise
    ) -> tuple[list[Floats], int]:
        """Estimate the shares of every column's codes and the number of records, with noise."""
        sizes, counted = (
            domain_sizes(schema),
            _counted_columns(schema) if self.marginal_share else [],
        )
        exact = [np.bincount(codes[:, i], minlength=sizes[i]) for i in counted]
        noisy = [
            ledger.histogram(counts, plan.count_scale, noise)
            for counts in exact or [np.array([len(codes)])]
        ]
        variance = 2 * plan.count_scale**2
        total = estimate_total(Measurement.of((), counts, variance) for counts in noisy)
        size = min(round(total), MOST_RECORDS)
        shares = [np.full(values, 1 / values) for values in sizes]
        for i, counts in zip(counted, noisy, strict=False):
            shares[i] = nearest_counts(counts.astype(np.float64), np.ones(sizes[i]), size) / size
        return shares, size


def _counted_columns(schema: Schema) -> list[int]:
    """Keep the columns with more than one possible value, or one column to count the records."""
    return [i for i, size in enumerate(domain_sizes(schema)) if size > 1] or [0]
