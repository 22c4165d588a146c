"""Runs on neighbouring data: claims include measured edges and groups, and planted bugs are caught.

The records are few, so that hardly anything but the noise hides the one that makes the difference.
"""

import numpy as np
import pytest

from quintain.accounting.zcdp import rho_for
from quintain.data import Column, Schema, Table
from quintain.measures.epsilon.thresholds import audited_epsilon
from quintain.randomness.noise import Noise
from quintain.sanitizers import private_coding, sanitize
from quintain.sanitizers.private_coding import frequent_values, measured_bins
from quintain.sanitizers.synthetic.independent import Independent
from quintain.sanitizers.synthetic.mst import Mst
from quintain.sanitizers.synthetic.privbayes import PrivBayes

PAY = Column(name="pay", kind="real", low=0, high=100, bins=4, nullable=True)
TOWN = Column(name="town", kind="category", values=tuple("abcdefgh"))
SCHEMA = Schema(columns=(PAY, TOWN))
MISSING = Schema(columns=(PAY, TOWN.model_copy(update={"nullable": True})))


def table(*rows, schema=SCHEMA):
    columns = zip(*rows, strict=True)
    return Table.of(schema, dict(zip(schema.names, columns, strict=True)))


ADDED = table((10.5, "a"), (90.25, "h")), table((10.5, "a"))
GONE = table((10.5, "a"), (None, None), schema=MISSING), table((10.5, "a"), schema=MISSING)


def visible(release):
    """How much of the odd record shows: column by column, and in both at once."""
    pay, town = release.columns["pay"], release.columns["town"]
    odd = np.column_stack([np.isnan(pay) | (pay > 75), (town == 7) | (town == -1)])
    return odd.sum() + odd.all(axis=1).sum()


def audit(sanitizer, neighbours, delta=0.0, runs=200):
    scores = [[], []]
    for side, data in enumerate(neighbours):
        for run in range(runs):
            rng = np.random.default_rng([side, run])
            release = sanitize(sanitizer, data, rng=rng, noise=Noise.for_test(rng)).release
            scores[side].append(visible(release.data))
    return audited_epsilon(*map(np.array, scores), delta=delta, level=0.999).value


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sanitizer", "neighbours", "delta"),
    [
        (Independent(epsilon=6.0, edges="measured", groups=3), ADDED, 0.0),
        (PrivBayes(epsilon=6.0, edges="measured", groups=3), GONE, 0.0),
        (Mst(epsilon=12.0, delta=1e-3, edges="measured", groups=3), GONE, 1e-3),
    ],
    ids=lambda value: getattr(value, "id", ""),
)
def test_the_claim_holds_for_real_and_missing_values(sanitizer, neighbours, delta):
    bound = audit(sanitizer, neighbours, delta)
    assert bound <= sanitizer.epsilon, f"{sanitizer.id}: at least {bound:.2f}"
    assert bound > 0.2, f"{sanitizer.id}: the test sees nothing, so it shows nothing"


# --- what the noise tells by itself ---------------------------------------------------------------


def heard_edges(monkeypatch, runs):
    """Audit the noisy counts behind edges; the odd record shares its value with many others."""
    many = np.full(400, 33.3)
    scores = [[], []]
    right = private_coding._noisy_counts
    evidence = []

    def listen(places, ranges, scale, noise):
        noisy = right(places, ranges, scale, noise)
        for starts, counts in zip(ranges, noisy, strict=True):
            at = np.searchsorted(starts, places[0], side="right") - 1
            if 0 <= at < len(counts):
                # The log likelihood ratio of 401 records in the cell against 400.
                evidence.append((abs(counts[at] - 400) - abs(counts[at] - 401)) / scale)
        return noisy

    monkeypatch.setattr(private_coding, "_noisy_counts", listen)
    # What is made of the counts reads no records. It takes most of the time, so it is left out.
    monkeypatch.setattr(
        private_coding, "_jumps", lambda cells, *_: [cells.starts[0], cells.starts[-1]]
    )
    for side, pay in enumerate((np.append(many, 33.3), many)):
        for run in range(runs):
            evidence.clear()
            measured_bins(PAY, pay, 4, epsilon=2.0, noise=Noise.for_test(2 * run + side))
            scores[side].append(sum(evidence))
    return audited_epsilon(*map(np.array, scores), delta=0.0, level=0.999).value


