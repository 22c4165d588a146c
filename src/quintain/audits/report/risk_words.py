"""Risks in words: what can happen to a person, and what a reading says about 100 of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from quintain import registry
from quintain.audits.report.frequencies import as_count, total_for
from quintain.audits.results import Finding
from quintain.audits.risk import Risk, RiskWords
from quintain.figures.format import listed

ORDER = ("membership", "singling-out", "linkability", "inference", "re-identification")
"""The risks in the order in which readers know them; others follow."""


def known_risks() -> dict[str, RiskWords]:
    """The words of every registered risk, by the name in findings."""
    words = {part.harm: part.words for part in cast(Iterator[type[Risk]], registry.parts("risk"))}
    order = [*ORDER, *sorted(set(words) - set(ORDER))]
    return {harm: words[harm] for harm in order if harm in words}


def risks_of(findings: Sequence[Finding]) -> dict[str, RiskWords]:
    """The words of all risks, those as well that only these findings name."""
    named = dict.fromkeys(finding.risk for finding in findings)
    return {harm: words_of(harm) for harm in [*known_risks(), *named]}


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
        reference = "than luck would" if finding.risk == "singling-out" else "than outside the data"
        if "copies" in name:
            return _copied(value, total)
        text = words_of(finding.risk).more.format(
            total=f"{total:,}",
            found=as_count(value, total) if value > 0 else "no",
            more="more",
            about=_about(finding),
        )
        return f"{text} {reference}."
    return _beside_control(finding)


def _copied(value: float, total: int) -> str:
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
