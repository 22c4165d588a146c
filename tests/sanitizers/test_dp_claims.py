"""Thousands of runs on neighbouring data: no claim is broken, and a planted bug is caught.

A distinguishing test gives a lower bound on the epsilon a sanitizer really has. A sound one stays
under its claim. The same test must fail when noise is divided by the number of records, or when
delta is ignored; otherwise it would prove nothing.
"""

import numpy as np
import pytest

from quintain.data import Column, Schema, Table
from quintain.measures.epsilon_bound import audited_epsilon
from quintain.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.independent import Independent
from quintain.sanitizers.mst import Mst
from quintain.sanitizers.privbayes import PrivBayes
from quintain.sanitizers.rr import RandomizedResponse

RUNS = 3000
SCHEMA = Schema(
    columns=tuple(Column(name=name, kind="category", values=("a", "b")) for name in ("x", "y"))
)


def table(*rows):
    return Table.of(SCHEMA, {name: [row[j] for row in rows] for j, name in enumerate("xy")})


# Few records, so that hardly anything but the noise hides the one that makes the difference.
ADDED = table(("a", "a"), ("b", "b")), table(("a", "a"))
REPLACED = table(("b", "b")), table(("a", "a"))


def seen(release):
    """How much of the odd record shows: column by column, and in both at once."""
    is_b = release.codes() == 1
    return is_b.sum() + is_b.all(axis=1).sum()


def audit(sanitizer, neighbours, delta=0.0):
    scores = []
    for side, data in enumerate(neighbours):
        found = []
        for run in range(RUNS):
            rng = np.random.default_rng([side, run])
            release = sanitize(sanitizer, data, rng=rng, noise=Noise.for_test(rng))
            found.append(seen(release.data))
        scores.append(np.array(found))
    return audited_epsilon(*scores, delta=delta, level=0.999)


SOUND = [
    (Independent(epsilon=1.0), ADDED, 0.0),
    (PrivBayes(epsilon=1.0), ADDED, 0.0),
    (Mst(epsilon=2.0, delta=1e-3), ADDED, 1e-3),
    (RandomizedResponse(keep=0.2), REPLACED, 0.0),
]


@pytest.mark.parametrize(
    ("sanitizer", "neighbours", "delta"), SOUND, ids=lambda x: getattr(x, "id", "")
)
def test_the_claim_holds(sanitizer, neighbours, delta):
    release = sanitize(
        sanitizer, neighbours[0], rng=np.random.default_rng(0), noise=Noise.for_test(0)
    )
    assert release.claim is not None
    bound = audit(sanitizer, neighbours, delta)
    assert bound <= release.claim.epsilon, f"{sanitizer.id}: at least {bound:.2f}"
    assert bound > 0.05, f"{sanitizer.id}: the test sees nothing, so it shows nothing"


@pytest.mark.parametrize("cls", [Independent, PrivBayes])
def test_noise_divided_by_the_number_of_records_is_caught(cls, monkeypatch):
    right = Noise.laplace
    monkeypatch.setattr(Noise, "laplace", lambda self, scale, size: right(self, scale / 11, size))
    assert audit(cls(epsilon=1.0), ADDED) > 1.0


def test_delta_ignored_is_caught(monkeypatch):
    # epsilon-DP implies epsilon**2 / 2 zCDP; the other way round it would take a delta.
    monkeypatch.setattr("quintain.sanitizers.mst.rho_for", lambda epsilon, delta: epsilon**2 / 2)
    assert audit(Mst(epsilon=2.0, delta=1e-3), ADDED, 1e-3) > 2.0


def test_a_kept_value_too_many_is_caught():
    claimed = RandomizedResponse(keep=0.2)
    release = sanitize(claimed, REPLACED[0], rng=np.random.default_rng(0), noise=Noise.for_test(0))
    assert audit(RandomizedResponse(keep=0.8), REPLACED) > release.claim.epsilon
