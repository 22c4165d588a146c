"""The edition about survival: a rare group, a dead zone, and the lowest of three utilities."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from quintain.contests import load
from quintain.measures import Reading
from quintain.rankings import Contestant, Entry, Results
from quintain.runs.lint import lint_edition
from quintain.runs.play import play
from quintain.runs.verification.verify import verify

FOLDER = Path(__file__).parents[2] / "examples/survival"
EDITION = FOLDER / "survival.toml"
CUP = FOLDER / "pws-2026.toml"


@pytest.mark.parametrize("edition", [EDITION, CUP])
def test_the_edition_is_short(edition):
    assert len(edition.read_text().splitlines()) <= 60


def near(value, half, n=100):
    return Reading(value=value, low=value - half, high=value + half, n=n, better="lower")


def test_the_board_counts_the_worse_of_everybody_and_the_rare_group_by_hand():
    # 1.96 standard errors are half of each interval. Everybody: .6 - .5 - 2 * .01 = .08 above luck.
    # Stage IV: .7 - .5 - 2 * .05 = .1 above luck. So the score is 100 * .9 * (1 - 2 * .1) = 72.
    z = 1.959963984540054
    track = load(EDITION).track[0]
    utility = track.with_derived(
        {
            "km_distance": Reading.exact(0.05, 10, "lower"),
            "km_distance_worst": Reading.exact(0.1, 10, "lower"),
            "cox_overlap": Reading.exact(0.95, 10, "higher"),
            "tv1": Reading.exact(0.02, 10, "lower"),
        }
    )
    cell = {"auc": near(0.6, 0.01 * z), "auc_stage_iv": near(0.7, 0.05 * z)}
    results = Results(
        entries=(Entry(id="red", owner="red", readings=utility, faults=()),),
        contestants=(Contestant("red", "", True), Contestant("blue", "", True)),
        cells={("red", "blue"): cell},
    )
    (place, *_) = track.board[0].rule.rank("anonymizers", results, {}).places
    assert place.score.value == pytest.approx(72)


@pytest.mark.parametrize("edition", [EDITION, CUP])
def test_the_rules_have_no_holes(edition):
    assert list(lint_edition(load(edition))) == []


@pytest.mark.slow
def test_two_goals_are_asked_of_every_attacker_about_its_own_people(tmp_path):
    small = {"sample": {"rows": 200, "overlap": 60}, "targets_each": 100}
    folder = play(load(CUP, overrides=small), tmp_path / "run", seed=7)
    cells = pq.read_table(folder.at("results/cells.parquet"))
    assert {"member.auc", "attr.excess_within_stage_iv"} <= set(cells["measure"].to_pylist())
    for goal in ("member", "attr"):
        place = f"teams/noise/main/tasks/swap/question.{goal}.csv"
        assert len(folder.at(place).read_text().splitlines()) == 101
    assert verify(folder).problems == ()


@pytest.mark.slow
def test_a_rehearsal_reads_every_group_and_is_verified(tmp_path):
    players = [
        {"id": "noise", "attack": "nearest", "sanitizer": {"use": "rr", "keep": 0.9}},
        {"id": "plain", "attack": "exact-match", "sanitizer": "identity"},
    ]
    small = {"baseline": players, "sample": {"background": 100}}
    folder = play(load(EDITION, overrides=small), tmp_path / "run", seed=7)
    cells = pq.read_table(folder.root / "results/cells.parquet").to_pylist()
    names = {"auc", "auc_stage_iv", "auc_age_worst", "tpr_at_fpr"}
    assert {cell["measure"] for cell in cells} == names
    n = {cell["measure"]: cell["n"] for cell in cells}
    assert n["auc_stage_iv"] < n["auc_age_worst"] < n["auc"] == 300
    standings = json.loads((folder.root / "results/standings.json").read_bytes())
    (board, *_) = standings["tracks"]["main"]["boards"]
    assert all(place["score"]["value"] >= 0 for place in board["places"])
    assert verify(folder).problems == ()
