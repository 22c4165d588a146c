"""Excess within: hidden numbers guessed nearly right, for members and for a control group."""

import numpy as np
import pytest

from quintain.data import Column, Schema, Table
from quintain.guesses import Guess, Truth
from quintain.guesses.attribute import Attribute
from quintain.measures import Case
from quintain.measures.privacy.excess_accuracy import (
    ExcessAccuracy,
    ExcessWithin,
    best_number,
    near,
)

DATA = Schema(columns=(Column(name="wage", kind="real", low=0, high=100, nullable=True),))
GOAL = Attribute(column="wage")


def read(members, values, guesses, tolerance, measure=None):
    names = [f"t{number}" for number in range(len(values))]
    truth = {"target": names, "member": members, "wage": values}
    case = Case(
        Truth(Table.of(GOAL.truth_schema(DATA), truth)),
        Guess(Table.of(GOAL.guess_schema(DATA), {"target": names, "wage": guesses})),
    )
    part = measure or ExcessWithin(tolerance=tolerance)
    return {n: r.value for n, r in part.measure([case], rng=np.random.default_rng(0)).items()}


def test_guesses_within_the_tolerance_count():
    values, guesses = [10.0, 20.0, 30.0, 40.0], [12.0, 22.5, 28.0, 99.0]
    readings = read([1, 1, 0, 0], values, guesses, 2.0)
    assert readings["members_within"] == 0.5
    assert readings["control_within"] == 0.5
    assert readings["excess_within"] == 0.0


def test_the_best_blind_guess_is_near_most_of_the_control_group():
    # 5.5 is within 1 of three of the four controls, and of one member.
    values = [5.0, 50.0, 5.0, 5.5, 6.5, 80.0]
    readings = read([1, 1, 0, 0, 0, 0], values, [5.0, 50.0, 0.0, 0.0, 0.0, 0.0], 1.0)
    assert readings["within_over_blind"] == 0.5
    assert readings["excess_within"] == 1.0


def test_a_missing_number_is_right_if_it_is_guessed_to_be_missing():
    readings = read([1, 1, 0, 0], [None, None, 3.0, 4.0], [None, 7.0, None, 4.0], 1.0)
    assert (readings["members_within"], readings["control_within"]) == (0.5, 0.5)


def test_without_tolerance_it_is_the_excess_accuracy():
    rng = np.random.default_rng(3)
    members, values = rng.integers(2, size=60).tolist(), rng.integers(4, size=60) * 1.0
    guesses = np.where(rng.random(60) < 0.5, values, rng.integers(4, size=60) * 1.0)
    exact = read(members, values.tolist(), guesses.tolist(), 0.0, ExcessAccuracy())
    within = read(members, values.tolist(), guesses.tolist(), 0.0)
    assert list(within.values()) == pytest.approx(list(exact.values()))


def test_the_last_bit_of_a_difference_does_not_matter():
    assert near(np.array([0.3]), np.array([0.2]), 0.1).all()


def test_the_best_number_of_nobody_is_nought():
    assert best_number(np.zeros(0), 1.0) == 0.0


def test_the_excess_is_told_in_people():
    assert ExcessWithin(tolerance=2).in_people(0.25) == (
        "Of 100 members, the attacker guesses 25 more within 2 than of 100 people who were not in "
        "the data."
    )
