"""Attacked runs: a few releases of a game, under the attacks and measures of the contests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from quintain.attacks import Attack, Fact, ThreatModel
from quintain.attacks.membership.mama_mia import MamaMia
from quintain.attacks.membership.shadow_trained import ShadowTrained
from quintain.attacks.membership.tree_ratio import TreeRatio
from quintain.audits.asking import threat_sentences
from quintain.audits.games.record import STAMPS, Game
from quintain.audits.release_utility import measure_utility
from quintain.audits.results import UtilityFinding
from quintain.data import as_table
from quintain.data.arrays import Floats, Mask
from quintain.guesses.membership import Membership, members_and_scores
from quintain.jobs.executor import Executor
from quintain.jobs.job import Job, run_live
from quintain.measures import reading_rng
from quintain.plays import Refusal, Situation, play
from quintain.releases import Release
from quintain.samples import Sample
from quintain.sanitizers.sanitizer import Shadow

GOAL = Membership()
ATTACKS: tuple[Attack, ...] = (TreeRatio(), MamaMia(), ShadowTrained())
"""The last two know the sanitizer, and run it on data of their own.

Each of the others that do so would run it anew, several times for each release. They would move no
bound on epsilon, which rests on other players.
"""


@dataclass(frozen=True, slots=True)
class AttackedRun:
    """What the attacks of the contests say of one release, and how useful the release is.

    Parameters
    ----------
    members : which of the average people are in the data.
    scores : for each attack, the probability it gives to each of them; or why it refused.
    utility : the readings of the utility panel; empty in most runs.
    """

    members: Mask
    scores: Mapping[str, Floats | str]
    utility: tuple[UtilityFinding, ...]


def attack_runs(
    game: Game, root: Path, key: str, runs: Sequence[int], *, executor: Executor, label: str
) -> list[AttackedRun]:
    """Attack the releases of these runs, as far as the folder does not have the answers."""
    work = "quintain.audits.games.attacked:attack_run"
    first = min(runs, default=0)  # utility differs little between runs, and takes seconds
    jobs = [Job(f"attacks on run {run}", work, (run, run == first), key) for run in runs]
    run_live(root, jobs, partial(_attack, game), stamps=STAMPS, executor=executor, label=label)
    return [_read((root / _file(job)).read_bytes()) for job in jobs]


def _attack(game: Game, job: Job) -> dict[str, bytes]:
    run = job.args[0]
    assert isinstance(run, int)
    return {_file(job): attack_run(game, run, utility=bool(job.args[1]))}


def attack_run(game: Game, run: int, *, utility: bool) -> bytes:
    """The answers of all attacks, and the utility of the release if it is wanted, as JSON."""
    release, _ = game.release(run)
    sample = _sample(game, run)
    scores = {attack.name(): _scores(attack, game, sample, release, run) for attack in ATTACKS}
    return json.dumps(
        {
            "members": sample.members.tolist(),
            "scores": scores,
            "utility": [f.model_dump() for f in (_utility(game, release) if utility else ())],
        }
    ).encode()


def _sample(game: Game, run: int) -> Sample:
    """A run as an experiment of a contest: the average people are the targets."""
    players, coins = game.players, game.coins(run)
    population = players.records.take(np.arange(players.size))
    private = players.records.take(players.private_rows(coins))
    rows, members = players.inside[players.worst :], coins[players.worst :]
    return Sample(population, private, rows, np.arange(len(rows)), members)


def _scores(
    attacker: Attack, game: Game, sample: Sample, release: Release, run: int
) -> list[float] | str:
    question, truth = GOAL.ask(sample, release)
    threat = _threat(attacker)
    knowledge = threat.knowledge(
        question,
        base=sample.population,
        parameters=game.sanitizer.parameters(),
        code=Shadow(game.sanitizer),
    )
    rng = game.seeds.rng("attack", attacker.name(), run)
    guess = play(attacker, Situation(GOAL, threat.show(release), knowledge), rng=rng)
    if isinstance(guess, Refusal):
        return guess.reason
    return [float(score) for score in members_and_scores(truth, guess)[1]]


def _threat(attacker: Attack) -> ThreatModel:
    """Attackers who know the sanitizer get it with its parameters; all know the population."""
    facts: set[Fact] = {"base", "parameters", "code"} if "code" in attacker.needs else {"base"}
    return ThreatModel.giving(GOAL, facts)


def _utility(game: Game, release: Release) -> tuple[UtilityFinding, ...]:
    players, released = game.players, as_table(release.data)
    data = players.records.take(np.arange(players.size))
    if data.schema != released.schema:
        return ()
    return measure_utility(data, released, None, rng=reading_rng()).findings


def _file(job: Job) -> str:
    return f"attacked/{job.args[0]:06d}.json"


def _read(content: bytes) -> AttackedRun:
    facts: dict[str, Any] = json.loads(content)
    scores = {
        name: given if isinstance(given, str) else np.array(given)
        for name, given in facts["scores"].items()
    }
    utility = tuple(UtilityFinding.model_validate(table) for table in facts["utility"])
    return AttackedRun(np.array(facts["members"], bool), scores, utility)


def knows(attacker: Attack) -> tuple[str, ...]:
    """What an attack of the contests knows, in sentences."""
    return threat_sentences(_threat(attacker))
