"""Kinds: audits of data that are not plain tables, which are series and transactions."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from quintain.attacks import Attack
from quintain.audits.checks.made_with_control import coin_sign, sign_proofs
from quintain.audits.pool import SeriesPool
from quintain.audits.results import (
    AuditedInput,
    ControlSign,
    Finding,
    NotComputed,
    ReleaseAudit,
    UtilityFinding,
    Verdict,
    versions,
)
from quintain.audits.risk import (
    AuditedRelease,
    RiskResult,
    risks_of_other_data,
    risks_without_control,
    run_risks,
)
from quintain.audits.risks.naming import NamingRisk, pseudonyms_by_month
from quintain.audits.roc import membership_curves
from quintain.audits.verdict import Effects, Judgement, Thresholds, build_release_audit, judge
from quintain.data import (
    Data,
    Learned,
    Schema,
    Series,
    Transactions,
    as_series,
    as_transactions,
    is_data,
)
from quintain.data.arrays import array_bytes
from quintain.data.files.subprocess_reader import read_apart
from quintain.data.frames import from_frame
from quintain.data.learning.learn import is_ours, read_schema_file
from quintain.data.own_files.memory import memory_limits
from quintain.data.shape import find_shape
from quintain.data.sources.database_address import require_file
from quintain.errors import DataError, Fault, PartError, QuintainError
from quintain.measures import Reading, ReleaseMeasure, reading_rng
from quintain.measures.intervals import clopper_pearson, proportion
from quintain.measures.pooled.detectable import smallest_share
from quintain.measures.pooled.exposed import advantage, exposed_share
from quintain.measures.pooled.joint_test import joint_test
from quintain.measures.pooled.nameable import nameable
from quintain.measures.reading import LEVEL
from quintain.measures.utility.series.skill_retention import SkillRetention
from quintain.measures.utility.shopping import ShoppingUtility
from quintain.randomness.seeds import SeedTree
from quintain.releases import Release

AnySchema = Schema | Learned | Path | None


_NEEDS_CONTROL = "needs a control: people of the same population who are not in the original"


_SHORT = 3
"""A series with fewer rows may be equal to another by chance."""


LINKS = ("content_link", "content_link_whole", "content_link_rows", "content_link_whole_rows")
"""The readings of look-ups that say how many baskets, or rows in them, are linked to a person.

