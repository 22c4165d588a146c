"""The historic score of SNAKE 1: right as published, and as easy to game as is said of it."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.guesses import Guess, Truth
from quintain.guesses.membership import Membership
from quintain.measures import Case, reading_rng
from quintain.measures.privacy.membership_accuracy import (
    ConfidenceWeighted,
    weighted_score,
)

ANY = Schema(columns=(Column(name="x", kind="integer"),))


def case(members, probabilities):
    names = [f"t{i}" for i in range(len(members))]
    truth = {"target": names, "member": [int(m) for m in members]}
    guess = {"target": names, "probability": [float(p) for p in probabilities]}
    goal = Membership()
    return Case(
        Truth(Table.of(goal.truth_schema(ANY), truth)),
        Guess(Table.of(goal.guess_schema(ANY), guess)),
    )


def score(members, probabilities):
    return ConfidenceWeighted().measure([case(members, probabilities)], rng=reading_rng())[
        "confidence_weighted"
    ]


def slow(members, probabilities):
    """The published formula, target by target."""
    rates = []
    for kind in (1, 0):
        chosen = [p for m, p in zip(members, probabilities, strict=True) if m == kind]
        weights = [2 * abs(0.5 - p) for p in chosen]
        if sum(weights) == 0:
            return None
        hits = [w for w, p in zip(weights, chosen, strict=True) if p > 0.5]
        rates.append(sum(hits) / sum(weights))
    return (rates[0] - rates[1] + 1) / 2


def test_the_score_by_hand():
    # Members: weights 1, 0.5 and 0.5, the last said to be out: 1.5 / 2. Others: weights 1 and 0.25,
    # the second said to be in: 0.25 / 1.25. (0.75 - 0.2 + 1) / 2 = 0.775.
    reading = score([1, 1, 1, 0, 0], [1, 0.75, 0.25, 0, 0.625])
    assert reading.value == pytest.approx(0.775)
    assert (reading.n, reading.better) == (5, "lower")


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.tuples(st.booleans(), st.sampled_from([0, 0.1, 0.5, 0.75, 1])), min_size=2).filter(
        lambda targets: len({member for member, _ in targets}) == 2
    )
)
def test_the_score_is_that_of_the_published_formula(targets):
    members, probabilities = zip(*targets, strict=True)
    expected = slow(members, probabilities)
    reading = score(members, probabilities)
    assert reading.measured == (expected is not None)
    assert expected is None or reading.value == pytest.approx(expected)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.sampled_from([0, 0.25, 0.5, 1]), min_size=4, max_size=12))
def test_the_interval_holds_the_score_and_stays_in_range(probabilities):
    reading = score([i % 2 for i in range(len(probabilities))], probabilities)
    assume(reading.measured)
    assert 0 <= reading.low <= reading.value <= reading.high <= 1


@pytest.mark.parametrize(
    ("probabilities", "value"), [([1, 1, 0, 0], 1), ([0, 0, 1, 1], 0), ([1, 1, 1, 1], 0.5)]
)
def test_perfect_inverted_and_constant_answers(probabilities, value):
    assert score([1, 1, 0, 0], probabilities).value == value


@pytest.mark.parametrize("probabilities", [[1, 0.5, 0.5, 0.5], [0.5, 0.5, 1, 0], [0.5] * 4])
def test_a_guess_that_is_sure_of_one_class_only_has_no_score(probabilities):
    reading = score([1, 1, 0, 0], probabilities)
    assert not reading.measured
    assert reading.note == "the guess is sure of targets of one class only"


def test_two_sure_answers_and_silence_about_the_rest_are_a_perfect_score():
    members = [1, 0] * 20
    assert score(members, [1, 0] + [0.5] * 38).value == 1
    # Answering everybody, right for the first two alone and wrong for one in two others, is not.
    everybody = [1, 0] + [1, 1] * 19
    assert score(members, everybody).value < 0.6


def test_the_same_guess_has_the_same_interval():
    members, probabilities = [1, 0, 1, 0, 1], [0.9, 0.2, 0.4, 0.7, 0.8]
    assert score(members, probabilities) == score(members, probabilities)


def test_the_interval_is_a_bootstrap_over_targets():
    rng = np.random.default_rng(1)
    members = np.arange(150) % 2 == 0
    probabilities = np.clip(rng.normal(0.5 + 0.1 * members, 0.2), 0, 1)
    drawn = np.random.default_rng(2).integers(150, size=(3000, 150))
    low, high = np.quantile(weighted_score(members[drawn], probabilities[drawn]), [0.025, 0.975])
    reading = score(members, probabilities)
    assert (reading.low, reading.high) == pytest.approx((low, high), abs=0.03)
    assert high - low > 0.15


def test_rows_of_guesses_are_scored_each_for_itself():
    members = np.array([[True, False], [True, False], [True, False]])
    scores = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    np.testing.assert_array_equal(weighted_score(members, scores), [1, 0, np.nan])


def test_the_measure_says_that_its_weights_are_the_attackers():
    assert ConfidenceWeighted.weighted
    assert ConfidenceWeighted().chance == {"confidence_weighted": 0.5}
