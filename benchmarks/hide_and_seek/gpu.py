"""What the neural parts of Hide-and-Seek cost on a GPU, at the size of the contest.

    python -m benchmarks.hide_and_seek.gpu [--out FILE] [--only PART ...] [--rows N] [--short]

The simulator replaces the data of 2020: 20,000 stays of up to 100 rows with 70 features and time,
half of them members. Parts: agreement (the processor and the GPU on a small set), attacks,
classifier, utility, and the sanitizers noise, genetic, shipped, adversarial, timegan. After each
sanitizer, all attacks run on its release, and two seeds of networks learn from it. With --short the
networks train for a moment only. The file gpu.md has the measured figures.
"""

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from quintain.attacks.membership.series.binary_classifier import BinaryClassifier
from quintain.attacks.membership.series.fingerprint import Fingerprint
from quintain.attacks.membership.series.greedy_matching import GreedyMatching
from quintain.attacks.membership.series.lengths_and_gaps import NanPattern, SeriesLength
from quintain.attacks.membership.series.nearest_series import SeriesKnn
from quintain.data import Series, as_series
from quintain.data.sources.icu import Icu
from quintain.jobs.progress import shown_by
from quintain.measures import reading_rng
from quintain.measures.utility.series.recurrent import Recurrent
from quintain.randomness.noise import Noise
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.series.neural.adversarial import Adversarial
from quintain.sanitizers.series.neural.genetic import Genetic
from quintain.sanitizers.series.neural.timegan import TimeGan
from quintain.sanitizers.series.noise import AddNoise

OFFICIAL = {"hidden": None, "epochs": 20, "batch": 128, "rate": 1e-3}
SEEDS = (12345, 42, 1, 123, 777)
ATTACKS = {
    "knn": SeriesKnn(),
    "time-knn": SeriesKnn(compare="time"),
    "greedy": GreedyMatching(),
    "nan-pattern": NanPattern(),
    "length": SeriesLength(),
    "fingerprint": Fingerprint(),
}
Figures = dict[str, float | str]
_shared: tuple["World", Series]


