"""Verdict: what the effects of an audit mean for the people in the data, in a word and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from quintain.audits.results import Histories, LaidBare, Obstacle, ReleaseAudit, Verdict
from quintain.audits.risk import RiskResult
from quintain.figures.format import count, listed
from quintain.measures import Reading
from quintain.measures.pooled.detectable import ALPHA
from quintain.measures.pooled.exposed import FALSE_RATE
from quintain.measures.pooled.joint_test import chance_of_hits


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From which effects on a release is unsafe; the same in every audit.

    Parameters
    ----------
    level : how often an audit of a release without any leak may raise an alarm, at most. Where
        there are tests of a few people, they have a part of it, and the joint test the rest.
    share : unsafe if at least this share of the people is exposed, by its lower bound. The default
        is one person in ten. Set with Adult, 500 + 500 people, seeds 100 to 105: the bounds of
        synthesizers with an epsilon of 10 are 0, those of averages of five people at most 0.06,
        and those of generators that repeat their training data about one half
        (``benchmarks/audit/thresholds.py``).
    names : unsafe if at least so many people can be named, by the lower bound. The default is ten.
        An attacker names them and is right nine times in ten; ten is about the shortest list of
        which that can be shown with a control as large as the original.
        The same share holds for histories: unsafe if the lower bound of the people for whom a
        pseudonym stands out is at least so far above the upper bound of the control.
    advantage : unsafe if attackers recognise at least this share more of the people of the original
        than of others, by the lower bound, however many others they then mistake for them. The
        default is three in ten: on the same releases, the bounds of synthesizers with an epsilon of
        10 and of averages of five people are at most 0.22 (0.25 with 10,000 people), and those of
        generators that repeat their training data about one half.
    alike : a release of which every row is shared by at least so many others harms nobody by a
        small effect alone.
    touched : cannot say if the audit may miss a leak that touches more than this share of the
        people.
    """

    level: float = ALPHA
    share: float = 0.1
    names: int = 10
    advantage: float = 0.3
    alike: int = 10
    touched: float = 0.2


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with its reasons and with what it does not cover, in plain sentences.

    Parameters
    ----------
    seen : what the attacks saw, in sentences that hold whatever the verdict is.
    power : the sentence of the limits that says what would have been noticed; empty if none does.
    obstacle : why the audit cannot say more; None if it can.
    doubt : what is wrong with the control, in a clause; empty if nothing is.
    """

    verdict: Verdict
    reasons: tuple[str, ...]
    limits: tuple[str, ...]
    seen: tuple[str, ...] = ()
    power: str = ""
    obstacle: Obstacle | None = None
    doubt: str = ""

    def cannot_say(self, reason: str, obstacle: Obstacle, condition: str = "") -> Judgement:
        """The same audit without its conclusions: what was seen stays, what follows goes.

        Parameters
        ----------
        condition : under which alone what was seen means something.

        >>> found = Judgement("some-leakage", ("The effect is small.",), (), ("It differs.",))
        >>> found.cannot_say("Too few.", "few people", "If so").reasons
        ('Too few.', 'If so: It differs.')
        """
        seen = tuple(f"{condition}: {own}" if condition else own for own in self.seen)
        return replace(
            self, verdict="cannot-say", reasons=(reason, *seen), seen=seen, obstacle=obstacle
        )

    def with_doubt(self, doubt: str) -> Judgement:
        """The same, and nobody can tell what would have been noticed beside such a control."""
        limits = tuple(limit for limit in self.limits if limit != self.power)
        return replace(self, doubt=self.doubt or doubt, limits=limits, power="")


@dataclass(frozen=True, slots=True)
class Effects:
    """What a verdict follows from.

    Parameters
    ----------
    p : the p-value of the joint test; None without a control, and where no attack ran.
    people : how many people are in the original.
    exposed : the exposed share.
    nameable : the number of nameable people.
    detectable : the smallest share of people that a leak must touch to be seen very probably.
    proofs : what shows without a control that the release is unsafe, in sentences.
    traces : what shows a small leak by a test of its own, in sentences.
    alarms : what shows by a test of its own that the release is unsafe, in sentences.
    advantage : the advantage of the attacks; None if there is nobody to compare.
    laid_bare : the tests of a few people; None if there are none.
    p_alike : the p-value among people who look alike, if the joint test raises an alarm.
    one_row : whether every row counts as a person of its own.
    equal_rows : whether equal rows are one person's, and attacks saw one of them.
    several_tables : whether a person has rows in several tables.
    without_rows : those of them whose single rows no attack looked at.
    folds : how many releases were made, each without some of the people; 0 beside a control.
    histories : what the rows of a person give away together; None if nobody tried to tell.
    smallest_class : how many released rows are equal at least; None if nobody counted.
    uncompared : the columns of the release that no attack compared.
    """

    p: float | None
    people: int
    exposed: Reading
    nameable: Reading
    detectable: Reading
    proofs: Sequence[str] = ()
    traces: Sequence[str] = ()
    alarms: Sequence[str] = ()
    advantage: Reading | None = None
    laid_bare: LaidBare | None = None
    p_alike: float | None = None
    one_row: bool = True
    equal_rows: bool = False
    several_tables: bool = False
    without_rows: Sequence[str] = ()
    folds: int = 0
    histories: Histories | None = None
    smallest_class: int | None = None
    uncompared: Sequence[str] = ()

    @property
    def without_histories(self) -> str:
        """Why nobody compared people by all their rows, in a sentence; empty if somebody did."""
        if self.one_row or (self.histories is not None and self.histories.tried):
            return ""
        return _ROWS_ALONE if self.histories is None else self.histories.says

    @property
    def covered(self) -> str:
        """Where the attacks looked, for a sentence about leaks; empty if they looked everywhere."""
        rows = " in the rows of a person together" if self.without_rows else ""
        if self.without_histories:
            rows = " in single rows"
        return rows + (" in the columns that were compared" if self.uncompared else "")

    @property
    def people_words(self) -> str:
        """Whom the attacks had to tell from whom."""
        if self.folds:
            return "the people in a run of the sanitizer from those who were left out of it"
        return "the people of the original from others who are not in it"


def joint_level(bare: LaidBare | None, level: float = ALPHA) -> float:
    """The level of the joint test: what the tests of a few people leave of that of the audit.

    >>> joint_level(None)
    0.05
    """
    return level if bare is None else level - sum(sign.level for sign in bare.signs)


def judge(effects: Effects) -> Judgement:
    """Say whether a release is safe to publish, as far as its effects on people tell.

    A small p-value alone makes no release unsafe: with many records, an audit sees effects that
    harm nobody. A large one prevents every alarm, unless something is proved without it.

    >>> from quintain.measures.pooled.detectable import smallest_share
    >>> none = Reading.exact(0.0, 2000, "lower")
    >>> judge(Effects(0.4, 1000, none, none, smallest_share(1000, 1000))).verdict
    'nothing-found'
    >>> judge(Effects(0.4, 50, none, none, smallest_share(50, 50))).verdict
    'cannot-say'
    """
    rules = Thresholds()
    power = _power(effects)
    limits = (*_limits(effects), *filter(None, [power]))
    if effects.p is None:
        if effects.proofs:
            return Judgement("unsafe", tuple(effects.proofs), limits)
        if effects.traces:
            return Judgement("some-leakage", tuple(effects.traces), limits)
        return Judgement("cannot-say", (_NO_CONTROL,), limits, obstacle="no control")
    leaks = effects.p <= joint_level(effects.laid_bare, rules.level)
    alarms = (*(_alarms(effects, rules) if leaks else ()), *_copied_people(effects, rules))
    alarms = (*alarms, *effects.alarms)
    traces = tuple(effects.traces)
    evidence = (_evidence(effects),) if leaks else ()
    seen = (*alarms, *traces, *evidence) or (f"{_no_evidence(effects)}.",)

    def give(verdict: Verdict, reasons: tuple[str, ...], few: bool = False) -> Judgement:
        return Judgement(verdict, reasons, limits, seen, power, "few people" if few else None)

    if effects.proofs:
        return give("unsafe", tuple(effects.proofs))
    if alarms:
        return give("unsafe", seen)
    if leaks and not traces and _is_harmless(effects, rules):
        return give("nothing-found", (_harmless(effects),))
    if leaks:
        return give("some-leakage", (*traces, *evidence, *_small(effects)))
    if traces:
        return give("some-leakage", traces)
    if not effects.detectable.measured or effects.detectable.value > rules.touched:
        return give("cannot-say", (_too_few(effects),), few=True)
    return give("nothing-found", (_nothing(effects),))


NO_PSEUDONYMS = (
    "The release does not have the column that says whose row it is, so no attack compared people "
    "by all their rows together. The verdict covers single rows. If something else in the release "
    "tells which rows belong to one person, audit it with a column that says so."
)
ALL_ALIKE = (
    "Equal rows are taken for one person, so no attack compared different rows of one person "
    "together. The verdict covers single rows."
)
_ROWS_ALONE = (
    "The attacks looked at single rows. None compared people by all their rows together, so the "
    "verdict does not cover what such an attacker finds."
)


RANDOM_CONTROL = (
    "The control must be drawn at random from the same population as the original. If the two "
    "differ for another reason, that difference looks like a leak."
)
_NO_CONTROL = (
    "There is no control: people of the same population who are not in the original. Without them "
    "nobody can tell what the release gives away about its people from what it says of everybody."
)


_ONE_ROW = (
    "Every row counts as one person. If people have several rows, p is too small, and each of them "
    "may be easier to find than a row is."
)
_EQUAL_ROWS = "A person counts once in every figure, whatever the number of their rows."
_SEVERAL_ROWS = (
    "A person counts once in p, in the exposed share and in the number of names, whatever the "
    "number of their rows. The tables of single attacks count rows; their intervals are too narrow."
)


_SEVERAL_TABLES = (
    "A person counts once in p, in the exposed share and in the number of names, whatever the "
    "number of their rows and tables. Attacks on tables see one row of aggregates of each person: "
    "numbers of rows, means, extremes, frequent values. Readings of attacks on the rows of one "
    "table count rows; their intervals are too narrow."
)


def _say_who_counts(effects: Effects) -> str:
    """Who counts as a person."""
    if effects.several_tables:
        return _SEVERAL_TABLES
    if effects.equal_rows:
        return _EQUAL_ROWS
    return _ONE_ROW if effects.one_row else _SEVERAL_ROWS


def _no_evidence(effects: Effects) -> str:
    """That luck explains everything, in a sentence without its end."""
    words = f"no attack told {effects.people_words} better than chance explains"
    return f"{_open(effects, words)}: chance alone does as well in {in_audits(effects.p or 0.0)}"


def _too_few(effects: Effects) -> str:
    """That the audit might have missed a large leak."""
    much = _percent(effects.detectable.value) if effects.detectable.measured else "100 %"
    return (
        f"{_no_evidence(effects)}. But the tables are too small to conclude much: the audit could "
        f"have missed a leak that touches {much} of the people."
    )


def _nothing(effects: Effects) -> str:
    """That no attack found anything, and what would have been seen by one that can see it."""
    return (
        f"{_no_evidence(effects)}. {_IF_SEEN}, a leak{effects.covered} that touches "
        f"{_percent(effects.detectable.value)} of the people, or more, would have been noticed in "
        "80 of 100 audits."
    )


_IF_SEEN = "If an attack can see it at all"


def _alarms(effects: Effects, rules: Thresholds) -> tuple[str, ...]:
    """Why the release is unsafe, if it is."""
    names, share = effects.nameable, effects.exposed
    alarms = []
    if names.measured and names.low >= rules.names:
        alarms.append(
            f"An attacker can name {names.value:,.0f} people of the original and is wrong about "
            f"one in ten at most, on average; at least {names.low:,.0f} people are rightly named."
        )
    if share.measured and share.low >= rules.share:
        alarms.append(
            f"{_AT_RATE}, attackers find at least {_percent(share.low)} of the people "
            f"({_count(share.low, effects)} of {effects.people:,})."
        )
    more = effects.advantage
    if more is not None and more.measured and more.low >= rules.advantage:
        alarms.append(
            "Of 100 people of the original whom luck alone would miss, attackers recognise "
            f"{100 * more.value:.0f}; at least {100 * more.low:.0f} if luck is allowed for."
        )
    return (*_naming_alarm(effects, rules, bool(alarms)), *alarms)


def _naming_alarm(effects: Effects, rules: Thresholds, unsafe: bool) -> tuple[str, ...]:
    """What all rows of a person give away together, if that is an alarm, or explains others."""
    histories = effects.histories
    if histories is None or histories.stands_out is None or histories.control is None:
        return ()
    share, control = histories.stands_out, histories.control
    shown = share.low - control.high if control.measured else 0.0
    return (histories.says,) if max(shown, unsafe * share.value) >= rules.share else ()


_COPIED_LEVEL = 0.001


def _copied_people(effects: Effects, rules: Thresholds) -> tuple[str, ...]:
    """That the release has whole people as they are, if that is more than luck."""
    histories = effects.histories
    if histories is None or histories.copied is None or histories.copied_control is None:
        return ()
    inside, outside = histories.copied, histories.copied_control
    hits, false = (round(own.value * own.n) if own.n else 0 for own in (inside, outside))
    beyond = hits - false * inside.n / max(1, outside.n)
    if beyond < rules.names or chance_of_hits(hits, false, inside.n, outside.n) > _COPIED_LEVEL:
        return ()
    return (
        f"The release has all rows of {hits:,} of {inside.n:,} people of the original as they are, "
        f"under one pseudonym each, and those of {false:,} of {outside.n:,} others.",
    )


_NO_EFFECT = 0.05
"""Shares of people below this, by the upper bound, are no effect on anybody."""


def _is_harmless(effects: Effects, rules: Thresholds) -> bool:
    """Whether the release depends on the original, and yet nobody stands out in it."""
    if effects.smallest_class is None or effects.smallest_class < rules.alike:
        return False
    named = effects.nameable.measured and effects.nameable.value > 0
    exposed = not effects.exposed.measured or effects.exposed.high > _NO_EFFECT
    more = effects.advantage
    return not (named or exposed or (more is not None and more.value > _NO_EFFECT))


def _harmless(effects: Effects) -> str:
    """Why a small p does not matter."""
    return (
        f"{_evidence(effects)} Exact counts alone do that, and nobody stands out to the attacks: "
        f"at least {effects.smallest_class:,} rows are equal in every case, and "
        f"{_AT_RATE[0].lower()}{_AT_RATE[1:]}, attackers find at most "
        f"{_percent(effects.exposed.high)} of the people."
    )


_AT_RATE = f"At a false positive rate of at most {100 * FALSE_RATE:g} %"
"""Without it, nobody can tell how many strangers pass for the people who are found."""


def _small(effects: Effects) -> tuple[str, ...]:
    """How many people a small leak can touch."""
    share, names = effects.exposed, effects.nameable
    reasons = []
    if share.measured:
        at_least = f"at least {_count(share.low, effects)}" if share.low > 0 else "possibly nobody"
        reasons.append(
            f"The effect is small{effects.covered}. {_AT_RATE}, attackers find about "
            f"{_count(share.value, effects)} of {effects.people:,} people: {at_least}, and at most "
            f"{_count(share.high, effects)} by these attacks."
        )
    if names.measured and names.low > 0:
        reasons.append(
            f"An attacker can name {count(round(names.value), 'person', 'people')}; at least "
            f"{count(int(names.low), 'name is', 'names are')} right."
        )
    elif names.measured and not names.value:
        reasons.append("No attack that ranks everybody can name anybody with confidence.")
    return tuple(reasons)


def _evidence(effects: Effects) -> str:
    """The p-value in a sentence. What it means hangs on the control, so it says what was seen."""
    words = f"the attacks told {effects.people_words} better than chance explains"
    chance = in_audits(effects.p or 0.0)
    return f"{_open(effects, words)}: chance alone would look like this in {chance}."


def _open(effects: Effects, words: str) -> str:
    """The beginning of a sentence about what attacks saw, with where they looked."""
    words = f"{effects.covered.strip()}, {words}" if effects.covered else words
    return f"{words[0].upper()}{words[1:]}"


def in_audits(p: float) -> str:
    """A p-value as a number of audits, for people who know no p-values.

    >>> in_audits(0.832), in_audits(0.001), in_audits(0.0001)
    ('83 of 100 audits', '1 of 1,000 audits', 'fewer than 1 of 1,000 audits')
    """
    total = 100 if p >= 0.0095 else 1000
    count = round(p * total)
    return f"{count or 'fewer than 1'} of {total:,} audits"


def _limits(effects: Effects) -> tuple[str, ...]:
    """What no verdict covers."""
    limits = [
        "Stronger attacks, and attackers who know more than these did, may find more.",
        "The verdict is about this one release. Further releases about the same people add to it.",
    ]
    if effects.folds:
        limits.append(
            f"The attacks looked at {effects.folds} releases that the sanitizer made without some "
            "of the people. In the file to publish, the audit looked for copies, near copies, "
            "repeated texts and identities alone. It must come from the same sanitizer with the "
            "same settings; the audit cannot see whether it does."
        )
    elif effects.p is not None:
        limits.append(RANDOM_CONTROL)
    if effects.p is not None:
        limits.append(_say_who_counts(effects))
    if effects.without_histories:
        limits.append(effects.without_histories)
    if effects.without_rows:
        limits.append(
            f"No attack looked at single rows of {listed(effects.without_rows)}, which have too "
            "many. People are compared by all their rows, and by aggregates of them."
        )
    return tuple(limits)


def _power(effects: Effects) -> str:
    """What the audit would have noticed, and on what condition; empty if nobody can tell."""
    seen = effects.detectable
    if effects.p is None or not seen.measured:
        return ""
    return (
        f"The audit very probably notices a leak{effects.covered} that touches "
        f"{_percent(seen.value)} of the people or more ({_percent(seen.low)} if they stand out "
        f"clearly, {_percent(seen.high)} if they hardly do), provided that an attack can see "
        "them. It may miss less."
    )


def _count(share: float, effects: Effects) -> str:
    """A share of the people as a number of them."""
    return f"{round(min(1.0, share) * effects.people):,}"


def _percent(share: float) -> str:
    """A share in percent with two digits.

    >>> _percent(0.0196), _percent(0.2), _percent(1)
    ('2.0 %', '20 %', '100 %')
    """
    value = 100 * min(1.0, share)
    return f"{value:.0f} %" if value >= 10 else f"{value:.1f} %"


def build_release_audit(
    judgement: Judgement, effects: Effects, results: Sequence[RiskResult] = (), **more: Any
) -> ReleaseAudit:
    """A release audit from its verdict, its effects and what the risks found.

    Parameters
    ----------
    more : further fields; ``not_computed`` follows what the risks left out.
    """
    left_out = [reason for result in results for reason in result.not_computed]
    detectable = effects.detectable
    if judgement.doubt:
        detectable = Reading.missing("lower", judgement.doubt)
    facts = {
        "limits": judgement.limits,
        "readings": tuple(finding for result in results for finding in result.findings),
        "obstacle": judgement.obstacle,
        "doubt": judgement.doubt,
        "covered": effects.covered,
        **more,
        "not_computed": (*left_out, *more.get("not_computed", ())),
    }
    return ReleaseAudit(
        verdict=judgement.verdict,
        reasons=judgement.reasons,
        p=effects.p,
        p_alike=effects.p_alike,
        level=joint_level(effects.laid_bare),
        exposed_share=effects.exposed,
        advantage=effects.advantage,
        nameable_records=effects.nameable,
        smallest_detectable=detectable,
        laid_bare=effects.laid_bare,
        histories=effects.histories,
        **facts,
    )
