"""Focal points: shadow runs show which statistics a sanitizer tends to preserve."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from quintain.attacks.shadows import ShadowRun, shadow_runs
from quintain.attacks.threat import Knowledge
from quintain.data import Table
from quintain.kernels.classes import Classes
from quintain.releases import FocalPoint

_CLASSES = 32
"""Numbers and times without a finite domain are cut into this many classes to count them."""


def counted_classes(release: Table) -> Classes:
    """The classes in which attacks count numbers and times: equally common in the release."""
    return Classes.of(release, _CLASSES)


def focal_runs(
    knowledge: Knowledge, samples: Iterable[Table], *, rng: np.random.Generator
) -> list[ShadowRun]:
    """Run shadows to see the focal points that the sanitizer chooses.

    The function stops after the first run if the sanitizer chooses no focal points: a sanitizer
    either always chooses some or never, so further runs would show nothing.
    """
    return list(shadow_runs(knowledge, samples, rng=rng, stop=_chooses_none))


def _chooses_none(run: ShadowRun) -> bool:
    return not run.trace.focal_points


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
