"""Contests about published rows: teams say which private record each row was made from."""

import io
import json
import zipfile
from datetime import UTC, datetime

import pytest

from quintain.contests import load
from quintain.errors import EditionError, Rejected, SubmissionError
from quintain.kit.kit import kit_bytes
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.play import play
from quintain.runs.score import score
from quintain.runs.submissions.submit import submit
from quintain.runs.taking_part import release
from quintain.runs.verification.verify import verify
from tests.contest_folders import written

EDITION = """\
id = "rows"
title = "Whose row is it?"
goal = { use = "published-row", absent = true }

[dataset]
use = "adult"
rows = 400

[sample]
use = "subset"
rows = 60

[[phase]]
id = "anonymize"
submit = "release"
opens = 2026-05-01T00:00:00Z
closes = 2026-05-10T00:00:00Z

[[phase]]
id = "attack"
submit = "guess"

[[privacy]]
use = "rows-found"

[[privacy]]
use = "absence-found"

[[board]]
id = "attackers"
use = "mean"
measure = "rows_found"
"""
PLAYERS = """
[[baseline]]
id = "open"
sanitizer = { use = "identity" }
attack = { use = "row-linkage" }

[[baseline]]
id = "mixed"
attack = { use = "nearest" }
[baseline.sanitizer]
use = "pipeline"
steps = [{ use = "partial-extraction", share = 0.5 }, { use = "dummy-records", share = 1 }]
"""
OPEN = datetime(2026, 5, 2, tzinfo=UTC)
OVER = datetime(2026, 5, 10, tzinfo=UTC)


@pytest.fixture
def contest(tmp_path):
    teams = '[[team]]\nid = "red"\n[[team]]\nid = "blue"\n'
    return written(tmp_path / "contest", EDITION + teams)


def private_lines(folder, team="red"):
    return (folder.root / f"teams/{team}/main/private.csv").read_text().splitlines()


def numbered(folder, rows):
    """A release file: a header, then private records with any text in the column of numbers."""
    header, *records = private_lines(folder)
    lines = [f"private_row,{header}", *(f"{number},{records[row]}" for number, row in rows)]
    return "\n".join(lines).encode() + b"\n"


@pytest.mark.slow
def test_a_contest_about_rows_is_played_and_verified(tmp_path):
    (tmp_path / "e.toml").write_text(EDITION + PLAYERS)
    folder = play(load(tmp_path / "e.toml"), tmp_path / "run", seed=2)
    track = json.loads((folder.root / "results/standings.json").read_bytes())["tracks"]["main"]
    found = {place["team"]: place["score"]["value"] for place in track["boards"][0]["places"]}
    assert found["open"] > 0.9  # row linkage attacks the release of mixed
    assert found["mixed"] > 0.9
    published = (folder.root / "public/main/tasks/mixed/release.csv").read_text()
    assert "private_row" not in published
    assert len(published.splitlines()) == 1 + 30 + 30
    truth = (folder.root / "secret/main/tasks/mixed/truth.csv").read_text().splitlines()[1:]
    assert len(truth) == 400
    assert sum(not line.endswith(",") for line in truth) == 30
    assert verify(folder).problems == ()


def test_the_rows_of_a_team_are_followed_to_their_published_places(contest):
    rows = [(7, 7), ("", 8), (3, 3)]  # the second row copies a record, but claims to be made up
    submit(contest, "red", {"r.csv": numbered(contest, rows)}, kind="release", now=OPEN)
    hand_over(contest, now=OVER)
    shown = (contest.root / "public/main/tasks/red/release.csv").read_text().splitlines()[1:]
    records = private_lines(contest)[1:]
    track = contest.edition().track[0]
    (task,) = contest.tasks(track)
    truth, question = contest.truth(track, task), contest.question(track, task)
    answers = [record["row"] for record in truth.table.records()]
    assert [row for row in answers if row is not None] != []
    assert {shown[row] for row in answers if row is not None} == {records[7], records[3]}
    guess = contest.root / "answers.csv"
    question.answer(truth.table.columns["row"]).to_csv(guess)
    files = {"red.csv": guess.read_bytes()}
    submit(contest, "blue", files, kind="guess", now=OVER)
    score(contest)
    cells = json.loads((contest.root / "results/standings.json").read_bytes())
    assert cells["tracks"]["main"]["boards"][0]["places"][0]["score"]["value"] == 1.0
    assert verify(contest).problems == ()


def test_every_wrong_number_is_named_with_its_line(contest):
    rows = [(5, 5), (60, 6), (5, 7), ("x", 8), ("", 9)]
    with pytest.raises(SubmissionError) as caught:
        submit(contest, "red", {"r.csv": numbered(contest, rows)}, kind="release", now=OPEN)
    text = str(caught.value)
    assert (
        "r.csv:3 private_row='60': unknown private record; the rows of the private data are 0..59"
    ) in text
    assert "r.csv:4 private_row='5': line 2 was made from this private record already" in text
    assert "r.csv:5 private_row='x'" in text
    assert len(caught.value.faults) == 3


def test_a_release_without_numbers_is_refused(contest):
    content = "\n".join(private_lines(contest)).encode()
    with pytest.raises(SubmissionError, match="private_row"):
        submit(contest, "red", {"r.csv": content}, kind="release", now=OPEN)


def test_the_kit_explains_the_numbers_and_its_example_is_valid(contest):
    kit = zipfile.ZipFile(io.BytesIO(kit_bytes(contest, "red", now=OPEN)))
    readme = kit.read("README.md").decode()
    assert "`private_row` names the private record that a row" in readme
    example = kit.read("example/main/anonymize/release.csv")
    assert example.splitlines()[1].startswith(b"0,")
    submit(contest, "red", {"release.csv": example}, kind="release", now=OPEN)


def test_a_team_may_use_a_built_in_sanitizer_that_tells_origins(contest):
    track = contest.edition().track[0]
    files = release(contest, track, {"use": "rr", "keep": 0.5}, team="red", seed=1)
    lines = files["release.csv"].decode().splitlines()
    assert lines[0].startswith("private_row,")
    assert sorted(int(line.split(",")[0]) for line in lines[1:]) == list(range(60))
    submit(contest, "red", files, kind="release", now=OPEN)


def test_a_team_cannot_use_a_synthesizer_where_rows_are_asked_for(contest):
    track = contest.edition().track[0]
    with pytest.raises(Exception, match="these records stand for nobody"):
        release(contest, track, {"use": "independent", "epsilon": 1.0}, team="red", seed=1)


def test_synthesizers_are_refused_when_the_edition_is_loaded(tmp_path):
    synthesizer = '[[sanitizer]]\nuse = "mst"\nepsilon = 1.0\n'
    player = '[[baseline]]\nid = "b"\nsanitizer = { use = "independent", epsilon = 1.0 }\n'
    (tmp_path / "e.toml").write_text(EDITION + synthesizer + player)
    with pytest.raises((EditionError, Rejected)) as caught:
        load(tmp_path / "e.toml")
    reason = "its records stand for nobody, and goal/published-row-v1 asks whose they are"
    assert f"e.toml:33 sanitizer.0: sanitizer/mst-v1: {reason}" in str(caught.value)
    assert f"sanitizer/independent-v1: {reason}" in str(caught.value)
