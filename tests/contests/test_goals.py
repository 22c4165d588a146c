"""Several goals on one release: how an edition lists them, and every fault at its line."""

import json

import pytest

from quintain.contests import load
from quintain.errors import EditionError
from quintain.runs.lint import lint_edition
from quintain.runs.play import schedule

HEAD = """format = "quintain.edition/1"
id = "two"
title = "Two"
dataset = { use = "adult", rows = 500 }
sample = { use = "targets", targets = 20, background = 40 }
sanitizer = [{ use = "identity" }]
knowledge = { gives = ["claim"] }
"""
GOALS = """[[goal]]
id = "member"
use = "membership"
[[goal]]
id = "attr"
use = "attribute"
column = "occupation"
"""
MEASURES = """[[privacy]]
goal = "member"
use = "auc"
[[privacy]]
goal = "attr"
use = "excess-accuracy"
"""
BOARD = """[[board]]
id = "attackers"
use = "mean"
measure = "member.auc"
"""


def faults(tmp_path, text):
    path = tmp_path / "two.toml"
    path.write_text(text)
    with pytest.raises(EditionError) as refused:
        load(path)
    return [str(fault) for fault in refused.value.faults]


def read(tmp_path, text):
    path = tmp_path / "two.toml"
    path.write_text(text)
    return load(path)


def test_a_track_with_one_goal_has_one_aim_without_a_name():
    track = load("tiny").track[0]
    (aim,) = track.aims
    assert (aim.id, aim.goal, aim.knowledge) == ("", track.goal, track.knowledge)
    assert b'targets":0.5' not in load("tiny").to_bytes()
    assert "goal" not in json.loads(load("tiny").to_bytes())["track"][0]["privacy"][0]


def test_goals_have_their_own_readings_and_knowledge(tmp_path):
    text = HEAD + GOALS + 'knowledge = { gives = ["methods"] }\n' + MEASURES + BOARD
    edition = read(tmp_path, text)
    track = edition.track[0]
    assert [aim.id for aim in track.aims] == ["member", "attr"]
    assert [next(iter(measured.reads)) for measured in track.guess_measures] == [
        "member.auc",
        "attr.excess_accuracy",
    ]
    assert [aim.threat.facts for aim in track.aims] == [{"claim"}, {"methods"}]
    assert track.gives == {"claim", "methods"}
    assert track.guess_measures[0].caption("member.auc").startswith("The probability")
    (tmp_path / "rules.json").write_bytes(edition.to_bytes())
    assert load(tmp_path / "rules.json").to_bytes() == edition.to_bytes()


def test_the_track_towards_one_goal_has_its_measures_and_phases_alone():
    track = load("two-goals").track[0]
    alone = track.towards("attr")
    assert [aim.id for aim in alone.aims] == ["attr"]
    assert [measured.goal for measured in alone.privacy] == ["attr"]
    assert track.goal_names == ["main/member", "main/attr"]


