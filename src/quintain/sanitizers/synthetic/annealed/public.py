"""Public people: statistics that a release may repeat without telling anything about a member.

Private data differ from their population by chance, and these differences betray members. Where the
bounds allow it, the release takes the statistics of public people instead of the private ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema

from quintain.data import Schema, Table, as_table
from quintain.data.sources.source import Source
from quintain.errors import PartError, Rejected
from quintain.kernels.dummies import Moments, dummies, moments
from quintain.noise import Noise
from quintain.registry import Part, build
from quintain.sanitizers.sanitizer import sanitize
from quintain.sanitizers.synthetic.annealed.swaps import MomentGoal, SwapCloseness
from quintain.sanitizers.synthetic.moments import MomentsGenerator

_MOST = 200_000
"""The most public people to use."""
_ROOM = 0.35
"""The part of each bound that is left for the search, when the bound is spent on public values."""


def _build_source(table: Any) -> Any:
    if isinstance(table, Part):
        return table
    if not isinstance(table, str | Mapping):
        raise ValueError('a source is written { use = "..." }')
    try:
        return build(Source.family, table)
    except Rejected as error:
        raise ValueError("; ".join(str(fault) for fault in error.faults)) from None


class PublicPeople(BaseModel):
    """Public data that resemble the population of the private data.

    Parameters
    ----------
    source : where they come from, such as ``{ use = "adult" }``.
    generate : if the population is synthetic, how many records moments-v1 made from the source.
    distinct : whether the population has every record only once.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: Annotated[
        Source,
        BeforeValidator(_build_source),
        PlainSerializer(lambda source: source.spec()),
        WithJsonSchema({"x-part": Source.family}),
    ]
    generate: Annotated[int, Field(ge=2)] | None = None
    distinct: bool = False

    def table(self, schema: Schema) -> Table:
        """Make the public people, with the columns of the private data; always the same ones."""
        people = _people(self)
        missing = [name for name in schema.names if name not in people.schema]
        if missing:
            raise PartError(f"the public data have no column {missing[0]!r}")
        return people.select(schema.names)


@lru_cache(maxsize=1)
def _people(recipe: PublicPeople) -> Table:
    """Make public people; nothing here is private, so anybody may repeat the random choices."""
    rng = np.random.default_rng(0)
    data = as_table(recipe.source.data(rng))
    if recipe.generate is not None:
        generator, noise = MomentsGenerator(rows=recipe.generate), Noise.for_test(0)
        data = as_table(sanitize(generator, data, rng=rng, noise=noise).release.data)
    if recipe.distinct:
        data = data.take(np.unique(data.row_keys(), return_index=True)[1])
    if len(data) > _MOST:
        data = data.take(rng.choice(len(data), _MOST, replace=False))
    return data


class PublicGoal(MomentGoal):
    """Covariances of public people, as far as the bounds around the private ones allow.

    Variances and covariances of numbers stay private: their bounds are tighter than chance. The
    bounds of this goal are what remains of the bounds around the private data.
    """

    def __init__(self, private: Table, public: Moments, start: Table, close: SwapCloseness) -> None:
        super().__init__(private, close)
        own, begin = self.original, moments(start)
        spread = np.sqrt(np.where(begin.constant, 1.0, np.diag(begin.covariance)))
        scale = np.outer(spread, spread)
        number = np.array([dummy.value is None for dummy in dummies(private.schema)])
        fixed = self.own | np.outer(number, number) | own.constant[:, None] | own.constant
        correlations = np.nan_to_num(own.correlation())
        far = np.abs(public.covariance / scale - correlations) > (1 - _ROOM) * close.correlation
        for common in np.unique(public.mean[~number])[::-1]:
            kept = np.outer(number, public.mean > common)
            private_cells = fixed | far | kept | kept.T
            aim = np.where(private_cells, correlations * scale, public.covariance)
            aim[self.own] = begin.covariance[self.own]  # no swap changes them
            gap = np.abs(aim - own.covariance).sum(axis=1)
            if gap.max() <= (1 - _ROOM) * close.row:
                break
        self.original = replace(own, covariance=aim, constant=begin.constant)
        self.close = SwapCloseness(
            np.maximum(close.correlation - np.abs(aim / scale - correlations), 0.0),
            np.maximum(close.row - gap, 0.0),
        )
