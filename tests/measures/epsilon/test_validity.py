"""Validity: no method that is offered is above the true epsilon more often than it says."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from quintain.measures.epsilon import METHODS
from quintain.measures.epsilon.gaussian import Gaussian, gaussian_delta
from quintain.measures.epsilon.joint_exact import JointExact
from quintain.measures.epsilon.method import Counts
from quintain.measures.epsilon.one_run import OneRunGaussian
from quintain.measures.epsilon.thresholds import ClopperPearson, RankedThresholds, SeveralSplits

OFFERED = {
    **{name: method for name, method in METHODS.items() if "gaussian" not in name},
    "several splits": ClopperPearson(SeveralSplits(5)),
}
AUDITS = 100
MOST = int(binom.ppf(0.999, AUDITS, 0.05))
"""A method that is wrong in 5 % of audits is wrong more often than this in one test of 1,000."""


def laplace(inside, rng):
    """Noise of scale 1 on a count that the person moves by 1: epsilon is 1."""
    return inside + rng.laplace(size=len(inside))


def response(inside, rng):
    """Randomized response with epsilon 1; there are only two scores."""
    return np.where(rng.random(len(inside)) < math.e / (1 + math.e), inside, ~inside) * 1.0


def noise(inside, rng):
    return rng.random(len(inside))


def times_above(method, mechanism, truth, delta=0.0, runs=60):
    above = 0
    for seed in range(AUDITS):
        rng = np.random.default_rng(seed)
        tossed = rng.random(2 * runs) < 0.5
        inside = tossed if method.design == "coins" else np.arange(2 * runs) < runs
        scores = mechanism(inside, rng)
        above += method.bound(scores[inside], scores[~inside], delta=delta, rng=rng).value > truth
    return above


@pytest.mark.parametrize(("mechanism", "truth"), [(laplace, 1.0), (response, 1.0), (noise, 1e-6)])
@pytest.mark.parametrize("method", OFFERED.values(), ids=OFFERED)
def test_the_bound_is_seldom_above_the_truth(method, mechanism, truth):
    assert times_above(method, mechanism, truth) <= MOST


@pytest.mark.parametrize("vouched", [Gaussian, OneRunGaussian])
def test_a_gaussian_bound_is_seldom_above_the_truth_of_gaussian_noise(vouched):
    method, delta = vouched(mechanism_is_gaussian=True), gaussian_delta(2.0, 1.0)

    def gaussian(inside, rng):
        return inside + rng.normal(size=len(inside))

    assert times_above(method, gaussian, 2.0, delta) <= MOST


@pytest.mark.parametrize("delta", [0.0, 0.05])
@pytest.mark.parametrize(("n", "m"), [(12, 12), (5, 20)])
def test_the_joint_bound_holds_everywhere_on_the_edge(n, m, delta):
    # Every outcome with its probability, for the most telling attacks that an epsilon allows.
    bounds = np.array(
        [
            [JointExact().of_counts(Counts(h, n, f, m), delta=delta) for f in range(m + 1)]
            for h in range(n + 1)
        ]
    )
    largest = []
    for epsilon in (0.2, 1.0, 2.5):
        for q in np.linspace(0.0, 1.0, 101):
            factor = math.exp(epsilon)
            p = min(factor * q + delta, 1 - (1 - q - delta) / factor, 1.0)
            law = np.outer(binom.pmf(range(n + 1), n, p), binom.pmf(range(m + 1), m, q))
            largest.append(law[bounds > epsilon].sum())
    assert max(largest) <= 0.05 + 1e-7
    # An exact test of few runs cannot use all of the error that is allowed, but most of it.
    assert max(largest) > 0.02


@pytest.mark.parametrize("discrete", [False, True])
def test_ranks_need_no_held_out_runs(discrete):
    # One threshold from either side, so hardly anything is lost to the correction.
    above = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        scores = 2 + rng.laplace(size=40), rng.laplace(size=40)
        if discrete:
            scores = tuple(np.rint(side) for side in scores)
        bound = RankedThresholds(shares=(0.1,)).bound(*scores, level=0.6, rng=rng)
        above += bound.value > 2
    assert above <= binom.ppf(0.999, 400, 0.4)
