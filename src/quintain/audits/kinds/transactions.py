"""Transactions: audit a release of pseudonymous transactions."""

from __future__ import annotations

import math
from collections.abc import Sequence

from quintain.attacks import Attack
from quintain.audits.results import Finding, NotComputed, ReleaseAudit, UtilityFinding, Verdict
from quintain.audits.risk import AuditedRelease, run_risks
from quintain.audits.risks.naming import NamingRisk, pseudonyms_by_month
from quintain.audits.verdict import Effects, Judgement, Thresholds, build_release_audit
from quintain.data import Transactions
from quintain.errors import DataError, Fault, QuintainError
from quintain.measures import Reading, reading_rng
from quintain.measures.intervals import clopper_pearson
from quintain.measures.reading import LEVEL
from quintain.measures.utility.shopping import ShoppingUtility
from quintain.releases import Release
from quintain.seeds import SeedTree

LINKS = ("content_link", "content_link_whole", "content_link_rows", "content_link_whole_rows")
"""The readings of look-ups that say how many baskets, or rows in them, are linked to a person.

Persons are shown, and do not decide: chance links one of many baskets to nearly anybody.
"""

LIMITS = (
    "Stronger attacks, and attackers who know more than these did, may find more.",
    "The attackers know the whole original. People of whom less is known are harder to name.",
    "Who is in the data is no secret here; the audit asks whether pseudonyms protect people.",
    "The verdict is about this one release. Further releases about the same people add to it.",
)


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
    results = [result for _, result in run_risks(audited)]
    findings = [finding for result in results for finding in result.findings]
    naming = [f for f in findings if f.risk == NamingRisk.harm and f.reading.measured]
    linking = [f for f in naming if f.chance is not None or f.name in LINKS]
    exposed, p = _exposed(linking), _p(linking, release)
    least = _smallest(max(len(linking), 1), release)
    verdict, reasons = _judged(exposed, p, least)
    utility, left_out = _utility(original, release)
    nobody = "attackers of pseudonyms name everybody and do not say of whom they are sure"
    effects = Effects(p, len(original), exposed, Reading.missing("lower", nobody), least)
    judgement = Judgement(verdict, reasons, LIMITS)
    return build_release_audit(judgement, effects, results, utility=utility, not_computed=left_out)


def _exposed(linking: Sequence[Finding]) -> Reading:
    """The largest share of linked pseudonyms or rows; its interval allows for that choice."""
    if not linking:
        return Reading.missing("lower", "no attack could be run")
    finding = max(linking, key=lambda finding: finding.reading.value)
    worst = finding.reading
    # The rows of a basket are linked together, so they tell no more than the baskets do.
    rows = finding.name.endswith("_rows")
    count = min(one.reading.n for one in linking) if rows else worst.n
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


def _judged(exposed: Reading, p: float | None, least: Reading) -> tuple[Verdict, tuple[str, ...]]:
    rules = Thresholds()
    share = f"{exposed.value:.1%}" if exposed.measured else ""
    if exposed.measured and exposed.low >= rules.share:
        return "unsafe", (
            f"An attacker who knows the original links {share} of the pseudonyms, baskets or rows "
            f"to one person; at least {exposed.low:.1%}, whatever the luck.",
        )
    if p is not None and p <= rules.level:
        return "some-leakage", (
            f"An attacker who knows the original links {share} of the pseudonyms, baskets or rows "
            f"to one person, more than blind guessing explains (p = {p:.3g}).",
        )
    if not exposed.measured or not least.measured or least.value > rules.share:
        return "cannot-say", ("There are too few pseudonyms to conclude much.",)
    return "nothing-found", (
        "No attack linked more pseudonyms to people than blind guessing explains. A release in "
        f"which {least.value:.1%} of them can be linked would very probably have been noticed.",
    )


def _utility(
    original: Transactions, release: Transactions
) -> tuple[tuple[UtilityFinding, ...], tuple[NotComputed, ...]]:
    """The measure of DARC."""
    measure = ShoppingUtility()
    try:
        measure.require(original.schema)
        readings = measure.measure(original, release, None, rng=reading_rng())
    except QuintainError as error:
        return (), (NotComputed(what=measure.name(), reason=str(error)),)
    findings = [
        UtilityFinding(
            measure=measure.name(), name=name, says=measure.caption(name), reading=reading
        )
        for name, reading in readings.items()
    ]
    return tuple(findings), ()
