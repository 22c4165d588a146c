"""Questions per attacker, live: three teams, one of them late, until a stranger verifies it all."""

import json
from pathlib import Path

import numpy as np
import pytest
from benchmarks.goals.own_questions import luck_of_readings

from quintain.contests import load
from quintain.data import Column, Schema, Table
from quintain.errors import FolderError, Refused, Rejected, SubmissionError
from quintain.kit.codabench.bundle import bundle_bytes
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.lint import lint_edition, published_truths
from quintain.runs.organising.freeze import freeze
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.organising.join import Joining, join
from quintain.runs.play import play
from quintain.runs.score import score
from quintain.runs.submissions.submit import submit
from quintain.runs.taking_part import answer
from quintain.runs.tasks.questions import draw_targets
from quintain.runs.verification.verify import verify
from tests.editions.live.live_contest import day, kit, revealed, started

EXAMPLE = "examples/own-people/questions.toml"
SMALL = {
    "targets_each": 20,
    "dataset": {"rows": 300},
    "sample": {"targets": 60, "background": 60},
    "rule": [{"use": "rows", "least": 20, "most": 200}],
    "baseline": [{"id": "blind", "attack": {"use": "random"}}],
}
TEAMS = '[[team]]\nid = "red"\n[[team]]\nid = "blue"\n'


def release(folder, team):
    """A team publishes its private sample as it is."""
    private = folder.at(paths.team_sample(team, "main")).read_bytes()
    submit(folder, team, {"release.csv": private}, kind="release", now=day(2))


def unpacked(files, place):
    """A kit on the disk of a team."""
    for name, content in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(content)
    return Folder(place)


def asked_people(folder, team, entry):
    """The names of the targets in the question of a team."""
    task = folder.read(folder.edition().track[0]).seen_by(team).by_entry[entry][0]
    question = folder.question(folder.edition().track[0], task)
    return [str(name) for name in question.table.columns["target"]]


@pytest.fixture(scope="module")
def contest(tmp_path_factory):
    """Red and blue released; green joined after the hand-over."""
    folder = started(tmp_path_factory.mktemp("own") / "contest", EXAMPLE, SMALL, TEAMS)
    for team in ("red", "blue"):
        release(folder, team)
    hand_over(folder, now=day(3))
    join(folder, [Joining("green")], now=day(4))
    return folder


def test_every_team_is_asked_about_its_own_people_by_its_own_kit(contest):
    kits = {team: kit(contest, team, day(5)) for team in ("red", "blue", "green")}
    for team, files in kits.items():
        questions = {name for name in files if name.endswith("question.csv")}
        others = {"red", "blue"} - {team}
        assert questions == {f"teams/{team}/main/tasks/{entry}/question.csv" for entry in others}
        assert not [name for name in files if name.startswith("secret")]
        assert "your question about it" in files["README.md"].decode()
    everybody = kit(contest, None, day(5))
    assert not [name for name in everybody if "question" in name or name.startswith("example")]
    assert "Every team has questions of its own" in everybody["README.md"].decode()


def test_questions_have_one_size_and_differ(contest):
    people = {team: asked_people(contest, team, "red") for team in ("blue", "green", "blind")}
    assert {len(names) for names in people.values()} == {20}
    assert len({tuple(names) for names in people.values()}) == 3
    track = contest.edition().track[0]
    for team, names in people.items():
        task = contest.read(track).seen_by(team).by_entry["red"][0]
        truth = contest.truth(track, task).table
        assert [str(name) for name in truth.columns["target"]] == names
        whole = contest.truth(track, contest.read(track).by_entry["red"][0]).table
        labels = dict(zip(whole.columns["target"], whole.columns["member"], strict=True))
        assert [labels[n] for n in truth.columns["target"]] == truth.columns["member"].tolist()


def test_the_files_are_committed_to_when_the_team_gets_them(contest):
    def leaves(stage):
        return set(json.loads(contest.at(paths.commitment(stage)).read_bytes())["leaves"])

    late = "teams/green/main/tasks/red/question.csv"
    assert late in leaves("join-green") and late not in leaves("handover-main")
    assert "teams/blue/main/tasks/red/question.csv" in leaves("handover-main")
    assert "secret/main/attackers/blind/red/truth.csv" in leaves("handover-main")
    assert not list(published_truths(contest))


