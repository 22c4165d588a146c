"""What seekers for averages find in new series that keep nothing but averages.

    python -m benchmarks.hide_and_seek.averages [--seeds 20] [--stays 400] [--data 20 70 real]

The hider is lagged-gaussian at four shrinkages, with uniform numbers as a control. Averages know
the release and all stays; learned moments run the public hider as well, 20 times on other halves of
the stays. For each: the mean accuracy over seeds with its standard error (one half is chance).
Stays are simulated with 20 and with 70 features; "real" are PhysioNet's, if QUINTAIN_DATA has them.
Finished draws are kept in --kept, so that a stopped run goes on where it was."""

from pathlib import Path

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
from quintain.attacks.membership.series.learned_moments import LearnedMoments
from quintain.data.sources.icu import Icu
from quintain.sanitizers import Sanitizer
from quintain.sanitizers.series.controls import UniformSeries
from quintain.sanitizers.series.lagged_gaussian import LaggedGaussian

HIDERS: dict[str, Sanitizer] = {
    **{f"shrinkage {s}": LaggedGaussian(shrinkage=s) for s in (0.3, 0.0, 0.7, 1.0)},
    "uniform numbers": UniformSeries(),
}
SEEKERS: dict[str, Attack] = {"averages": SeriesAverages(), "learned moments": LearnedMoments()}


def played(hider: Sanitizer, stays: Icu, seed: int) -> Figures:
    """The accuracy of both seekers against a hider."""
    return accuracies(SEEKERS, hider, *hidden(hider, stays, seed), seed)


def print_table(data: str, kept: Kept, options: Options) -> None:
    """Print the table of one data set from finished draws: hiders are rows."""
    print(f"\n{data}: {options.stays} stays, 48 rows\n")
    print("| hider | " + " | ".join(SEEKERS) + " | draws |\n" + "|---" * (len(SEEKERS) + 2) + "|")
    for name in HIDERS:
        places = [key(data, name, seed, options.stays) for seed in range(options.seeds)]
        finished = [kept[place] for place in places if place in kept]
        if finished:
            cells = [mean_and_error([run[seeker] for run in finished]) for seeker in SEEKERS]
            print(f"| {name} | " + " | ".join(cells) + f" | {len(finished)} |", flush=True)


def main(arguments: list[str] | None = None) -> None:
    """Play what is not played yet, and print one table per data set."""
    file = Path("benchmarks/results/averages.json")
    options = options_of(arguments, __doc__, seeds=20, stays=400, kept=file)
    kept = play_all(HIDERS, played, options)
    for data in options.data:
        print_table(data, kept, options)


if __name__ == "__main__":
    main()
