"""Cohorts, live: a hash decides, a team attacks the other cohort, and a stranger draws it again."""

import json
from hashlib import sha256
from itertools import combinations
from pathlib import Path

import pytest

from quintain.contests import load
from quintain.errors import Refused, Rejected, SubmissionError
from quintain.kit.codabench.bundle import bundle_bytes
from quintain.runs.folder import paths
from quintain.runs.lint import lint_edition
from quintain.runs.luck import small_cohorts
from quintain.runs.organising.amend import forbidden_changes
from quintain.runs.organising.freeze import freeze
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.organising.join import Joining, join
from quintain.runs.play import play
from quintain.runs.score import score
from quintain.runs.standalone.matrix import rank_matrix
from quintain.runs.submissions.submit import submit
from quintain.runs.taking_part import answer
from quintain.runs.verification.judgement import wrong_cohorts
from quintain.runs.verification.verify import verify
from tests.contest_folders import prepared
from tests.editions.live.live_contest import day, kit, revealed

EXAMPLE = "examples/own-people/cohorts.toml"
NAMES = ("red", "blue", "green", "gold", "grey", "pink")
SMALL = {
    "questions": "per attacker",
    "targets_each": 10,
    "dataset": {"rows": 300},
    "sample": {"targets": 20, "background": 60},
    "rule": [{"use": "rows", "least": 20, "most": 200}],
    "baseline": [{"id": "blind", "attack": {"use": "random"}}],
    "team": [{"id": name} for name in NAMES],
}


@pytest.fixture(scope="module")
def contest(tmp_path_factory):
    """Six teams made releases, and one more joined after the hand-over."""
    edition = load(EXAMPLE, overrides=SMALL)
    folder = prepared(tmp_path_factory.mktemp("cohorts") / "contest", edition, seed=3)
    for team in NAMES:
        private = folder.at(paths.team_sample(team, "main")).read_bytes()
        submit(folder, team, {"release.csv": private}, kind="release", now=day(2))
    hand_over(folder, now=day(3))
    join(folder, [Joining("late")], now=day(4))
    return folder


@pytest.fixture(scope="module")
def cohorts(contest):
    """The cohort of every team."""
    return {team.id: team.cohort for team in contest.state().roster.entrants}


def test_the_hash_of_salt_and_id_decides(contest, cohorts):
    salt = contest.secrets().cohort_salt()
    for team, cohort in cohorts.items():
        number = int.from_bytes(sha256(salt + team.encode()).digest(), "big")
        assert cohort == ("east", "west")[number % 2]


def test_the_cohort_is_public_at_once(contest, cohorts):
    files = kit(contest, "red", day(5))
    assert f"Your team is in cohort `{cohorts['red']}`" in files["README.md"].decode()
    events = [json.loads(line) for line in files["public/events.jsonl"].splitlines()]
    shown = {event["team"]: event["cohort"] for event in events if event["event"] == "joined"}
    assert shown == cohorts


def test_teams_of_one_cohort_have_one_sample(contest, cohorts):
    samples = {team: contest.at(paths.team_sample(team, "main")).read_bytes() for team in NAMES}
    for one, other in combinations(NAMES, 2):
        assert (samples[one] == samples[other]) == (cohorts[one] == cohorts[other])


def test_a_team_attacks_the_other_cohort_alone(contest, cohorts):
    track = contest.edition().track[0]
    view = contest.read(track)
    for team in (*NAMES, "late"):
        entries = {task.entry for task in view.tasks_for(team)}
        assert entries == {name for name in NAMES if cohorts[name] != cohorts[team]}
        questions = {path.parent.name for path in contest.root.glob(f"teams/{team}/main/tasks/*/*")}
        assert questions == entries
    assert {task.entry for task in view.tasks_for("blind")} == set(NAMES)


def test_answers_about_the_own_cohort_are_refused(contest, cohorts):
    mate = next(n for n in NAMES if n != "red" and cohorts[n] == cohorts["red"])
    track = contest.edition().track[0]
    content = next(iter(answer(contest, track, {"use": "random"}, team="red").values()))
    with pytest.raises(SubmissionError, match="answers no task"):
        submit(contest, "red", {f"{mate}.csv": content}, kind="guess", now=day(5))


