"""Two goals live: three teams release once and answer two questions about every other release."""

import json
from collections import Counter

import pytest

from quintain.data import Table
from quintain.data.files import read_trusted
from quintain.errors import SubmissionError
from quintain.guesses import AttributeQuestion
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, csv_bytes
from quintain.runs.folder.paths import Task
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.score import score
from quintain.runs.submissions.submit import admission_for, examine, submit
from quintain.runs.tasks.experiments import draw_sample
from tests.editions.live.live_contest import day, kit, revealed, shown, started

SMALL = {
    "dataset": {"rows": 600},
    "sample": {"targets": 24, "background": 40},
    "rule": [{"use": "rows", "most": 200}],
    "baseline": [{"id": "nearest", "attack": {"use": "nearest"}}],
    "phase": [
        {"id": "anonymize", "submit": "release", "opens": day(1), "closes": day(2)},
        {"id": "who", "submit": "guess", "goal": "member", "opens": day(3), "closes": day(4)},
        {"id": "what", "submit": "guess", "goal": "attr", "opens": day(4), "closes": day(5)},
    ],
}
TEAMS = ("red", "blue", "green")


@pytest.fixture
def folder(tmp_path):
    teams = "".join(f'[[team]]\nid = "{team}"\n' for team in TEAMS)
    contest = started(tmp_path / "live", "two-goals", SMALL, teams)
    for team in TEAMS:
        copy = contest.at(paths.team_sample(team, "main")).read_bytes()
        submit(contest, team, {"release.csv": copy}, now=day(1.5))
    hand_over(contest, "main", now=day(2.5))
    return contest


def answers(folder, team, goal):
    """A team that knows the private data: right about every target of a goal."""
    track = folder.edition().track[0]
    out = {}
    for task in (task for task in folder.read(track).tasks_for(team) if task.goal == goal):
        question, truth = folder.question(track, task), folder.truth(track, task).table
        if isinstance(question, AttributeQuestion):
            guess = question.answer(truth.columns["occupation"])
        else:
            members = dict(
                zip(*(truth.columns[name] for name in ("target", "member")), strict=True)
            )
            guess = question.answer([members[target] for target in question.targets()])
        out[f"{task.name}.csv"] = csv_bytes(guess.table)
    return out


def test_one_release_has_two_questions_about_different_people(folder):
    task = Task("main", "red")
    place = folder.at(paths.task_places(task)[0])
    assert sorted(path.name for path in place.iterdir()) == [
        "card.json",
        "question.attr.csv",
        "question.member.csv",
        "release.csv",
    ]
    track = folder.edition().track[0]
    who, what = (folder.question(track, task.about(aim.id)).table for aim in track.aims)
    assert len(who) == len(what) == 12
    assert "occupation" in who.schema.names and "occupation" not in what.schema.names
    sample = draw_sample(folder, track, "red", 0)
    assert isinstance(sample.population, Table)
    known = what.drop("target").schema.names
    people, *asked = (
        Counter(tuple(record[name] for name in known) for record in table.records())
        for table in (sample.population.take(sample.target_rows), who, what)
    )
    assert asked[0] + asked[1] == people  # every target is asked about once; some are alike


def test_a_kit_names_the_answer_files_of_both_goals(folder):
    files = kit(folder, "red", day(3.5))
    readme = files["README.md"].decode()
    assert "`RELEASE.member.csv`" in readme and "`RELEASE.attr.csv`" in readme
    assert "question.member" in readme
    assert {"example/main/who/blue.member.csv", "example/main/what/blue.attr.csv"} <= set(files)
    assert "example/main/who/blue.attr.csv" not in files
    assert not [name for name in shown(folder, day(3.5)) if "truth" in name]


def test_a_phase_takes_the_answers_to_its_goal_alone(folder):
    answer = answers(folder, "red", "attr")
    with pytest.raises(SubmissionError, match="answers no task of phase who; files are called"):
        submit(folder, "red", answer, now=day(3.5))
    admission = admission_for(folder, "red", now=day(3.5))
    seen = examine(folder, admission, dict(list(answers(folder, "red", "member").items())[:1]))
    assert seen.tasks == 2 and seen.unanswered == ("green.member",)
    wrong = {"blue.attr.csv": answers(folder, "red", "member")["blue.member.csv"]}
    with pytest.raises(SubmissionError, match=r"blue\.attr\.csv"):
        submit(folder, "red", wrong, now=day(4.5))


@pytest.mark.slow
def test_three_teams_to_the_reveal_and_the_archive_is_verified(folder, tmp_path):
    submit(folder, "red", answers(folder, "red", "member"), now=day(3.5))
    submit(folder, "blue", answers(folder, "blue", "member"), now=day(3.6))
    submit(folder, "red", answers(folder, "red", "attr"), now=day(4.5))
    scores = score(folder, now=day(5.5))["main"].table
    assert scores.reading("blue", "red", "member.auc").value == 1
    assert scores.reading("blue", "red", "attr.member_hits").value == 1
    assert scores.reading("red", "blue", "attr.member_hits") is None  # blue answered one goal
    assert {"nearest", "red", "blue"} == set(scores.attackers)
    standings = json.loads(folder.at(paths.STANDINGS).read_bytes())
    boards = {board["id"]: board["places"] for board in standings["tracks"]["main"]["boards"]}
    first = {place["team"]: place["score"]["value"] for place in boards["anonymizers"]}
    assert first["blue"] == first["green"] == first["red"] == 0  # red and blue know every member
    report = folder.at(paths.REPORT).read_text()
    assert "In short: member.auc" in report and "In short: attr.excess accuracy" in report
    checked = revealed(folder, day(6), tmp_path / "archive")
    assert checked.problems == ()
    archived = Folder(tmp_path / "archive")
    schema = archived.edition().track[0].aim("member").goal.truth_schema(archived.schema("main"))
    truth = archived.at(paths.truth(Task("main", "red", goal="member")))
    assert len(read_trusted(truth, schema)) == 12
