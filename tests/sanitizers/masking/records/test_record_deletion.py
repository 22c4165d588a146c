"""Record deletion: records with rare values are deleted first."""

import math
from collections import Counter

import numpy as np
import pytest

from quintain.data import Column, Schema, Table
from quintain.randomness.noise import Noise
from quintain.sanitizers.masking.deletion import RecordDeletion, surprise
from tests.sanitizers.masking.masking_cases import persons


def left(data, **parameters):
    part = RecordDeletion(**parameters)
    return part.sanitize(data, rng=np.random.default_rng(0), noise=Noise.for_test(1)).release


def test_surprise_is_the_sum_of_logarithms():
    data, names = persons(60), ("grade", "town", "left")
    records = data.records()
    count = {name: Counter(record[name] for record in records) for name in names}
    slow = [sum(-math.log2(count[n][r[n]] / 60) for n in names) for r in records]
    assert surprise(data, names) == pytest.approx(slow)


def test_the_rarest_go_and_the_rest_stays_in_order():
    data = persons(1000)
    release = left(data, share=0.2, columns=("age", "town"))
    deleted = np.setdiff1d(data.columns["id"], release.data.columns["id"])
    odd = surprise(data, ("age", "town"))
    assert len(deleted) == release.methods[0].rows == 200
    assert odd[deleted].min() >= np.delete(odd, deleted).max()
    assert (np.diff(release.data.columns["id"]) > 0).all()
    assert release.claim is None


def test_the_odd_one_out_is_deleted():
    schema = Schema(columns=(Column(name="x", kind="category", values=("a", "b")),))
    data = Table(schema, {"x": np.array([0] * 50 + [1] + [0] * 49)})
    assert set(left(data, share=0.01).data.columns["x"].tolist()) == {0}


@pytest.mark.parametrize(("share", "stay"), [(0.0, 10), (1.0, 1)])
def test_nobody_or_all_but_one_can_go(share, stay):
    assert len(left(persons(10), share=share).data) == stay
