"""Editions with rules as formulas: ranked from files, played, scored again and verified."""

import json
import shutil

import pytest

from quintain.contests import load
from quintain.errors import DataError, EditionError
from quintain.runs.folder.folder import Folder
from quintain.runs.play import play
from quintain.runs.score import score
from quintain.runs.standalone.matrix import rank_matrix
from quintain.runs.verification.verify import verify
from tests.contest_folders import SMALL

# PWSCup 2024: utility and anonymity in points of 100, both computed elsewhere.
EDITION_2024 = """\
include = "tiny"
id = "pwscup-2024"
title = "PWSCup 2024"
sanitizer = []
baseline = []

[[phase]]
id = "anonymize"
submit = "release"

[[phase]]
id = "attack"
submit = "guess"

[[given]]
name = "U"
better = "higher"
at_least = 10

[[given]]
name = "A"
better = "higher"

[[derived]]
name = "penalty"
formula = "2 * max(0, 50 - U) + 2 * max(0, 50 - A)"
better = "lower"

[[board]]
id = "anonymizers"
use = "formula"
formula = "max(0, U + A - penalty)"
"""


def rank(tmp_path, text, cells=None, **files):
    path = tmp_path / "edition.toml"
    path.write_text(text)
    written = {}
    for name, content in {"cells": cells, **files}.items():
        if content is not None:
            (tmp_path / f"{name}.csv").write_text(content)
            written[name] = tmp_path / f"{name}.csv"
    rules = load(path)
    return rank_matrix(rules, rules.track[0], written.pop("cells", None), **written)


def places(board):
    return [(p.rank, p.team, p.score.value if p.score.measured else p.note) for p in board.places]


def test_readings_from_elsewhere_are_ranked_without_a_matrix(tmp_path):
    utility = "team,U,A\n01,77.5,87\n09,86.46,9\n14,57.7,11\n20,97.99,85\n13,70,\n08,4.56,88\n"
    (board,) = rank(tmp_path, EDITION_2024, utility=utility).boards
    assert places(board) == [
        (1, "20", 182.99),
        (2, "01", 164.5),
        (3, "09", 13.46),
        (4, "14", 0.0),
        (None, "13", "A was not measured: the cell is blank"),
        (None, "08", "disqualified: U is 4.56, must be at least 10 (off by 5.4)"),
    ]


def test_a_derived_reading_may_be_given_too(tmp_path):
    (board,) = rank(tmp_path, EDITION_2024, utility="team,U,A,penalty\n01,77.5,87,100\n").boards
    assert places(board) == [(1, "01", 64.5)]


def test_faults_of_a_file_of_readings_are_listed(tmp_path):
    with pytest.raises(DataError) as caught:
        rank(tmp_path, EDITION_2024, utility="team,U,B\n01,77.5,87\n01,much,\n")
    assert [str(fault) for fault in caught.value.faults] == [
        "utility.csv B: unknown reading; available: tv1, tv2, U, A, penalty",
        "utility.csv:3 '01': this entry appears twice",
        "utility.csv:3 U='much': expected a number or an empty cell",
    ]


SHARED = """\
include = "tiny"
id = "shared"

[[privacy]]
use = "membership-advantage"

[[board]]
id = "attackers"
use = "formula"
formula = "10 * count(found_by) - sum(found_by - 1)"
of = "attackers"
"""
CELLS = ",r1,r2\nann,0.5,0.25\nbob,0.25,0\n"


def test_who_found_what_is_read_from_a_file(tmp_path):
    finds = "attacker,entry,record\nann,r1,7\nann,r1,9\nbob,r1,7\nann,r2,7\n"
    (board,) = rank(tmp_path, SHARED, CELLS, finds=finds).boards
    assert places(board) == [(1, "ann", 29.0), (2, "bob", 9.0)]


def test_faults_of_a_file_of_finds_are_listed(tmp_path):
    with pytest.raises(DataError) as caught:
        rank(
            tmp_path,
            SHARED,
            CELLS,
            finds="attacker,entry,record\nann,r1,7\nann,r1,7\neve,r1,1\nx\n",
        )
    assert [str(fault) for fault in caught.value.faults] == [
        "finds.csv:3 '7': this find appears twice",
        "finds.csv:4 'eve, r1': the matrix has no attack of this attacker on this entry",
        "finds.csv:5: expected 3 cells, found 1",
    ]
    with pytest.raises(DataError, match="expected the columns attacker, entry, record"):
        rank(tmp_path, SHARED, CELLS, finds="ann,r1,7\n")


TWO_GOALS = """\
include = "two-goals"
id = "shared"

[[privacy]]
goal = "member"
use = "membership-advantage"

[[privacy]]
goal = "attr"
use = "excess-accuracy"

[[board]]
id = "attackers"
use = "formula"
formula = "10 * count(member.found_by) + sum(1 / member.found_by)"
of = "attackers"
"""