@pytest.mark.slow
def test_boards_have_their_cohort_and_all_is_verified(contest, cohorts, tmp_path):
    track = contest.edition().track[0]
    for team in (*NAMES, "late"):
        files = answer(contest, track, {"use": "nearest"}, team=team)
        submit(contest, team, files, kind="guess", now=day(5))
    results = score(contest, now=day(6))["main"]
    standings = json.loads(contest.at(paths.STANDINGS).read_bytes())
    boards = {board["id"]: board for board in standings["tracks"]["main"]["boards"]}
    for cohort in ("east", "west"):
        ranked = {p["team"] for p in boards[f"defenders-{cohort}"]["places"] if p["rank"]}
        assert ranked == {name for name in NAMES if cohorts[name] == cohort}
    for place in boards["attackers"]["places"]:
        if place["team"] in NAMES:  # what a team may not attack does not count as missing
            row = results.row(place["team"], "auc")
            mean = sum(reading.value for reading in row.values()) / len(row)
            assert place["score"]["value"] == pytest.approx(mean)
    freeze(contest, "over", now=day(7))
    assert revealed(contest, day(8), tmp_path / "archive").problems == ()


def test_a_team_in_a_cohort_that_the_keys_do_not_give_is_named(contest, cohorts):
    rules, events = {1: contest.rules(1)}, tuple(contest.journal().events())
    assert wrong_cohorts(events, rules, contest) == []
    other = {"east": "west", "west": "east"}
    moved = [
        event.model_copy(update={"cohort": other[event.cohort]})
        if event.event == "joined" and event.team == "red"
        else event
        for event in events
    ]
    (problem,) = wrong_cohorts(moved, rules, contest)
    assert f"put team red into cohort {cohorts['red']}, not {other[cohorts['red']]}" in problem


def test_cohorts_cannot_change_later(contest):
    rules = contest.edition()
    changed = rules.model_copy(update={"cohorts": None})
    faults = forbidden_changes(rules, changed, contest.state(), set())
    assert "cohorts: must stay as they are; teams have joined by them" in faults


def test_codabench_is_refused_with_the_reason(contest):
    with pytest.raises(Rejected, match="CodaBench treats all teams alike"):
        bundle_bytes(contest)


def test_a_matrix_without_cohorts_cannot_be_ranked(tmp_path):
    path = tmp_path / "cells.csv"
    path.write_text("auc,red\nblue,0.6\n")
    edition = load(EXAMPLE)
    with pytest.raises(Refused, match="a matrix does not say to which a team belongs"):
        rank_matrix(edition, edition.track[0], path)


@pytest.mark.slow
def test_the_example_is_short_and_rehearses(tmp_path):
    assert len(Path(EXAMPLE).read_text().splitlines()) <= 60
    findings = list(lint_edition(load(EXAMPLE)))
    assert not [finding for finding in findings if finding.severity == "stop"]
    folder = play(load(EXAMPLE, quick=True), tmp_path / "run", seed=6)
    assert {team.cohort for team in folder.state().roster.entrants} == {"east", "west"}
    assert verify(folder).problems == ()


def test_few_teams_in_many_cohorts_are_a_finding():
    edition = load(EXAMPLE, overrides={"team": [{"id": name} for name in NAMES[:3]]})
    (finding,) = small_cohorts(edition)
    assert "fewer than 1 with a probability of up to 25%" in finding.message
    many = load(EXAMPLE, overrides={"team": [{"id": f"t{i}"} for i in range(12)]})
    assert not list(small_cohorts(many))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cohorts": {"attacks": "own"}}, "a team would attack releases of the sample"),
        ({"cohorts": {"names": ["a", "b"]}}, "unknown cohort 'east'; available: a, b"),
        ({"cohorts": {"names": ["east", "east"]}}, "every cohort needs a name of its own"),
        (
            {"sample": {"use": "subset", "rows": 100, "overlap": 10}},
            "the teams of a cohort share a sample",
        ),
    ],
)
def test_rules_that_do_not_fit_are_refused(changes, message):
    with pytest.raises(Rejected, match=message):
        load(EXAMPLE, overrides=changes)
