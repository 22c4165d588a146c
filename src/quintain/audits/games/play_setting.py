"""One setting: all runs of a sanitizer with fixed parameters, and everything that they show."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from quintain.audits.games.attacked import AttackedRun, attack_runs
from quintain.audits.games.bounds import deciding_bounds, other_bounds
from quintain.audits.games.choices import AveragePeople, WorstCase, choose_average, choose_worst
from quintain.audits.games.findings import (
    contest_findings,
    game_curves,
    game_findings,
)
from quintain.audits.games.game import Game
from quintain.audits.games.judging import GameEffects
from quintain.audits.games.record import play_runs
from quintain.audits.results import EpsilonBound, Finding, NotComputed, RocCurve, Setting
from quintain.jobs.executor import Executor
from quintain.measures.pooled.exposed import exposed_share
from quintain.releases import Claim

ATTACKED = 3
"""In so many runs the attacks of the contests are asked, too."""


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
    game: Game, plan: GamePlan, parameters: dict[str, Any], claim: Claim | None
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
    return _result(game, plan, parameters, claim, worst, average, attacked)


def _result(
    game: Game,
    plan: GamePlan,
    parameters: dict[str, Any],
    claim: Claim | None,
    worst: WorstCase,
    average: AveragePeople,
    attacked: list[AttackedRun],
) -> Played:
    names = game.players.names
    in_game = game_findings(average, worst, names)
    by_contests, left_out = contest_findings(attacked)
    findings = [*in_game, *by_contests]
    about_average = [one for one in findings if one is not in_game[-1]]
    strongest = max(about_average, key=lambda one: one.reading.value)
    setting = Setting(
        parameters=parameters,
        privacy=strongest.reading,
        utility=next((run.utility for run in attacked if run.utility), ()),
        bounds=tuple(_bounds(game, plan, claim, worst, average)),
        claim=claim,
    )
    scores = [one.ravel() for one in average.raw.values()]
    rng = game.seeds.rng("exposed")
    exposed = exposed_share(scores, average.coins.ravel(), rng=rng, level=plan.level)
    least = in_game[0].smallest_detectable or 1.0
    return Played(
        GameEffects(setting, exposed, least),
        tuple(findings),
        tuple(game_curves(average, worst, names)),
        tuple(left_out),
    )


def _bounds(
    game: Game, plan: GamePlan, claim: Claim | None, worst: WorstCase, average: AveragePeople
) -> list[EpsilonBound]:
    delta = 0.0 if claim is None else claim.delta
    rng: np.random.Generator = game.seeds.rng("bounds")
    deciding = deciding_bounds(worst, average, delta=delta, level=plan.level, rng=rng)
    return [*deciding, *other_bounds(worst, delta=delta, rng=rng)]
