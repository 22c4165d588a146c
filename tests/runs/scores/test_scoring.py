"""Scoring: who competes, which answers count, and what is measured of them."""

import json

import pyarrow.parquet as pq
import pytest

from quintain.contests import load
from quintain.contests.roster import Entrant, Roster
from quintain.jobs.executor import SERIAL
from quintain.runs.score import attack_all, score
from quintain.runs.scores.cells import contestants
from quintain.runs.submissions.submit import submit
from tests.contest_folders import small

TWINS = [{"id": "one", "attack": "random"}, {"id": "other", "attack": "random"}]


@pytest.fixture
def contest(tmp_path):
    """Prepares a contest of two repetitions with random baselines and these changes."""

    def make(**changes):
        return small(tmp_path / "contest", **{"baseline": TWINS, **changes})

    return make


def perfect(folder, task):
    """The file that answers a task without a fault."""
    truth = folder.truth(folder.edition().track[0], task).table.records()
    return "target,probability\n" + "".join(f"{r['target']},{r['member']}\n" for r in truth)


def cells(folder):
    rows = pq.read_table(folder.root / "results/cells.parquet").to_pylist()
    return {(r["entry"], r["attacker"]): r for r in rows if r["measure"] == "membership_advantage"}


def standings(folder):
    (track,) = json.loads((folder.root / "results/standings.json").read_bytes())["tracks"].values()
    return {place["team"]: place["rank"] for place in track["boards"][0]["places"]}


# --- who competes ---------------------------------------------------------------------------------


def test_baselines_compete_in_a_rehearsal_because_they_joined():
    edition = load("tiny", overrides={"baseline": TWINS})
    players = Roster(tuple(Entrant(one["id"], built_in=True) for one in TWINS))
    assert [(c.id, c.competing) for c in contestants(edition, edition.track[0], players)] == [
        ("one", True),
        ("other", True),
    ]


@pytest.mark.parametrize("competing", [True, False])
def test_baselines_of_a_live_contest_never_compete_even_if_no_team_does(competing):
    teams = [{"id": "red", "competing": competing}, {"id": "jury", "competing": False}]
    edition = load("tiny", overrides={"baseline": TWINS, "team": teams})
    players = Roster((Entrant("red"), Entrant("jury", competing=False)))
    assert [(c.id, c.competing) for c in contestants(edition, edition.track[0], players)] == [
        ("red", competing),
        ("jury", False),
        ("one", False),
        ("other", False),
    ]


@pytest.mark.slow
def test_only_teams_that_compete_have_ranks(contest):
    folder = contest(team=[{"id": "red"}, {"id": "jury", "competing": False}])
    for task in folder.tasks(folder.edition().track[0]):
        for team in ("red", "jury"):
            submit(folder, team, {f"{task.name}.csv": perfect(folder, task).encode()})
    score(folder)
    assert standings(folder) == {"red": 1, "jury": None, "one": None, "other": None}


# --- which answers count --------------------------------------------------------------------------


def test_an_entry_counts_only_if_every_repetition_of_it_was_answered(contest):
    folder = contest(team=[{"id": "red"}])
    for name in ("identity.000", "identity.001", "rr-keep0.5.001"):
        task = next(t for t in folder.tasks(folder.edition().track[0]) if t.name == name)
        submit(folder, "red", {f"{name}.csv": perfect(folder, task).encode()})
    score(folder)
    assert [entry for entry, attacker in cells(folder) if attacker == "red"] == ["identity"]
    cell = cells(folder)["identity", "red"]
    # Two repetitions of twenty targets.
    assert (cell["value"], cell["n"]) == (1.0, 40)


def test_baselines_answer_everything_on_their_own(contest):
    folder = contest(team=[{"id": "red"}])
    score(folder)
    attackers = [attacker for _, attacker in cells(folder)]
    assert attackers.count("one") == attackers.count("other") == 5
    assert "red" not in attackers


def test_a_team_that_answered_nothing_is_not_on_the_board(contest):
    folder = contest(team=[{"id": "red"}])
    score(folder)
    assert set(standings(folder)) == {"one", "other"}


def test_a_better_answer_replaces_the_one_before(contest):
    folder = contest(team=[{"id": "red"}], repeats=1)
    task = folder.tasks(folder.edition().track[0])[0]
    right = perfect(folder, task)
    wrong = right.replace(",1\n", ",x\n").replace(",0\n", ",1\n").replace(",x\n", ",0\n")
    readings = []
    for answer in (wrong, right, wrong):
        submit(folder, "red", {f"{task.name}.csv": answer.encode()})
        score(folder)
        readings.append(cells(folder)[task.entry, "red"]["value"])
    assert readings == [-1.0, 1.0, -1.0]


# --- the attackers' own draws ---------------------------------------------------------------------


def test_every_attacker_entry_and_repetition_has_draws_of_its_own(contest):
    folder = contest()
    attack_all(folder, executor=SERIAL)
    answers = [path.read_bytes() for path in folder.root.glob(".cache/guesses/main/*/*.csv")]
    assert len(answers) == 2 * 5 * 2
    assert len(set(answers)) == len(answers)
