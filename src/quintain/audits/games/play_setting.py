"""One setting: all runs of a sanitizer with fixed parameters, and everything that they show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from quintain.audits.games.attacked import ATTACKS, AttackedRun, attack_runs, knows
from quintain.audits.games.bounds import deciding_bounds, other_bounds
from quintain.audits.games.choices import AveragePeople, WorstCase, choose_average, choose_worst
from quintain.audits.games.judging import GameEffects
from quintain.audits.games.pair_bound import PairResult
from quintain.audits.games.record import Game, play_runs
from quintain.audits.pool import Evidence
from quintain.audits.results import EpsilonBound, Finding, NotComputed, RocCurve, Setting
from quintain.audits.roc import roc_curve
from quintain.data.arrays import Floats, Mask
from quintain.jobs.executor import Executor
from quintain.measures import Reading
from quintain.measures.pooled.detectable import smallest_auc
from quintain.measures.pooled.exposed import exposed_share
from quintain.measures.privacy.roc_curve import Auc, auc
from quintain.measures.reading import average as mean_reading
from quintain.releases import Claim

ATTACKED = 3
"""In so many runs the attacks of the contests are asked, too."""


KNOWS_ALL = (
    "The attacker wants to know whether one person was in the private data.",
    "The attacker knows the records of everybody else.",
    "The attacker may run the sanitizer on data with and without this person.",
)
"""What the attacker of a game knows: as much as a claim of differential privacy allows."""


@dataclass(frozen=True, slots=True)
class Played:
    """What the runs of one setting show."""

    effects: GameEffects
    findings: tuple[Finding, ...]
    curves: tuple[RocCurve, ...]
    not_computed: tuple[NotComputed, ...]


@dataclass(frozen=True, slots=True)
class GamePlan:
    """How a setting is played.

    Parameters
    ----------
    root : the folder for what was seen.
    key : a fingerprint of everything the runs depend on.
    runs : how many runs.
    level : the level of each number that decides.
    label : what the progress bar says.
    attacks : whether the attacks of the contests are asked, too.
    """

    root: Path
    key: str
    runs: int
    level: float
    executor: Executor
    label: str
    attacks: bool


def play_setting(
    game: Game,
    plan: GamePlan,
    parameters: dict[str, Any],
    claim: Claim | None,
    in_pairs: PairResult,
) -> Played:
    """Play all runs, choose attacks on one half of them and read the other half."""
    executor, label = plan.executor, plan.label
    record = play_runs(game, plan.root, plan.key, plan.runs, executor=executor, label=label)
    worst = choose_worst(record, game.players.worst)
    average = choose_average(record, game.players.worst)
    odd = [run for run in range(plan.runs) if run % 2][: ATTACKED if plan.attacks else 0]
    attacked = attack_runs(
        game, plan.root, plan.key, odd, executor=executor, label=f"attacks, {label}"
    )
    return _result(game, plan, parameters, claim, worst, average, attacked, in_pairs)


def _result(
    game: Game,
    plan: GamePlan,
    parameters: dict[str, Any],
    claim: Claim | None,
    worst: WorstCase,
    average: AveragePeople,
    attacked: list[AttackedRun],
    in_pairs: PairResult,
) -> Played:
    names = game.players.names
    in_game = game_findings(average, worst, names)
    by_contests, left_out = contest_findings(attacked)
    findings = [*in_game, *by_contests]
    about_average = [finding for finding in findings if finding is not in_game[-1]]
    strongest = max(about_average, key=lambda finding: finding.reading.value)
    setting = Setting(
        parameters=parameters,
        privacy=strongest.reading,
        utility=next((run.utility for run in attacked if run.utility), ()),
        bounds=(in_pairs.bound, *_bounds(game, plan, claim, worst, average)),
        claim=claim,
        refutes=in_pairs.refutes,
    )
    scores = [values.ravel() for values in average.raw.values()]
    rng = game.seeds.rng("exposed")
    exposed = exposed_share(scores, average.coins.ravel(), rng=rng, level=plan.level)
    least = in_game[0].smallest_detectable or 1.0
    return Played(
        GameEffects(setting, exposed, least),
        tuple(findings),
        tuple(game_curves(average, worst, names)),
        tuple(left_out),
    )


def without_coins(
    in_pairs: PairResult, parameters: dict[str, Any], claim: Claim | None, reason: str
) -> Played:
    """A setting in which only neighbours are compared; the reason says why."""
    missing = Reading.missing("lower", reason)
    setting = Setting(
        parameters=parameters,
        privacy=missing,
        bounds=(in_pairs.bound,),
        claim=claim,
        refutes=in_pairs.refutes,
    )
    left_out = NotComputed(what="the game of coins, about average people", reason=reason)
    return Played(GameEffects(setting, missing, 1.0), (), (), (left_out,))


def _bounds(
    game: Game, plan: GamePlan, claim: Claim | None, worst: WorstCase, average: AveragePeople
) -> list[EpsilonBound]:
    delta = 0.0 if claim is None else claim.delta
    rng: np.random.Generator = game.seeds.rng("bounds")
    deciding = deciding_bounds(worst, average, delta=delta, level=plan.level, rng=rng)
    return [*deciding, *other_bounds(worst, delta=delta, rng=rng)]


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
    readings = [auc(members, of_run) for of_run, members in zip(scores, coins, strict=True)]
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
