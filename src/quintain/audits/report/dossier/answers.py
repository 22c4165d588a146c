"""Answers: the readings of an audit under the names by which a dossier cites them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast, get_args

from quintain.audits.report.dossier.guidance import ReadingName
from quintain.audits.report.risk_view import could_be_luck, strongest
from quintain.audits.report.words import in_people, is_excess, release_words, shown_risks
from quintain.audits.results import DisclosureFinding, ReleaseAudit
from quintain.audits.risk import Criterion, RiskWords
from quintain.figures.format import count, interval, listed, number, probability
from quintain.measures import Reading

NOT_MEASURED = "not measured by this audit"


@dataclass(frozen=True, slots=True)
class ReadingWords:
    """What an audit reads under one name.

    Parameters
    ----------
    text : the figure with its interval, or what was found, in a sentence.
    says : what that is.
    reading : the figure with its interval, direction and sample size, if it is one.
    short : the same in a few words, for an entry that cites it; empty if the text is short.
    """

    text: str
    says: str
    reading: Reading | None = None
    short: str = ""


def risks_in(audit: ReleaseAudit) -> dict[str, RiskWords]:
    """The words of the risks that an audit names, by the name in findings."""
    return shown_risks(audit.readings, audit.not_computed)


def names_of(cited: Sequence[ReadingName | Criterion], audit: ReleaseAudit) -> tuple[str, ...]:
    """The names of readings, each criterion replaced by the risks of the audit that speak to it."""
    risks = risks_in(audit)
    names: list[str] = []
    for name in cited:
        if name in get_args(Criterion):
            names += [harm for harm, words in risks.items() if name in words.criteria]
        else:
            names.append(name)
    return tuple(dict.fromkeys(names))


def answer(name: str, audit: ReleaseAudit) -> ReadingWords:
    """Look a reading up in an audit; it is always there, if only to say that it is not measured."""
    risk = risks_in(audit).get(name)
    words = ANSWERS[cast(ReadingName, name)](audit) if risk is None else _risk(name, risk, audit)
    beside_control = risk is not None or name in BESIDE_CONTROL
    if not audit.doubt or not beside_control or NOT_MEASURED in words.text:
        return words
    doubt = f"; doubtful: {audit.doubt}"
    return replace(words, text=words.text + doubt, short=(words.short or words.text) + doubt)


BESIDE_CONTROL: tuple[ReadingName, ...] = (
    "p",
    "exposed share",
    "nameable records",
)
"""Readings that, as risks, mean nothing beside people who are no control."""


def _absent(says: str, why: str = "") -> ReadingWords:
    return ReadingWords(f"{NOT_MEASURED}{f' ({why})' if why else ''}", says)


def _figure(reading: Reading, says: str) -> ReadingWords:
    """A reading with its interval; without a value, the reason."""
    if not reading.measured:
        return ReadingWords(_absent(says, reading.note).text, says, reading)
    value = number(reading.value)
    text = f"{value} ({interval(reading)})" if interval(reading) else value
    return ReadingWords(text, says, reading, value)


# --- what the owners say, and the verdict ---


def given_words(text: str) -> str:
    """What the owners said, or that they said nothing."""
    return text or "none was given"


def _recipient(audit: ReleaseAudit) -> ReadingWords:
    says = "For whom the release is and what they can do, as its owners say."
    given = audit.recipient
    if given is None or not given.who:
        return ReadingWords("none was given, so nothing is argued for one", says)
    return ReadingWords(f"{given.who}; means: {given_words(given.means)}", says, short=given.who)


def _verdict(audit: ReleaseAudit) -> ReadingWords:
    words = release_words(audit)
    return ReadingWords(words.label.lower(), f"The verdict of the audit. {words.headline}")


def _p(audit: ReleaseAudit) -> ReadingWords:
    says = "How probable such evidence is if the release does not depend on its people."
    if audit.p is None:
        return _absent(says, audit.no_p)
    return ReadingWords(probability(audit.p), f"{says} Higher is better.")


# --- effects on people ---


def _exposed_share(audit: ReleaseAudit) -> ReadingWords:
    says = "The share of people whom attacks find at a false positive rate of at most 1 %."
    return _figure(audit.exposed_share, says)


def _nameable(audit: ReleaseAudit) -> ReadingWords:
    says = "How many people an attacker can name, with one in ten wrong."
    return _figure(audit.nameable_records, says)


def _detectable(audit: ReleaseAudit) -> ReadingWords:
    says = (
        "The smallest share of people that a leak must touch to be seen very probably, if an "
        f"attack can see it at all{audit.covered}."
    )
    return _figure(audit.smallest_detectable, says)


def _risk(risk: str, words: RiskWords, audit: ReleaseAudit) -> ReadingWords:
    """The strongest attack of a risk, in a sentence, and whether luck explains it."""
    says = words.says or words.question
    findings = [finding for finding in audit.readings if finding.risk == risk]
    worst = strongest(findings, audit.may_be_luck)
    if worst is None:
        return _absent(says, "no attack gave a figure")
    tried = sum(f.reading.measured and not is_excess(f.name) for f in findings)
    luck = could_be_luck(worst, audit.may_be_luck, tried)
    status = "no more than luck explains" if luck else "more than luck explains"
    text, what = f"{status}: {in_people(worst)}", f"{says} ({worst.attack})"
    short = f"{number(worst.reading.value)}, {status}"
    return ReadingWords(text, what, worst.reading, short)


# --- what statistical offices count ---


def _smallest(audit: ReleaseAudit) -> ReadingWords:
    says = "The fewest released rows that share the values that attackers know: k."
    if audit.classes is None:
        return _absent(says)
    reading = Reading.exact(audit.classes.smallest, audit.classes.rows, "higher")
    return ReadingWords(f"{audit.classes.smallest:,}", says, reading)


def _class_risk(audit: ReleaseAudit) -> ReadingWords:
    says = "One divided by the smallest class."
    if audit.classes is None:
        return _absent(says)
    risk = 1 / audit.classes.smallest
    side = "above" if risk > THRESHOLD else "not above"
    reading = Reading.exact(risk, audit.classes.rows, "lower")
    return ReadingWords(f"{number(risk)}, {side} {THRESHOLD}", says, reading)


THRESHOLD = 0.09
"""The risk of a record that the European Medicines Agency and Health Canada compare with."""


def _of_classes(field: str, says: str) -> Callable[[ReleaseAudit], ReadingWords]:
    def look_up(audit: ReleaseAudit) -> ReadingWords:
        if audit.classes is None:
            return _absent(says)
        return _figure(getattr(audit.classes, field), says)

    return look_up


def _disclosure(name: str, says: str) -> Callable[[ReleaseAudit], ReadingWords]:
    """The worst reading of a disclosure measure, with what a fresh sample reads."""

    def look_up(audit: ReleaseAudit) -> ReadingWords:
        findings = [finding for finding in audit.disclosure if finding.name == name]
        if not findings:
            return _absent(says)
        worst = max(findings, key=_badness)
        about = f" about {listed(list(worst.columns), 3)}" if worst.columns else ""
        many = f"; worst of {count(len(findings), 'column')}" if len(findings) > 1 else ""
        fresh = worst.fresh
        beside = (
            ""
            if fresh is None or not fresh.measured
            else f"; a fresh sample: {number(fresh.value)}"
        )
        figure = _figure(worst.reading, says)
        if not worst.reading.measured:
            return figure
        return replace(figure, text=f"{figure.text}{about}{many}{beside}")

    return look_up


def _badness(finding: DisclosureFinding) -> float:
    """How bad a reading is beyond what luck alone discloses; unknown ones come last."""
    reading, fresh = finding.reading, finding.fresh
    if not reading.measured:
        return float("-inf")
    sign = 1.0 if reading.better == "lower" else -1.0
    return sign * (reading.value - (fresh.value if fresh is not None and fresh.measured else 0.0))


# --- checks ---


def _texts(audit: ReleaseAudit) -> ReadingWords:
    says = "Whose words the released texts repeat that nobody else writes."
    if not audit.repeated_texts:
        return _absent(says, "no free text is compared")
    alarm = any(search.alarm for search in audit.repeated_texts)
    short = "people's words are repeated" if alarm else "no alarm"
    return ReadingWords(" ".join(search.says for search in audit.repeated_texts), says, short=short)


def _order(audit: ReleaseAudit) -> ReadingWords:
    says = "Whether the order of the released rows tells who is who."
    if audit.order is None:
        return _absent(says)
    return ReadingWords("it does" if audit.order.alarm else "no sign of it", says)


def _control(audit: ReleaseAudit) -> ReadingWords:
    says = "Whether the release was made with the control, which then hides leaks."
    if not audit.control_signs:
        return _absent(says)
    alarms = [sign.name for sign in audit.control_signs if sign.alarm]
    return ReadingWords(f"signs of it: {listed(alarms)}" if alarms else "no sign of it", says)


def _utility(audit: ReleaseAudit) -> ReadingWords:
    says = "What use is left; the report has every reading beside a fresh sample."
    if not audit.utility:
        return _absent(says)
    first = next((finding for finding in audit.utility if finding.reading.measured), None)
    if first is None:
        return _absent(says)
    readings = count(len(audit.utility), "reading")
    text = f"{readings}, the first: {number(first.reading.value)}. {first.says}"
    return ReadingWords(text, says, short=f"{readings} in the report")


def _repeat(audit: ReleaseAudit) -> ReadingWords:
    says = "Files with hashes, seed, versions and command, with which anybody repeats the audit."
    return ReadingWords(f"{count(len(audit.inputs), 'file')} by hash, seed {audit.seed}", says)


ANSWERS: dict[ReadingName, Callable[[ReleaseAudit], ReadingWords]] = {
    "recipient": _recipient,
    "verdict": _verdict,
    "p": _p,
    "exposed share": _exposed_share,
    "nameable records": _nameable,
    "smallest detectable": _detectable,
    "smallest class": _smallest,
    "risk of the smallest class": _class_risk,
    "fewest secrets": _disclosure(
        "fewest_secrets", "The fewest different secrets among rows that share known values: l."
    ),
    "unique rows": _of_classes(
        "unique_rows", "The share of released rows that no other released row equals."
    ),
    "unique people": _of_classes(
        "unique_people", "The share of people in the sample who are alone with their values."
    ),
    "population uniques": _of_classes(
        "population_uniques", "The share of people alone in the population, by Pitman's model."
    ),
    "special uniques": _disclosure(
        "special_uniques", "The share of released rows that few of their values single out."
    ),
    "highest SUDA score": _disclosure("suda_highest", "The highest SUDA score of a released row."),
    "DIS": _disclosure("dis", "The probability that a match with a row that is alone is right."),
    "highest DIS-SUDA": _disclosure("dis_suda_highest", "The highest such probability of a row."),
    "replicated uniques": _disclosure(
        "replicated_uniques", "The share of people alone in the original and in the release: repU."
    ),
    "DiSCO": _disclosure(
        "disco", "The share of people whose secret the release tells with certainty, and rightly."
    ),
    "repeated texts": _texts,
    "order of rows": _order,
    "made with the control": _control,
    "utility": _utility,
    "to repeat it": _repeat,
}
"""Where each reading is in an audit that is not the figure of a risk."""


def known_words(audit: ReleaseAudit) -> Iterator[str]:
    """What the attackers of an audit were taken to know, in sentences."""
    if audit.classes is not None:
        columns = listed(list(audit.classes.columns), 12)
        yield f"Columns in which people are compared and looked up: {columns}."
    if audit.p is None and audit.has_control:
        yield "No attack ran; the audit looked for repeated texts and for identities alone."
    elif audit.p is None:
        yield "Without a control, no attack was run; copies were searched for in whole records."
    else:
        yield (
            "Attacks on membership see whole records; those on single secrets know other columns. "
            "The report states it attack by attack."
        )
