"""Shadow runs: the attacked sanitizer on samples of the attacker's own, to learn its habits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from quintain.attacks.attack import Knowledge
from quintain.data import Table, as_table
from quintain.errors import KnowledgeError
from quintain.releases import FocalPoint


@dataclass(frozen=True, slots=True, eq=False)
class ShadowRun:
    """What a sanitizer made of a known sample."""

    sample: Table
    release: Table
    focal_points: tuple[FocalPoint, ...]


def shadow_runs(
    knowledge: Knowledge, samples: Iterable[Table], *, rng: np.random.Generator
) -> Iterator[ShadowRun]:
    """Run the attacked sanitizer on samples of one's own.

    Stops after the first if the sanitizer chooses no focal points: more would tell nothing.
    """
    if knowledge.code is None:
        raise KnowledgeError("shadow runs need the sanitizer's code, which is not given")
    for sample in samples:
        release = knowledge.code(sample, rng=rng)
        yield ShadowRun(sample, as_table(release.data), release.focal_points)
        if not release.focal_points:
            return


def random_samples(
    base: Table, *, count: int, rows: int, rng: np.random.Generator
) -> Iterator[Table]:
    """Random samples of the base data."""
    for _ in range(count):
        yield base.take(np.sort(rng.choice(len(base), min(rows, len(base)), replace=False)))


def without_ids(table: Table) -> Table:
    """The table as sanitizers see it."""
    return table.select([column.name for column in table.schema.attributes])


def often_chosen(runs: list[ShadowRun], share: float) -> dict[FocalPoint, int]:
    """Focal points chosen at least ``share`` times as often as the most popular one.

    >>> one, two = FocalPoint(("a", "b")), FocalPoint(("b", "c"))
    >>> runs = [ShadowRun(None, None, points) for points in ((one, two), (one,), (one,))]
    >>> often_chosen(runs, 0.5)
    {FocalPoint(columns=('a', 'b'), given=()): 3}
    """
    counts = Counter(point for run in runs for point in run.focal_points)
    most = max(counts.values(), default=0)
    return {point: n for point, n in sorted(counts.items()) if n >= share * most}
