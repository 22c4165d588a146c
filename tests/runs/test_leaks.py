"""Leaks: lint says how many hidden bits the shown scores can give away, and stops too many."""

import math

import numpy as np
import pytest

from quintain.contests import load
from quintain.guesses.attribute import Attribute
from quintain.guesses.linkage import Linkage
from quintain.guesses.membership import Membership
from quintain.guesses.membership_set import MembershipSet
from quintain.runs.leaks import (
    allowed_submissions,
    extractable_scores,
    gained_bits,
    hidden_bits,
    history_bits,
    teams_of_one_person,
)
from quintain.runs.lint import lint_edition
from quintain.testing.examples import experiment
from tests.contest_folders import SMALL

PLAIN = [{"use": "membership-advantage"}, {"use": "auc"}, {"use": "tpr-at-fpr"}]
WEIGHTED = [*PLAIN, {"use": "confidence-weighted"}]
TWENTY = [{"id": "attack", "submit": "guess", "total": 20}]


AUC = {"privacy": [{"use": "auc"}], "board": [{"id": "a", "use": "count-wins", "measure": "auc"}]}


def track(feedback, privacy=PLAIN, phase=TWENTY, **changes):
    changes = {**SMALL, "feedback": feedback, "privacy": privacy, "phase": phase, **changes}
    return load("tiny", overrides=changes).track[0]


# What an attacker got from 20 submissions about 100 targets before there was a budget.
NEEDED = [
    ({"show": "none"}, WEIGHTED, "nothing"),  # nothing; accuracy 0.52
    ({"show": "full"}, WEIGHTED, "stop"),  # 100 labels in 4 submissions
    ({"show": "full"}, PLAIN, "stop"),  # 100 labels in 20 submissions
    ({"show": "rounded", "digits": 2, "bits": 999}, WEIGHTED, "stop"),  # 57 certain labels
    ({"show": "rounded", "digits": 1, "bits": 999}, WEIGHTED, "stop"),  # 53 certain labels
    ({"show": "rounded", "digits": 1, "bits": 999}, PLAIN, "warning"),  # accuracy 0.64 to 0.73
    ({"show": "ladder", "step": 0.1, "bits": 999}, WEIGHTED, "stop"),  # 29 certain labels
    ({"show": "ladder", "step": 0.1, "bits": 999}, PLAIN, "nothing"),  # accuracy 0.48 to 0.52
    ({"show": "rounded", "digits": 1}, PLAIN, "nothing"),  # the default budget
    ({"show": "ladder", "step": 0.1}, PLAIN, "nothing"),
]


@pytest.mark.parametrize(("feedback", "privacy", "needed"), NEEDED)
def test_the_verdict_is_at_least_as_severe_as_what_an_attacker_got(feedback, privacy, needed):
    severities = ["nothing", "warning", "stop"]
    findings = extractable_scores(track(feedback, privacy), hidden=96.0)
    worst = max([severities.index(one.severity) for one in findings], default=0)
    assert worst >= severities.index(needed)


def test_the_default_budget_is_a_warning_with_its_price():
    (finding,) = extractable_scores(track({"show": "ladder"}, **AUC), hidden=96.3)
    assert finding.severity == "warning"
    assert finding.message == (
        "track main shows auc in steps of 0.1 up to 20 times: a team can gain at most 10 of 96 "
        "hidden bits per entry"
    )
    assert finding.cost.startswith("a team could be right about 69 of 100 targets")


def test_full_scores_promise_what_is_never_shown():
    promised, gained = extractable_scores(track({"show": "full"}, WEIGHTED), hidden=96)
    assert (promised.severity, gained.severity) == ("stop", "stop")
    assert "confidence_weighted is never shown, because participants choose" in promised.message
    assert "at most 96 of 96 hidden bits" in gained.message


def test_full_scores_of_a_chosen_weight_alone_give_nothing_away():
    board = {"id": "a", "use": "count-wins", "measure": "confidence_weighted"}
    rules = track({"show": "full"}, [{"use": "confidence-weighted"}], board=[board])
    (finding,) = extractable_scores(rules, hidden=96)
    assert "promises every score" in finding.message
    assert gained_bits(rules) == 0


def test_a_budget_that_pays_for_no_score_is_said():
    findings = list(extractable_scores(track({"show": "rounded", "digits": 6}), hidden=1000))
    assert [one.check for one in findings[:3]] == ["never-shown"] * 3
    assert "its first value costs 20.9 bits, and 10.0 of 10 are left" in findings[0].message


def test_histories_are_counted_exactly():
    rounded = track({"show": "rounded", "digits": 1})
    # Eleven values or none, in each of three submissions.
    assert history_bits(rounded, (0.0, 1.0), 3) == pytest.approx(math.log2(12**3))
    ladder = track({"show": "ladder", "step": 0.5})
    # Nothing, 0, 0.5 or 1 after each of two submissions, never going down: 4 + 3 + 2 + 1.
    assert history_bits(ladder, (0.0, 1.0), 2) == pytest.approx(math.log2(10))
    assert history_bits(ladder, (0.0, 1.0), math.inf) == math.inf
    assert history_bits(track({"show": "full"}), (0.0, 1.0), 2) == 128


