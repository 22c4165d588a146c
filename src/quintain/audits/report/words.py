"""Words of a report: what a verdict means, what can happen to a person, and shares as people.

Shares are told as natural frequencies, numbers of people, which everybody understands.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

from quintain import registry
from quintain.audits.results import (
    Finding,
    LaidBare,
    NotComputed,
    Obstacle,
    ReleaseAudit,
    ReleaseClasses,
    Verdict,
)
from quintain.audits.risk import Risk, RiskWords
from quintain.figures.axis import LARGEST
from quintain.figures.format import count, listed, number

# --- shares as numbers of people ---


_PARTS = (100, 1000, 10_000)


def of_people(share: float, *others: float) -> tuple[str, ...]:
    """Write shares as numbers out of 100; out of more if they would all be rounded away.

    All shares of one sentence have the same total, so that readers can compare them.

    >>> of_people(0.34), of_people(0.0042), of_people(0.0), of_people(0.04, 0.01)
    (('34 of 100',), ('4 of 1,000',), ('0 of 100',), ('4 of 100', '1 of 100'))
    """
    total = total_for(share, *others)
    return tuple(f"{as_count(value, total)} of {total:,}" for value in (share, *others))


def total_for(*shares: float) -> int:
    """Out of how many people shares are told: the smallest that keeps each above zero.

    >>> total_for(0.34), total_for(0.34, 0.0042), total_for(0.0)
    (100, 1000, 100)
    """
    visible = [abs(share) for share in shares if share and math.isfinite(share)]
    for total in _PARTS:
        if all(share * total >= 0.95 for share in visible):
            return total
    return _PARTS[-1]


def as_count(share: float, total: int) -> str:
    """A share as a whole number of people; "fewer than 1" if it would be rounded to none.

    >>> as_count(0.034, 100), as_count(0.00001, 10_000)
    ('3', 'fewer than 1')
    """
    text = whole(abs(share) * total)
    return "fewer than 1" if text == "0" and share else text


def whole(count: float) -> str:
    """A number of people, rounded; no readable number is written as it is.

    >>> whole(1234.5), whole(float("inf")), whole(float("nan"))
    ('1,234', '∞', 'not measured')
    """
    return f"{round(count):,}" if abs(count) < LARGEST else number(count)


def people(share: float, rows: int) -> str:
    """How many of so many people a share is.

    >>> people(0.034, 10_000), people(0.0, 500), people(0.1234, 10_000)
    ('340', '0', '1,234')
    """
    return whole(share * rows)


# --- risks ---


def known_risks() -> dict[str, RiskWords]:
    """The words of every registered risk, by the name in findings, in the order of reports."""
    words = {part.harm: part.words for part in cast(Iterator[type[Risk]], registry.parts("risk"))}
    return {harm: words[harm] for harm in sorted(words, key=lambda name: (words[name].place, name))}


def risks_of(findings: Sequence[Finding]) -> dict[str, RiskWords]:
    """The words of all risks, those as well that only these findings name."""
    named = dict.fromkeys(finding.risk for finding in findings)
    return {harm: words_of(harm) for harm in [*known_risks(), *named]}


def shown_risks(
    findings: Sequence[Finding], not_computed: Sequence[NotComputed]
) -> dict[str, RiskWords]:
    """The words of the risks that a report names: what was found or left out, and those of all."""
    present = {finding.risk for finding in findings}
    return {
        harm: words
        for harm, words in risks_of(findings).items()
        if words.always or harm in present or any(is_about(left, words) for left in not_computed)
    }


def is_about(left_out: NotComputed, words: RiskWords) -> bool:
    """Whether a whole risk was left out, and not a column or an attack of it."""
    return left_out.what == words.noun()


def words_of(harm: str) -> RiskWords:
    """The words of a risk; plain ones if its part is not installed here."""
    return known_risks().get(harm) or RiskWords(harm.replace("-", " ").capitalize(), "")


READINGS: dict[str, tuple[str, str]] = {
    "auc": (
        "picks the right one of two",
        "The attacker sees one person of the data and one other person. The figure is how often "
        "they pick the right one: the area under the ROC curve (AUC). Blind guessing gives 0.5.",
    ),
    "membership_advantage": (
        "advantage",
        "The share of members whom the attack names, minus the share of others whom it names.",
    ),
    "accuracy": ("right answers", "The share of people about whom the attack is right."),
    "excess_copies": (
        "copied more often than by luck",
        "The share of members whose record is nearly in the release, minus the share that is so "
        "because people are alike.",
    ),
    "linked_excess": (
        "joined because of the release",
        "The share of members whose halves are joined, minus that of people outside the data.",
    ),
    "members_linked": ("joined", "The share of members whose halves are joined."),
    "isolation_excess": (
        "singled out because of the release",
        "The share of descriptions that fit exactly one member, minus the share by luck.",
    ),
    "isolated": ("singled out", "The share of descriptions that fit exactly one member."),
    "inference_excess": (
        "guessed right because of the release, all columns",
        "The share of hidden values guessed right for members, minus that of people outside the "
        "data: the mean over all columns, each hidden in turn.",
    ),
    "excess_accuracy": (
        "guessed right because of the release",
        "The share of members guessed right, minus that of people outside the data.",
    ),
    "excess_over_blind": (
        "guessed right beyond the best blind guess",
        "The share of members guessed right, minus that of the most common value.",
    ),
    "member_hits": ("guessed right", "The share of members whose secret is guessed right."),
    "excess_within": (
        "nearly right because of the release",
        "The share of members guessed nearly right, minus that of people outside the data.",
    ),
    "members_within": ("nearly right", "The share of members guessed nearly right."),
    "stands_out": (
        "recognised by all their rows",
        "The share of members for whom one pseudonym stands out more clearly than for all but 1 % "
        "of the people outside the data.",
    ),
    "rightly_named": (
        "named rightly by all their rows",
        "The share of members whose own pseudonym is the one that fits best.",
    ),
    "reid": ("named", "The share of people to whom the attacker puts the right name."),
}
"""Readings in words: a short name, and what the figure is."""


def reading_words(name: str) -> tuple[str, str]:
    """The name of a reading for people, and what it is.

    >>> reading_words("tpr_at_fpr_0.01")[0], reading_words("my_own")
    ('recognised at 1 % false alarms', ('my own', ''))
    """
    if name in READINGS:
        return READINGS[name]
    if name.startswith("tpr_at_fpr_"):
        rate = f"{100 * float(name.rpartition('_')[2]):g} %"
        return (
            f"recognised at {rate} false alarms",
            f"The share of members whom the attack names while it names at most {rate} of the "
            f"others: the true positive rate at this false positive rate. Blind guessing gives "
            f"{rate}.",
        )
    return name.replace("_", " "), ""


def is_excess(name: str) -> bool:
    """Whether a reading is a difference to people outside the data or to chance already."""
    return "excess" in name or "advantage" in name or "_over_" in name


def in_people(finding: Finding) -> str:
    """What a finding says about 100 people, in one or two sentences; its own words if none fit."""
    value, name = finding.reading.value, finding.name
    if not finding.reading.measured or not -1 <= value <= 1:
        return finding.says
    if name == "auc":
        return (
            "Shown one person of the data and one other, the attacker picks the right one in "
            f"{as_count(value, 100)} of 100 cases; blind guessing does in 50."
        )
    if is_excess(name):
        total = total_for(value)
        if "copies" in name:
            return _copy_words(value, total)
        words = words_of(finding.risk)
        text = words.more.format(
            total=f"{total:,}",
            found=as_count(value, total) if value > 0 else "no",
            more="more",
            about=_about(finding),
        )
        return f"{text} {words.reference}."
    return _beside_control(finding)


def _copy_words(value: float, total: int) -> str:
    """How many people have a copy of their record in the release, beyond luck."""
    if value <= 0:
        return "The release has no more copies of people in the data than luck explains."
    return (
        f"Of {total:,} people in the data, the release has a copy or a near copy of "
        f"{as_count(value, total)} more than luck explains."
    )


def _beside_control(finding: Finding) -> str:
    """A share of members beside that of people outside the data, or beside chance."""
    control = finding.control
    other = control.value if control is not None and control.measured else finding.chance
    shares = [finding.reading.value, *([] if other is None else [other])]
    total = total_for(*shares)
    text = words_of(finding.risk).success.format(
        total=f"{total:,}", found=as_count(shares[0], total), about=_about(finding)
    )
    if other is None:
        return f"{text}."
    there = as_count(other, total)
    if control is None or not control.measured:
        return f"{text}; blind guessing gives {there}."
    words = words_of(finding.risk).others
    return f"{text}; {words.format(total=f'{total:,}', found=there)}."


def _about(finding: Finding) -> str:
    return listed([f"“{name}”" for name in finding.columns], most=2) or "a secret"


# --- verdicts ---


@dataclass(frozen=True, slots=True)
class VerdictWords:
    """A verdict for people who decide.

    Parameters
    ----------
    label : the verdict in two or three words.
    mark : a sign, so that nobody depends on colours.
    headline : the verdict as an answer.
    meaning : what follows from it, in two sentences.
    steps : what to do next, in order.
    unmeasured : what is said of risks without a figure.
    """

    label: str
    mark: str
    headline: str
    meaning: str
    steps: tuple[str, ...]
    unmeasured: str = "No attack of this audit measured this risk."


RELEASE: dict[Verdict, VerdictWords] = {
    "unsafe": VerdictWords(
        "Unsafe",
        "✕",
        "Do not publish this release.",
        "Somebody who holds the release can recognise people in the original data, or learn "
        "something about them that the release should hide. The reasons below are more than luck "
        "explains, and enough to harm people.",
        (
            "Keep the release inside. If it is already public, treat that as a possible data "
            "breach and ask your data protection officer.",
            "Sanitize again with a stronger setting: more noise, coarser values, fewer columns. "
            "If records were copied, find out why.",
            "Audit the new release with the same split before anybody publishes it.",
        ),
    ),
    "some-leakage": VerdictWords(
        "Some leakage",
        "!",
        "This release gives a little away. Somebody has to decide.",
        "The attacks found a difference between people in the data and others, but a small "
        "one{covered}. The figures below say how many people it can touch.",
        (
            "Compare the number of people below with what the release is for, and with how "
            "sensitive the data are.",
            "If that is too many, use a stronger setting and audit again. If not, limit who gets "
            "the release where you can.",
            "Write the decision down and keep this report with it.",
        ),
    ),
    "nothing-found": VerdictWords(
        "Nothing found",
        "–",
        "The attacks found no leak{covered}.",
        "No attack did better than luck explains{covered}, and a leak of the size stated below "
        "would probably have been noticed, if an attack can see it at all. That is not a proof of "
        "safety: other attackers may know more.",
        (
            "Publish by your usual rules. This audit does not replace them.",
            "Keep this report and the hashes of the files with the release.",
            "Audit again whenever the data, the columns or the settings change.",
        ),
    ),
    "cannot-say": VerdictWords(
        "Cannot say",
        "?",
        "This audit cannot decide whether the release is safe.",
        "The reasons are below. Do not read it as a good sign: a leak may be there that this "
        "audit could not have noticed.",
        (
            "Do not take this audit as a reason to publish.",
            "If a better audit is impossible, rely on a sanitizer with a proven guarantee.",
        ),
    ),
}


_FEW_TOLD = (
    "The attacks on everybody did no better than luck explains{covered}. Tests of a few people, or "
    "of texts, found more than luck explains: the reasons say what."
)
_NOBODY_STANDS_OUT = (
    "The attacks found nobody who stands out{covered}.",
    "The attacks told people of the data from others, as exact counts allow, but nobody stands out "
    "to them{covered}. That is not a proof of safety: other attackers may know more.",
)
_SHUFFLE = "Shuffle the rows before anybody publishes them: their order tells who is who."
_SHARPER: dict[Obstacle, str] = {
    "no control": "Split a control off before sanitizing (quintain audit split), sanitize the "
    "other part and audit that release.",
    "few people": "Audit with more people, in the original and in the control: that makes the "
    "audit sharper.",
    "columns": "Give the original and the control the columns that could not be compared, or "
    "publish the release without them and audit that file.",
    "control": "Draw a new control at random before sanitizing (quintain audit split), sanitize "
    "the other part alone and audit that release.",
}


_AUDITED = (
    "What may be published is the release that was audited, made without the control. A release of "
    "everybody is another one: quintain audit everybody."
)
_EVERYBODY = (
    "What may be published is the release of everybody, made by the same sanitizer with the same "
    "settings, once it has passed the search for copies, as this one was searched."
)


def release_words(audit: ReleaseAudit) -> VerdictWords:
    """The words for the verdict on a release: only what this audit looked at, and what to do."""
    words = RELEASE[audit.verdict]
    headline, meaning, steps = words.headline, words.meaning, words.steps
    if audit.verdict == "some-leakage" and audit.may_be_luck:
        meaning = _FEW_TOLD
    if audit.verdict == "nothing-found" and audit.p is not None and not audit.may_be_luck:
        headline, meaning = _NOBODY_STANDS_OUT
    if audit.folds is not None:
        steps = _EVERYBODY_STEPS.get(audit.verdict, steps)
    elif audit.verdict == "cannot-say" and audit.obstacle is not None:
        steps = (steps[0], _SHARPER[audit.obstacle], *steps[1:])
    if audit.p is not None and audit.verdict in ("nothing-found", "some-leakage"):
        steps = (*steps[:1], _AUDITED if audit.folds is None else _EVERYBODY, *steps[1:])
    if audit.order is not None and audit.order.alarm and audit.verdict != "unsafe":
        steps = (_SHUFFLE, *steps)
    return replace(
        words,
        headline=headline.format(covered=audit.covered or " in this release"),
        meaning=meaning.format(covered=audit.covered),
        steps=steps,
    )


_EVERYBODY_STEPS: dict[Verdict, tuple[str, ...]] = {
    "unsafe": (
        *RELEASE["unsafe"].steps[:2],
        "Audit everybody again with the new setting before anybody publishes a release.",
    ),
    "cannot-say": (
        RELEASE["cannot-say"].steps[0],
        "Audit everybody with more people, or with more columns that the release has, too.",
        RELEASE["cannot-say"].steps[1],
    ),
}


_ONE_GAME = "This audit plays one game: who is in the data? Audit a release to see this risk."


SANITIZER: dict[Verdict, VerdictWords] = {
    "unsafe": VerdictWords(
        "Unsafe",
        "✕",
        "Do not use this sanitizer with these settings.",
        "Attackers who see its releases can recognise people, or the sanitizer protects less than "
        "it claims. Releases that it made in this way are not safe, either.",
        (
            "Stop publishing releases that were made with these settings.",
            "If a bound is above the claim, the program is wrong: report it to its authors with "
            "the settings and seeds below.",
            "Try a stronger setting, or another sanitizer, and audit again.",
        ),
        _ONE_GAME,
    ),
    "some-leakage": VerdictWords(
        "Some leakage",
        "!",
        "This sanitizer gives a little away. Somebody has to decide.",
        "Attackers do somewhat better than luck, and no bound is above a claim. The figures below "
        "say by how much.",
        (
            "Compare the risk with what the releases are for; the settings below show what more "
            "protection costs.",
            "Audit the release itself before you publish it: one release can be worse than the "
            "average.",
            "Write the decision down and keep this report with it.",
        ),
        _ONE_GAME,
    ),
    "nothing-found": VerdictWords(
        "Nothing found",
        "–",
        "The attacks found no leak in this sanitizer.",
        "Over all runs, no bound that counts is above 0, and no attack is shown to find anybody. "
        "That is not a proof of safety: the bounds have a ceiling, which is shown.",
        (
            "What may be published are releases of this sanitizer with these settings. Search each "
            "of them for copies first: quintain audit release.",
            "Keep this report with the settings and versions below.",
            "Audit again whenever the program, the data or the settings change.",
        ),
        _ONE_GAME,
    ),
    "cannot-say": VerdictWords(
        "Cannot say",
        "?",
        "This audit cannot decide whether the sanitizer is safe.",
        "The reasons are below. Do not read it as a good sign: a leak may be there that so few "
        "runs could not have shown.",
        (
            "Do not take this audit as a reason to publish.",
            "Run the audit again with more runs or more people.",
            "If that is impossible, rely on a sanitizer with a proven guarantee.",
        ),
        _ONE_GAME,
    ),
}


# --- copies ---


def copies_words(bare: LaidBare) -> str:
    """Of how many people the release has a verbatim copy, in a sentence.

    >>> print(copies_words(LaidBare(people=90, control=90, copied=23, copied_control=10,
    ...                             isolated_copied=10, isolated_copied_control=0, signs=())))
    Verbatim copies: 23 people of the original, 10 of the control; of people nobody else is near \
