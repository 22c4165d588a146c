"""What a program hides in digits beyond those of the data does not reach anybody."""

from dataclasses import replace

import numpy as np
import pytest

from quintain.contests import load
from quintain.programs.precision import precision, round_like
from quintain.testing import example


@pytest.fixture(scope="module")
def stays():
    """Stays in intensive care as the contest has them, with times in minutes."""
    return load("hide-and-seek", quick=True).track[0].dataset.data(np.random.default_rng(0))


def test_the_data_themselves_stay_as_they_are(stays):
    same = round_like(stays, stays)
    np.testing.assert_allclose(same.values, stays.values, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(same.offsets, stays.offsets)
    assert round_like(same, stays).digest() == same.digest()


def test_a_message_in_the_low_digits_is_lost(stays):
    rng = np.random.default_rng(1)
    noise = stays.values + 5 * rng.standard_normal(stays.values.shape)
    told = noise.copy()
    told[:, 1] = np.round(noise[:, 1], 3) + 1e-5 * rng.integers(1, 40, len(noise))  # 5 bits a row
    plain = replace(
        stays, values=np.column_stack([noise[:, 0], np.round(noise[:, 1], 3), noise[:, 2:]])
    )
    quiet = round_like(plain, stays).values[:, 1]
    heard = round_like(replace(stays, values=told), stays).values[:, 1]
    assert (
        np.mean(np.isclose(quiet, heard, equal_nan=True)) > 0.98
    )  # a few cross the border between two numbers
    assert np.allclose(heard, np.round(heard, 1), equal_nan=True)


def test_missing_values_and_persons_stay(stays):
    shown = round_like(stays, stays)
    assert (np.isnan(shown.values) == np.isnan(stays.values)).all()
    assert shown.ids.tolist() == stays.ids.tolist()


@pytest.mark.parametrize(
    ("known", "expected"),
    [([0.25, 1.5], (2, 0.0)), ([3, 4], (0, 0.0)), ([1e-3], (3, 0.0)), ([], (None, 0.0))],
)
def test_the_precision_is_that_of_the_numbers(known, expected):
    assert precision(np.array(known, float)) == expected


def test_numbers_without_a_step_are_rounded_to_a_small_part_of_their_range():
    known = np.random.default_rng(2).standard_normal(1000)
    decimals, step = precision(known)
    assert decimals is None
    assert step == pytest.approx(np.ptp(known) / 1e5)


def test_data_without_real_numbers_stay():
    table = example("table")
    assert round_like(table, table).digest() == table.digest()
