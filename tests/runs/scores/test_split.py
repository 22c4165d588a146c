"""Split: scores are shown on some targets, and the ranking is computed on the others."""

import json
from dataclasses import replace

import numpy as np
import pytest

from quintain.contests import load
from quintain.errors import EditionError, QuintainError
from quintain.guesses.membership import members_and_scores
from quintain.journal.state import State
from quintain.kit.codabench.bundle import bundle_bytes
from quintain.measures import Case
from quintain.runs.folder import paths
from quintain.runs.folder.paths import Task
from quintain.runs.luck import few_targets
from quintain.runs.organising.amend import forbidden_changes
from quintain.runs.score import score
from quintain.runs.scores.cells import split_case
from quintain.runs.submissions.submit import submit
from quintain.runs.tasks.shown_targets import draw_shown
from quintain.runs.verification.verify import verify
from quintain.testing import case_of
from tests.contest_folders import SMALL, small

FEEDBACK = {"show": "full", "shown_on": 0.3}


@pytest.mark.parametrize(
    ("targets", "share", "size"), [(20, 0.3, 6), (20, 0.01, 1), (20, 0.99, 19), (2, 0.5, 1)]
)
def test_the_split_has_the_wanted_size_and_leaves_something(targets, share, size):
    assert draw_shown(targets, share, rng=np.random.default_rng(0)).sum() == size


def test_truth_and_guess_are_cut_to_the_same_targets_in_any_order():
    case = case_of(
        load("tiny").track[0].goal,
        {"target": ["a", "b", "c", "d"], "member": [1, 0, 0, 1]},
        {"target": ["d", "c", "b", "a"], "probability": [0.4, 0.3, 0.2, 0.1]},
    )
    part = case.of_targets(np.array([True, False, True, False]))
    members, scores = members_and_scores(part.truth, part.guess)
    assert (members.tolist(), scores.tolist()) == ([True, False], [0.1, 0.3])


@pytest.fixture(scope="module")
def contest(tmp_path_factory):
    """A contest in which red has given every target another probability; read only."""
    folder = small(
        tmp_path_factory.mktemp("split") / "c",
        team=[{"id": "red"}],
        feedback=FEEDBACK,
        privacy=[{"use": "membership-advantage"}, {"use": "accuracy"}],
    )
    track = folder.edition().track[0]
    files = {}
    for task in folder.tasks(track):
        targets = folder.question(track, task).targets().tolist()
        rows = "".join(f"{name},{(7 * i % 20) / 20}\n" for i, name in enumerate(targets))
        files[f"{task.name}.csv"] = f"target,probability\n{rows}".encode()
    submit(folder, "red", files)
    score(folder)
    return folder


def accuracy(folder, entry, part):
    """The accuracy of red's answers on one part of the targets, counted here."""
    track, right = folder.edition().track[0], []
    for task in folder.read(track).by_entry[entry]:
        question = folder.question(track, task)
        guess = question.answer([(7 * i % 20) / 20 for i in range(20)])
        case = getattr(
            split_case(folder, track, task, Case(folder.truth(track, task), guess)), part
        )
        members, scores = members_and_scores(case.truth, case.guess)
        right += ((scores > 0.5) == members).tolist()
    return np.mean(right)


@pytest.mark.slow
def test_shown_scores_and_the_ranking_rest_on_disjoint_targets(contest):
    track = contest.edition().track[0]
    task = contest.tasks(track)[0]
    guess = contest.question(track, task).answer(np.zeros(20))
    halves = split_case(contest, track, task, Case(contest.truth(track, task), guess))
    shown, final = (set(half.truth.table.columns["target"].tolist()) for half in halves)
    assert (len(shown), len(final), shown & final) == (6, 14, set())
    own = json.loads(contest.at(paths.team_board("red")).read_bytes())["tracks"]["main"]["red"]
    results = score(contest)["main"]
    for entry, values in own.items():
        assert values["accuracy"] == pytest.approx(accuracy(contest, entry, "shown"))
        ranked = results.cells[entry, "red"]["accuracy"]
        assert ranked.value == pytest.approx(accuracy(contest, entry, "final"))
        assert ranked.n == 28


@pytest.mark.slow
def test_a_contest_with_a_split_verifies(contest):
    assert verify(contest).problems == ()


