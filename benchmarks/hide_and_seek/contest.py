"""Hide-and-Seek without networks: what attackers find, which utility is left, what it costs.

    QUINTAIN_DATA=folder-with-physionet2012.npz python -m benchmarks.hide_and_seek.contest
        [--seeds 3] [--members 1000]

Prints the accuracy of every attack on every sanitizer, the skill retention of every sanitizer, and
CPU seconds. Half of the targets are members, and every attack names half as members.
``--members 10000`` measures the costs at the size of the contest: 10,000 released and 20,000 target
stays of 100 x 71 cells. Figures marked "2020 rules" are from an independent implementation of the
contest's rules, in single runs on 1,000 stays of PhysioNet 2012 with time in hours.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.hide_and_seek.single_rows import SingleRows
from quintain.attacks import Attack, Knowledge
from quintain.attacks.membership.series.fingerprint import Fingerprint
from quintain.attacks.membership.series.greedy_matching import GreedyMatching
from quintain.attacks.membership.series.lengths_and_gaps import NanPattern, SeriesLength
from quintain.attacks.membership.series.mikan import PersonsOrRows
from quintain.attacks.membership.series.nearest_series import SeriesDensityRatio, SeriesKnn
from quintain.data import Series
from quintain.data.sources.icu import PHYSIONET, Icu
from quintain.guesses import MembershipQuestion, Truth
from quintain.guesses.membership import Membership, members_and_scores
from quintain.kernels.series import prepare
from quintain.measures import reading_rng
from quintain.measures.utility.series.skill_retention import SkillRetention
from quintain.plays import Situation, play_or_raise
from quintain.randomness.noise import Noise
from quintain.releases import Release
from quintain.samples.sample import Subset
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.identity import Identity
from quintain.sanitizers.series.bin_swap import BinSwap
from quintain.sanitizers.series.controls import UniformSeries
from quintain.sanitizers.series.noise import AddNoise, NoiseShuffle

CI = Icu(rows=1000, features=20, steps=48)
FULL = Icu(rows=800)
REAL = Icu(rows=1000, real=True)

SANITIZERS: dict[str, Sanitizer] = {
    "identity": Identity(),
    "noise .1": AddNoise(),
    "noise .3": AddNoise(s=0.3),
    "noise .3, time kept": AddNoise(s=0.3, keep_time=True),
    "bin-swap": BinSwap(),
    "noise-shuffle": NoiseShuffle(),
}
OF_2020: dict[str, Attack] = {
    "KNN": SeriesKnn(),
    "TimeKNN": SeriesKnn(compare="time"),
    "KNN w/o time": SeriesKnn(compare="features"),
    "moments": Fingerprint(figures="moments", scaled_by="own"),
    "greedy": GreedyMatching(),
    "rows": SingleRows(),
}
ATTACKS: dict[str, Attack] = {
    **OF_2020,
    "Mikan": PersonsOrRows(),
    "greedy + time": GreedyMatching(compare="all"),
    "ratio": SeriesDensityRatio(),
    "ratio w/o time": SeriesDensityRatio(compare="features"),
    "NaN": NanPattern(),
    "length": SeriesLength(),
    "extremes": Fingerprint(),
}
RULES_OF_2020: dict[str, Sequence[float | None]] = {
    "identity": (0.999, 0.999, 0.707, 0.989, 1.000, 0.490),
    "noise .1": (0.647, 0.587, 0.621, 0.575, 0.998, None),
    "noise .3": (0.503, 0.477, 0.523, 0.537, 0.792, 0.532),
    "bin-swap": (0.875, 0.999, 0.629, 0.775, 0.996, None),
    "noise-shuffle": (0.509, 0.509, 0.511, 0.501, 0.508, 0.492),
}

Case = tuple[Release, MembershipQuestion, Truth]


def release_of(stays: Series, sanitizer: Sanitizer, seed: int) -> Case:
    """A release of half of the stays, and the question which half it was."""
    rng = np.random.default_rng(seed)
    sample = Subset(fraction=0.5).draw(stays, rng=rng)
    release = sanitize(sanitizer, sample.private, rng=rng, noise=Noise.for_test(seed)).release
    question, truth = Membership().ask(sample, release)
    assert isinstance(question, MembershipQuestion)
    return release, question, truth


def accuracy(case: Case, attacker: Attack) -> float:
    """The share of targets that the attack classifies correctly."""
    release, question, truth = case
    situation = Situation(Membership(), release, Knowledge(question))
    guess = play_or_raise(attacker, situation, rng=np.random.default_rng(0))
    members, scores = members_and_scores(truth, guess)
    return float(((scores > 0.5) == members).mean())


def accuracies(
    source: Icu, sanitizers: Mapping[str, Sanitizer], attacks: Mapping[str, Attack], seeds: int
) -> Iterator[tuple[str, np.ndarray]]:
    """For each sanitizer, the accuracy of each attack: an array of seeds x attacks."""
    populations = [source.data(np.random.default_rng(seed)) for seed in range(seeds)]
    for name, sanitizer in sanitizers.items():
        cases = [release_of(stays, sanitizer, seed) for seed, stays in enumerate(populations)]
        yield name, np.array([[accuracy(case, s) for s in attacks.values()] for case in cases])


def table(head: Sequence[str]) -> None:
    """Print the head of a Markdown table."""
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")


def simulated(source: Icu, seeds: int, title: str) -> None:
    """Print the accuracy of every attack on every sanitizer, on simulated stays."""
    print(f"\n### {title}\n")
    table(["sanitizer", *ATTACKS])
    started = time.process_time()
    for name, values in accuracies(source, SANITIZERS, ATTACKS, seeds):
        print(f"| {name} | " + " | ".join(f"{value:.3f}" for value in values.mean(axis=0)) + " |")
    print(f"\n{time.process_time() - started:.1f} CPU-s for {seeds} seeds")


def real(seeds: int) -> None:
    """Print the attacks of 2020 on PhysioNet, beside the figures by the rules of 2020."""
    print(f"\n### PhysioNet 2012, 1,000 stays: mean over {seeds} seeds ± spread (2020 rules)\n")
    table(["sanitizer", *OF_2020])
    sanitizers = {name: SANITIZERS[name] for name in RULES_OF_2020}
    for name, values in accuracies(REAL, sanitizers, OF_2020, seeds):
        cells = []
        for mean, spread, old in zip(
            values.mean(axis=0), values.std(axis=0), RULES_OF_2020[name], strict=True
        ):
            cells.append(f"{mean:.3f} ± {spread:.3f} ({'–' if old is None else f'{old:.3f}'})")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def utility(source: Icu, title: str) -> None:
    """Print the skill retention of every sanitizer, of uniform numbers and of fresh stays."""
    print(f"\n### Skill retention, ridge profile: {title}\n")
    part = SkillRetention()
    table(["release", *part.reads, "CPU-s"])
    stays, test = (
        f(np.random.default_rng(s)) for s, f in ((0, source.data), (1, source.test_data))
    )
    releases: dict[str, Callable[[], Series]] = {
        name: lambda sanitizer=sanitizer: (
            sanitize(
                sanitizer, stays, rng=np.random.default_rng(0), noise=Noise.for_test(0)
            ).release.data
        )
        for name, sanitizer in {**SANITIZERS, "uniform numbers": UniformSeries()}.items()
    }
    releases["fresh stays"] = lambda: source.data(np.random.default_rng(7))
    for name, make in releases.items():
        made = make()
        started = time.process_time()
        readings = part.measure(stays, made, test, rng=reading_rng())
        took = time.process_time() - started
        cells = [f"{reading.value:.3f}" for reading in readings.values()]
        print(f"| {name} | " + " | ".join(cells) + f" | {took:.2f} |", flush=True)


def costs(members: int) -> None:
    """Print CPU seconds for a number of members, 100 x 71 cells each."""
    print(f"\n### Costs: {members:,} released, {2 * members:,} targets of 100 x 71\n")
    table(["what", "CPU-s", "wall s", "per record"])
    stays = measured("simulate targets", 2 * members, lambda: Icu(rows=2 * members).data(rng()))
    measured("prepare targets", 2 * members, lambda: prepare(stays, 100))
    half = stays.take(np.arange(members))
    releases = [
        measured(part.id, members, partial(sanitize, part, half, rng=rng(), noise=noise())).release
        for part in (BinSwap(), NoiseShuffle(), AddNoise())
    ]
    released = releases[-1].data
    for name in ("KNN", "TimeKNN", "greedy", "NaN", "length", "moments", "extremes"):
        score = partial(ATTACKS[name].scores, stays, released, 100, rng=rng())
        measured(f"{ATTACKS[name].id} ({name})", 2 * members, score)
    print(f"\npeak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.1f} GB")


def measured(what: str, records: int, action: Callable[[], Any]) -> Any:
    """The result of an action; prints its costs as a line of the table."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = action()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    print(f"| {what} | {cpu:.1f} | {wall:.1f} | {1000 * cpu / records:.2f} ms |", flush=True)
    return result


def rng() -> np.random.Generator:
    """The same random draws for every timed action."""
    return np.random.default_rng(0)


def noise() -> Noise:
    """The same noise for every timed action."""
    return Noise.for_test(0)


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--members", type=int, default=1000)
    options = parser.parse_args()
    simulated(CI, 1, "Simulated, CI profile: 1,000 stays, 48 rows, 20 features")
    simulated(FULL, 1, "Simulated, 800 stays, 100 rows, 70 features")
    utility(CI, "simulated, CI profile")
    if (Path(os.environ.get("QUINTAIN_DATA", ".")) / PHYSIONET[0]).is_file():
        real(options.seeds)
        utility(REAL, "PhysioNet 2012")
    costs(options.members)


if __name__ == "__main__":
    main()
