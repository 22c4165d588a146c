"""Series: audit a release of time series, person by person."""

from __future__ import annotations

import numpy as np

from quintain.audits.finding import NotComputed
from quintain.audits.panels.series import SeriesPool, series_panel
from quintain.audits.release_audit import ReleaseAudit, UtilityFinding
from quintain.audits.roc import roc_curve
from quintain.audits.verdict import Effects, Thresholds, judge
from quintain.data import Series
from quintain.data.arrays import array_bytes
from quintain.errors import QuintainError
from quintain.measures import Reading, reading_rng
from quintain.measures.intervals import proportion
from quintain.measures.pooled.detectable import smallest_share
from quintain.measures.pooled.exposed_share import exposed_share
from quintain.measures.pooled.joint_test import joint_test
from quintain.measures.pooled.nameable import nameable
from quintain.measures.utility.series.skill_retention import SkillRetention
from quintain.releases import Release
from quintain.seeds import SeedTree

_NEEDS_CONTROL = "needs a control: people of the same population who are not in the original"
_SHORT = 3
"""A series with fewer rows may be equal to another by chance."""


def audit_series(
    original: Series, release: Series, control: Series | None, *, seeds: SeedTree, permutations: int
) -> ReleaseAudit:
    """What a release of time series gives away about the people in the original.

    The attacks are the baselines of Hide-and-Seek. Everything else is as for tables, with one
    series per person.
    """
    if control is None:
        return _without_control(original, release)
    pool = SeriesPool.of(original, control, rng=seeds.rng("pool"))
    panel = series_panel(pool, Release(release), rng=seeds.rng("membership"))
    scores = [one.scores for one in panel.evidence]
    test = joint_test(scores, pool.members, rng=seeds.rng("test"), permutations=permutations)
    names = nameable(scores, pool.members, rng=seeds.rng("names"))
    effects = Effects(
        test.p,
        len(original),
        exposed_share(scores, pool.members, rng=seeds.rng("share")),
        names.count,
        smallest_share(len(original), len(control), critical=test.critical),
        () if repeated(control, release) else _proofs(original, release),
    )
    verdict = judge(effects)
    utility, left_out = _utility(original, release, control)
    return ReleaseAudit(
        verdict=verdict.verdict,
        reasons=verdict.reasons,
        limits=verdict.limits,
        p=test.p,
        exposed_share=effects.exposed,
        nameable_records=effects.nameable,
        smallest_detectable=effects.detectable,
        readings=panel.findings,
        utility=utility,
        curves=tuple(roc_curve(one, pool.members) for one in panel.evidence),
        not_computed=(*panel.not_computed, *left_out, *_other_risks()),
    )


def _without_control(original: Series, release: Series) -> ReleaseAudit:
    """Without a control, only series that are repeated as they are can be seen."""
    share = proportion(repeated(original, release), len(original), "lower")
    nobody = Reading.missing("lower", f"this {_NEEDS_CONTROL}")
    proofs = _proofs(original, release)
    effects = Effects(None, len(original), share, nobody, nobody, proofs)
    verdict = judge(effects)
    return ReleaseAudit(
        verdict=verdict.verdict,
        reasons=verdict.reasons,
        limits=verdict.limits,
        p=None,
        exposed_share=share,
        nameable_records=nobody,
        smallest_detectable=nobody,
        readings=(),
        not_computed=(
            NotComputed(what="membership inference", reason=_NEEDS_CONTROL),
            *_other_risks(),
        ),
    )


def _proofs(original: Series, release: Series) -> tuple[str, ...]:
    """That many series are repeated as they are, in a sentence."""
    copies, rules = repeated(original, release), Thresholds()
    if copies < min(rules.names, rules.share * len(original)):
        return ()
    return (
        f"The release repeats the series of {copies:,} of {len(original):,} people as they are.",
    )


def repeated(original: Series, release: Series) -> int:
    """How many people of the original have a series of at least three rows in the release.

    >>> from quintain.testing import example
    >>> people = example("series", rows=40)
    >>> repeated(people, people.take([0])) <= 1
    True
    """
    released = set(_contents(release))
    return sum(one in released for one in _contents(original))


def _contents(series: Series) -> list[bytes]:
    parts = np.split(series.values, series.offsets[1:-1])
    return [array_bytes(one) for one in parts if len(one) >= _SHORT]


def _utility(
    original: Series, release: Series, control: Series
) -> tuple[tuple[UtilityFinding, ...], tuple[NotComputed, ...]]:
    """The measure of Hide-and-Seek, tested on the control."""
    measure = SkillRetention()
    try:
        readings = measure.measure(original, release, control, rng=reading_rng())
    except QuintainError as error:
        return (), (NotComputed(what=measure.name(), reason=str(error)),)
    findings = [
        UtilityFinding(
            measure=measure.name(), name=name, says=measure.caption(name), reading=reading
        )
        for name, reading in readings.items()
    ]
    return tuple(findings), ()


def _other_risks() -> tuple[NotComputed, ...]:
    reason = "the attacks of this risk are for tables with one row per person"
    risks = ("attribute inference", "linkability", "singling out")
    return tuple(NotComputed(what=what, reason=reason) for what in risks)
