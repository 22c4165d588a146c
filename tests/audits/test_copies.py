"""Copies without a control: what is proved, and what chance gives."""

import numpy as np
import pytest

from quintain.audits.checks.copies import PROOF, closeness
from quintain.testing import unique_people


@pytest.fixture(scope="module")
def everybody():
    return unique_people(rows=600)


def test_other_people_prove_nothing(everybody):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        order = rng.permutation(600)
        near = closeness(everybody.take(order[:300]), everybody.take(order[300:]), rng=rng)
        assert near.proofs() == ()


@pytest.mark.parametrize(("copies", "proved"), [(5, False), (60, True)])
def test_many_copies_are_a_proof_and_a_few_are_not(everybody, copies, proved):
    original, others = everybody.take(range(300)), everybody.take(range(300, 600))
    release = original.take(range(copies)).concat(others.take(range(300 - copies)))
    near = closeness(original, release, rng=np.random.default_rng(0))
    assert (near.p <= PROOF) is proved
    assert bool(near.proofs()) is proved


@pytest.mark.parametrize("released", [1, 2])
def test_releases_of_one_or_two_records_prove_nothing(everybody, released):
    known, others = everybody.take(range(400)), everybody.take(range(400, 400 + released))
    near = closeness(known, others, rng=np.random.default_rng(0))
    assert near.proofs() == () and near.p > PROOF
