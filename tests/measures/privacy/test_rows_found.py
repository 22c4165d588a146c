"""Rows found: which share of the targets in a release an attacker finds."""

import math

import numpy as np
import pytest

from quintain.guesses.published_row import PublishedRow
from quintain.measures import BlindLaw
from quintain.measures.privacy.found import AbsenceFound, RowsFound
from quintain.testing import case_of

GOAL = PublishedRow(absent=True)


def case(rows, guesses):
    names = [f"t{number}" for number in range(len(rows))]
    return case_of(GOAL, {"target": names, "row": rows}, {"target": names, "row": guesses})


def read(measure, *cases):
    return measure.measure(cases, rng=np.random.default_rng(0))


def test_only_targets_with_a_row_count():
    reading = read(RowsFound(), case([3, 1, None, 7], [3, 2, None, None]))["rows_found"]
    assert (reading.value, reading.n, reading.better) == (1 / 3, 3, "lower")


def test_repetitions_are_pooled():
    reading = read(RowsFound(), case([3], [3]), case([1, 2, 0], [0, 2, 1]))["rows_found"]
    assert (reading.value, reading.n) == (0.5, 4)


def test_nobody_in_the_release_gives_no_reading():
    assert not read(RowsFound(), case([None, None], [1, 2]))["rows_found"].measured


def test_absence_has_a_precision_and_a_recall():
    readings = read(AbsenceFound(), case([None, None, None, 4, 5], [None, None, 1, None, 5]))
    assert readings["absence_recall"].value == pytest.approx(2 / 3)
    assert readings["absence_precision"].value == pytest.approx(2 / 3)


def test_the_blind_law_is_that_of_fixed_points():
    law = RowsFound().blind_law(PublishedRow(), 1000, 4)
    # Of the 24 orders of four things, 9, 8, 6, 0 and 1 have 0, 1, 2, 3 and 4 in their place.
    np.testing.assert_allclose(law.probabilities * 24, [9, 8, 6, 0, 1], atol=1e-9)
    np.testing.assert_allclose(law.values, [0, 0.25, 0.5, 0.75, 1])


def test_the_blind_law_of_many_rows_is_poisson_with_mean_one():
    law = BlindLaw.of_matches(30_000)
    assert law.expected * 30_000 == pytest.approx(1.0)
    assert law.probabilities[2] == pytest.approx(math.exp(-1) / 2)
    assert law.probabilities.sum() == pytest.approx(1.0)


def test_there_is_no_law_where_targets_may_be_absent():
    assert RowsFound().blind_law(GOAL, 1000, 100) is None


def test_a_value_is_told_in_people():
    assert RowsFound().in_people(0.314) == (
        "Of 100 people in the release, the attacker finds the rows of 31."
    )
