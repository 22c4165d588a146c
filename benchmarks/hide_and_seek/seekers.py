"""Seekers of 2020 and stronger ones against the same releases of Hide-and-Seek.

    python -m benchmarks.hide_and_seek.seekers [--seeds 20] [--stays 1000] [--data 20 70 real]

For each hider and each seeker: the mean accuracy over seeds and its standard error. "2020" scales
each side by its own extremes, "robust" by quantiles of the targets. Stays are simulated with 20 and
with 70 features; "real" are PhysioNet's, if QUINTAIN_DATA has them. Finished draws are kept in
--kept, so that a stopped run goes on where it was."""

import argparse
import json
from pathlib import Path

import numpy as np

from quintain.attacks import Attack, Knowledge, attack
from quintain.attacks.membership.series.density_ratio import SeriesDensityRatio
from quintain.attacks.membership.series.fingerprint import Fingerprint
from quintain.attacks.membership.series.greedy_matching import GreedyMatching
from quintain.attacks.membership.series.knn import SeriesKnn
from quintain.attacks.membership.series.length import SeriesLength
from quintain.attacks.membership.series.nan_pattern import NanPattern
from quintain.attacks.membership.series.persons_or_rows import PersonsOrRows
from quintain.attacks.membership.series.row_distance import RowDistance
from quintain.attacks.membership.series.rows.row_density import RowDensity
from quintain.data.sources.icu.icu import Icu
from quintain.guesses.membership import Membership, members_and_scores
from quintain.noise import Noise
from quintain.samples.subset import Subset
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.pipeline import Pipeline
from quintain.sanitizers.series.add_noise import AddNoise
from quintain.sanitizers.series.bin_swap import BinSwap
from quintain.sanitizers.series.far_out import FarOut
from quintain.sanitizers.series.noise_shuffle import NoiseShuffle

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
    "single rows": RowDistance(),
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


def accuracies(hider: Sanitizer, stays: Icu, seed: int) -> dict[str, float]:
    """The accuracy of each seeker on one release of half of the stays."""
    rng = np.random.default_rng(seed)
    sample = Subset(fraction=0.5).draw(stays.data(rng), rng=rng)
    release = sanitize(hider, sample.private, rng=rng, noise=Noise.for_test(seed)).release
    question, truth = Membership().ask(sample, release)
    out = {}
    for name, seeker in SEEKERS.items():
        guess = attack(seeker, Knowledge(question), release, rng=np.random.default_rng(seed))
        members, probabilities = members_and_scores(truth, guess)
        out[name] = float(((probabilities > 0.5) == members).mean())
    return out


def cell(values: list[float]) -> str:
    """Mean and standard error."""
    array = np.array(values)
    if len(array) < 2:
        return f"{array.mean():.3f}"
    return f"{array.mean():.3f} ± {array.std(ddof=1) / np.sqrt(len(array)):.3f}"


def print_table(data: str, kept: dict[str, dict[str, float]], options: argparse.Namespace) -> None:
    """Print the table of one data set from finished draws; seekers are rows, hiders columns."""
    places = {h: [key(data, h, s, options.stays) for s in range(options.seeds)] for h in HIDERS}
    seeds = min(sum(place in kept for place in names) for names in places.values())
    print(f"\n{data}: {options.stays} stays, 48 rows, {seeds} seeds\n")
    print("| seeker | " + " | ".join(HIDERS) + " |\n" + "|---" * (len(HIDERS) + 1) + "|")
    for seeker in SEEKERS:
        cells = [
            cell([kept[place][seeker] for place in names[:seeds]]) for names in places.values()
        ]
        print(f"| {seeker} | " + " | ".join(cells) + " |", flush=True)


def key(data: str, hider: str, seed: int, stays: int) -> str:
    """The name of one draw in the file of finished ones."""
    return f"{data}/{stays}/{hider}/{seed}"


def main(arguments: list[str] | None = None) -> None:
    """Play what is not played yet, and print one table per data set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--stays", type=int, default=1000)
    parser.add_argument("--data", nargs="+", default=["20", "70", "real"])
    parser.add_argument("--kept", type=Path, default=Path("benchmarks/results/seekers.json"))
    parser.add_argument("--only-print", action="store_true", help="the draws that are finished")
    options = parser.parse_args(arguments)
    options.kept.parent.mkdir(exist_ok=True)
    kept = json.loads(options.kept.read_text()) if options.kept.exists() else {}
    for seed in range(0 if options.only_print else options.seeds):
        for data in options.data:
            stays = source(data, options.stays)
            for name, hider in HIDERS.items():
                place = key(data, name, seed, options.stays)
                if place not in kept:
                    kept[place] = accuracies(hider, stays, seed)
                    options.kept.write_text(json.dumps(kept, indent=1))
    for data in options.data:
        print_table(data, kept, options)


if __name__ == "__main__":
    main()
