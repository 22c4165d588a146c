"""Privacy and utility of hiders: what the best of all seekers finds, and what models still learn.

    python -m benchmarks.hide_and_seek.frontier [--seeds 3] [--stays 400] [--data 20 70 real]

For each hider: the accuracy of each seeker and of the best one (one half is chance), the share of
skill that linear models keep, and the diversity of the release; means over seeds. The best seeker
is chosen on each release, which favours the seekers by a few hundredths. Stays are simulated with
20 and with 70 features; "real" are PhysioNet's, if QUINTAIN_DATA has them. Finished releases are
kept in --kept."""

from pathlib import Path

import numpy as np

from benchmarks.bench.means import mean_and_error
from benchmarks.hide_and_seek.seekers import (
    Figures,
    Kept,
    Options,
    accuracies,
    hidden,
    key,
    options_of,
    play_all,
)
from quintain.attacks import Attack
from quintain.attacks.membership.series.averages import SeriesAverages
from quintain.attacks.membership.series.fingerprint import Fingerprint
from quintain.attacks.membership.series.greedy_matching import GreedyMatching
from quintain.attacks.membership.series.lengths_and_gaps import SeriesLength
from quintain.attacks.membership.series.nearest_series import SeriesDensityRatio, SeriesKnn
from quintain.attacks.membership.series.row_density import RowDensity
from quintain.data.sources.icu import Icu
from quintain.measures import reading_rng
from quintain.measures.utility.series.diversity import SeriesDiversity
from quintain.measures.utility.series.skill_retention import SkillRetention
from quintain.sanitizers import Sanitizer
from quintain.sanitizers.series.controls import UniformSeries
from quintain.sanitizers.series.lagged_gaussian import LaggedGaussian
from quintain.sanitizers.series.noise import AddNoise, NoiseShuffle

HIDERS: dict[str, Sanitizer] = {
    **{f"add noise {s}": AddNoise(s=s) for s in (0.1, 1.0, 3.0)},
    "noise .3 and shuffle, as in 2020": NoiseShuffle(),
    **{
        f"noise {s} and shuffle, public range": NoiseShuffle(s=s, clip="schema")
        for s in (0.3, 1.0, 3.0)
    },
    **{
        f"new series from averages, shrinkage {s}": LaggedGaussian(shrinkage=s)
        for s in (0.0, 0.3, 0.7, 1.0)
    },
    "uniform numbers": UniformSeries(),
}
SEEKERS: dict[str, Attack] = {
    "nearest series": SeriesKnn(scaled_by="robust"),
    "greedy matching": GreedyMatching(scaled_by="robust"),
    "density ratio": SeriesDensityRatio(scaled_by="robust"),
    "extremes": Fingerprint(scaled_by="robust"),
    "length": SeriesLength(),
    "row density": RowDensity(),
    "averages": SeriesAverages(),
}
READ = ("feature_skill", "step_skill", "row_diversity", "person_diversity")


def played(hider: Sanitizer, stays: Icu, seed: int) -> Figures:
    """What each seeker finds in one release, the best one too, and its utility."""
    sample, release = hidden(hider, stays, seed)
    out = accuracies(SEEKERS, hider, sample, release, seed)
    out["best seeker"] = max(out.values())
    test = stays.test_data(np.random.default_rng(seed))
    for measure in (SkillRetention(), SeriesDiversity()):
        readings = measure.measure(sample.private, release.data, test, rng=reading_rng())
        out |= {name: reading.value for name, reading in readings.items() if name in READ}
    return out


def print_table(data: str, kept: Kept, options: Options) -> None:
    """Print the table of one data set: hiders are rows."""
    columns = ["best seeker", *SEEKERS, *READ]
    print(f"\n{data}: {options.stays} stays, 48 rows, means over {options.seeds} seeds\n")
    print("| hider | " + " | ".join(columns) + " |\n" + "|---" * (len(columns) + 1) + "|")
    for name in HIDERS:
        places = [key(data, name, seed, options.stays) for seed in range(options.seeds)]
        finished = [kept[place] for place in places if place in kept]
        if finished:
            cells = [mean_and_error([run[column] for run in finished]) for column in columns]
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def main(arguments: list[str] | None = None) -> None:
    """Play what is not played yet, and print one table per data set."""
    file = Path("benchmarks/results/frontier.json")
    options = options_of(arguments, __doc__, seeds=3, stays=400, kept=file)
    kept = play_all(HIDERS, played, options)
    for data in options.data:
        print_table(data, kept, options)


if __name__ == "__main__":
    main()
