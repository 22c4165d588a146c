"""The board of a bundle has the order of the judge's board, whatever average that takes."""

from datetime import UTC, datetime

import numpy as np
import pytest

from quintain.contests import load
from quintain.kit.codabench.bundle import bundle_bytes
from quintain.kit.codabench.exported import site_average
from quintain.kit.codabench.program.guesses import average_column
from quintain.rankings.formula import Formula
from quintain.runs.folder.folder import csv_bytes
from quintain.runs.folder.paths import Task
from quintain.runs.organising.decide import Subject, decide
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.score import score
from quintain.runs.scores.scores import track_boards
from quintain.runs.submissions.submit import submit
from tests.contest_folders import SMALL, prepared
from tests.kit.conftest import track_of
from tests.kit.scoring_run import run_scoring

TEAMS = ("red", "pal", "ann", "bob", "cat", "out")
MEAN = {"id": "attackers", "use": "mean", "measure": "hit_rate"}
FORMULA = {"id": "attackers", "use": "formula", "of": "attackers"}
BOARDS = {
    "mean": MEAN,
    "median": {**MEAN, "trim": 0.5},
    "trimmed mean": {**MEAN, "trim": 0.25},
    "everything counts": {**MEAN, "trim": 0.5, "unranked": "count"},
    "formula of a median": {**FORMULA, "formula": "100 * median(hit_rate)"},
    "formula of a trimmed mean": {**FORMULA, "formula": "trimmed(0.25, hit_rate)"},
}


def day(number):
    return datetime(2026, 5, number, 12, tzinfo=UTC)


def contest(root, board):
    """Red knows the release of its friend; "out" is disqualified, and everybody knows its rows."""
    rules = {
        **SMALL,
        "goal": {"use": "membership-set", "guesses": 20},
        "sample": {"use": "subset", "rows": 60},
        "repeats": 1,
        **{kind: [] for kind in ("sanitizer", "baseline", "utility")},
        "privacy": [{"use": "hit-rate"}],
        "board": [board],
        "phase": [
            {"id": "anonymize", "submit": "release", "closes": "2026-05-10T00:00:00Z"},
            {"id": "attack", "submit": "guess", "opens": "2026-05-11T00:00:00Z"},
        ],
        "team": [{"id": team} for team in TEAMS],
    }
    folder = prepared(root, load("tiny", overrides=rules))
    (track,) = folder.edition().track
    for team in TEAMS:
        content = csv_bytes(folder.private(track, Task(track.id, team)))
        submit(folder, team, {"release.csv": content}, now=day(3))
    hand_over(folder, now=day(10))
    decide(folder, "disqualified", Subject("out"), "its rows are copies", now=day(10))
    return folder


def rows_named(folder, task, team):
    """Some rows of the private sample, and others; red names all of its friend's."""
    rng = np.random.default_rng([TEAMS.index(team), TEAMS.index(task.entry)])
    members = folder.truth(track_of(folder), task).table.columns["row"]
    others = np.setdiff1d(np.arange(400), members)
    known = 20 if (team, task.entry) == ("red", "pal") or task.entry == "out" else rng.integers(9)
    rows = [*rng.permutation(members)[:known], *rng.permutation(others)[: 20 - known]]
    return "".join(f"{row}\n" for row in ["row", *rows]).encode()


def answers(folder, team):
    """What a team hands in: a guess at every release but its own."""
    tasks = [task for task in folder.tasks(track_of(folder)) if task.entry != team]
    return {f"{task.name}.csv": rows_named(folder, task, team) for task in tasks}


@pytest.mark.slow
@pytest.mark.parametrize("name", BOARDS)
def test_the_site_orders_teams_as_the_judge_does(name, tmp_path):
    folder = contest(tmp_path / "contest", BOARDS[name])
    bundle = bundle_bytes(folder)
    on_site = {}
    for team in TEAMS[:-1]:
        given = answers(folder, team)
        done = run_scoring(bundle, given, tmp_path / team)
        assert done.code == 0, done.output
        on_site[team] = done.scores["average"]
        submit(folder, team, given, now=day(12))
    results = score(folder, report=False)["main"]
    (board,) = track_boards(track_of(folder), results)
    ours = {place.team: place.score.value for place in board.places if place.rank}
    scale = 100 if "100" in BOARDS[name].get("formula", "") else 1
    assert {team: scale * value for team, value in on_site.items()} == pytest.approx(ours)
    ranks = {place.team: place.rank for place in board.places if place.rank}
    assert ranks == {t: 1 + sum(x > on_site[t] for x in on_site.values()) for t in on_site}
    if name in ("mean", "median"):
        assert (ranks["red"] == 1) == (name == "mean")


def test_a_board_of_the_first_places_has_no_average_of_its_own():
    average = site_average(load("amic").track[0])
    assert (average.name, average.official) == ("mean", False)


def test_an_average_of_several_readings_belongs_to_none():
    formula = Formula(
        formula="median(0.5 * auc + hit_rate) + trimmed(0.1, 2 * tpr)", of="attackers"
    )
    assert formula.trims == {"tpr": 0.1}
    assert Formula(formula="1 - median(auc)").trims == {}


def test_a_team_without_counted_entries_has_no_average():
    average = {"key": "average", "trim": 0.5, "columns": ["b"]}
    assert average_column({"a": 1.0}, average) == {}
    assert average_column({"a": 1.0, "b": 0.25}, average) == {"average": 0.25}
