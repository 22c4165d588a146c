"""Randomized response: keep a value with some probability, otherwise draw a random one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from quintain.data import Column, Schema, Table
from quintain.data.arrays import Array
from quintain.data.coding import Coding
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Claim
from quintain.sanitizers.masking.mask import FINITE, Masking, chosen_columns

# Randomized response by frequency: keep a value, or draw one from its own column.


@register("rrp-v1")
class RandomizedResponseByFrequency(Masking):
    """Keeps each value with probability ``keep``, otherwise takes the value of a random record.

    The new values follow the distribution of their column. So one-way counts hardly change, while
    the dependence between columns becomes weaker. The draw may give the same value again. The
    distribution comes from the private data, so nothing is claimed.

    >>> import quintain as q
    >>> age = q.Column(name="age", kind="integer", low=0, high=99)
    >>> people = q.Table.of(q.Schema(columns=(age,)), {"age": [21, 34, 35, 36, 90]})
    >>> release = q.sanitize("rrp", people, keep=0.5, seed=1)
    >>> [record["age"] for record in release.data.records()]
    [21, 34, 34, 35, 90]

    Parameters
    ----------
    keep : the probability to keep a value.
    columns : the columns to change; all columns if not given.

    References
    ----------
    AMIC (PWSCup 2020), sample code "rrp.py". Gouweleeuw et al., Post randomisation for statistical
    disclosure control, Journal of Official Statistics 14 (1998).
    """

    method: ClassVar[str] = "randomized response"

    keep: Annotated[float, Field(ge=0, le=1)] = 0.9

    def mask(
        self, data: Table, names: tuple[str, ...], *, rng: np.random.Generator, noise: Noise
    ) -> dict[str, Array]:
        """Keep or replace the value of every cell."""
        rows, out = len(data), {}
        for name in names:
            answers = data.columns[name]
            kept = noise.bernoulli(self.keep, rows)
            out[name] = np.where(kept, answers, answers[noise.integers(rows, rows)])
        return out

    def detail(self) -> str:
        """The probability, and where other values come from, in words."""
        return (
            f"each value kept with probability {self.keep}, otherwise drawn from the "
            "distribution of its column"
        )


@register("rr-v1")
class RandomizedResponse(Masking):
    """Keeps each value with probability ``keep``, otherwise draws one uniformly from its domain.

    The draw may give the same value again. A column with m values has differential privacy with
    epsilon = ln(1 + m keep / (1 - keep)). The claim is the sum over all columns, for neighbours
    that differ in one record. Real numbers, times and large integers are answered as one of the
    bins of the schema, and the released value is drawn within its bin. With ``draw = "occurring"``,
    as in the sample code of AMIC, nothing is claimed: the release shows which values occur, and a
    person with a unique value changes that.

    >>> import quintain as q
    >>> age = q.Column(name="age", kind="integer", low=0, high=99)
    >>> people = q.Table.of(q.Schema(columns=(age,)), {"age": [21, 34, 35, 36, 90]})
    >>> release = q.sanitize("rr", people, keep=0.5, seed=1)
    >>> [record["age"] for record in release.data.records()]
    [21, 34, 35, 90, 91]
    >>> print(release.facts())
    claimed: epsilon 4.615, one row replaced, public domain; a test that protects nobody

    Parameters
    ----------
    keep : the probability to keep a value.
    columns : the columns to change; all columns if not given.
    draw : "domain" draws from all values of the schema, "occurring" from the values in the column.

    References
    ----------
    Warner, Randomized response, JASA 60 (1965). AMIC (PWSCup 2020), sample code "rr.py".
    """

    method: ClassVar[str] = "randomized response"
    need: ClassVar[str] = FINITE

    keep: Annotated[float, Field(ge=0, le=1)] = 0.9
    draw: Literal["domain", "occurring"] = "domain"

    @classmethod
    def examples(cls) -> list[Self]:
        """Draws from the domain, and from the values that occur."""
        return [cls(), cls(draw="occurring", columns=("colour", "size"))]

    def fits(self, column: Column) -> bool:
        """Whether values can be drawn: from a column with bounds, or from the values that occur."""
        return column.bounded or self.draw == "occurring"

    def choose_columns(self, schema: Schema) -> tuple[str, ...]:
        """All columns if none is named, because the claim needs every column."""
        names = self.columns or schema.names
        return chosen_columns(self.id, schema, names, self.fits, self.need)

    def mask(
        self, data: Table, names: tuple[str, ...], *, rng: np.random.Generator, noise: Noise
    ) -> Mapping[str, Array]:
        """Keep or replace the value of every cell."""
        if self.draw == "occurring":
            return {name: self._occurring(data.columns[name], noise) for name in names}
        coding = _coding(data.schema, names)
        codes, out = coding.encode(data.select(names)), {}
        for column in coding.coded.columns:
            kept = noise.bernoulli(self.keep, len(data))
            other = noise.integers(_answer_count(column), len(data)) - column.nullable
            out[column.name] = np.where(kept, codes.columns[column.name], other)
        return coding.decode(Table(coding.coded, out), rng).columns

    def _occurring(self, answers: Array, noise: Noise) -> Array:
        kept = noise.bernoulli(self.keep, len(answers))
        values = np.unique(answers)
        return np.where(kept, answers, values[noise.integers(len(values), len(answers))])

    def detail(self) -> str:
        """The probability, and where other values come from, in words."""
        others = "all values" if self.draw == "domain" else "the values that occur"
        return f"each value kept with probability {self.keep}, otherwise drawn from {others}"

    def make_claim(self, schema: Schema, names: tuple[str, ...]) -> Claim | None:
        """The sum over the columns; none if a column keeps its values or the domain is not used."""
        if self.draw != "domain" or set(names) != set(schema.names) or not 0 < self.keep < 1:
            return None
        odds = self.keep / (1 - self.keep)
        columns = _coding(schema, names).coded.columns
        epsilon = sum(math.log1p(_answer_count(column) * odds) for column in columns)
        return Claim(epsilon=epsilon, neighbours="replace")

    def rows_changed(self, before: Table, after: Table) -> int:
        """The expected number: the true number would reveal more than the claim allows."""
        columns = len(self.choose_columns(before.schema))
        return round(len(before) * (1 - self.keep**columns))


def _coding(schema: Schema, names: tuple[str, ...]) -> Coding:
    """How the answers become codes; a real number that was kept as it is would be no secret."""
    return Coding.of(schema.select(names), missing_code=False)


def _answer_count(column: Column) -> int:
    """How many values an answer can have; a missing value is one of them, or it would stand out."""
    return column.size + column.nullable