class World:
    """The stays and which of them are members; made once."""

    def __init__(self, rows: int, steps: int, features: int) -> None:
        source = Icu(rows=rows, steps=steps, features=features)
        self.steps = steps
        self.everybody = source.generate(np.random.default_rng(1))
        order = np.random.default_rng(2).permutation(rows)
        self.inside = np.isin(np.arange(rows), order[: rows // 2])
        self.members = self.everybody.take(np.flatnonzero(self.inside))
        self.others = self.everybody.take(np.flatnonzero(~self.inside))

    def hide(self, sanitizer: Sanitizer) -> Series:
        """Make a release of the members."""
        rng, noise = np.random.default_rng(3), Noise.for_test(4)
        return as_series(sanitizer.sanitize(self.members, rng=rng, noise=noise).release.data)

    def reidentified(self, scores: np.ndarray) -> float:
        """The share of correct stays, if the upper half of the scores are called members."""
        guessed = np.argsort(np.argsort(scores, kind="stable")) >= len(scores) // 2
        return float((guessed == self.inside).mean())

    def seek(self, attacker, release: Series) -> float:
        """The accuracy of an attack on a release."""
        rng = np.random.default_rng(5)
        return self.reidentified(attacker.scores(self.everybody, release, self.steps, rng=rng))


def timed(work: Callable[[], object]) -> tuple[float, object]:
    """The seconds of some work, until the GPU has finished, and its result."""
    import torch

    start = time.perf_counter()
    made = work()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter() - start, made


def agreement(world: World, short: bool) -> Figures:
    """Compare small networks on the processor and on the GPU."""
    import torch

    small = World(400, 24, 8)
    release = small.hide(AddNoise(s=0.3))
    figures: Figures = {}
    for name, of in (("utility", utility_agreement), ("classifier", classifier_agreement)):
        figures |= {f"{name}: {key}": value for key, value in of(small, release).items()}
    network = Adversarial(iterations=100)
    as_shipped = network.model_copy(update={"as_shipped": True})
    for sanitizer in (as_shipped, network, Genetic(), TimeGan(iterations=60)):
        for device in ("cpu", "cuda"):
            made = small.hide(sanitizer.model_copy(update={"device": device}))
            shipped = " as shipped" if getattr(sanitizer, "as_shipped", 0) else ""
            key = f"{sanitizer.id}{shipped} {device}"
            figures[f"{key}: knn"] = small.seek(SeriesKnn(), made)
            figures[f"{key}: greedy"] = small.seek(GreedyMatching(), made)
    figures["recurrence: largest difference"] = recurrence_difference(torch.device("cuda"))
    return figures


def recurrence_difference(device) -> float:
    """The largest relative difference of states and gradients between our recurrence and the
    vendor's."""
    import torch

    from quintain.kernels.networks import StackedGru, VendorGru, make_gru

    made = make_gru(2, 71, 71, 3, device, rng=np.random.default_rng(0))
    first = [weight[:1].clone() for weight in made.weights]
    nets = StackedGru(first), VendorGru(first)
    series = torch.rand(1, 64, 100, 71, device=device)
    results = []
    for net in nets:
        for weight in net.weights:
            weight.requires_grad_()
        states = net(series)
        results.append(
            (states.detach(), torch.autograd.grad(states.square().sum(), net.weights[0])[0])
        )
    (a, b), (c, d) = results
    return float(max((a - c).abs().max() / c.abs().max(), (b[0] - d).abs().max() / d.abs().max()))


def utility_agreement(small: World, release: Series) -> Figures:
    """The readings of the same utility on both devices."""
    figures: Figures = {}
    for device in ("cpu", "cuda"):
        measure = Recurrent(features=3, device=device)
        for name, reading in measure.measure(
            small.members, release, small.others, rng=reading_rng()
        ).items():
            figures[f"{name} {device}"] = reading.value
    return figures


def classifier_agreement(small: World, release: Series) -> Figures:
    """The correlation of scores on both devices."""
    scores = [
        BinaryClassifier(device=device).scores(
            small.everybody, release, small.steps, rng=np.random.default_rng(5)
        )
        for device in ("cpu", "cuda")
    ]
    return {"correlation of scores": float(np.corrcoef(*scores)[0, 1])}


def attacks(world: World, short: bool) -> Figures:
    """Time the attacks by distance on the processor: one after the other, and all at once."""
    release = world.hide(AddNoise())
    figures: Figures = {}
    total = 0.0
    for name, attacker in ATTACKS.items():
        seconds, score = timed(lambda attacker=attacker: world.seek(attacker, release))
        figures[f"{name} s"], figures[f"{name} re-id"] = seconds, score
        total += seconds
    seconds, scores = timed(lambda: at_once(world, release))
    assert scores == [figures[f"{name} re-id"] for name in ATTACKS]
    return figures | {"one after the other s": total, "at once s": seconds}


def at_once(world: World, release: Series) -> list[float]:
    """The scores of all attacks; each runs in its own process and shares the data."""
    global _shared
    _shared = world, release
    with multiprocessing.get_context("fork").Pool(len(ATTACKS)) as pool:
        return pool.map(_score, ATTACKS)


def _score(name: str) -> float:
    world, release = _shared
    with threadpool_limits(4):
        return world.seek(ATTACKS[name], release)


def classifier(world: World, short: bool) -> Figures:
    """Time the binary classifier of 2020."""
    attacker = BinaryClassifier(**{**OFFICIAL, "epochs": 2 if short else 20})
    seconds, score = timed(lambda: world.seek(attacker, world.hide(AddNoise())))
    return {"s": seconds, "epochs": attacker.epochs, "re-id": score}


def utility(world: World, short: bool) -> Figures:
    """Train 11 networks for each of 5 seeds, on the original and on a release."""
    epochs = 1 if short else 20
    measure = Recurrent(**{**OFFICIAL, "epochs": epochs}, seeds=SEEDS)
    release = world.hide(AddNoise())
    seconds, readings = timed(
        lambda: measure.measure(world.members, release, world.others, rng=reading_rng())
    )
    figures: Figures = {"s for original and release": seconds, "epochs": epochs}
    return figures | {name: str(reading) for name, reading in readings.items()}


def sanitizer(name: str, world: World, short: bool) -> Figures:
    """A sanitizer as in 2020: its seconds, the accuracy of attacks, the utility of its release."""
    made = sanitizers(short)[name]
    seconds, release = timed(lambda: world.hide(made))
    figures: Figures = {"s": seconds, "iterations": getattr(made, "iterations", 0)}
    for attacker, score in zip(ATTACKS, at_once(world, release), strict=True):
        figures[f"{attacker} re-id"] = score
    epochs = 1 if short else 20
    learner = BinaryClassifier(**{**OFFICIAL, "epochs": epochs})
    figures["classifier re-id"] = world.seek(learner, release)
    measure = Recurrent(**{**OFFICIAL, "epochs": epochs}, seeds=SEEDS[:2])
    readings = measure.measure(world.members, release, world.others, rng=reading_rng())
    return figures | {name: str(reading) for name, reading in readings.items()}


def sanitizers(short: bool) -> dict[str, Sanitizer]:
    """The sanitizers of the poster, and the adversarial one with its rows in order."""
    iterations = 500 if short else 30_000
    trained = {**OFFICIAL, "epochs": 1 if short else 20}
    return {
        "noise": AddNoise(),
        "shipped": Adversarial(width=64, iterations=iterations, as_shipped=True),
        "genetic": Genetic(**trained, predictors=20),
        "adversarial": Adversarial(width=64, iterations=iterations),
        "timegan": TimeGan(iterations=60 if short else 20_000, batch=128),
    }


PARTS: dict[str, Callable[[World, bool], Figures]] = {
    part.__name__: part for part in (agreement, attacks, classifier, utility)
}
PARTS |= {name: partial(sanitizer, name) for name in sanitizers(short=True)}


def say(label: str, done: int, total: int) -> None:
    """Print a line after each fifth of a long job."""
    if total >= 1000 and done % (total // 5) == 0:
        print(f"{time.strftime('%H:%M:%S')} {label}: {done:,} of {total:,}", flush=True)


def main() -> None:
    """Run the chosen parts, and print and keep their figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--short", action="store_true")
    options = parser.parse_args()
    try:
        import torch
    except ImportError:
        sys.exit("this benchmark needs PyTorch and a GPU: pip install '.[torch]'")
    if not torch.cuda.is_available():
        print("this machine has no GPU; gpu.md has figures from another machine")
        return
    seconds, world = timed(lambda: World(options.rows, 100, 70))
    figures: dict[str, Figures] = {
        "machine": {
            "gpu": torch.cuda.get_device_name(),
            "torch": torch.__version__,
            "simulation s": seconds,
        }
    }
    for name in options.only:
        try:
            with shown_by(say):
                took, measured = timed(lambda name=name: PARTS[name](world, options.short))
        except Exception as problem:  # keep what the parts before measured
            took, measured = 0.0, {"failed": repr(problem)}
        figures[name] = {**measured, "whole s": took}
        print(name, json.dumps(figures[name], indent=1), flush=True)
        if options.out:
            options.out.write_text(json.dumps(figures, indent=1))
    print(json.dumps(figures["machine"]))


if __name__ == "__main__":
    main()
