"""Seekers of 2020 and stronger ones against the same releases of Hide-and-Seek.

    python -m benchmarks.hide_and_seek.seekers [--seeds 20] [--stays 1000] [--data 20 70 real]

For each hider and each seeker: the mean accuracy over seeds and its standard error. "2020" scales
each side by its own extremes, "robust" by quantiles of the targets. Stays are simulated with 20 and
with 70 features; "real" are PhysioNet's, if QUINTAIN_DATA has them. Finished draws are kept in
--kept, so that a stopped run goes on where it was."""

import argparse
import json
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

from benchmarks.bench.means import mean_and_error
from benchmarks.hide_and_seek.single_rows import SingleRows
from quintain.attacks import Attack, Knowledge
from quintain.attacks.membership.series.fingerprint import Fingerprint
from quintain.attacks.membership.series.greedy_matching import GreedyMatching
from quintain.attacks.membership.series.lengths_and_gaps import NanPattern, SeriesLength
from quintain.attacks.membership.series.mikan import PersonsOrRows
from quintain.attacks.membership.series.nearest_series import SeriesDensityRatio, SeriesKnn
from quintain.attacks.membership.series.row_density import RowDensity
from quintain.data.sources.icu import Icu
from quintain.guesses.membership import Membership, members_and_scores
from quintain.plays import Situation, play_or_raise
from quintain.randomness.noise import Noise
from quintain.releases import Release
from quintain.samples import Sample
from quintain.samples.sample import Subset
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.pipeline import Pipeline
from quintain.sanitizers.sanitizer import Shadow
from quintain.sanitizers.series.bin_swap import BinSwap
from quintain.sanitizers.series.controls import FarOut
from quintain.sanitizers.series.noise import AddNoise, NoiseShuffle

Options = argparse.Namespace
Figures = dict[str, float]
Kept = dict[str, Figures]

HIDERS: dict[str, Sanitizer] = {
    "add noise .1": AddNoise(),
    "add noise .1, one far-out value per feature": Pipeline(steps=(AddNoise(), FarOut())),
    "noise and shuffle": NoiseShuffle(),
    "bin and swap": BinSwap(),
    "bin and swap, jitter of 1e-15": Pipeline(steps=(BinSwap(), FarOut(distance=0))),
}
BOTH = {
    "nearest series": SeriesKnn(),
    "greedy matching": GreedyMatching(),
    "winner of 2020": PersonsOrRows(),
    "density ratio": SeriesDensityRatio(),
    "extremes": Fingerprint(),
    "single rows": SingleRows(),
}
SEEKERS: dict[str, Attack] = {
    **{f"{name}, 2020": seeker for name, seeker in BOTH.items()},
    **{f"{n}, robust": s.model_copy(update={"scaled_by": "robust"}) for n, s in BOTH.items()},
    "nearest times": SeriesKnn(compare="time"),
    "missing values": NanPattern(),
    "length": SeriesLength(),
    "row density": RowDensity(),
}


def source(data: str, stays: int) -> Icu:
    """Simulated stays with some number of features, or real ones."""
    if data == "real":
        return Icu(rows=stays, real=True, steps=48)
    return Icu(rows=stays, features=int(data), steps=48)


def hidden(hider: Sanitizer, stays: Icu, seed: int) -> tuple[Sample, Release]:
    """One release of half of the stays."""
    rng = np.random.default_rng(seed)
    sample = Subset(fraction=0.5).draw(stays.data(rng), rng=rng)
    return sample, sanitize(hider, sample.private, rng=rng, noise=Noise.for_test(seed)).release


def accuracies(
    seekers: Mapping[str, Attack], hider: Sanitizer, sample: Sample, release: Release, seed: int
) -> Figures:
    """The accuracy of each seeker on one release; the hider is public, and all stays are known."""
    goal = Membership()
    question, truth = goal.ask(sample, release)
    knowledge = Knowledge(question, sample.population, code=Shadow(hider))
    out = {}
    for name, seeker in seekers.items():
        situation = Situation(goal, release, knowledge)
        guess = play_or_raise(seeker, situation, rng=np.random.default_rng(seed))
        members, probabilities = members_and_scores(truth, guess)
        out[name] = float(((probabilities > 0.5) == members).mean())
    return out


def played(hider: Sanitizer, stays: Icu, seed: int) -> Figures:
    """The accuracy of each seeker against a hider."""
    return accuracies(SEEKERS, hider, *hidden(hider, stays, seed), seed)


def print_table(data: str, kept: Kept, options: Options) -> None:
    """Print the table of one data set from finished draws; seekers are rows, hiders columns."""
    places = {h: [key(data, h, s, options.stays) for s in range(options.seeds)] for h in HIDERS}
    seeds = min(sum(place in kept for place in names) for names in places.values())
    print(f"\n{data}: {options.stays} stays, 48 rows, {seeds} seeds\n")
    print("| seeker | " + " | ".join(HIDERS) + " |\n" + "|---" * (len(HIDERS) + 1) + "|")
    for seeker in SEEKERS:
        cells = [
            mean_and_error([kept[place][seeker] for place in names[:seeds]])
            for names in places.values()
        ]
        print(f"| {seeker} | " + " | ".join(cells) + " |", flush=True)


def key(data: str, hider: str, seed: int, stays: int) -> str:
    """The name of one draw in the file of finished ones."""
    return f"{data}/{stays}/{hider}/{seed}"


def options_of(arguments: list[str] | None, about: str | None, **defaults: int | Path) -> Options:
    """The options of a benchmark that plays hiders; ``about`` is its docstring."""
    parser = argparse.ArgumentParser(description=str(about).splitlines()[0])
    parser.add_argument("--seeds", type=int, default=defaults["seeds"])
    parser.add_argument("--stays", type=int, default=defaults["stays"])
    parser.add_argument("--data", nargs="+", default=["20", "70", "real"])
    parser.add_argument("--kept", type=Path, default=defaults["kept"])
    parser.add_argument("--hiders", default="*", help="only hiders whose names are like this")
    parser.add_argument("--only-print", action="store_true", help="the draws that are finished")
    return parser.parse_args(arguments)


def play_all(
    hiders: Mapping[str, Sanitizer],
    play: Callable[[Sanitizer, Icu, int], Figures],
    options: Options,
) -> Kept:
    """The figures of all draws by their names; plays and keeps those that are missing."""
    options.kept.parent.mkdir(exist_ok=True)
    kept: Kept = json.loads(options.kept.read_text()) if options.kept.exists() else {}
    for seed in range(0 if options.only_print else options.seeds):
        for data in options.data:
            stays = source(data, options.stays)
            for name, hider in hiders.items():
                if not fnmatchcase(name, options.hiders):
                    continue
                place = key(data, name, seed, options.stays)
                if place not in kept:
                    kept[place] = play(hider, stays, seed)
                    options.kept.write_text(json.dumps(kept, indent=1))
    return kept


def main(arguments: list[str] | None = None) -> None:
    """Play what is not played yet, and print one table per data set."""
    file = Path("benchmarks/results/seekers.json")
    options = options_of(arguments, __doc__, seeds=20, stays=1000, kept=file)
    kept = play_all(HIDERS, played, options)
    for data in options.data:
        print_table(data, kept, options)


if __name__ == "__main__":
    main()