def test_entries_that_share_a_sample_share_the_split(contest):
    track = contest.edition().track[0].model_copy(update={"shared_sample": True})
    one, *_, other = contest.read(track).by_entry
    guess = contest.question(track, contest.tasks(track)[0]).answer(np.zeros(20))
    case = Case(contest.truth(track, contest.tasks(track)[0]), guess)
    tasks = [Task(track.id, entry, 0, track.repeats) for entry in (one, other)]
    parts = [split_case(contest, track, task, case).shown.truth.table for task in tasks]
    assert parts[0].columns["target"].tolist() == parts[1].columns["target"].tolist()


def test_a_goal_without_single_targets_is_refused():
    with pytest.raises(EditionError, match="membership-set-v1 has no single targets to split"):
        load("amic", overrides={"feedback": FEEDBACK})
    assert load("tiny", overrides={**SMALL, "feedback": FEEDBACK}).track[0].feedback.shown_on == 0.3


def test_codabench_cannot_keep_a_split(contest):
    with pytest.raises(QuintainError, match="scores all targets at once"):
        bundle_bytes(contest)


OWN = {"questions": "per attacker", "targets_each": 10}


@pytest.fixture(scope="module")
def apart(tmp_path_factory):
    """A contest in which red and blue have questions of their own, and scores are shown on some."""
    folder = small(
        tmp_path_factory.mktemp("apart") / "c",
        team=[{"id": "red"}, {"id": "blue"}],
        feedback=FEEDBACK,
        privacy=[{"use": "membership-advantage"}, {"use": "accuracy"}],
        **OWN,
    )
    view = folder.read(folder.edition().track[0])
    for team in ("red", "blue"):
        files = {}
        for task in view.seen_by(team).tasks:
            targets = folder.question(view.track, task).targets().tolist()
            rows = "".join(f"{name},{place % 2}\n" for place, name in enumerate(targets))
            files[f"{task.name}.csv"] = f"target,probability\n{rows}".encode()
        submit(folder, team, files)
    score(folder)
    return folder


def parts_of(folder, team, task):
    """The targets of a team's question that its shown scores, and its rank, are about."""
    track = folder.edition().track[0]
    own = task.of(team)
    guess = folder.question(track, own).answer(np.zeros(10))
    halves = split_case(folder, track, own, Case(folder.truth(track, own), guess))
    return [set(half.truth.table.columns["target"].tolist()) for half in halves]


@pytest.mark.slow
def test_what_one_attacker_is_shown_is_about_nobodys_ranking(apart):
    track = apart.edition().track[0]
    common = set()
    for task in apart.tasks(track):
        shown, final = zip(*(parts_of(apart, team, task) for team in ("red", "blue")), strict=True)
        assert [len(part) for part in (*shown, *final)] == [3, 3, 7, 7]
        assert not set.union(*shown) & set.union(*final)
        common |= final[0] & final[1]
    assert common, "questions overlap, so the split of one would be about the ranking of another"


def test_every_attacker_is_ranked_by_as_many_targets(apart):
    results = score(apart)["main"]
    readings = [results.cells[key]["accuracy"].n for key in results.cells]
    assert set(readings) == {7 * apart.edition().track[0].repeats}


@pytest.mark.slow
def test_a_contest_of_own_questions_with_a_split_verifies(apart):
    assert verify(apart).problems == ()


def test_the_share_cannot_change_once_questions_are_drawn_with_it():
    before, after = (
        load("tiny", overrides={**SMALL, **OWN, "feedback": {**FEEDBACK, "shown_on": share}})
        for share in (0.3, 0.4)
    )
    state = replace(State(), prepared=frozenset({"main"}))
    changes = forbidden_changes(before, after, state, set())
    assert changes == [
        "track.main.feedback.shown_on: must stay as it is; the questions of attackers were drawn "
        "with it"
    ]


def test_luck_is_that_of_the_targets_that_rank():
    rules = {**SMALL, **OWN, "repeats": 1}
    (all_of_them,) = few_targets(load("tiny", overrides=rules).track[0])
    (some,) = few_targets(load("tiny", overrides={**rules, "feedback": FEEDBACK}).track[0])
    assert "is asked about 10 people" in all_of_them.message
    assert "is ranked by 7 people" in some.message
    assert "ask about 193 people or more" in all_of_them.cost
    assert "ask about 276 people or more" in some.cost
