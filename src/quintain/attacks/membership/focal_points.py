"""Focal points: shadow runs show which statistics a sanitizer tends to preserve."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from quintain.attacks.shadows import ShadowRun, shadow_runs, without_ids
from quintain.attacks.threat import Knowledge
from quintain.data import Table, as_table
from quintain.data.coding import DEFAULT_BINS, Bins, Coding, needs_bins, needs_edges
from quintain.guesses import MembershipQuestion
from quintain.kernels.value_classes import QuantileBins
from quintain.releases import FocalPoint, Release


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Tables as attacks count their values: every column has a finite domain.

    A sanitizer with focal points cuts numbers and times into bins. The bins follow from the schema,
    so attackers know them. Where they do not, because the schema has no bounds or the sanitizer
    measures quantiles, the bins are as many, and equally common in the release.
    """

    coding: Coding
    bins: QuantileBins

    @classmethod
    def of(cls, release: Table, knowledge: Knowledge) -> Counted:
        """The bins of the schema, unless the sanitizer is known to measure its own."""
        parameters = knowledge.parameters or {}
        edges = parameters.get("edges", None if "epsilon" in parameters else "equal")
        bins = {
            column.name: Bins.equal(column)
            for column in release.schema.columns
            if needs_bins(column) and column.bounded and not needs_edges(column, edges)
        }
        coding = Coding(release.schema, bins, missing_code=False)
        return cls(coding, QuantileBins.of(coding.encode(release), DEFAULT_BINS))

    def encode(self, table: Table) -> Table:
        """The table with the number of the class in place of each number or time."""
        return self.bins.encode(self.coding.encode(table))


@dataclass(frozen=True, eq=False)
class FocalView:
    """What an attack on focal points sees: the points, and all tables counted alike.

    Parameters
    ----------
    points : the focal points that shadow runs chose often, and how often.
    runs : the shadow runs, as they were made.
    """

    points: dict[FocalPoint, int]
    runs: list[ShadowRun]
    counted: Counted
    release: Table
    base: Table
    records: Table

    @classmethod
    def of(
        cls,
        knowledge: Knowledge,
        release: Release,
        samples: Iterable[Table],
        share: float,
        *,
        rng: np.random.Generator,
    ) -> FocalView:
        """Run shadows on samples; see :func:`often_chosen` for ``share``."""
        released, base = as_table(release.data), without_ids(knowledge.population())
        runs = focal_runs(knowledge, samples, rng=rng)
        counted = Counted.of(released, knowledge)
        names = released.schema.names
        records = knowledge.question_as(MembershipQuestion).records().select(names)
        return cls(
            often_chosen(runs, share),
            runs,
            counted,
            *(counted.encode(table) for table in (released, base.select(names), records)),
        )

    @cached_property
    def counted_runs(self) -> list[ShadowRun]:
        """The shadow runs with their tables counted in the same way."""
        return [run.encode(self.counted.encode) for run in self.runs]


def focal_runs(
    knowledge: Knowledge, samples: Iterable[Table], *, rng: np.random.Generator
) -> list[ShadowRun]:
    """Run shadows to see the focal points that the sanitizer chooses.

    There is no run if the sanitizer chooses no focal points: a sanitizer either always chooses some
    or never, so a run would show nothing.
    """
    remaining = iter(samples)
    for first in remaining:
        if not knowledge.sanitizer_code().structure(first):
            break
        return list(shadow_runs(knowledge, chain([first], remaining), rng=rng))
    return []


def often_chosen(runs: list[ShadowRun], share: float) -> dict[FocalPoint, int]:
    """Select focal points chosen at least ``share`` times as often as the most popular one.

    >>> from quintain.releases import Sanitized, Trace
    >>> one, two = FocalPoint(("a", "b")), FocalPoint(("b", "c"))
    >>> traces = [Trace(points) for points in ((one, two), (one,), (one,))]
    >>> often_chosen([ShadowRun(None, Sanitized(None, trace)) for trace in traces], 0.5)
    {FocalPoint(columns=('a', 'b'), given=()): 3}
    """
    counts = Counter(point for run in runs for point in run.trace.focal_points)
    most = max(counts.values(), default=0)
    return {point: n for point, n in sorted(counts.items()) if n >= share * most}
