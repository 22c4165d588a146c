"""Judging a sanitizer: from bounds and effects to a verdict, with reasons in plain sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quintain.audits.results import EpsilonBound, Setting, Verdict
from quintain.audits.verdict import Thresholds
from quintain.measures import Reading

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
    """

    setting: Setting
    exposed: Reading
    smallest_detectable: float


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
    setting, exposed = effects.setting, effects.exposed
    deciding = [bound for bound in setting.bounds if bound.decides and bound.bound.measured]
    strongest = max(deciding, key=lambda bound: bound.bound.value)
    broken = [b for b in deciding if setting.claim and b.bound.value > setting.claim.epsilon]
    reasons = [_about_claim(setting, broken, strongest, runs), _about_people(effects)]
    if broken:
        return "unsafe", tuple(reasons)
    if exposed.measured and exposed.low >= Thresholds().share:
        return "unsafe", tuple(reversed(reasons))
    if strongest.bound.value > 0 or (exposed.measured and exposed.low > 0):
        return "some-leakage", tuple(reversed(reasons))
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
    person, people = (
        max(b.ceiling for b in setting.bounds if b.decides and b.target == target)
        for target in ("worst-case", "average")
    )
    ceiling = (
        f"with {runs} runs, no attack could have shown more than {person:.2f} about those who "
        f"stand out, or {people:.2f} about average people"
    )
    shown = f"at least {strongest.bound.value:.2f} ({_level(strongest)})"
    if setting.claim is None:
        return f"The sanitizer claims no epsilon. The runs prove an epsilon of {shown}; {ceiling}."
    claimed = setting.claim.epsilon
    if broken:
        worst = max(broken, key=lambda bound: bound.bound.value)
        who = "people who stand out" if worst.target == "worst-case" else "average people"
        return (
            f"The claim is wrong: the sanitizer claims epsilon {claimed:g}, and the runs prove an "
            f"epsilon of at least {worst.bound.value:.2f} for {who} ({_level(worst)})."
        )
    return (
        f"Nothing contradicts the claimed epsilon {claimed:g}: the runs prove an epsilon of "
        f"{shown}; {ceiling}."
    )


def _level(bound: EpsilonBound) -> str:
    return f"{100 * bound.bound.level:.4g} % level"


def _about_people(effects: GameEffects) -> str:
    exposed = effects.exposed
    privacy = effects.setting.privacy
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
