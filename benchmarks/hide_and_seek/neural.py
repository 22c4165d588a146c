"""The table of the poster of 2021 on other stays: sanitizers of Hide-and-Seek with networks.

    python -m benchmarks.hide_and_seek.neural [--seeds 5] [--iterations 150] [--real]

Uses small networks on a processor. Prints the accuracy of attacks like those of 2020, and of
stronger ones, on every sanitizer: means over seeds with 95 % intervals. Beside it: what recurrent
networks still learn from each release. Stays are simulated; with --real they are PhysioNet's, if
QUINTAIN_DATA has them."""

import argparse
import time

import numpy as np

from benchmarks.bench.means import mean_and_reach
from quintain.attacks import Attack, Knowledge
from quintain.attacks.membership.series.binary_classifier import BinaryClassifier
from quintain.attacks.membership.series.fingerprint import Fingerprint
from quintain.attacks.membership.series.greedy_matching import GreedyMatching
from quintain.attacks.membership.series.lengths_and_gaps import NanPattern, SeriesLength
from quintain.attacks.membership.series.nearest_series import SeriesKnn
from quintain.data.sources.icu import Icu
from quintain.guesses.membership import Membership, members_and_scores
from quintain.measures import reading_rng
from quintain.measures.utility.series.recurrent import Recurrent
from quintain.plays import Situation, play_or_raise
from quintain.randomness.noise import Noise
from quintain.samples.sample import Subset
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.series.neural.adversarial import Adversarial
from quintain.sanitizers.series.neural.genetic import Genetic
from quintain.sanitizers.series.neural.timegan import TimeGan
from quintain.sanitizers.series.noise import AddNoise

OF_2020: dict[str, Attack] = {
    "KNN": SeriesKnn(),
    "classifier": BinaryClassifier(device="cpu"),
    "TimeKNN": SeriesKnn(compare="time"),
}
STRONGER: dict[str, Attack] = {
    "greedy": GreedyMatching(),
    "NaN": NanPattern(),
    "length": SeriesLength(),
    "extremes": Fingerprint(),
}
ATTACKS = OF_2020 | STRONGER
READ = ("recurrent_features_passed", "recurrent_feature_skill", "recurrent_step_skill")


def sanitizers(iterations: int) -> dict[str, tuple[Sanitizer, float | None]]:
    """The sanitizers, each with its score on the poster: the best of nine attacks."""
    return {
        "add noise .1": (AddNoise(), 0.5734),
        "TimeGAN": (TimeGan(iterations=iterations, device="cpu"), 0.5047),
        "genetic": (Genetic(predictors=20, device="cpu"), 0.6315),
        "adversarial, as shipped": (Adversarial(as_shipped=True, device="cpu"), 0.5037),
        "adversarial, in order": (Adversarial(device="cpu"), None),
    }


def played(sanitizer: Sanitizer, source: Icu, seed: int) -> tuple[list[float], list[float]]:
    """The accuracy of each attack and, for the first seed, the utility of the release."""
    rng = np.random.default_rng(seed)
    sample = Subset(fraction=0.5).draw(source.data(rng), rng=rng)
    release = sanitize(sanitizer, sample.private, rng=rng, noise=Noise.for_test(seed)).release
    goal = Membership()
    question, truth = goal.ask(sample, release)
    scores = []
    for attacker in ATTACKS.values():
        situation = Situation(goal, release, Knowledge(question))
        guess = play_or_raise(attacker, situation, rng=np.random.default_rng(seed))
        members, probabilities = members_and_scores(truth, guess)
        scores.append(float(((probabilities > 0.5) == members).mean()))
    if seed:
        return scores, []
    test = source.test_data(np.random.default_rng(99))
    readings = Recurrent(seeds=(1,), device="cpu").measure(
        sample.private, release.data, test, rng=reading_rng()
    )
    return scores, [readings[name].value for name in READ]


def main() -> None:
    """Print the table, each row as soon as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--iterations", type=int, default=150)
    parser.add_argument("--real", action="store_true")
    options = parser.parse_args()
    source = Icu(rows=1000, features=20, steps=48, real=options.real)
    head = ["sanitizer", "poster", *OF_2020, "best of these", *STRONGER]
    head += ["features passed", "feature skill", "step skill", "CPU-s"]
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|", flush=True)
    for name, (sanitizer, poster) in sanitizers(options.iterations).items():
        started = time.process_time()
        runs = [played(sanitizer, source, seed) for seed in range(options.seeds)]
        scores = np.array([run[0] for run in runs])
        old = scores[:, : len(OF_2020)]
        cells = [name, "–" if poster is None else f"{poster:.4f}"]
        cells += [mean_and_reach(column) for column in old.T] + [mean_and_reach(old.max(axis=1))]
        cells += [mean_and_reach(column) for column in scores[:, len(OF_2020) :].T]
        cells += [f"{value:.3g}" for value in runs[0][1]]
        cells.append(f"{time.process_time() - started:.0f}")
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
