"""Randomized response by frequency: a value is replaced by the value of another record."""

import numpy as np
import pytest
from scipy.stats import chisquare

from quintain.data import Column, Schema, Table
from quintain.randomness.noise import Noise
from quintain.sanitizers.masking.randomized_response import (
    RandomizedResponseByFrequency,
)
from tests.sanitizers.masking.masking_cases import masked, persons

COLUMNS = ("age", "grade", "town", "weight", "left")


def test_keeping_everything_changes_nothing():
    data = persons()
    after, release = masked("rrp", data, keep=1.0)
    assert after.equals(data)
    assert release.methods[0].rows == 0


def test_replacements_follow_the_distribution_of_the_column():
    data = persons(20_000)
    after, _ = masked("rrp", data, keep=0.0, columns=COLUMNS)
    before = np.bincount(data.columns["town"])
    assert chisquare(np.bincount(after.columns["town"]), before).pvalue > 1e-4
    assert abs(after.columns["weight"].mean() - 70) < 0.5


def test_a_value_stays_as_often_as_it_should():
    # Kept with 0.6, or drawn again with 0.4 times its share of 0.7: 0.88.
    data = persons(20_000)
    after, _ = masked("rrp", data, keep=0.6, columns=("town",))
    common = data.columns["town"] == 0
    stays = (after.columns["town"][common] == 0).mean()
    assert abs(stays - (0.6 + 0.4 * common.mean())) < 0.015


def test_dependence_between_columns_fades_with_what_is_kept():
    data = persons(20_000)
    left = []
    for keep in (1.0, 0.7, 0.0):
        after, _ = masked("rrp", data, keep=keep, columns=("age",))
        left.append(np.corrcoef(after.columns["age"], after.columns["grade"])[0, 1])
    assert left[0] > 0.9
    assert left[1] == pytest.approx(0.7 * left[0], abs=0.03)
    assert abs(left[2]) < 0.03


def test_a_missing_value_is_drawn_like_any_other():
    data = persons(20_000)
    after, _ = masked("rrp", data, keep=0.0, columns=("left",))
    assert abs((after.columns["left"] == -1).mean() - 1 / 11) < 0.01


def test_nothing_is_claimed_and_the_questionnaire_counts_the_changed():
    data = persons()
    after, release = masked("rrp", data, keep=0.5, columns=("town", "age"))
    assert release.claim is None
    (method,) = release.methods
    assert (method.name, method.columns) == ("randomized response", ("town", "age"))
    differs = [after.columns[n] != data.columns[n] for n in ("town", "age")]
    assert method.rows == (differs[0] | differs[1]).sum()


def test_the_order_of_released_records_reveals_nothing():
    schema = Schema(columns=(Column(name="x", kind="integer", low=0, high=99),))
    data = Table(schema, {"x": np.arange(100)})
    release = (
        RandomizedResponseByFrequency(keep=0.5)
        .sanitize(data, rng=np.random.default_rng(0), noise=Noise.for_test(1))
        .release
    )
    values = release.data.columns["x"]
    assert (np.diff(values) >= 0).all()
