"""Excess accuracy: hidden values of members against a control and the best blind guess."""

import numpy as np
import pytest

from quintain.data import Column, Schema, Table
from quintain.errors import SubmissionError
from quintain.guesses import Guess, Truth
from quintain.guesses.attribute import Attribute
from quintain.measures import Case, reading_rng
from quintain.measures.privacy.excess_accuracy import ExcessAccuracy, most_frequent

DATA = Schema(columns=(Column(name="ill", kind="category", values=("no", "a bit", "very")),))
GOAL = Attribute(column="ill")


def case(members, values, guesses, order=None):
    """One case; targets are answered in another order, if given."""
    names = np.arange(len(members))
    truth = Table(GOAL.truth_schema(DATA), {"target": names, "member": members, "ill": values})
    guess = Table(GOAL.guess_schema(DATA), {"target": names, "ill": guesses})
    return Case(Truth(truth), Guess(guess if order is None else guess.take(order)))


def read(*cases):
    return ExcessAccuracy().measure(cases, rng=reading_rng())


# Four members and four controls. The control has "no" three times, so the best blind guess is
# "no", which is right for two members. The attacker is right for three members and one control.
ONE = case(
    members=[1, 1, 1, 1, 0, 0, 0, 0],
    values=[0, 0, 1, 2, 0, 0, 0, 1],
    guesses=[0, 1, 1, 2, 0, 2, 2, 2],
)


def test_hits_on_members_are_compared_with_those_on_the_control():
    readings = read(ONE)
    assert readings["member_hits"].value == 3 / 4
    assert readings["control_hits"].value == 1 / 4
    assert readings["excess_accuracy"].value == 3 / 4 - 1 / 4
    assert [readings[name].n for name in ("member_hits", "control_hits", "excess_accuracy")] == [
        4,
        4,
        8,
    ]


def test_the_best_blind_guess_is_compared_on_the_same_members():
    reading = read(ONE)["excess_over_blind"]
    assert reading.value == pytest.approx(3 / 4 - 2 / 4)
    assert reading.low < 0 < reading.value < reading.high <= 1
    assert reading.n == 4


def test_guessing_the_most_frequent_value_for_everybody_has_no_excess():
    rng = np.random.default_rng(1)
    members = np.repeat([1, 0], 500)
    values = rng.choice(3, 1000, p=[0.6, 0.3, 0.1])
    readings = read(case(members, values, np.zeros(1000, int)))
    assert readings["excess_over_blind"].value == 0
    assert readings["excess_accuracy"].low < 0 < readings["excess_accuracy"].high


def test_an_attacker_who_knows_every_member_has_all_the_excess_there_is():
    rng = np.random.default_rng(2)
    members = np.repeat([1, 0], 400)
    values = rng.choice(3, 800, p=[0.6, 0.3, 0.1])
    guesses = np.where(members == 1, values, 0)
    readings = read(case(members, values, guesses))
    assert readings["member_hits"].value == 1
    assert readings["excess_accuracy"].value == pytest.approx((values[400:] != 0).mean())
    assert readings["excess_over_blind"].value == pytest.approx((values[:400] != 0).mean())
    assert min(readings[name].low for name in ("excess_accuracy", "excess_over_blind")) > 0.2


def test_repetitions_are_pooled_and_the_order_of_answers_does_not_matter():
    turned = case(
        members=[1, 1, 1, 1, 0, 0, 0, 0],
        values=[0, 0, 1, 2, 0, 0, 0, 1],
        guesses=[0, 1, 1, 2, 0, 2, 2, 2],
        order=[3, 1, 0, 2, 7, 6, 5, 4],
    )
    assert read(turned) == read(ONE)
    both = read(ONE, turned)
    assert {name: reading.value for name, reading in both.items()} == {
        name: reading.value for name, reading in read(ONE).items()
    }
    assert both["member_hits"].n == 8


def test_without_a_control_only_the_hits_on_members_are_measured():
    readings = read(case([1, 1], [0, 1], [0, 0]))
    assert readings["member_hits"].value == 0.5
    unmeasured = ("excess_accuracy", "excess_over_blind", "control_hits")
    assert not any(readings[name].measured for name in unmeasured)


def test_a_guess_with_a_target_missing_is_refused():
    short = Case(ONE.truth, Guess(ONE.guess.table.take(np.arange(7))))
    with pytest.raises(SubmissionError, match="1 not answered"):
        read(short)


def test_a_missing_value_can_be_the_most_frequent_one():
    inside, values = np.array([True, True, False, False]), np.array([-1, 0, -1, -1])
    assert most_frequent(inside, values).tolist() == [True, False, True, True]