Persons are shown, and do not decide: chance links one of many baskets to nearly anybody.
"""


LIMITS = (
    "Stronger attacks, and attackers who know more than these did, may find more.",
    "The attackers know the whole original. People of whom less is known are harder to name.",
    "Who is in the data is not secret here; the audit asks whether pseudonyms protect people.",
    "The verdict is about this one release. Further releases about the same people add to it.",
)


def stated_schema(schema: AnySchema) -> Schema | None:
    """The schema that the user gave, if it is one of ours."""
    if isinstance(schema, Path):
        return read_schema_file(schema) if is_ours(schema) else None
    return schema.schema if isinstance(schema, Learned) else schema


def shape_of(original: Any, schema: AnySchema) -> str:
    """The shape of the original: its own, or the one that a schema states."""
    data = original.data if isinstance(original, Release) else original
    if _has_several_rows(data):
        return str(data.schema.shape)
    stated = stated_schema(schema)
    return "table" if stated is None else stated.shape


def _has_several_rows(data: Any) -> bool:
    """Whether something is data with a schema in which a person may have several rows."""
    return is_data(data) and not find_shape(data.schema.shape).row_is_person


def audit_kind(
    original: Any,
    release: Any,
    control: Any,
    schema: AnySchema,
    seed: int,
    permutations: int,
    attacks: tuple[Attack, ...] = (),
) -> ReleaseAudit:
    """Audit a release of series, or of transactions."""
    kind = _audited_as(shape_of(original, schema))
    given: dict[str, Any] = {"original": original, "release": release}
    given |= {} if control is None else {"control": control}
    read = {role: read_kind(role, table, schema) for role, table in given.items()}
    data = {role: own for role, (own, _) in read.items()}
    shapes = {own.schema.shape for own in data.values()}
    if len(shapes) > 1:
        raise DataError([Fault("original, release and control must be of the same kind")])
    seeds = SeedTree.from_int(seed).child("audit", "release")
    first, second, third = data["original"], data["release"], data.get("control")
    if kind == "transactions":
        audit = audit_transactions(
            as_transactions(first), as_transactions(second), seeds=seeds, attacks=attacks
        )
    else:
        audit = audit_series(
            as_series(first),
            as_series(second),
            None if third is None else as_series(third),
            seeds=seeds,
            permutations=permutations,
            attacks=attacks,
        )
    facts = {"inputs": tuple(described for _, described in read.values()), "seed": seed}
    return audit.model_copy(update={**facts, "versions": versions()})


def _audited_as(shape: str) -> str:
    """The kind of data as which such data are audited; raises if there is none.

    >>> _audited_as("transactions"), _audited_as("series")
    ('transactions', 'series')
    """
    kind = find_shape(shape)
    wanted = "transactions" if kind.deletes_in_place else "series"
    if wanted in (shape, *kind.also):
        return wanted
    raise PartError(
        f"data of the shape {shape} cannot be audited as they are: they cannot be seen as "
        f"{wanted}. Give their rows as a table, and the column that says whose row each one is as "
        f"unit. If the shape is yours, name {wanted!r} in `also`"
    )


def read_kind(role: str, given: Any, schema: AnySchema) -> tuple[Data, AuditedInput]:
    """The data, and their entry in the audit: name, size and hash."""
    data = given.data if isinstance(given, Release) else given
    name: str = role
    content = None
    if not _has_several_rows(data):
        stated = stated_schema(schema)
        if stated is None:
            raise DataError([Fault("needs a schema: series and transactions have one", role)])
        if isinstance(data, str | PathLike):
            path = Path(data)
            require_file(data, role)
            name, content = path.name, path.read_bytes()
            data = read_apart(path, stated, limits=memory_limits())
        else:
            data = from_frame(data, stated)
    digest = data.digest() if content is None else hashlib.sha256(content).hexdigest()
    columns = len(data.schema.columns)
    described = AuditedInput(role=role, name=name, rows=len(data), columns=columns, sha256=digest)
    return data, described


# --- time series, person by person ---


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
    pool = None if control is None else SeriesPool.of(original, control, rng=seeds.rng("pool"))
    measured, _ = run_risks(AuditedRelease(original, Release(release), seeds, pool, added=attacks))
    results = [result for _, result in measured]
    if control is None or pool is None:
        return _without_control(original, release, results, attacks)
    scores = [evidence.scores for result in results for evidence in result.evidence]
    test = joint_test(scores, pool.members, rng=seeds.rng("test"), permutations=permutations)
    names = nameable(scores, pool.members, rng=seeds.rng("names"))
    signs = (_control_copies(original, release, control),)
    effects = Effects(
        test.p,
        len(original),
        exposed_share(scores, pool.members, rng=seeds.rng("exposed")),
        names.count,
        smallest_share(len(original), len(control), critical=test.critical),
        sign_proofs(signs)
        or (() if count_repeated(control, release) else _series_proofs(original, release)),
        advantage=advantage(scores, pool.members, rng=seeds.rng("share")),
    )
    utility, left_out = _read_utility(SkillRetention(), original, release, control)
    return build_release_audit(
        judge(effects),
        effects,
        results,
        utility=utility,
        curves=membership_curves(measured, pool.members),
        not_computed=(*left_out, *_other_risks(original.schema.shape)),
        control_signs=signs,
    )


def _without_control(
    original: Series, release: Series, results: Sequence[RiskResult], attacks: Sequence[Attack]
) -> ReleaseAudit:
    """Without a control, series that are repeated as they are can be seen."""
    share = proportion(count_repeated(original, release), len(original), "lower")
    nobody = Reading.missing("lower", f"this {_NEEDS_CONTROL}")
    proofs = _series_proofs(original, release)
    effects = Effects(None, len(original), share, nobody, nobody, proofs)
    added = (NotComputed(what=attack.name(), reason=_NEEDS_CONTROL) for attack in attacks)
    return build_release_audit(
        judge(effects),
        effects,
        results,
        not_computed=(
            *_need_control(original, attacks),
            *added,
            *_other_risks(original.schema.shape),
        ),
    )


def _series_proofs(original: Series, release: Series) -> tuple[str, ...]:
    """That many series are repeated as they are, in a sentence."""
    copies, rules = count_repeated(original, release), Thresholds()
    if copies < min(rules.names, rules.share * len(original)):
        return ()
    return (
        f"The release repeats the series of {copies:,} of {len(original):,} people as they are.",
    )


def count_repeated(original: Series, release: Series) -> int:
    """How many people of the original have a series of at least three rows in the release.

    >>> from quintain.testing import example
    >>> people = example("series", rows=40)
    >>> count_repeated(people, people.take([0])) <= 1
    True
    """
    released = set(_contents(release))
    return sum(content in released for content in _contents(original))


def _control_copies(original: Series, release: Series, control: Series) -> ControlSign:
    """Whether the release repeats series that only the control has."""
    inside, released, outside = (set(_contents(series)) for series in (original, release, control))
    gained, lost = len(outside & released - inside), len(outside & inside - released)
    return coin_sign("copies", "the series of the person", gained, lost, len(control))


def _contents(series: Series) -> list[bytes]:
    parts = np.split(series.values, series.offsets[1:-1])
    return [array_bytes(part) for part in parts if len(part) >= _SHORT]


def _need_control(original: Data, attacks: Sequence[Attack]) -> tuple[NotComputed, ...]:
    """The risks that are left out without a control."""
    names = risks_without_control(original.schema.shape, attacks, one_row=False)
    return tuple(NotComputed(what=what, reason=_NEEDS_CONTROL) for what in names)


def _other_risks(shape: str) -> tuple[NotComputed, ...]:
    reason = "the attacks of this risk are for tables with one row per person"
    others = risks_of_other_data(shape)
    return tuple(NotComputed(what=what, reason=reason) for what in others)


# --- pseudonymous transactions ---


LINKED = 0.2
"""From this share of linked pseudonyms on, a release is unsafe; by the lower bound."""


def audit_transactions(
    original: Transactions,
    release: Transactions,
    *,
    seeds: SeedTree,
    attacks: tuple[Attack, ...] = (),
) -> ReleaseAudit:
    """What a release of transactions gives away: whose pseudonyms can attackers name?

    Row i of the release stands for row i of the original, and a deleted row has no person. No
    control is needed: the attacks are compared with blind guessing.
    """
    if len(original) != len(release):
        message = (
            f"has {len(release)} rows, and the original {len(original)}: row i of the release must "
            "stand for row i of the original, with an empty person where it is deleted"
        )
        raise DataError([Fault(message, "release")])
    audited = AuditedRelease(original, Release(release), seeds, added=attacks)
    results = [result for _, result in run_risks(audited)[0]]
    findings = [finding for result in results for finding in result.findings]
    naming = [f for f in findings if f.risk == NamingRisk.harm and f.reading.measured]
    linking = [f for f in naming if f.chance is not None or f.name in LINKS]
    exposed, p = _largest_share(linking), _p(linking, release)
    least = _smallest(max(len(linking), 1), release)
    verdict, reasons = _judge_links(exposed, p, least)
    utility, left_out = _read_utility(ShoppingUtility(), original, release)
    nobody = "attackers of pseudonyms name everybody and do not say of whom they are sure"
    effects = Effects(p, len(original), exposed, Reading.missing("lower", nobody), least)
    judgement = Judgement(verdict, reasons, LIMITS)
    needs = _need_control(original, attacks)
    return build_release_audit(
        judgement, effects, results, utility=utility, not_computed=(*left_out, *needs)
    )


def _largest_share(linking: Sequence[Finding]) -> Reading:
    """The largest share of linked pseudonyms or rows; its interval allows for that choice."""
    if not linking:
        return Reading.missing("lower", "no attack could be run")
    finding = max(linking, key=lambda finding: finding.reading.value)
    worst = finding.reading
    # The rows of a basket are linked together, so they tell no more than the baskets do.
    rows = finding.name.endswith("_rows")
    count = min(link.reading.n for link in linking) if rows else worst.n
    level = 1 - (1 - LEVEL) / len(linking)
    low, high = clopper_pearson(round(worst.value * count), count, level)
    method = f"Clopper-Pearson, the largest of {len(linking)}"
    return worst.model_copy(update={"low": low, "high": high, "n": count, "method": method})


def _p(linking: Sequence[Finding], release: Transactions) -> float | None:
    """How probable it is that the best of so many blind attackers names so many pseudonyms.

    A blind attacker who matches pseudonyms and people names one per month, on average, and the
    number of hits of a month is close to a Poisson law with mean 1.
    """
    from scipy.stats import poisson

    months = len(pseudonyms_by_month(release))
    named = [finding for finding in linking if finding.chance is not None]
    if not named or not months:
        return None
    hits = max(round(f.reading.value * f.reading.n) for f in named)
    return min(1.0, len(named) * float(poisson.sf(hits - 1, months)))


def _smallest(attacks: int, release: Transactions) -> Reading:
    """The smallest share of named pseudonyms that chance would very probably not explain."""
    from scipy.stats import poisson

    counts = pseudonyms_by_month(release)
    if not counts:
        return Reading.missing("lower", "the release has no pseudonym")
    needed = int(poisson.isf(0.05 / attacks, len(counts))) + 1
    # With this many more on average, so many are seen in 80 of 100 audits.
    value = min(1.0, (needed + 0.84 * math.sqrt(needed)) / sum(counts))
    return Reading.exact(value, sum(counts), "lower")


def _judge_links(
    exposed: Reading, p: float | None, least: Reading
) -> tuple[Verdict, tuple[str, ...]]:
    rules = Thresholds()
    share = f"{exposed.value:.1%}" if exposed.measured else ""
    if exposed.measured and exposed.low >= LINKED:
        return "unsafe", (
            f"An attacker who knows the original links {share} of the pseudonyms, baskets or rows "
            f"to one person; at least {exposed.low:.1%} if luck is allowed for.",
        )
    if p is not None and p <= rules.level:
        return "some-leakage", (
            f"An attacker who knows the original links {share} of the pseudonyms, baskets or rows "
            f"to one person, more than blind guessing explains (p = {p:.3g}).",
        )
    if not exposed.measured or not least.measured or least.value > rules.touched:
        return "cannot-say", ("There are too few pseudonyms to conclude much.",)
    return "nothing-found", (
        "No attack linked more pseudonyms to people than blind guessing explains. If these attacks "
        f"can see it at all, a release in which {least.value:.1%} of them can be linked would very "
        "probably have been noticed.",
    )


# --- utility ---


def _read_utility(
    measure: ReleaseMeasure, original: Data, release: Data, test: Data | None = None
) -> tuple[tuple[UtilityFinding, ...], tuple[NotComputed, ...]]:
    """What the measure of a contest reads, or why it reads nothing."""
    try:
        measure.require(original.schema)
        readings = measure.measure(original, release, test, rng=reading_rng())
    except QuintainError as error:
        return (), (NotComputed(what=measure.name(), reason=str(error)),)
    findings = [
        UtilityFinding(
            measure=measure.name(), name=name, says=measure.caption(name), reading=reading
        )
        for name, reading in readings.items()
    ]
    return tuple(findings), ()
