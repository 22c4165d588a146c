"""Accuracy of membership guesses: the share of right answers, by hand."""

import pytest

from quintain.measures import reading_rng
from quintain.measures.intervals import clopper_pearson
from quintain.measures.privacy.membership_accuracy import Accuracy
from tests.measures.privacy.membership_cases import case


def accuracy(*cases):
    return Accuracy().measure(cases, rng=reading_rng())["accuracy"]


def test_accuracy_is_the_share_of_right_answers():
    # Right: a member at 0.9, and others at 0.1 and 0.5. Wrong: a member at 0.4, another at 0.8.
    reading = accuracy(case([1, 1, 0, 0, 0], [0.9, 0.4, 0.1, 0.5, 0.8]))
    assert reading.value == pytest.approx(3 / 5)
    assert (reading.n, reading.better) == (5, "lower")
    assert (reading.low, reading.high) == clopper_pearson(3, 5)


def test_repetitions_are_pooled():
    reading = accuracy(case([1], [1]), case([1, 0, 0], [0, 1, 1]))
    assert (reading.value, reading.n) == (1 / 4, 4)
