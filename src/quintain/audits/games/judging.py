"""Judging a sanitizer: from bounds and effects to a verdict, with reasons in plain sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quintain.audits.results import EpsilonBound, Setting, Verdict
from quintain.audits.verdict import Thresholds
from quintain.measures import Reading

TOO_WEAK = 2.0
"""A design that refutes only an epsilon more than so many times the claim says nothing about it."""
SMALLEST_USEFUL = 0.6
"""An audit that would miss an AUC of this size cannot say that there is nothing to find."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict and its reasons, the most important first."""

    verdict: Verdict
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GameEffects:
    """What the runs of one setting show.

    Parameters
    ----------
    exposed : the share of average people whom attacks find at a false positive rate of at most 1 %.
    smallest_detectable : the smallest AUC that would very probably have been noticed.
    unseen : a sentence if no attack on average people looked at columns that only the release has.
    """

    setting: Setting
    exposed: Reading
    smallest_detectable: float
    unseen: str = ""


_ORDER: tuple[Verdict, ...] = ("unsafe", "some-leakage", "cannot-say", "nothing-found")


def judge_sanitizer(effects: Sequence[GameEffects], runs: int) -> Judged:
    """The worst verdict of all settings, with the reasons of every setting."""
    judged = [(setting, *_judge(setting, runs)) for setting in effects]
    judged.sort(key=lambda pair: _ORDER.index(pair[1]))
    reasons = []
    for setting, _, sentences in judged:
        prefix = _where(setting.setting.parameters) if len(effects) > 1 else ""
        reasons += [f"{prefix}{sentence}" for sentence in sentences]
    return Judged(judged[0][1], tuple(reasons))


def _where(parameters: dict[str, object]) -> str:
    return "With " + ", ".join(f"{name} {value}" for name, value in parameters.items()) + ": "


def _judge(effects: GameEffects, runs: int) -> tuple[Verdict, tuple[str, ...]]:
    """The verdict; what nobody compared with the data is not called small, nor nothing."""
    verdict, reasons = _judge_seen(effects, runs)
    if effects.unseen and verdict != "unsafe":
        return "cannot-say", (effects.unseen, *reasons)
    return verdict, reasons


def _judge_seen(effects: GameEffects, runs: int) -> tuple[Verdict, tuple[str, ...]]:
    setting, exposed = effects.setting, effects.exposed
    deciding = [bound for bound in setting.bounds if bound.decides and bound.bound.measured]
    strongest = max(deciding, key=lambda bound: bound.bound.value)
    broken = [b for b in deciding if setting.claim and b.bound.value > setting.claim.epsilon]
    reasons = [_about_claim(setting, broken, strongest, runs), _about_people(effects)]
    if broken:
        return "unsafe", tuple(reasons)
    if exposed.measured and exposed.low >= Thresholds().share:
        return "unsafe", tuple(reversed(reasons))
    if setting.claim is not None and is_too_weak(setting):
        return "cannot-say", tuple(reasons)
    if strongest.bound.value > 0 or (exposed.measured and exposed.low > 0):
        return "some-leakage", tuple(reversed(reasons))
    if not effects.setting.privacy.measured:
        return ("nothing-found" if setting.claim else "cannot-say"), tuple(reasons)
    if effects.smallest_detectable > SMALLEST_USEFUL:
        few = (
            "Too few people or runs: the smallest effect that this audit would very probably have "
            f"seen is an AUC of {effects.smallest_detectable:.2f}."
        )
        return "cannot-say", (few, *reasons)
    return "nothing-found", tuple(reasons)


def _about_claim(
    setting: Setting, broken: Sequence[EpsilonBound], strongest: EpsilonBound, runs: int
) -> str:
    ceiling = _ceiling(setting, runs)
    shown = f"at least {strongest.bound.value:.2f} ({_level(strongest)})"
    if setting.claim is None:
        return f"The sanitizer claims no epsilon. The runs prove an epsilon of {shown}; {ceiling}."
    claimed = setting.claim.epsilon
    if broken:
        worst = max(broken, key=lambda bound: bound.bound.value)
        who = {
            "neighbours": "two data sets that differ by one person",
            "worst-case": "people who stand out",
        }.get(worst.target, "average people")
        return (
            f"The claim is wrong: the sanitizer claims epsilon {claimed:g}, and the runs prove an "
            f"epsilon of at least {worst.bound.value:.2f} for {who} ({_level(worst)}). What shows "
            f"it: {worst.attack}. {_note(worst)}"
        )
    design = refuted_words(setting)
    if is_too_weak(setting):
        return (
            f"This audit cannot say whether the claimed epsilon {claimed:g} holds: {design}. The "
            f"runs prove an epsilon of {shown}; {ceiling}."
        )
    return (
        f"Nothing contradicts the claimed epsilon {claimed:g}, as far as these attacks see: the "
        f"runs prove an epsilon of {shown}; {design}; {ceiling}."
    )


def is_too_weak(setting: Setting) -> bool:
    """Whether the runs are too few to refute even twice the claim."""
    claim, least = setting.claim, setting.refutes
    return claim is not None and (least is None or least > TOO_WEAK * claim.epsilon)


def refuted_words(setting: Setting) -> str:
    """What the design refutes, in a clause.

    >>> from quintain.releases import Claim
    >>> missing = Reading.missing("lower", "not tried")
    >>> facts = {"parameters": {}, "privacy": missing, "claim": Claim(epsilon=1)}
    >>> refuted_words(Setting(**facts, refutes=1.25)).split(", ")[1]
    'the best possible attack refutes the claim in 80 of 100 audits if the true epsilon is 1.25...
    """
    if setting.refutes is None:
        return "with so few runs, not even the best possible attack refutes the claim often"
    return (
        "with so many runs, the best possible attack refutes the claim in 80 of 100 audits if the "
        f"true epsilon is {setting.refutes:.2f} or more, and needs a larger one if more than noise "
        "hides the fault"
    )


def _ceiling(setting: Setting, runs: int) -> str:
    """What the runs could have shown at most, about each kind of people who were looked at."""
    words = {
        "neighbours": "two neighbouring data sets",
        "worst-case": "those who stand out",
        "average": "average people",
    }
    most: dict[str, float] = {}
    for bound in setting.bounds:
        if bound.decides:
            most[bound.target] = max(bound.ceiling, most.get(bound.target, 0.0))
    parts = [f"{most[target]:.2f} about {who}" for target, who in words.items() if target in most]
    return f"with {runs:,} runs, no attack could have shown more than {' or '.join(parts)}"


def _note(bound: EpsilonBound) -> str:
    note = bound.bound.note
    return f"{note[:1].upper()}{note[1:]}." if note else ""


def _level(bound: EpsilonBound) -> str:
    return f"{100 * bound.bound.level:.4g} % level"


def _about_people(effects: GameEffects) -> str:
    exposed = effects.exposed
    privacy = effects.setting.privacy
    if not privacy.measured:
        return f"Nothing was measured about average people: {privacy.note}."
    about = (
        f"The strongest attack on average people has an AUC of {privacy.value:.3f} "
        f"[{privacy.low:.3f}, {privacy.high:.3f}]; chance is 0.5."
    )
    if exposed.measured and exposed.low > 0:
        about += (
            " At a false positive rate of at most 1 %, attackers find at least "
            f"{100 * exposed.low:.1f} % of average people."
        )
    return about
