"""Series: audit a release of time series, person by person."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quintain.attacks import Attack
from quintain.audits.checks.made_with_control import coin_sign, sign_proofs
from quintain.audits.pool import SeriesPool
from quintain.audits.results import ControlSign, NotComputed, ReleaseAudit, UtilityFinding
from quintain.audits.risk import AuditedRelease, run_risks
from quintain.audits.roc import membership_curves
from quintain.audits.verdict import Effects, Thresholds, build_release_audit, judge
from quintain.data import Series
from quintain.data.arrays import array_bytes
from quintain.errors import QuintainError
from quintain.measures import Reading, reading_rng
from quintain.measures.intervals import proportion
from quintain.measures.pooled.detectable import smallest_share
from quintain.measures.pooled.exposed import exposed_share, nameable
from quintain.measures.pooled.joint_test import joint_test
from quintain.measures.utility.series.skill_retention import SkillRetention
from quintain.releases import Release
from quintain.seeds import SeedTree

_NEEDS_CONTROL = "needs a control: people of the same population who are not in the original"
_SHORT = 3
"""A series with fewer rows may be equal to another by chance."""


def audit_series(
    original: Series,
    release: Series,
    control: Series | None,
    *,
    seeds: SeedTree,
    permutations: int,
    attacks: tuple[Attack, ...] = (),
) -> ReleaseAudit:
    """What a release of time series gives away about the people in the original.

    The attacks are the baselines of Hide-and-Seek. Everything else is as for tables, with one
    series per person.
    """
    if control is None:
        return _without_control(original, release, attacks)
    pool = SeriesPool.of(original, control, rng=seeds.rng("pool"))
    measured = run_risks(AuditedRelease(original, Release(release), seeds, pool, added=attacks))
    results = [result for _, result in measured]
    scores = [evidence.scores for result in results for evidence in result.evidence]
    test = joint_test(scores, pool.members, rng=seeds.rng("test"), permutations=permutations)
    names = nameable(scores, pool.members, rng=seeds.rng("names"))
    signs = (_control_copies(original, release, control),)
    effects = Effects(
        test.p,
        len(original),
        exposed_share(scores, pool.members, rng=seeds.rng("share")),
        names.count,
        smallest_share(len(original), len(control), critical=test.critical),
        sign_proofs(signs) or (() if repeated(control, release) else _proofs(original, release)),
    )
    utility, left_out = _utility(original, release, control)
    return build_release_audit(
        judge(effects),
        effects,
        results,
        utility=utility,
        curves=membership_curves(measured, pool.members),
        not_computed=(*left_out, *_other_risks()),
        control_signs=signs,
    )


def _without_control(original: Series, release: Series, attacks: Sequence[Attack]) -> ReleaseAudit:
    """Without a control, only series that are repeated as they are can be seen."""
    share = proportion(repeated(original, release), len(original), "lower")
    nobody = Reading.missing("lower", f"this {_NEEDS_CONTROL}")
    proofs = _proofs(original, release)
    effects = Effects(None, len(original), share, nobody, nobody, proofs)
    questions = ("membership inference", *(attack.name() for attack in attacks))
    return build_release_audit(
        judge(effects),
        effects,
        not_computed=(
            *(NotComputed(what=what, reason=_NEEDS_CONTROL) for what in questions),
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


def _control_copies(original: Series, release: Series, control: Series) -> ControlSign:
    """Whether the release repeats series that only the control has."""
    inside, released, outside = (set(_contents(one)) for one in (original, release, control))
    gained, lost = len(outside & released - inside), len(outside & inside - released)
    return coin_sign("copies", "the series of the person", gained, lost, len(control))


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
