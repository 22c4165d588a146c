"""Empirical epsilon: how often bounds are above the truth, what they show, and what they cost.

    sh scripts/peers.sh
    python -m benchmarks.audit.epsilon [--repetitions 1000] [--runs 250] [--peer PYTHON]

Three tables. *Validity*: mechanisms whose epsilon is known, so many runs with the person and as
many without (for the methods that need coins, twice as many coins); the share of audits in which a
bound at level 95 % is above the true epsilon, with its exact 95 % interval, and the median bound.
*Ceilings*: what each method shows at most. *Cost*: the credible interval beside privacy-estimates
of Microsoft, in CPU seconds. Without ``.venv-peers`` or another interpreter that has the package
(``--peer``), that row is left out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from quintain.data.arrays import Floats, Mask
from quintain.measures.epsilon import METHODS
from quintain.measures.epsilon.bayesian import credible_interval
from quintain.measures.epsilon.gaussian import Gaussian, gaussian_delta
from quintain.measures.epsilon.joint_exact import JointExact
from quintain.measures.epsilon.method import Counts, EpsilonMethod
from quintain.measures.epsilon.one_run import OneRun, OneRunGaussian
from quintain.measures.epsilon.thresholds import ClopperPearson, SeveralSplits
from quintain.measures.intervals import clopper_pearson

OFFERED: Mapping[str, EpsilonMethod] = {
    **{name: method for name, method in METHODS.items() if "gaussian" not in name},
    "clopper-pearson, 11 splits": ClopperPearson(SeveralSplits()),
}
GAUSSIAN: Mapping[str, EpsilonMethod] = {
    "gaussian": Gaussian(mechanism_is_gaussian=True),
    "joint-exact": JointExact(),
    "one-run-gaussian": OneRunGaussian(mechanism_is_gaussian=True),
    "one-run": OneRun(),
}
EXAMPLE = Counts(hits=300, with_it=1000, false=10, without=1000)
PEER = """
import json, sys, time
from privacy_estimates import AttackResults
from privacy_estimates.joint_density import Beta
fn, fp, tn, tp, tolerance = json.loads(sys.argv[1])
start = time.process_time()
made = Beta(AttackResults(FN=fn, FP=fp, TN=tn, TP=tp)).eps_lo_hi(delta=0.0, xtol=tolerance)
print(json.dumps([*map(float, made), time.process_time() - start]))
"""

Scores = Callable[[Mask, np.random.Generator], Floats]


def laplace(inside: Mask, rng: np.random.Generator) -> Floats:
    """A count that the person moves by one, with Laplace noise of scale 1: epsilon is 1."""
    return inside + rng.laplace(size=len(inside))


def response(inside: Mask, rng: np.random.Generator) -> Floats:
    """Randomized response with epsilon 1: the answer is true with probability e / (1 + e)."""
    return np.where(rng.random(len(inside)) < np.e / (1 + np.e), inside, ~inside) * 1.0


def nothing(inside: Mask, rng: np.random.Generator) -> Floats:
    """Pure noise: epsilon is 0."""
    return rng.random(len(inside))


def gaussian(inside: Mask, rng: np.random.Generator) -> Floats:
    """A count with Gaussian noise of deviation 1: mu is 1."""
    return inside + rng.normal(size=len(inside))


def bounds(
    method: EpsilonMethod, scores: Scores, runs: int, repetitions: int, delta: float
) -> Floats:
    """One bound per audit."""
    made = []
    for seed in range(repetitions):
        rng = np.random.default_rng(seed)
        tossed = rng.random(2 * runs) < 0.5
        inside = tossed if method.design == "coins" else np.arange(2 * runs) < runs
        all_scores = scores(inside, rng)
        reading = method.bound(all_scores[inside], all_scores[~inside], delta=delta, rng=rng)
        made.append(reading.value)
    return np.array(made)


def validity_row(
    title: str, name: str, method: EpsilonMethod, scores: Scores, truth: float, delta: float,
    runs: int, repetitions: int,
) -> str:  # fmt: skip
    """One method on one mechanism, as a row of the table."""
    start = time.process_time()
    values = bounds(method, scores, runs, repetitions, delta)
    each = (time.process_time() - start) / repetitions
    above = int((values > truth + 1e-9).sum())
    low, high = clopper_pearson(above, repetitions)
    share = f"{above / repetitions:.3f} ({low:.3f} to {high:.3f})"
    return (
        f"| {title} | {name} | {np.median(values):.2f} | {share} "
        f"| {method.ceiling(runs, runs, delta=delta):.2f} | {1000 * each:.1f} |"
    )


def gaussian_epsilon(mu: float, delta: float) -> float:
    """The epsilon of a mu-GDP mechanism at a delta."""
    from scipy.optimize import brentq

    return float(brentq(lambda epsilon: gaussian_delta(epsilon, mu) - delta, 0, 50))


def validity(runs: int, repetitions: int) -> None:
    """Print how often each method is above the truth."""
    delta = 1e-5
    cases = [
        ("Laplace, epsilon 1", OFFERED, laplace, 1.0, 0.0),
        ("randomized response, epsilon 1", OFFERED, response, 1.0, 0.0),
        ("nothing, epsilon 0", OFFERED, nothing, 0.0, 0.0),
        ("Gaussian, mu 1, delta 1e-5", GAUSSIAN, gaussian, gaussian_epsilon(1.0, delta), delta),
    ]
    print(f"{repetitions} audits of {runs} runs with and {runs} runs without the person\n")
    print("| mechanism | method | median bound | share above the truth | ceiling | CPU ms |")
    print("|---|---|---|---|---|---|")
    for title, methods, scores, truth, lost in cases:
        for name, method in methods.items():
            row = validity_row(title, name, method, scores, truth, lost, runs, repetitions)
            print(row, flush=True)


def ceilings() -> None:
    """Print what a perfect attack can show."""
    sizes = (10, 30, 100, 250, 1000, 10_000)
    print("\nHighest bound that a perfect attack can show, by runs with and without the person\n")
    print("| method | " + " | ".join(f"{n:,}" for n in sizes) + " |")
    print("|---" * (len(sizes) + 1) + "|")
    for name, method in OFFERED.items():
        print(f"| {name} | " + " | ".join(f"{method.ceiling(n, n):.2f}" for n in sizes) + " |")


def peer_interval(python: Path, tolerance: float) -> list[float]:
    """The credible interval of privacy-estimates and its CPU seconds."""
    c = EXAMPLE
    counts = [c.with_it - c.hits, c.false, c.without - c.false, c.hits, tolerance]
    command = [str(python), "-c", PEER, json.dumps(counts)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    low, high, seconds = json.loads(done.stdout)
    return [low, high, seconds]


def cost(peer: Path) -> None:
    """Print the credible interval and its cost, beside the other package if it is there."""
    credible_interval(EXAMPLE)
    start = time.process_time()
    for _ in range(100):
        low, high = credible_interval(EXAMPLE)
    ours = (time.process_time() - start) / 100
    print("\nCredible interval, 300 of 1,000 hits and 10 of 1,000 false alarms\n")
    print("| program | interval | CPU seconds | times ours |\n|---|---|---|---|")
    print(f"| quintain | {low:.4f} to {high:.4f} | {ours:.4f} | 1 |", flush=True)
    if not peer.exists():
        print(f"\nprivacy-estimates left out: no {peer} (sh scripts/peers.sh)")
        return
    low, high, seconds = peer_interval(peer, 1e-2)
    print(
        f"| privacy-estimates | {low:.4f} to {high:.4f} | {seconds:.1f} | {seconds / ours:,.0f} |"
    )


def main() -> None:
    """Print the three tables."""
    options = argparse.ArgumentParser()
    options.add_argument("--repetitions", type=int, default=1000)
    options.add_argument("--runs", type=int, default=250)
    options.add_argument("--peer", type=Path, default=Path(".venv-peers/bin/python"))
    given = options.parse_args()
    validity(given.runs, given.repetitions)
    ceilings()
    cost(given.peer)


if __name__ == "__main__":
    main()