(the more isolated half of everybody): 10 and 0. As many of both is luck.
    """
    return (
        f"Verbatim copies: {count(bare.copied, 'person', 'people')} of the original, "
        f"{bare.copied_control:,} of the control; of people nobody else is near (the more "
        f"isolated half of everybody): {bare.isolated_copied:,} and "
        f"{bare.isolated_copied_control:,}. As many of both is luck."
    )


# --- the classes of a release ---


def classes_words(classes: ReleaseClasses, *, control: bool = True) -> tuple[str, ...]:
    """How many rows and people share their values, in sentences; ``control`` if there is one.

    >>> from quintain.measures import Reading
    >>> alone = Reading.exact(0.25, 4, "lower")
    >>> facts = {"columns": ("age",), "rows": 4, "smallest": 1, "median": 3, "people": 4}
    >>> facts |= {"unique_rows": alone, "unique_people": alone, "population": None}
    >>> facts |= {"population_uniques": Reading.missing("lower", "nobody is alone")}
    >>> for words in classes_words(ReleaseClasses(**facts)):
    ...     print(words)
    The smallest class of equal rows has 1 row; half of the rows are in classes of at most 3.
    25 % of the rows are unique (in 1 column).
    Of the 4 people in original and control, 25 % are alone with their values.
    How many are alone in the population cannot be estimated: nobody is alone.
    >>> classes_words(ReleaseClasses(**facts), control=False)[2]
    'Of the 4 people in the original, 25 % are alone with their values.'
    """
    uniques = classes.population_uniques
    where = "original and control" if control else "the original"
    if uniques.measured:
        population = (
            f"In a population of {classes.population:,}, about {_share(uniques.value)} are alone "
            f"({_share(uniques.low)} to {_share(uniques.high)}), if Pitman's model holds."
        )
    else:
        population = f"How many are alone in the population cannot be estimated: {uniques.note}."
    return (
        f"The smallest class of equal rows has {count(classes.smallest, 'row')}; half of the rows "
        f"are in classes of at most {classes.median:,.0f}.",
        f"{_share(classes.unique_rows.value)} of the rows are unique "
        f"(in {count(len(classes.columns), 'column')}).",
        f"Of the {classes.people:,} people in {where}, "
        f"{_share(classes.unique_people.value)} are alone with their values.",
        population,
    )


def _share(share: float) -> str:
    """A share in percent with two digits."""
    value = 100 * share
    return f"{value:.0f} %" if value >= 10 or not value else f"{value:.2g} %"