def test_answers_to_the_question_of_another_team_are_refused(contest, tmp_path):
    track = contest.edition().track[0]
    red = unpacked(kit(contest, "red", day(5)), tmp_path / "red")
    with pytest.raises(FolderError, match="those of 'blue' are not here"):
        answer(red, track, {"use": "random"}, team="blue")
    with pytest.raises(Refused, match="name your team"):
        answer(red, track, {"use": "random"})
    wrong = answer(contest, track, {"use": "random"}, team="green", tasks=["blue"])
    with pytest.raises(SubmissionError, match="no such target was asked about"):
        submit(contest, "red", wrong, kind="guess", now=day(5))
    own = {"red.csv": wrong["blue.csv"]}
    with pytest.raises(SubmissionError, match="answers no task"):
        submit(contest, "red", own, kind="guess", now=day(5))


@pytest.mark.slow
def test_the_contest_is_scored_revealed_and_verified(contest, tmp_path):
    track = contest.edition().track[0]
    for team in ("red", "blue", "green"):
        place = unpacked(kit(contest, team, day(5)), tmp_path / team)
        files = answer(place, track, {"use": "nearest"}, team=team)
        submit(contest, team, files, kind="guess", now=day(5))
    results = score(contest, now=day(6))["main"]
    cells = {(e, a) for e in ("red", "blue") for a in ("red", "blue", "green", "blind") if e != a}
    for entry, attacker in cells:
        assert results.table.reading(entry, attacker, "auc").n == 20
    freeze(contest, "the contest is over", now=day(7))
    verdict = revealed(contest, day(7), tmp_path / "archive")
    assert verdict.problems == ()
    question = tmp_path / "archive/teams/green/main/tasks/red/question.csv"
    question.write_bytes(question.read_bytes() + b"\n")
    assert any("teams/green" in text for text in verify(Folder(tmp_path / "archive")).problems)


def test_the_example_is_short_and_loads_without_findings_that_stop():
    edition = load(EXAMPLE)
    assert len(Path(EXAMPLE).read_text().splitlines()) <= 60
    assert [finding.check for finding in lint_edition(edition)] == []
    quick = load(EXAMPLE, quick=True)
    assert "few-targets" in {finding.check for finding in lint_edition(quick)}


@pytest.mark.slow
def test_a_rehearsal_asks_the_baselines_about_their_own_people(tmp_path):
    edition = load("tiny", overrides={**TINY, "repeats": 2})
    folder = play(edition, tmp_path / "run", seed=5)
    view = folder.read(folder.edition().track[0])
    questions = {
        (attacker, task.name): folder.question(view.track, task).table.digest()
        for attacker in ("random", "nearest")
        for task in view.tasks_for(attacker)
    }
    assert len(questions) == len(set(questions.values())) == 2 * len(view.tasks)
    assert verify(folder).problems == ()


TINY = {
    "questions": "per attacker",
    "targets_each": 10,
    "dataset": {"rows": 400},
    "sample": {"targets": 20, "background": 60},
}


def test_codabench_is_refused_with_the_reason(contest):
    with pytest.raises(Rejected, match="every attacker has questions of its own"):
        bundle_bytes(contest)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"questions": "shared"}, 'targets_each is for questions = "per attacker"'),
        ({"targets_each": None}, "say with targets_each"),
        ({"targets_each": 30}, "the sample design has 20 targets, fewer than 30"),
    ],
)
def test_rules_that_do_not_fit_are_refused(changes, message):
    with pytest.raises(Rejected, match=message):
        load("tiny", overrides={**TINY, **changes})


def test_goals_that_need_all_targets_are_refused():
    text = {"questions": "per attacker", "targets_each": 10}
    with pytest.raises(Rejected, match="linkability-v1 cannot ask about some targets alone"):
        load("linkability", overrides=text)


def test_a_board_that_counts_common_finds_is_refused():
    board = [{"id": "b", "use": "formula", "of": "attackers", "formula": "sum(1 / found_by)"}]
    with pytest.raises(Rejected, match="attackers are asked about different people"):
        load("rows", overrides={"questions": "per attacker", "targets_each": 10, "board": board})


def test_old_rules_keep_their_bytes():
    assert b"targets_each" not in load("tiny").to_bytes()
    assert b'"questions"' not in load("tiny").to_bytes()


def test_a_release_with_fewer_targets_is_asked_about_with_all_of_them():
    columns = (Column(name="target", kind="id"), Column(name="row", kind="integer", low=0))
    truth = Table(Schema(columns=columns), {"target": np.arange(5), "row": np.arange(5)})
    some = draw_targets(truth, 3, rng=np.random.default_rng(1)).columns["target"].tolist()
    assert len(some) == 3
    assert some == sorted(some)
    assert len(draw_targets(truth, 9, rng=np.random.default_rng(1))) == 5


def test_the_benchmark_of_luck_runs():
    readings = luck_of_readings(40, 10, 4, seed=1)
    assert len(readings) == 4
    assert ((readings >= 0) & (readings <= 1)).all()
