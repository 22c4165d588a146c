"""Randomized response: keep a value with some probability, else draw another at random."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from quintain.data import Column, Schema, Table
from quintain.data.arrays import Array
from quintain.noise import Noise
from quintain.registry import register
from quintain.releases import Claim
from quintain.sanitizers.masking.columns import FINITE, chosen_columns
from quintain.sanitizers.masking.mask import Masking


@register("rr-v1")
class RandomizedResponse(Masking):
    """Keeps each value with probability ``keep``, else draws one uniformly from its domain.

    The draw may give the same value again. A column with m values is then epsilon-private with
    epsilon = ln(1 + m keep / (1 - keep)); the claim adds up the columns, for one record replaced.
    Drawn from the values that occur, as AMIC's sample code does it, the release tells which values
    occur, and nothing is claimed: somebody with a value of their own would change that.

    Parameters
    ----------
    keep : the probability of keeping a value.
    columns : the columns it is applied to; all if not given.
    draw : "domain" draws from all values of the schema, "occurring" from those in the column.

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
        """Both ways to draw."""
        return [cls(), cls(draw="occurring", columns=("colour", "size"))]

    def fits(self, column: Column) -> bool:
        """Values can be drawn from a finite domain only; those that occur are always finite."""
        return column.discrete or self.draw == "occurring"

    def chosen(self, schema: Schema) -> tuple[str, ...]:
        """All columns if none is named: one left out for what it is would break the claim."""
        names = self.columns or schema.names
        return chosen_columns(self.id, schema, names, self.fits, self.need)

    def mask(
        self, data: Table, names: tuple[str, ...], *, rng: np.random.Generator, noise: Noise
    ) -> dict[str, Array]:
        """Answer for every cell."""
        out = {}
        for name in names:
            held = data.columns[name]
            kept = noise.bernoulli(self.keep, len(data))
            if self.draw == "occurring":
                values = np.unique(held)
                other = values[noise.integers(len(values), len(data))]
            else:
                column = data.schema[name]
                other = noise.integers(_answers(column), len(data)) - column.nullable
            out[name] = np.where(kept, held, other)
        return out

    def detail(self) -> str:
        """The probability, and what else is said."""
        others = "all values" if self.draw == "domain" else "the values that occur"
        return f"each value kept with probability {self.keep}, else drawn from {others}"

    def claimed(self, schema: Schema, names: tuple[str, ...]) -> Claim | None:
        """The sum over the columns, if all are answered for from their domains."""
        if self.draw != "domain" or set(names) != set(schema.names) or not 0 < self.keep < 1:
            return None
        odds = self.keep / (1 - self.keep)
        epsilon = sum(math.log1p(_answers(schema[name]) * odds) for name in names)
        return Claim(epsilon=epsilon, neighbours="replace")

    def rows_changed(self, before: Table, after: Table) -> int:
        """What is to be expected: to count them would tell more than is claimed."""
        columns = len(self.chosen(before.schema))
        return round(len(before) * (1 - self.keep**columns))


def _answers(column: Column) -> int:
    """A missing value (code -1) is a value like any other, or keeping it would tell."""
    return column.size + column.nullable
