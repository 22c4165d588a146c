"""How much luck do questions per attacker add to the readings of equal attackers?

One attack answers about all targets of a release. Then 500 attackers, all equal to it, are each
asked about targets of their own, drawn as a contest draws them. Their AUCs differ by luck alone.

    python -m benchmarks.goals.own_questions
"""

from __future__ import annotations

import sys

import numpy as np

from quintain.attacks.nearest import Nearest
from quintain.contests import load
from quintain.guesses import Guess, Truth
from quintain.measures import Case
from quintain.measures.privacy.roc_curve import Auc
from quintain.plays import Situation, play_or_raise
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import SeedTree
from quintain.runs.luck import luck_between
from quintain.runs.tasks.questions import draw_targets
from quintain.sanitizers import sanitize
from quintain.sanitizers.masking.randomized_response import RandomizedResponse

ATTACKERS = 500


def luck_of_readings(targets: int, each: int, attackers: int, seed: int) -> np.ndarray:
    """The AUCs of equal attackers, each about its own targets."""
    seeds = SeedTree.from_int(seed)
    track = load("examples/own-people/questions.toml").track[0]
    design = track.sample.model_copy(update={"targets": targets})
    sample = design.draw(track.dataset.data(seeds.rng("base")), rng=seeds.rng("sample"))
    rr = RandomizedResponse(keep=0.8)
    made = sanitize(rr, sample.private, rng=seeds.rng("rr"), noise=Noise.for_test(seed)).release
    (aim,) = track.aims
    question, truth = aim.goal.ask(sample, made)
    situation = Situation(aim.goal, made, aim.threat.knowledge(question))
    guess = play_or_raise(Nearest(), situation, rng=seeds.rng("attack"))
    measure, names = Auc(), guess.table.columns["target"].astype(np.str_)
    readings = []
    for attacker in range(attackers):
        own = draw_targets(truth.table, each, rng=seeds.rng("own", attacker))
        mine = np.isin(names, own.columns["target"].astype(np.str_))
        case = Case(Truth(own), Guess(guess.table.take(np.flatnonzero(mine))))
        readings.append(measure.measure([case], rng=np.random.default_rng(0))["auc"].value)
    return np.array(readings)


def main(attackers: int = ATTACKERS) -> None:
    """Print a line for each number of targets."""
    print("targets each | mean AUC | standard deviation | difference of two, 19 of 20 | lint says")
    for each in (50, 100, 200):
        readings = luck_of_readings(600, each, attackers, seed=1)
        pairs = np.abs(readings[: len(readings) // 2] - readings[-(len(readings) // 2) :])
        print(
            f"{each:12} | {readings.mean():8.3f} | {readings.std(ddof=1):18.3f} | "
            f"{np.quantile(pairs, 0.95):27.3f} | {luck_between(each):.3f}"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ATTACKERS)
