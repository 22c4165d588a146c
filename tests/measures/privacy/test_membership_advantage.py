"""Membership advantage: hits less false alarms, by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.guesses import Guess
from quintain.measures import Case, reading_rng
from quintain.measures.intervals import difference
from quintain.measures.privacy.membership_accuracy import MembershipAdvantage
from quintain.measures.privacy.roc_curve import Auc, TprAtFpr
from tests.measures.privacy.membership_cases import case


def advantage(*cases):
    return MembershipAdvantage().measure(cases, rng=reading_rng())["membership_advantage"]


def test_the_advantage_is_hits_less_false_alarms():
    # Members: 3 of 4 said to be in. Others: 1 of 5. 0.75 - 0.2 = 0.55.
    members = [1, 1, 1, 1, 0, 0, 0, 0, 0]
    reading = advantage(case(members, [0.9, 0.8, 0.7, 0.1, 0.6, 0.2, 0.1, 0, 0.4]))
    assert reading.value == pytest.approx(0.55)
    assert (reading.n, reading.better) == (9, "lower")
    expected = difference(3, 4, 1, 5, "lower")
    assert (reading.low, reading.high) == (expected.low, expected.high)


@pytest.mark.parametrize(
    ("probabilities", "value"),
    [([1, 1, 0, 0], 1), ([0, 0, 1, 1], -1), ([1, 1, 1, 1], 0), ([0, 0, 0, 0], 0)],
)
def test_perfect_inverted_and_constant_answers(probabilities, value):
    assert advantage(case([1, 1, 0, 0], probabilities)).value == value


@given(st.lists(st.booleans(), min_size=2, max_size=20).filter(lambda said: len(said) % 2 == 0))
def test_with_as_many_members_as_others_it_is_twice_the_share_of_right_answers_less_one(said):
    members = [index % 2 for index in range(len(said))]
    right = sum(bool(member) == answer for member, answer in zip(members, said, strict=True))
    reading = advantage(case(members, [float(answer) for answer in said]))
    assert reading.value == pytest.approx(2 * right / len(said) - 1)


def test_a_probability_of_one_half_is_not_said_to_be_in():
    assert advantage(case([1, 0], [0.5, 0.5])).value == 0
    assert advantage(case([1, 0], [0.5000001, 0.5])).value == 1


def test_repetitions_are_pooled():
    # Pooled 1/4 - 1/2; the mean of the two repetitions would be ((1 - 1) + (0 - 0)) / 2.
    reading = advantage(case([1, 0], [1, 1]), case([1, 1, 1, 0], [0, 0, 0, 0]))
    assert reading.value == pytest.approx(1 / 4 - 1 / 2)
    assert reading.n == 6


def test_the_order_of_a_guess_does_not_matter():
    one = case([1, 1, 0, 0], [0.9, 0.2, 0.7, 0.1])
    turned = Case(one.truth, Guess(one.guess.table.take([2, 0, 3, 1])))
    for measure in (MembershipAdvantage(), Auc(), TprAtFpr(fpr=0.5)):
        assert measure.measure([one], rng=reading_rng()) == measure.measure(
            [turned], rng=reading_rng()
        )


def test_without_members_or_without_others_there_is_no_advantage():
    for members in ([1, 1], [0, 0]):
        assert not advantage(case(members, [0.2, 0.9])).measured
