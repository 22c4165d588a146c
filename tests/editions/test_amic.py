"""AMIC: the published final round ranked again, a small contest played, files as the rules say."""

import io
import json
import zipfile

import numpy as np
import pytest

from quintain.cli.main import main
from quintain.contests import load
from quintain.errors import SubmissionError
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.play import play
from quintain.runs.score import score
from quintain.runs.submissions.submit import submit
from quintain.runs.verification.verify import verify
from tests.contest_folders import prepared

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


@pytest.fixture
def live(tmp_path):
    """A prepared contest of two teams."""
    changes = {**SMALL, "baseline": [], "team": [{"id": "01"}, {"id": "02"}]}
    return prepared(tmp_path / "live", load("amic", quick=True, overrides=changes), seed=8)


def private(folder, team):
    return (folder.root / f"teams/{team}/pre/private.csv").read_bytes()


def release(folder, team, content, **more):
    name = f"pre_anonymizeddata_{team}.csv"
    return submit(folder, team, {name: content, **more}, track="pre", kind="release")


def test_every_fault_of_a_release_is_named_with_row_and_column(live):
    rows = private(live, "01").decode().splitlines()
    cells = [row.split(",") for row in rows[:999]]
    cells[0][0], cells[1][0], cells[2][0] = "100", "20s", "[20-24]"
    cells[3][7] = "40.0"
    cells[4].pop()
    with pytest.raises(SubmissionError) as caught:
        release(live, "01", "\n".join(",".join(row) for row in cells).encode())
    found = {(fault.line, fault.column) for fault in caught.value.faults}
    assert {(1, "age"), (2, "age"), (3, "age"), (4, "hours-per-week"), (5, None)} <= found


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda text: text[: text.index("\n", len(text) // 3) + 1], "at least 1000"),
        (lambda text: text * 51, "the limit is 100000"),
        (lambda text: "age,workclass\n" + text, "expected 9"),
        (lambda text: "\ufeff" + text, "byte order mark"),
        (lambda text: text.replace("\n", "\r\n"), "carriage return"),
    ],
    ids=["few", "many", "header", "bom", "crlf"],
)
def test_a_file_that_breaks_the_format_is_refused(live, spoil, message):
    with pytest.raises(SubmissionError, match=message):
        release(live, "01", spoil(private(live, "01").decode()).encode())


def test_a_release_under_another_name_is_refused(live):
    with pytest.raises(SubmissionError, match=r"must be called pre_anonymizeddata_01\.csv"):
        submit(live, "01", {"mine.csv": private(live, "01")}, track="pre", kind="release")


def indices(rows):
    return "".join(f"{row}\n" for row in rows).encode()


QUESTIONNAIRE = {
    "claim": {"epsilon": 3.0, "delta": 0.001},
    "models": [
        {"name": "k-anonymity", "value": 4, "columns": ["age", "sex"]},
        {"name": "pk-anonymity", "value": 2.5},
        {"name": "delta-presence", "value": 0.2},
    ],
    "methods": [{"name": "microaggregation", "columns": ["age"], "rows": 300}],
}


def test_the_questionnaire_reaches_the_attackers(live):
    card = {"card.json": json.dumps(QUESTIONNAIRE).encode()}
    release(live, "01", private(live, "01"), **card)
    release(live, "02", private(live, "02"))
    hand_over(live, "pre")
    shown = json.loads((live.root / "public/pre/tasks/01/card.json").read_bytes())
    assert (shown["claim"]["epsilon"], shown["claim"]["delta"]) == (3.0, 0.001)
    assert [(one["name"], one["value"]) for one in shown["models"]] == [
        (one["name"], one["value"]) for one in QUESTIONNAIRE["models"]
    ]
    assert shown["methods"][0]["name"] == "microaggregation"


def test_row_0_is_taken_and_a_row_named_twice_is_not(live):
    for team in ("01", "02"):
        release(live, team, private(live, team))
    hand_over(live, "pre")
    name = "inference_02_01.index"
    submit(live, "01", {name: indices(range(40))}, track="pre", kind="guess")
    for rows, message in (
        ([*range(39), 0], "named before"),
        ([*range(39), 5000], "rows 0..4999"),
        (range(41), "expected 40"),
    ):
        with pytest.raises(SubmissionError, match=message):
            submit(live, "01", {name: indices(rows)}, track="pre", kind="guess")


def test_a_round_goes_out_and_comes_in_under_the_names_of_the_rules(live, tmp_path):
    for team in ("01", "02"):
        release(live, team, private(live, team))
    hand_over(live, "pre")
    for attacker, other in (("01", "02"), ("02", "01")):
        name = f"inference_{other}_{attacker}.index"
        submit(live, attacker, {name: indices(range(40))}, track="pre", kind="guess")
    score(live)
    out = tmp_path / "round.zip"
    main_exit(["export", str(live.root), "round", str(out), "--track", "pre"])
    with zipfile.ZipFile(io.BytesIO(out.read_bytes())) as archive:
        names = set(archive.namelist())
        answers = archive.read("pre_answer_01.index").decode().split()
        sampled = archive.read("pre_samplingdata_01.csv").decode().splitlines()
        population = archive.read("pre_syntheticdata.csv").decode().splitlines()
    assert names == {
        "pre_syntheticdata.csv",
        "test.csv",
        "pre_samplingdata_01.csv",
        "pre_samplingdata_02.csv",
        "pre_answer_01.index",
        "pre_answer_02.index",
        "pre_anonymizeddata_01.csv",
        "pre_anonymizeddata_02.csv",
        "inference_01_02.index",
        "inference_02_01.index",
    }
    assert sorted(population[int(row)] for row in answers) == sorted(sampled)
    before = (live.root / "journal.jsonl").read_text().count("\n")
    main_exit(["submit-round", str(live.root), str(out), "--kind", "guess", "--track", "pre"])
    assert (live.root / "journal.jsonl").read_text().count("\n") == before + 2
