"""What deep generators keep and what they give away, beside generators without networks.

    QUINTAIN_DATA=folder python -m benchmarks.synthesizers.deep_generators --out runs [--seeds 5]
        [--minutes 11] [--gpu-jobs 4] [--no-cpu]

Every run makes a release of 10,000 people, half of 1,000 targets among them: of Adult (adult.data,
adult.test) and of the survey of SNAKE (snake_base.parquet), both in the folder; without the files,
of the stand-ins. Where there is a GPU, the deep generators train on it for long; and once per data
set, with their default parameters, on one core. "copy" publishes the private records themselves.

The table has the mean distances of one- and two-way marginals (0 is best), the accuracy on real
test records of a classifier that learned from the release, the seconds of making it, and AUC and
true positive rates of each attack. Intervals are Student's t over seeds.

A run is one JSON file, written when it ends: a second start goes on where the first one stopped.
It needs NumPy, SciPy, scikit-learn, PyArrow, pydantic and PyTorch, and nothing else.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet

# isort: split
import numpy as np

from benchmarks.bench.generated import MEASURES, found, kept
from benchmarks.bench.machine import people, real_data
from benchmarks.bench.means import mean_and_reach
from benchmarks.bench.pool import kept_runs, on_gpu, play_all
from quintain.attacks import Attack, Knowledge
from quintain.attacks.membership.density_ratio import DensityRatio
from quintain.attacks.membership.neighbour_ratios import (
    DcrDifference,
    GenLra,
    LocalDensityRatio,
)
from quintain.attacks.membership.tree_ratio import ForestRatio, TreeRatio
from quintain.data import Table, as_table
from quintain.data.sources.adult import Adult
from quintain.data.sources.cps import Cps
from quintain.guesses.membership import Membership
from quintain.plays import Situation, play_or_raise
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import SeedTree
from quintain.samples.sample import Sample
from quintain.samples.targets import Targets
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.identity import Identity
from quintain.sanitizers.synthetic.deep.ctgan import Ctgan
from quintain.sanitizers.synthetic.deep.latent_diffusion import LatentDiffusion
from quintain.sanitizers.synthetic.deep.tabddpm import TabDdpm
from quintain.sanitizers.synthetic.deep.tvae import Tvae
from quintain.sanitizers.synthetic.generators.adversarial_forest import AdversarialForest
from quintain.sanitizers.synthetic.generators.cart import CartSynthesis
from quintain.sanitizers.synthetic.generators.gaussian_copula import GaussianCopula

ROWS, TARGETS, POPULATION = 10_000, 1_000, 40_000
TEST = 15_000
LABELS = {"adult": "income", "cps": "married"}
PLAIN: dict[str, Sanitizer] = {
    "copy": Identity(),
    "gaussian-copula": GaussianCopula(),
    "cart": CartSynthesis(),
    "arf": AdversarialForest(),
}
LONG: dict[str, Sanitizer] = {
    "tvae": Tvae(steps=6_000),
    "ctgan": Ctgan(steps=6_000),
    "tabddpm": TabDdpm(steps=20_000, hidden=(512, 512, 512), noise_steps=1000),
    "latent-diffusion": LatentDiffusion(steps=8_000, hidden=(512, 512)),
}
"""As long as the publications train, about."""
SHORT: dict[str, Sanitizer] = {
    "tvae": Tvae(device="cpu"),
    "ctgan": Ctgan(device="cpu"),
    "tabddpm": TabDdpm(device="cpu"),
    "latent-diffusion": LatentDiffusion(device="cpu"),
}
ATTACKS: dict[str, Attack] = {
    "density-ratio": DensityRatio(),
    "dcr-difference": DcrDifference(),
    "gen-lra": GenLra(),
    "local-density-ratio": LocalDensityRatio(),
    "tree-ratio": TreeRatio(),
    "forest-ratio": ForestRatio(),
}


@dataclass(frozen=True)
class Run:
    """One release: of which data, by which generator, on which device, with which seed."""

    data: str
    generator: str
    device: str
    seed: int
    small: bool = False

    @property
    def name(self) -> str:
        """The name of the file of its result."""
        return f"{self.data}-{self.generator}-{self.device}-{self.seed}"

    def sanitizer(self) -> Sanitizer:
        """The generator; a small run trains for a moment only."""
        if self.generator in PLAIN:
            return PLAIN[self.generator]
        part = (SHORT if self.device == "cpu" else LONG)[self.generator]
        return part.with_parameter("steps", 20) if self.small else part


@cache
def tables(data: str, rows: int) -> tuple[Table, Table]:
    """The population without ids, and test records of other people."""
    rng = np.random.default_rng(0)
    if data == "adult":
        source = Adult(real=real_data("adult.data"), rows=None)
        everybody, test = as_table(source.data(rng)), as_table(source.test_data(rng))
    else:
        real = real_data("snake_base.parquet")
        survey = Cps(real=real, rows=None if real else rows + TEST)
        whole = as_table(survey.data(rng))
        whole = whole.select([column.name for column in whole.schema.attributes])
        order = rng.permutation(len(whole))
        everybody, test = whole.take(order[:rows]), whole.take(order[rows : rows + TEST])
    return everybody.take(rng.permutation(len(everybody))[:rows]), test


def sample_of(run: Run, base: Table) -> Sample:
    """The private records of a run, the same for all generators."""
    targets = 100 if run.small else TARGETS
    rows = 300 if run.small else ROWS
    design = Targets(targets=targets, members="half", background=rows - targets // 2)
    return design.draw(base, rng=SeedTree.from_int(run.seed).rng("sample", run.data))


def play(run: Run) -> dict[str, Any]:
    """Make the release of a run, measure and attack it."""
    base, test = tables(run.data, 2000 if run.small else POPULATION)
    sample, seeds = sample_of(run, base), SeedTree.from_int(run.seed).child(run.data, run.generator)
    noise = Noise.for_test(seeds.rng("noise"))
    part = run.sanitizer()
    with on_gpu(run.device == "cuda"):
        wall, cpu = time.perf_counter(), time.process_time()
        release = sanitize(part, sample.private, rng=seeds.rng("fit"), noise=noise).release
        line: dict[str, Any] = {
            **vars(run),
            "wall": time.perf_counter() - wall,
            "cpu": time.process_time() - cpu,
            "parameters": part.parameters(),
        }
    made, private = as_table(release.data), as_table(sample.private)
    line |= kept(private, made, test, LABELS[run.data])
    question, truth = Membership().ask(sample, release)
    situation = Situation(Membership(), release, Knowledge(question, base))
    for name, attack in ATTACKS.items():
        began = time.perf_counter()
        guess = play_or_raise(attack, situation, rng=seeds.rng(name))
        line[name] = {**found(truth, guess), "seconds": time.perf_counter() - began}
    return line


def plan(seeds: int, *, gpu: bool, cpu: bool, small: bool) -> list[Run]:
    """All runs: seed by seed, so that a run that is stopped has whole seeds; long ones first."""
    runs = []
    for seed in range(seeds):
        for data in LABELS:
            if gpu:
                runs += [Run(data, name, "cuda", seed, small) for name in reversed(LONG)]
            if cpu and (seed == 0 or not gpu):
                runs += [Run(data, name, "cpu", seed, small) for name in SHORT]
            runs += [Run(data, name, "plain", seed, small) for name in reversed(PLAIN)]
    return runs


def rows(lines: list[dict[str, Any]]) -> Iterator[str]:
    """Two tables in Markdown: what releases keep, and what attacks find."""
    kinds = list(dict.fromkeys((x["data"], x["generator"], x["device"]) for x in lines))
    kinds.sort(key=lambda kind: (kind[0], [*PLAIN, *LONG].index(kind[1]), kind[2]))
    groups = {
        kind: [x for x in lines if (x["data"], x["generator"], x["device"]) == kind]
        for kind in kinds
    }
    first = ("marginals1", "marginals2", "accuracy", "wall", "cpu")
    yield f"| data | generator | on | seeds | {' | '.join(first)} |"
    yield "|---" * (4 + len(first)) + "|"
    for kind, group in groups.items():
        cells = [mean_and_reach([x[name] for x in group]) for name in first]
        yield f"| {' | '.join(kind)} | {len(group)} | {' | '.join(cells)} |"
    yield ""
    yield f"| data | generator | on | attack | {' | '.join(MEASURES)} |"
    yield "|---" * (4 + len(MEASURES)) + "|"
    for kind, group in groups.items():
        for attack in ATTACKS:
            cells = [mean_and_reach([x[attack][name] for x in group]) for name in MEASURES]
            yield f"| {' | '.join(kind)} | {attack} | {' | '.join(cells)} |"


def main() -> None:
    """Play what is missing, then print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=Path("build/deep-generators"))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=600.0, help="start no run after this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--gpu-jobs", type=int, default=4, help="runs on the GPU at once")
    parser.add_argument("--no-cpu", action="store_true", help="no deep generator on a core")
    parser.add_argument("--small", action="store_true", help="tiny runs, in seconds")
    parser.add_argument("--only", nargs="*", default=[*PLAIN, *LONG], help="generators")
    parser.add_argument("--data", nargs="*", default=[*LABELS], help="data sets")
    given = parser.parse_args()
    import torch

    gpu = torch.cuda.is_available()
    runs = plan(given.seeds, gpu=gpu, cpu=not given.no_cpu, small=given.small)
    runs = [run for run in runs if run.generator in given.only and run.data in given.data]
    end = time.time() + 60 * given.minutes
    work = {run.name: partial(play, run) for run in runs}
    play_all(work, given.out, jobs=given.jobs, gpu_jobs=given.gpu_jobs, end=end)
    device = torch.cuda.get_device_name() if gpu else "no GPU"
    print(f"\n{people(real_data('adult.data'))}; {device}; at most {given.gpu_jobs} runs on it\n")
    print("\n".join(rows(kept_runs(given.out))))


if __name__ == "__main__":
    main()
