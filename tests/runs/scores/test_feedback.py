"""Feedback of a contest: each team sees its own scores, within its budget, and nothing else."""

import json
import math

import pytest

from quintain.contests import load
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.score import score
from quintain.runs.scores.feedback import Shown, shown_next
from quintain.runs.submissions.submit import submit
from quintain.runs.verification.verify import verify
from tests.contest_folders import SMALL, small

TEAMS = [{"id": "red"}, {"id": "blue"}]
ALL_MEASURES = [
    {"use": "membership-advantage"},
    {"use": "auc"},
    {"use": "tpr-at-fpr"},
    {"use": "confidence-weighted"},
]


def track(**feedback):
    changes = {**SMALL, "privacy": ALL_MEASURES, "feedback": feedback}
    return load("tiny", overrides=changes).track[0]


def readings(advantage, auc, tpr=math.nan):
    return {
        "membership_advantage": advantage,
        "auc": auc,
        "tpr_at_fpr": tpr,
        "confidence_weighted": 0.5,
    }


def in_turn(rules, *rows):
    shown = Shown()
    for number, row in enumerate(rows):
        shown = shown_next(rules, shown, f"guess {number}", readings(*row))
    return shown


@pytest.mark.parametrize("show", ["rounded", "ladder", "full"])
def test_scores_with_weights_of_the_attackers_choice_are_never_shown(show):
    shown = in_turn(track(show=show, **({} if show == "full" else {"bits": 99})), (0.1, 0.6, 0.2))
    assert set(shown.values) == {"membership_advantage", "auc", "tpr_at_fpr"}


def test_a_ladder_cannot_be_reset_by_a_guess_that_is_not_measured():
    ladder = track(show="ladder", bits=99)
    shown = in_turn(ladder, (0.5, 0.8), (math.nan, math.nan), (0.1, 0.6))
    assert shown.values == {"membership_advantage": 0.5, "auc": 0.8}


def test_a_spent_budget_leaves_the_last_values_as_they_are():
    rules = track(show="rounded", bits=16)
    first = in_turn(rules, (0.1, 0.6, 0.3))
    # 21 levels of the advantage, 11 of the others, and each may be missing.
    assert first.spent == pytest.approx(math.log2(22) + 2 * math.log2(12), abs=1e-5)
    second = in_turn(rules, (0.1, 0.6, 0.3), (0.9, 0.9, 0.9))
    assert second.values == first.values
    assert second.spent == first.spent


def test_a_budget_serves_the_measures_in_the_order_of_the_rules():
    assert in_turn(track(show="rounded", bits=5), (0.1, 0.6, 0.3)).values == {
        "membership_advantage": 0.1
    }


def test_that_a_score_stays_is_counted_too():
    rules = track(show="ladder", bits=99)
    once, twice = in_turn(rules, (0.5, 0.8)), in_turn(rules, (0.5, 0.8), (0.4, 0.8))
    # Two scores stay; the third was not measured, which is one of its 12 cases.
    assert twice.spent - once.spent == pytest.approx(2 * 0.192645 + math.log2(12), abs=1e-5)


def answer(folder, team, probability):
    """Submit the same probability for every target but the first."""
    for rules in folder.edition().track:
        files = {}
        for task in folder.tasks(rules):
            targets = folder.question(rules, task).targets().tolist()
            rows = [f"{t},{0.9 if i == 0 else probability}" for i, t in enumerate(targets)]
            files[f"{task.name}.csv"] = ("target,probability\n" + "\n".join(rows) + "\n").encode()
        submit(folder, team, files)


@pytest.fixture
def contest(tmp_path):
    return small(
        tmp_path / "contest",
        repeats=1,
        team=TEAMS,
        privacy=ALL_MEASURES,
        feedback={"show": "ladder", "step": 0.25, "bits": 40},
    )


def test_a_team_sees_its_own_cells_only(contest):
    answer(contest, "red", 0.1)
    score(contest)
    board = json.loads(contest.at(paths.BOARD).read_bytes())
    assert board["tracks"] == {"main": {}}
    assert board["feedback"]["main"]["show"] == "ladder"
    own = json.loads(contest.at(paths.team_board("red")).read_bytes())
    assert set(own["tracks"]["main"]) == {"red"}
    shown = own["tracks"]["main"]["red"]
    assert set(shown) == {task.entry for task in contest.tasks(contest.edition().track[0])}
    assert all((4 * v).is_integer() for values in shown.values() for v in values.values())
    assert not contest.at(paths.team_board("blue")).is_file()
    assert not contest.at(paths.team_board("nearest")).is_file()


def test_what_was_shown_is_remembered_and_scoring_again_changes_nothing(contest):
    answer(contest, "red", 0.1)
    score(contest)
    once = {
        name: contest.at(name).read_bytes() for name in (paths.FEEDBACK, "teams/red/board.json")
    }
    contest.at("teams/red/board.json").unlink()
    score(contest)
    assert {name: contest.at(name).read_bytes() for name in once} == once
    spent = json.loads(once["teams/red/board.json"])["spent"]["main"]
    answer(contest, "red", 0.2)
    score(contest)
    later = json.loads(contest.at("teams/red/board.json").read_bytes())["spent"]["main"]
    assert all(spent[entry] < later[entry] <= 40 for entry in spent)


def test_what_was_shown_is_kept_before_a_team_sees_it(contest, monkeypatch):
    answer(contest, "red", 0.1)

    def cut(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(Folder, "finish", cut)
    with pytest.raises(KeyboardInterrupt):
        score(contest)
    assert contest.at(paths.FEEDBACK).is_file()
    assert not contest.at(paths.team_board("red")).exists()


@pytest.mark.slow
def test_commitments_do_not_cover_what_is_shown(contest):
    answer(contest, "red", 0.1)
    score(contest)
    assert contest.at(paths.FEEDBACK).is_file()
    assert verify(contest).problems == ()


def test_without_feedback_nothing_is_remembered(tmp_path):
    folder = small(tmp_path / "contest", repeats=1, team=TEAMS)
    answer(folder, "red", 0.1)
    score(folder)
    assert not folder.at(paths.FEEDBACK).exists()
    assert not folder.at(paths.team_board("red")).exists()
    assert json.loads(folder.at(paths.BOARD).read_bytes())["tracks"] == {"main": {}}
