"""Feedback: what a policy shows of a score, what it never shows, and what that costs."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from quintain.contests import Feedback
from quintain.contests.feedback import STAY_BITS
from quintain.contests.fields import MeasuredPrivacy
from quintain.measures import GuessMeasure
from quintain.registry import parts

UNIT = (0.0, 1.0)
LADDER = Feedback(show="ladder", step=0.1)
policies = st.one_of(
    st.builds(Feedback, show=st.just("rounded"), digits=st.integers(0, 3)),
    st.builds(Feedback, show=st.just("ladder"), step=st.sampled_from([0.01, 0.07, 0.1, 0.25, 1])),
)
scores = st.floats(0, 1)


def shown_in_turn(policy, values):
    """What is shown of one score after another."""
    last, out = None, []
    for value in values:
        last = policy.value(value, last, UNIT)
        out.append(last)
    return out


@pytest.mark.parametrize("last", [None, 0.3])
def test_none_shows_nothing_new(last):
    assert Feedback(show="none").value(0.4, last, UNIT) == last


def test_by_default_nothing_is_shown():
    assert Feedback().show == "none"
    assert Feedback().budget == 0


def test_full_scores_are_shown_to_the_last_digit():
    assert Feedback(show="full").value(0.123456789, None, UNIT) == 0.123456789


@pytest.mark.parametrize(("digits", "shown"), [(0, 0.0), (1, 0.5), (3, 0.457)])
def test_rounded_scores_keep_so_many_digits(digits, shown):
    policy = Feedback(show="rounded", digits=digits)
    assert policy.value(0.45678, 0.1, UNIT) == pytest.approx(shown)


@pytest.mark.parametrize("show", ["rounded", "ladder"])
def test_a_small_negative_score_shows_no_sign(show):
    shown = Feedback(show=show).value(-0.04, None, (-1.0, 1.0))
    assert str(shown) == "0.0"


@pytest.mark.parametrize("show", ["none", "rounded", "ladder", "full"])
@pytest.mark.parametrize("last", [None, 0.7])
def test_a_score_that_was_not_measured_shows_what_was_shown_before(show, last):
    assert Feedback(show=show).value(math.nan, last, UNIT) == last


def test_the_first_score_on_a_ladder_is_rounded_to_a_step():
    assert LADDER.value(0.3333, None, UNIT) == 0.3


@pytest.mark.parametrize(
    ("value", "shown"), [(0.0, 0.3), (0.3, 0.3), (0.35, 0.3), (0.4, 0.3), (0.4001, 0.4), (0.9, 0.9)]
)
def test_a_ladder_moves_only_if_the_last_score_is_beaten_by_a_step(value, shown):
    assert LADDER.value(value, 0.3, UNIT) == shown


@settings(deadline=None)
@given(st.lists(scores, min_size=1, max_size=20), st.sampled_from([0.01, 0.1, 0.25]))
def test_a_ladder_never_goes_down_and_shows_steps_only(values, step):
    shown = shown_in_turn(Feedback(show="ladder", step=step), values)
    assert shown == sorted(shown)
    for value in shown:
        assert value / step == pytest.approx(round(value / step), abs=1e-6)


@settings(deadline=None)
@given(st.lists(st.one_of(scores, st.just(math.nan)), min_size=1, max_size=40))
def test_a_ladder_gives_away_few_different_scores_however_many_are_tried(values):
    assert len(set(shown_in_turn(LADDER, values)) - {None}) <= 11


@pytest.mark.slow
@settings(deadline=None)
@given(policies, st.lists(scores, min_size=200, max_size=200), st.one_of(st.none(), scores))
def test_no_more_values_are_shown_than_are_counted(policy, values, before):
    last = None if before is None else policy.value(before, None, UNIT)
    seen = {policy.value(value, last, UNIT) for value in [*values, 0.0, 1.0]} - {last}
    assert len(seen) <= policy.choices(last, UNIT)


@settings(deadline=None)
@given(policies, st.one_of(st.none(), scores))
def test_the_costs_are_the_lengths_of_a_code(policy, before):
    last = None if before is None else policy.value(before, None, UNIT)
    stays, changes = policy.costs(last, UNIT)
    assert 2**-stays + policy.choices(last, UNIT) * 2**-changes <= 1 + 1e-9


def test_the_count_of_values_is_exact():
    assert Feedback(show="rounded", digits=2).choices(None, (-1.0, 1.0)) == 201
    assert Feedback(show="rounded", digits=2).choices(0.5, (-1.0, 1.0)) == 200
    assert LADDER.choices(None, UNIT) == 11
    assert LADDER.choices(0.8, UNIT) == 2
    assert LADDER.costs(1.0, UNIT) == (0, 0)
    assert Feedback(show="rounded").choices(None, (0.0, math.inf)) == math.inf


def test_a_score_that_stays_is_cheap():
    stays, changes = LADDER.costs(0.5, UNIT)
    assert stays == STAY_BITS == pytest.approx(0.1926, abs=1e-4)
    assert changes == pytest.approx(3 + math.log2(5))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"show": "none", "bits": 5}, 'bits is for "rounded" and "ladder"'),
        ({"show": "full", "bits": 5}, '"full" has no budget'),
        ({"show": "none", "shown_on": 0.5}, "shown_on needs scores that are shown"),
        ({"show": "ladder", "bits": 0}, "greater than 0"),
        ({"show": "ladder", "shown_on": 1}, "less than 1"),
    ],
)
def test_a_policy_that_contradicts_itself_is_refused(table, message):
    with pytest.raises(ValidationError, match=message):
        Feedback.model_validate(table)


def test_measures_whose_weights_the_attacker_chooses_are_never_shown():
    measures = {
        part: MeasuredPrivacy(measure=one)
        for cls in parts("measure")
        if issubclass(cls, GuessMeasure)
        for one in cls.examples()
        for part in [one.id]
    }
    assert len(measures) >= 9
    for show in ("none", "rounded", "ladder", "full"):
        hidden = {part for part, one in measures.items() if not Feedback(show=show).shows(one)}
        expected = set(measures) if show == "none" else {"measure/confidence-weighted-v1"}
        assert hidden == expected
    for credit in ("falling", "shared"):
        several = MeasuredPrivacy(measure={"use": "reidentification", "credit": credit})
        assert not Feedback(show="full").shows(several)
