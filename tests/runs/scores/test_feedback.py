"""Feedback: what a policy shows of a score, and what it never shows."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.contests import Feedback
from quintain.measures import Reading
from quintain.rankings import Contestant, Entry, Results
from quintain.runs.score import score
from quintain.runs.scores.feedback import allowed, visible
from tests.contest_folders import small

scores = st.floats(0, 1)
LADDER = Feedback(show="ladder", step=0.1)


def shown_in_turn(policy, values):
    """What is shown of one score after another."""
    last, out = None, []
    for value in values:
        last = allowed(policy, value, last)
        out.append(last)
    return out


@pytest.mark.parametrize("last", [None, 0.3])
def test_nothing_means_nothing(last):
    assert allowed(Feedback(show="none"), 0.4, last) is None


def test_by_default_nothing_is_shown():
    assert Feedback().show == "none"


def test_full_scores_are_shown_to_the_last_digit():
    assert allowed(Feedback(show="full"), 0.123456789, None) == 0.123456789


@pytest.mark.parametrize(("digits", "shown"), [(0, 0.0), (1, 0.5), (3, 0.457)])
def test_rounded_scores_keep_so_many_digits(digits, shown):
    assert allowed(Feedback(show="rounded", digits=digits), 0.45678, 0.1) == pytest.approx(shown)


@pytest.mark.parametrize("show", ["none", "rounded", "ladder", "full"])
def test_a_score_that_was_not_measured_is_not_shown(show):
    assert allowed(Feedback(show=show), math.nan, None) is None


def test_the_first_score_on_a_ladder_is_rounded_to_a_step():
    assert allowed(LADDER, 0.3333, None) == 0.3


@pytest.mark.parametrize(
    ("value", "shown"), [(0.0, 0.3), (0.3, 0.3), (0.35, 0.3), (0.4, 0.3), (0.4001, 0.4), (0.9, 0.9)]
)
def test_a_ladder_moves_only_if_the_last_score_is_beaten_by_a_step(value, shown):
    assert allowed(LADDER, value, 0.3) == shown


@settings(deadline=None)
@given(st.lists(scores, min_size=1, max_size=20), st.sampled_from([0.01, 0.1, 0.25]))
def test_a_ladder_never_goes_down_and_shows_steps_only(values, step):
    shown = shown_in_turn(Feedback(show="ladder", step=step), values)
    assert shown == sorted(shown)
    for value in shown:
        assert value / step == pytest.approx(round(value / step), abs=1e-6)


@settings(deadline=None)
@given(st.lists(scores, min_size=1, max_size=40))
def test_a_ladder_gives_away_few_different_scores_however_many_are_tried(values):
    assert len(set(shown_in_turn(LADDER, values))) <= 11


def reading(value):
    return Reading.exact(value, 10, "lower")


def test_scores_are_shown_by_attacker_entry_and_measure():
    results = Results(
        (Entry("e1"), Entry("e2")),
        (Contestant("red"), Contestant("blue")),
        {
            ("e1", "red"): {"auc": reading(0.61), "tpr": Reading.missing("lower", "none")},
            ("e2", "red"): {"auc": reading(0.52)},
            ("e1", "blue"): {"auc": reading(0.93)},
        },
    )
    policy = Feedback(show="rounded", digits=1)
    assert visible(policy, results, {}) == {
        "red": {"e1": {"auc": 0.6}, "e2": {"auc": 0.5}},
        "blue": {"e1": {"auc": 0.9}},
    }
    assert visible(Feedback(show="none"), results, {}) == {}
    # What one attacker was shown on one entry holds nobody else back.
    before = {"red": {"e1": {"auc": 0.6}, "e2": {"auc": 0.1}}}
    assert visible(LADDER, results, before) == {
        "red": {"e1": {"auc": 0.6}, "e2": {"auc": 0.5}},
        "blue": {"e1": {"auc": 0.9}},
    }


@pytest.mark.parametrize("show", ["none", "ladder"])
def test_the_public_board_of_a_contest_shows_what_the_policy_allows(tmp_path, show):
    folder = small(tmp_path / "contest", repeats=1, feedback={"show": show, "step": 0.25})
    score(folder)
    path = folder.root / "public/board.json"
    board = json.loads(path.read_bytes())
    assert board["feedback"]["main"]["show"] == show
    shown = [
        value
        for entries in board["tracks"]["main"].values()
        for readings in entries.values()
        for value in readings.values()
    ]
    assert bool(shown) == (show == "ladder")
    assert all((4 * value).is_integer() for value in shown)
    # Scored again, the same is shown again: the last board is remembered.
    once = path.read_bytes()
    score(folder)
    assert path.read_bytes() == once
    raised = json.loads(once)
    for entries in raised["tracks"]["main"].values():
        for readings in entries.values():
            readings.update(dict.fromkeys(readings, 1.0))
    path.write_text(json.dumps(raised))
    score(folder)
    assert json.loads(path.read_bytes())["tracks"] == raised["tracks"]
