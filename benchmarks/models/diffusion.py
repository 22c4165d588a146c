"""White box and black box on diffusion models: 24 models of Adult, and both sides know as much.

    QUINTAIN_DATA=folder python -m benchmarks.models.diffusion --out runs [--models 24]
        [--minutes 11] [--jobs 8] [--small]

Each model is a TabDDPM of 2,000 people, half of 400 challenge points among them. Attackers know the
population (10,000 people) and the program that trains; white-box attackers have the model as well.
"plain" is a transcription of the idea that won MIDST: a classifier over losses at steps and noise,
learned on the attacker's own models. Figures are means over models with 95 % intervals (Student's
t); the rate by which MIDST ranked is TPR .1.

A model is one JSON file, written when its attacks end: a second start goes on where the first one
stopped. It needs NumPy, SciPy, PyArrow, pydantic, threadpoolctl and PyTorch, and nothing else.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet

# isort: split
import numpy as np

from benchmarks.bench.machine import people, real_data
from benchmarks.bench.means import mean_and_reach
from benchmarks.bench.pool import kept_runs, play_all
from quintain.attacks import Attack, Knowledge
from quintain.attacks.membership.density_ratio import DensityRatio
from quintain.attacks.membership.diffusion_losses import DiffusionLoss, DiffusionShadows
from quintain.attacks.membership.neighbour_ratios import DcrDifference, GenLra, LocalDensityRatio
from quintain.attacks.membership.tree_ratio import ForestRatio, TreeRatio
from quintain.data import Table, as_table
from quintain.data.sources.adult import Adult
from quintain.guesses import Guess, Truth
from quintain.guesses.membership import Membership
from quintain.measures import Case, reading_rng
from quintain.measures.privacy.roc_curve import Auc, TprAtFpr
from quintain.plays import Situation, play_or_raise
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import SeedTree
from quintain.samples.targets import Targets
from quintain.sanitizers import sanitize
from quintain.sanitizers.sanitizer import Shadow
from quintain.sanitizers.synthetic.deep.tabddpm import TabDdpm

BLACK: dict[str, Attack] = {
    "density-ratio": DensityRatio(),
    "dcr-difference": DcrDifference(),
    "gen-lra": GenLra(),
    "local-density-ratio": LocalDensityRatio(),
    "tree-ratio": TreeRatio(),
    "forest-ratio": ForestRatio(),
}
SCORINGS = ("relative", "plain", "ratio")
MEASURES = {"TPR .1": TprAtFpr(fpr=0.1), "TPR .01": TprAtFpr(fpr=0.01), "AUC": Auc()}
MODEL = TabDdpm(steps=4000, batch=1024, noise_steps=100, publish_model=True)


@cache
def population(small: bool) -> Table:
    """The people from whom all samples are drawn."""
    everybody = as_table(Adult(real=real_data("adult.data")).data(np.random.default_rng(0)))
    order = np.random.default_rng(1).permutation(len(everybody))
    return everybody.take(order[: 600 if small else 10_000])


def play(number: int, shadows: int, *, small: bool) -> dict[str, Any]:
    """Train one model, and attack it from both sides."""
    base, seeds = population(small), SeedTree.from_int(number)
    targets, rows = (40, 100) if small else (400, 2000)
    design = Targets(targets=targets, members="half", background=rows - targets // 2)
    sample = design.draw(base, rng=seeds.rng("sample"))
    part = MODEL
    for name, value in {"steps": 20, "hidden": (16,), "device": "cpu"}.items() if small else ():
        part = part.with_parameter(name, value)
    began = time.perf_counter()
    noise = Noise.for_test(seeds.rng("noise"))
    release = sanitize(part, sample.private, rng=seeds.rng("train"), noise=noise).release
    line: dict[str, Any] = {"number": number, "training": time.perf_counter() - began}
    question, truth = Membership().ask(sample, release)
    knowledge = Knowledge(question, base, code=Shadow(part))
    situation = Situation(Membership(), release, knowledge)
    for name, attack in {**BLACK, "diffusion-loss": DiffusionLoss()}.items():
        line[name] = read(truth, play_or_raise(attack, situation, rng=seeds.rng(name)))
    began = time.perf_counter()
    attacker = DiffusionShadows(shadows=shadows)
    evidence = attacker.evidence(knowledge, release, rng=seeds.rng("shadows"))
    line["shadow seconds"] = time.perf_counter() - began
    for scoring in SCORINGS:
        score = DiffusionShadows(shadows=shadows, scoring=scoring).score(*evidence)
        guess = question.answer_by_rank(question.by_target(score))
        line[f"diffusion-shadows, {scoring}"] = read(truth, guess)
    return line


def read(truth: Truth, guess: Guess) -> dict[str, float]:
    """The figures of a guess."""
    read = {n: m.measure([Case(truth, guess)], rng=reading_rng()) for n, m in MEASURES.items()}
    return {name: next(iter(readings.values())).value for name, readings in read.items()}


def rows(lines: list[dict[str, Any]]) -> Iterator[str]:
    """The table, in Markdown."""
    yield f"| attack, {len(lines)} models | {' | '.join(MEASURES)} |"
    yield "|---" * (1 + len(MEASURES)) + "|"
    for name in [name for name, found in lines[0].items() if isinstance(found, dict)]:
        cells = [mean_and_reach([x[name][measure] for x in lines]) for measure in MEASURES]
        yield f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    """Play what is missing, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=Path("build/diffusion-models"))
    parser.add_argument("--models", type=int, default=24)
    parser.add_argument("--shadows", type=int, default=8)
    parser.add_argument("--minutes", type=float, default=600.0, help="start no model after this")
    parser.add_argument("--jobs", type=int, default=min(8, os.cpu_count() or 1))
    parser.add_argument("--small", action="store_true", help="tiny models, in seconds")
    given = parser.parse_args()
    work = {
        f"model-{number}": partial(play, number, given.shadows, small=given.small)
        for number in range(given.models)
    }
    end = time.time() + 60 * given.minutes
    play_all(work, given.out, jobs=given.jobs, gpu_jobs=given.jobs, end=end)
    lines = kept_runs(given.out)
    spent = {name: np.mean([x[name] for x in lines]) for name in ("training", "shadow seconds")}
    print(f"\n{people(real_data('adult.data'))}; mean seconds: {spent}\n")
    print("\n".join(rows(lines)))


if __name__ == "__main__":
    main()
