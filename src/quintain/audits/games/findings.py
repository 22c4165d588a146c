"""Findings of a game: how well attacks tell who is in, read by the measures of the contests."""

from __future__ import annotations

from collections.abc import Sequence

from quintain.audits.games.attacked import ATTACKS, AttackedRun, knows
from quintain.audits.games.choices import AveragePeople, WorstCase
from quintain.audits.pool import Evidence
from quintain.audits.results import Finding, NotComputed, RocCurve
from quintain.audits.roc import roc_curve
from quintain.data.arrays import Floats, Mask
from quintain.measures import Reading
from quintain.measures.pooled.detectable import smallest_auc
from quintain.measures.privacy.roc_curve import Auc, auc
from quintain.measures.reading import average as mean_reading

KNOWS_ALL = (
    "The attacker wants to know whether one person was in the private data.",
    "The attacker knows the records of everybody else.",
    "The attacker may run the sanitizer on data with and without this person.",
)
"""What the attacker of a game knows: as much as a claim of differential privacy allows."""


def game_findings(average: AveragePeople, worst: WorstCase, names: Sequence[str]) -> list[Finding]:
    """What the game itself shows about average people, and about the person who stands out most."""
    out = [
        _finding(name, _mean_auc(scores, average.coins), average.coins.size, "average people")
        for name, scores in average.raw.items()
    ]
    scored, coins = worst.chosen[0], worst.coins[0]
    reading = auc(coins, worst.scores)
    out.append(_finding(scored.attack, reading, len(coins), names[scored.target]))
    return out


def contest_findings(runs: Sequence[AttackedRun]) -> tuple[list[Finding], list[NotComputed]]:
    """What the attacks of the contests find, averaged over releases."""
    findings, left_out = [], []
    for attacker in ATTACKS:
        name = attacker.name()
        readings, refusals = [], []
        for run in runs:
            scores = run.scores[name]
            if isinstance(scores, str):
                refusals.append(scores)
            else:
                readings.append(auc(run.members, scores))
        if not readings:
            left_out += [NotComputed(what=name, reason=refusals[0])] if refusals else []
            continue
        reading = mean_reading(readings, within=(0.0, 1.0))
        people = sum(len(run.members) for run in runs)
        finding = _finding(name, reading, people, "average people")
        facts = {"parameters": attacker.parameters(), "threat": knows(attacker)}
        findings.append(finding.model_copy(update=facts))
    return findings, left_out


def _mean_auc(scores: Floats, coins: Mask) -> Reading:
    readings = [auc(members, one) for one, members in zip(scores, coins, strict=True)]
    return mean_reading(readings, within=(0.0, 1.0))


def _finding(attack: str, reading: Reading, people: int, who: str) -> Finding:
    says = f"About {who}. {Auc().in_people(reading.value)}" if reading.measured else f"{reading}."
    half = max(1, people // 2)
    return Finding(
        risk="membership",
        attack=attack,
        name="auc",
        says=says,
        reading=reading,
        chance=0.5,
        smallest_detectable=smallest_auc(half, half),
        threat=KNOWS_ALL,
    )


def game_curves(average: AveragePeople, worst: WorstCase, names: Sequence[str]) -> list[RocCurve]:
    """The curves of the chosen attacks, for drawings."""
    scored = worst.chosen[0]
    people = Evidence(f"{average.attack}, average people", average.scores.ravel())
    person = Evidence(f"{scored.attack}, {names[scored.target]}", worst.scores)
    return [roc_curve(people, average.coins.ravel()), roc_curve(person, worst.coins[0])]
