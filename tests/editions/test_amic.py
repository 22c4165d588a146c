"""AMIC: the published final round ranked again, and a small contest played."""

import json

import numpy as np
import pytest

from quintain.cli.main import main
from quintain.contests import load
from quintain.runs.play import play
from quintain.runs.verification.verify import verify

# Hits on the releases that decide the places: PWSCup 2020, review of the final round (2021).
# Rows are attackers; a dash is a team's own release or an attack that was not submitted.
PUBLISHED = """
        03 06 08 16 17 18 27
attack.py 0 11  0  0  0  2 13
03        - 12  8 13  6 11 13
04        7 12  7  8  8  9 13
06       11  - 13  5 14 14  7
07       12 12 15  9 12 14 15
08        9 13  - 11 12 10 16
11        8 12  9 10 12  8  7
12        9 12  4 10 13 11 15
13        9  4  9  9 11 14  -
14       11 15  - 12 11 11  8
15       10  5 10  6 11  9 13
16        4 10 11  -  9  8 12
17       10  7 19  9  - 15 14
18       11  9 10  7 17  -  6
19        9  9 12  7  7 16  7
21       11  8 13 13 12  6 13
22       11  8  4 10 11 12 13
23       11  6  6  8 12  9 11
"""

SMALL = {
    "dataset": {"rows": 3000},
    "population": {"generator": {"rows": 20_000}, "take": 5000},
    "sample": {"rows": 2000},
    "goal": {"guesses": 40},
}


@pytest.fixture
def matrix(tmp_path):
    lines = [line.split() for line in PUBLISHED.strip().splitlines()]
    rows = [["", *lines[0]], *([c if c != "-" else "" for c in line] for line in lines[1:])]
    path = tmp_path / "final.csv"
    path.write_text("\n".join(",".join(row) for row in rows) + "\n")
    return path


@pytest.fixture
def preliminary(tmp_path):
    path = tmp_path / "preliminary.csv"
    path.write_text("team,score\n03,850\n18,840\n08,840\n")
    return path


def ranked(capsys, *arguments):
    main_exit(["rank", "amic", "--track", "main", *map(str, arguments), "--json"])
    return json.loads(capsys.readouterr().out)


def main_exit(arguments):
    with pytest.raises(SystemExit) as done:
        main(arguments)
    assert done.value.code == 0


def test_the_published_final_round_gives_the_published_totals(capsys, matrix, preliminary):
    found = ranked(
        capsys, "--cells", matrix, "--aside", "27", "--given", f"pre/anonymizers={preliminary}"
    )
    final = {p["team"]: (p["rank"], p["score"]) for p in found["boards"]["anonymizers"]}
    assert [final[team] for team in ("03", "16", "06", "18")] == [
        (1, 880),
        (2, 870),
        (3, 850),
        (4, 840),
    ]
    assert final["27"] == (None, 840)  # the organisers' own: tied with 18, without a place
    total = {p["team"]: p["score"] for p in found["overall"]["anonymizers"]}
    assert [total[team] for team in ("03", "18", "08")] == [877, 840, 813]
    assert found["awards"]["Anonymization award"] == ["03", "18", "08"]  # the first three


def test_attackers_are_averaged_over_the_first_three_without_their_own(capsys, matrix):
    found = ranked(capsys, "--cells", matrix, "--aside", "27", "--aside", "attack.py")
    attack = {p["team"]: (p["rank"], p["score"]) for p in found["boards"]["attackers"]}
    assert attack["14"] == (1, 126)  # (11 + 12 + 15) / 3
    assert attack["03"] == (2, 120)  # (12 + 13 + 11) / 3: its own place is skipped, 27 ignored
    assert attack["07"] == attack["08"] == (3, 110)
    assert attack["21"][1] == 106
    assert attack["attack.py"][0] is None


def test_a_team_can_win_several_awards(capsys, matrix, preliminary):
    given = [f"pre/{board}={preliminary}" for board in ("anonymizers", "attackers")]
    found = ranked(
        capsys, "--cells", matrix, "--aside", "27", "--given", given[0], "--given", given[1]
    )
    assert {title for title, teams in found["awards"].items() if "03" in teams} == {
        "Overall award",
        "Anonymization award",
        "Attack award",
    }


def test_the_order_among_the_winners_is_luck(capsys, matrix):
    found = ranked(capsys, "--cells", matrix, "--aside", "27")
    luck = {p["team"]: p["p"] for p in found["boards"]["anonymizers"]}
    assert all(luck[team] > 0.4 for team in ("03", "16", "06", "18"))


def test_the_whole_published_matrix(capsys, real_data, preliminary):
    path = real_data / "amic_final_matrix.csv"
    if not path.is_file():
        pytest.skip(f"no published matrix: {path} is not there")
    found = ranked(
        capsys, "--cells", path, "--aside", "27", "--given", f"pre/anonymizers={preliminary}"
    )
    total = {p["team"]: p["score"] for p in found["overall"]["anonymizers"]}
    assert [total[team] for team in ("03", "18", "08")] == [877, 840, 813]
    assert found["awards"]["Anonymization award"] == ["03", "18", "08"]
    attack = [(p["team"], p["rank"]) for p in found["boards"]["attackers"]]
    assert attack[:4] == [("14", 1), ("03", 2), ("07", 3), ("08", 3)]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A small AMIC with the built-in players, both rounds."""
    out = tmp_path_factory.mktemp("amic") / "run"
    return play(load("amic", quick=True, overrides=SMALL), out, seed=5)


@pytest.mark.slow
def test_both_rounds_are_played_and_verified(played):
    standings = json.loads((played.root / "results/standings.json").read_bytes())
    assert set(standings["tracks"]) == {"pre", "main"}
    boards = {board["id"]: board for board in standings["overall"]}
    assert list(boards) == ["preliminary", "anonymizers", "attackers", "overall"]
    assert all(len(award["winners"]) >= 3 for award in standings["awards"][1:])
    assert verify(played).problems == ()
    for track in played.edition().track:
        base = played.base(track.id)
        assert len(np.unique(base.row_keys())) == len(base) == 5000


def test_the_boards_of_a_round_say_what_luck_reaches(played, capsys):
    main_exit(["board", str(played.root), "--official"])
    text = capsys.readouterr().out
    for title in ("round: Anonymizers", "round: Attackers"):
        board = text.split(title)[1].split("noise floor")[0]
        assert "luck" in board, title


def test_beside_every_gate_stands_what_a_fresh_sample_reads(played):
    standings = json.loads((played.root / "results/standings.json").read_bytes())
    fresh = standings["tracks"]["pre"]["fresh"]
    assert set(fresh) == {"histogram", "covariance", "tree_relationship", "tree_income"}
    page = (played.root / "results/report.html").read_text()
    assert "A fresh sample" in page
    assert "✕ would fail" in page  # an honest sample does not pass AMIC's histogram gate


def test_what_was_done_is_handed_to_the_attackers(played):
    track = played.edition().track[0]
    for task in played.tasks(track):
        assert played.release(track, task).methods, task.entry
