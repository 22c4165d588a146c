"""Pseudonyms: the audit of transactions, which asks whom attackers can name.

Who is in the data is no secret here. So there is no control and no joint test: hits are compared
with those of blind guessing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from quintain.audits.body import NEEDS_CONTROL, AuditOptions, AuditOutcomes, ShapeAudit, Weighed
from quintain.audits.reading.inputs import HeldData
from quintain.audits.release_utility import utility_of_records
from quintain.audits.results import Finding, NotComputed, Verdict
from quintain.audits.risk import AuditedRelease, Piece, risks_without_control
from quintain.audits.risks.naming import NamingRisk, pseudonyms_by_month
from quintain.audits.verdict import Effects, Judgement, Thresholds
from quintain.data import Transactions, as_transactions
from quintain.data.shape import Shape
from quintain.errors import DataError, Fault
from quintain.measures import Reading, ReleaseMeasure
from quintain.measures.intervals import clopper_pearson
from quintain.measures.reading import LEVEL
from quintain.measures.utility.shopping import ShoppingUtility
from quintain.releases import Release

LINKS = ("content_link", "content_link_whole", "content_link_rows", "content_link_whole_rows")
"""The readings of look-ups that say how many baskets, or rows in them, are linked to a person.

Persons are shown, and do not decide: chance links one of many baskets to nearly anybody.
"""
LINKED = 0.2
"""From this share of linked pseudonyms on, a release is unsafe; by the lower bound."""
LIMITS = (
    "Stronger attacks, and attackers who know more than these did, may find more.",
    "The attackers know the whole original. People of whom less is known are harder to name.",
    "Who is in the data is not secret here; the audit asks whether pseudonyms protect people.",
    "The verdict is about this one release. Further releases about the same people add to it.",
)
_NOBODY = "attackers of pseudonyms name everybody and do not say of whom they are sure"


class PseudonymAudit(ShapeAudit):
    """Row i of the release stands for row i of the original, and a deleted row has no person."""

    shapes: ClassVar[tuple[str, ...]] = ("transactions",)
    utility: ClassVar[ReleaseMeasure | None] = ShoppingUtility()

    def seen_as(self, shape: Shape) -> str:
        """As transactions, if a deleted row stays in place."""
        return super().seen_as(shape) if shape.deletes_in_place else ""

    def read(
        self, given: Mapping[str, Any], seen_as: str, asked: AuditOptions, **options: Any
    ) -> HeldData:
        """The rows of both; raises unless they correspond."""
        held = super().read(given, seen_as, asked, **options)
        if len(held.original) != len(held.release):
            message = (
                f"has {len(held.release)} rows, and the original {len(held.original)}: row i of "
                "the release must stand for row i of the original, with an empty person where it "
                "is deleted"
            )
            raise DataError([Fault(message, "release")])
        return held

    def prepare(self, held: HeldData, asked: AuditOptions) -> AuditedRelease:
        """The rows without a control: the attacks are compared with blind guessing."""
        release = Release(held.release)
        return AuditedRelease(held.original, release, asked.seeds, added=asked.attacks)

    def checks(self, held: HeldData, asked: AuditOptions) -> dict[str, Piece]:
        """The utility of the release."""
        sides = held.original, held.release, None
        return {"utility": partial(utility_of_records, self.utility, *sides)}

    def weigh(self, held: HeldData, asked: AuditOptions, outcomes: AuditOutcomes) -> Weighed:
        """The largest share of linked pseudonyms, and how probable it is by chance."""
        release = as_transactions(held.release)
        linking = _links(outcomes)
        exposed, p = _largest_share(linking), _p(linking, release)
        least = _smallest(max(len(linking), 1), release)
        nobody = Reading.missing("lower", _NOBODY)
        return Weighed(Effects(p, len(held.original), exposed, nobody, least))

    def judge(self, held: HeldData, outcomes: AuditOutcomes, effects: Effects) -> Judgement:
        """The verdict by what was linked."""
        verdict, reasons = _judge_links(effects.exposed, effects.p, effects.detectable)
        return Judgement(verdict, reasons, LIMITS)

    def left_out(self, held: HeldData, asked: AuditOptions) -> Iterator[NotComputed]:
        """Risks that ask who is in the data, which needs people who are not."""
        for what in risks_without_control("transactions", asked.attacks, one_row=held.one_row):
            yield NotComputed(what=what, reason=NEEDS_CONTROL)

    def never_asked(self, held: HeldData, outcomes: AuditOutcomes) -> Iterable[NotComputed]:
        """Who is in the data is known to everybody, so only risks of naming are asked."""
        return ()


def _links(outcomes: AuditOutcomes) -> list[Finding]:
    """What was read of links between pseudonyms and people."""
    findings = [finding for result in outcomes.results for finding in result.findings]
    naming = [f for f in findings if f.risk == NamingRisk.harm and f.reading.measured]
    return [f for f in naming if f.chance is not None or f.name in LINKS]


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