WRONG = {
    "two goals with one id": (
        GOALS.replace('"attr"', '"member"') + MEASURES.replace('"attr"', '"member"') + BOARD,
        "two.toml:12 goal.1.id: the id 'member' appears twice under [[goal]]",
    ),
    "a goal without a measure": (
        GOALS + MEASURES.split('[[privacy]]\ngoal = "attr"')[0] + BOARD,
        "two.toml:11 goal.1: no measure reads the guesses at attr: add a [[privacy]] with goal = "
        '"attr"',
    ),
    "an unknown goal of a measure": (
        GOALS + MEASURES + '[[privacy]]\ngoal = "atr"\nuse = "auc"\nname = "x"\n' + BOARD,
        'two.toml:22 privacy.2.goal: unknown goal \'atr\'; write goal = "member" or goal = "attr"',
    ),
    "a measure without a goal": (
        GOALS + MEASURES + '[[privacy]]\nuse = "auc"\n' + BOARD,
        'two.toml:21 privacy.2.goal: the track has several goals; write goal = "member" or goal = '
        '"attr"',
    ),
    "a measure of another goal": (
        GOALS + MEASURES.replace('"attr"', '"member"') + BOARD,
        "two.toml:18 privacy.1: measure/excess-accuracy-v1 reads guesses at goal/attribute-v1, not "
        "at goal/membership-v1",
    ),
    "an unknown goal of a phase": (
        GOALS + MEASURES + BOARD + '[[phase]]\nid = "a"\nsubmit = "guess"\ngoal = "b"\n',
        'two.toml:28 phase.0.goal: unknown goal \'b\'; write goal = "member" or goal = "attr"',
    ),
    "a goal that no phase takes": (
        GOALS + MEASURES + BOARD + '[[phase]]\nid = "a"\nsubmit = "guess"\ngoal = "attr"\n',
        "two.toml:8 goal.0: no phase takes guesses at member",
    ),
    "phases of two goals at once": (
        GOALS
        + MEASURES
        + BOARD
        + "".join(
            f'[[phase]]\nid = "{goal}"\nsubmit = "guess"\ngoal = "{goal}"\n'
            for goal in ("member", "attr")
        ),
        "two.toml:29 phase.1: is open at the same time as member, so a guess could be for both: "
        "give both dates, or leave goal out of one phase",
    ),
    "an unknown goal in a formula": (
        GOALS + MEASURES + '[[board]]\nid = "b"\nuse = "formula"\nformula = "1 - max(memer.auc)"\n',
        "two.toml:24 board.0.formula: column 20: unknown reading 'memer.auc'; did you "
        "mean 'member.auc'?",
    ),
    "a bad id": (
        GOALS.replace('"attr"', '"at-tr"') + MEASURES.replace('"attr"', '"at-tr"') + BOARD,
        "two.toml:12 goal.1.id='at-tr': use up to 32 lower-case letters, digits and '_' for the id "
        "of a goal, a letter first",
    ),
    "an unknown parameter of a goal": (
        GOALS + "colour = 1\n" + MEASURES + BOARD,
        "two.toml:15 goal.1.colour: unknown parameter; did you mean 'column'?",
    ),
    "too many targets": (
        GOALS.replace("[[goal]]", "[[goal]]\ntargets = 0.6") + MEASURES + BOARD,
        "two.toml:13 goal.1.targets: the shares of the goals add up to 1.2; all targets are 1",
    ),
    "a single goal with an id": (
        'goal = { use = "membership" }\n[[privacy]]\ngoal = "member"\nuse = "auc"\nname = "x"\n'
        + BOARD.replace("member.auc", "x"),
        "two.toml:10 privacy.0.goal: the track has one goal, without an id: leave goal out",
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_fault_is_at_its_line(tmp_path, kind):
    text, expected = WRONG[kind]
    assert expected in faults(tmp_path, HEAD + text)


def test_lint_stops_a_question_that_tells_the_answer_to_another(tmp_path):
    edition = read(tmp_path, HEAD + GOALS + MEASURES + BOARD)
    found = {finding.check: finding for finding in lint_edition(edition)}
    assert found["told-answers"].severity == "stop"
    assert "the question of member shows occupation" in found["told-answers"].message
    halves = GOALS.replace("[[goal]]", "[[goal]]\ntargets = 0.5")
    apart = read(tmp_path, HEAD + halves + MEASURES + BOARD)
    assert "told-answers" not in {finding.check for finding in lint_edition(apart)}


def test_lint_says_that_teams_know_for_one_goal_what_they_get_for_another(tmp_path):
    text = HEAD + GOALS + 'knowledge = { gives = ["claim", "methods"] }\n' + MEASURES + BOARD
    checks = {finding.check for finding in lint_edition(read(tmp_path, text))}
    assert "shared-knowledge" in checks


def test_a_rehearsal_has_one_step_per_phase_of_a_goal(tmp_path):
    phases = "".join(
        f'[[phase]]\nid = "{goal}"\nsubmit = "guess"\ngoal = "{goal}"\n'
        f"opens = 2026-05-0{day}T00:00:00Z\ncloses = 2026-05-0{day + 1}T00:00:00Z\n"
        for goal, day in (("member", 1), ("attr", 2))
    )
    steps = schedule(read(tmp_path, HEAD + GOALS + MEASURES + BOARD + phases))
    assert [(step.goal, step.time.day) for step in steps] == [("member", 1), ("attr", 2)]