def test_the_budget_caps_any_number_of_submissions():
    endless = [{"id": "attack", "submit": "guess"}]
    assert gained_bits(track({"show": "ladder", "bits": 7}, phase=endless)) == 7
    assert gained_bits(track({"show": "full"}, phase=endless)) == math.inf
    once = [{"id": "attack", "submit": "guess", "total": 1}]
    few = gained_bits(track({"show": "ladder", "step": 1.0}, phase=once, **AUC))
    assert few == pytest.approx(math.log2(3))


def test_entries_that_share_a_sample_add_up():
    shared = track({"show": "ladder", "bits": 7}, shared_sample=True)
    assert gained_bits(shared) == 7 * len(shared.entries)
    *_, finding = extractable_scores(shared, hidden=1000)
    assert "about the sample that all entries share" in finding.message


@pytest.mark.parametrize(
    ("phase", "allowed"),
    [
        ({"total": 20}, 20),
        ({"per_file": 3}, 3),
        ({"per_day": 2, "opens": "2026-05-01T00:00:00Z", "closes": "2026-05-03T12:00:00Z"}, 6),
        ({"per_day": 2}, math.inf),
        ({}, math.inf),
    ],
)
def test_submissions_are_counted_over_the_phase(phase, allowed):
    rules = track({}, phase=[{"id": "a", "submit": "guess", **phase}])
    assert allowed_submissions(rules) == allowed


def test_each_goal_says_how_many_bits_it_hides():
    sample, _ = experiment()
    targets = len(sample.members)
    assert Membership().hidden_bits(sample) == targets
    half = Membership().hidden_bits(sample, half=True)
    assert half == pytest.approx(math.log2(math.comb(targets, targets // 2)))
    members = int(sample.members.sum())
    expected = math.log2(math.comb(targets, members))
    assert MembershipSet(guesses=5).hidden_bits(sample) == pytest.approx(expected)
    colours = sample.population.columns["colour"]
    shares = np.unique(colours, return_counts=True)[1] / len(colours)
    entropy = -(shares * np.log2(shares)).sum()
    attribute = Attribute(column="colour").hidden_bits(sample)
    assert attribute == pytest.approx(len(sample.target_rows) * entropy)
    shop, _ = experiment("transactions")
    persons = len(shop.private.persons())
    linked = Linkage(first="2011-01", months=2).hidden_bits(shop)
    assert linked == pytest.approx(2 * math.log2(math.factorial(persons)))


def test_scores_on_other_targets_than_the_ranking_tell_nothing_about_it():
    split = {"show": "rounded", "bits": 50, "shown_on": 0.25}
    coins = track(split, sample={"members": "coins"})
    assert list(extractable_scores(coins, hidden=100)) == []
    half = track(split, sample={"members": "half"}, repeats=1)
    (finding,) = extractable_scores(half, hidden=100)
    # How many of the other targets are members: at most 2 * 75 + 2 counts.
    assert math.log2(152) == pytest.approx(7.2, abs=0.05)
    assert "at most 7 of 75 hidden bits" in finding.message


def test_repetitions_hide_more():
    rules = track({})
    sample, _ = experiment()
    assert hidden_bits(rules, sample) == rules.repeats * len(sample.members)


def test_lint_reports_the_feedback_of_a_track():
    edition = load("tiny", overrides={**SMALL, "feedback": {"show": "full"}, "phase": TWENTY})
    assert [one.check for one in lint_edition(edition)] == ["extractable-scores"]


def test_open_registration_multiplies_what_one_person_sees():
    rules = track({"show": "rounded", "bits": 10})
    (finding,) = teams_of_one_person(rules, 400, math.inf)
    assert finding.severity == "warning"
    assert "a person with 10 teams has 200 submissions instead of 20" in finding.message
    assert "at most 100 of 400 hidden bits per entry, not 10" in finding.message
    assert "with 5 teams the gain is 12.5%" in finding.cost  # 5 * 10 bits of 400
    (few,) = teams_of_one_person(rules, 400, 3)
    assert "a person with 3 teams has 60 submissions instead of 20" in few.message
    assert "at most 30 of 400" in few.message


@pytest.mark.parametrize(
    ("feedback", "most"),
    [
        ({"show": "rounded", "bits": 10}, 1),  # somebody looks at each registration
        ({"show": "none"}, math.inf),
        ({"show": "full"}, math.inf),  # one team learns everything already
    ],
)
def test_one_team_or_no_scores_need_no_warning(feedback, most):
    assert list(teams_of_one_person(track(feedback), 400, most)) == []


def test_many_teams_learn_nothing_of_other_targets():
    split = track({"show": "rounded", "bits": 50, "shown_on": 0.25}, sample={"members": "coins"})
    assert list(teams_of_one_person(split, 100, math.inf)) == []


def test_lint_of_an_edition_file_expects_one_team_per_person():
    edition = load("tiny", overrides={**SMALL, "feedback": {"show": "ladder"}, "phase": TWENTY})
    several = [finding.check for finding in lint_edition(edition, teams=10)]
    assert [finding.check for finding in lint_edition(edition)] == [
        check for check in several if check != "many-teams"
    ]
    assert "many-teams" in several