@pytest.mark.slow
def test_the_claim_holds_for_the_counts_behind_edges(monkeypatch):
    assert 0.3 < heard_edges(monkeypatch, 300) <= 2.0


@pytest.mark.slow
def test_rounds_that_cost_nothing_are_caught(monkeypatch):
    right = Noise.laplace
    monkeypatch.setattr(
        Noise, "laplace", lambda self, scale, size: right(self, scale / private_coding.ROUNDS, size)
    )
    assert heard_edges(monkeypatch, 350) > 2.0


def heard_groups(epsilon, runs):
    """Audit which values are kept; one person alone makes value 7 stand out, or not."""
    kept = []
    for side, count in enumerate((1, 0)):
        contents = np.repeat([0, 7], [60, count])
        groups = (
            frequent_values(
                TOWN, contents, 8, epsilon=epsilon, noise=Noise.for_test(2 * run + side)
            )
            for run in range(runs)
        )
        kept.append(np.array([7 in group.kept for group in groups], float))
    return audited_epsilon(*kept, delta=0.0, level=0.999).value


def test_the_claim_holds_for_groups():
    assert 1.0 < heard_groups(4.0, 300) <= 4.0


# --- the account ----------------------------------------------------------------------------------


class Recorder(Noise):
    """Test noise that records the scale of every histogram."""

    def __init__(self, seed):
        super().__init__(bytes([seed] * 32), test=True)
        self.scales, self.sigmas, self._inside = [], [], False

    def laplace(self, scale, size):
        if not self._inside:
            self.scales.append(scale)
        return super().laplace(scale, size)

    def gaussian(self, sigma, size):
        self.sigmas.append(sigma)
        self._inside = True  # Gaussian noise is made from Laplace noise
        out = super().gaussian(sigma, size)
        self._inside = False
        return out


@pytest.mark.parametrize("share", [None, 0.5])
def test_edges_groups_and_model_spend_the_claimed_epsilon_together(share):
    # 2000 people with one income: the edges need every round.
    data = table(*[(33.3, "a")] * 2000)
    sanitizer = Independent(epsilon=2.0, edges="measured", groups=3, coding_share=share)
    noise = Recorder(7)
    release = sanitize(sanitizer, data, rng=np.random.default_rng(0), noise=noise).release
    # Two rounds of edges, one histogram of towns, and a histogram for each of two columns.
    spent = 2.0 * (share or 0.1)
    rounds, towns, model = 2 / (spent / 2), 1 / (spent / 2), 2 / (2.0 - spent)
    assert noise.scales == pytest.approx([rounds] * 2 + [towns] + [model] * 2)
    assert sum(1 / scale for scale in noise.scales) == pytest.approx(release.claim.epsilon)
    assert release.methods[0].columns == ("pay", "town")
    words = f"edges and groups measured with epsilon {spent:g}; the model gets {2.0 - spent:g}"
    assert release.methods[0].detail == words


def test_in_zcdp_edges_groups_and_model_stay_within_one_rho():
    data = table(*[(33.3, "a"), (66.6, "b")] * 1000)
    noise = Recorder(7)
    sanitizer = Mst(epsilon=2.0, delta=1e-6, edges="measured", groups=3)
    sanitize(sanitizer, data, rng=np.random.default_rng(0), noise=noise)
    # Two rounds of edges share the epsilon of their column; the towns have one of their own.
    *edges, towns = noise.scales
    assert edges == pytest.approx([2 * towns] * len(edges))
    answers = 2 * (1 / towns) ** 2 / 2
    counts = sum(1 / (2 * sigma**2) for sigma in noise.sigmas)
    assert answers + counts == pytest.approx(rho_for(2.0, 1e-6), rel=1e-6)
    assert answers == pytest.approx(0.1 * rho_for(2.0, 1e-6))


def test_equal_bins_cost_nothing():
    noise = Recorder(7)
    data = table(*[(33.3, "a"), (None, "b")] * 50)
    sanitize(Independent(epsilon=2.0), data, rng=np.random.default_rng(0), noise=noise)
    assert noise.scales == [1.0, 1.0]