def test_finds_of_several_goals_name_the_goal(tmp_path):
    finds = "attacker,entry,goal,record\nann,r1,member,7\nann,r1,attr,7\nbob,r1,member,7\n"
    (board,) = rank(tmp_path, TWO_GOALS, CELLS, finds=finds).boards
    assert places(board) == [(1, "ann", 10.5), (1, "bob", 10.5)]
    with pytest.raises(DataError, match="expected the columns attacker, entry, goal, record"):
        rank(tmp_path, TWO_GOALS, CELLS, finds="attacker,entry,record\n")
    with pytest.raises(DataError, match="the track has no such goal; did you mean 'member'"):
        rank(tmp_path, TWO_GOALS, CELLS, finds=finds.replace("bob,r1,member", "bob,r1,membr"))


def test_a_measure_that_finds_nobody_cannot_tell_who_was_found(tmp_path):
    with pytest.raises(EditionError) as caught:
        rank(tmp_path, SHARED.replace('"membership-advantage"', '"auc"'), CELLS)
    fault, again = caught.value.faults  # the formula names it twice
    assert (fault.line, again.line) == (10, 10)
    assert fault.message.startswith("column 23: found_by needs a measure that tells which records")


def test_a_reading_with_the_name_of_a_count_is_refused_where_a_formula_uses_it(tmp_path):
    text = EDITION_2024.replace('name = "A"', 'name = "teams"').replace("- A", "- teams")
    with pytest.raises(EditionError) as caught:
        rank(tmp_path, text.replace("U + A - penalty", "U + teams - penalty"), CELLS)
    assert str(caught.value) == (
        "edition.toml:32 board.0.formula: column 23: teams has a meaning of its own in formulas; "
        "give the reading another name"
    )


# --- played ---------------------------------------------------------------------------------------

PLAYED = {
    "given": [{"name": "jury", "better": "higher", "values": {"identity": 2.0, "rr-keep0.9": 8}}],
    "derived": [
        {"name": "loss", "formula": "100 * max(tv1, tv2)", "better": "lower"},
        {"name": "mark", "formula": "jury - loss / 100", "better": "higher"},
    ],
    "board": [
        {
            "id": "defence",
            "use": "formula",
            "formula": "100 * (1 - max(membership_advantage)) - loss",
        },
        {"id": "found", "use": "formula", "of": "attackers", "formula": "sum(1 / found_by)"},
        {"id": "jury", "use": "formula", "formula": "mark"},
        {
            "id": "both",
            "use": "formula",
            "of": "teams",
            "formula": "default(score('defence'), 0) / rank('defence')",
        },
    ],
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("formulas") / "run"
    play(load("tiny", overrides={**SMALL, **PLAYED}), out, seed=7)
    return out


def standings(root):
    track = json.loads((root / "results/standings.json").read_text())["tracks"]["main"]
    boards = {board["id"]: board["places"] for board in track["boards"]}
    return boards, {entry["id"]: entry["readings"] for entry in track["entries"]}


@pytest.mark.slow
def test_formulas_are_played(run):
    boards, readings = standings(run)
    results = score(Folder(run))["main"]
    for place in boards["defence"]:
        entry = place["entry"]
        worst = max(
            cell["membership_advantage"].value
            for (name, _), cell in results.cells.items()
            if name == entry
        )
        loss = 100 * max(readings[entry][name]["value"] for name in ("tv1", "tv2"))
        assert readings[entry]["loss"]["value"] >= loss - 1e-9  # the mean of the repetitions
        expected = 100 * (1 - worst) - readings[entry]["loss"]["value"]
        assert place["score"]["value"] == pytest.approx(expected)
        low, high = place["score"]["low"], place["score"]["high"]
        assert low <= place["score"]["value"] <= high
    shares = {place["team"]: place["score"]["value"] for place in boards["found"]}
    assert all(value >= 0 for value in shares.values())
    # Shared among their finders, all shares together are the records that anybody found.
    assert sum(shares.values()) == pytest.approx(round(sum(shares.values())))
    assert [p["rank"] for p in boards["jury"]].count(None) == len(boards["jury"]) - 2
    notes = {p["note"] for p in boards["jury"] if p["rank"] is None}
    assert all("jury was not measured: no jury is given for" in note for note in notes)


@pytest.mark.slow
def test_a_run_with_formulas_is_verified(run, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(run, copy, ignore=shutil.ignore_patterns(".cache"))
    assert not verify(Folder(copy)).problems


def test_scoring_again_gives_the_same_bytes_without_measuring(run):
    before = (run / "results/standings.json").read_bytes()
    (run / "results/standings.json").unlink()
    score(Folder(run))
    assert (run / "results/standings.json").read_bytes() == before


def test_rules_without_the_new_keys_keep_their_bytes():
    rules = json.loads(load("darc").to_bytes())
    assert "given" not in rules["track"][0]
    assert set(rules["track"][0]["derived"][0]) == {"name", "by", "of"}
