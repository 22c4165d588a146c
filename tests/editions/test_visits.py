"""The built-in contest on three tables, on simulated patients and on folders of one's own."""

import io
import zipfile
from datetime import UTC, datetime

import numpy as np
import pyarrow.parquet as pq
import pytest

from quintain.contests import load
from quintain.contests.loading.load import builtin_text
from quintain.data.people_files import SCHEMA_FILE, write_people
from quintain.data.sources.clinic import Clinic
from quintain.errors import DataError, EditionError, SubmissionError
from quintain.kit.kit import kit_bytes
from quintain.runs.folder.organiser_data import disclosures
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.play import play
from quintain.runs.score import score
from quintain.runs.submissions.submit import submit
from quintain.runs.tasks.experiments import draw_sample
from quintain.runs.verification.verify import verify
from tests.contest_folders import written

SMALL = {
    "dataset": {"rows": 60},
    "sample": {"rows": 30},
    "repeats": 1,
    "sanitizer": [{"use": "new-pseudonyms"}, {"use": "value-shuffling", "name": "noise"}],
    "baseline": [{"id": name, "attack": {"use": name}} for name in ("histories", "random")],
}
OWN = """
include = "visits"
id = "ours"
dataset = {{ use = "file", path = "{path}", schema = "people.json" }}
sample = {{ use = "subset", rows = 30 }}
repeats = 1
sanitizer = [{{ use = "new-pseudonyms" }}]
baseline = [{{ id = "random", attack = {{ use = "random" }} }}]
"""


def cells_of(folder):
    table = pq.read_table(folder.root / "results/cells.parquet").to_pylist()
    return {(c["entry"], c["attacker"], c["measure"]): c["value"] for c in table}


def write_own_clinic(place, path="clinic"):
    """An edition with three tables of one's own; returns the edition file."""
    place.mkdir(exist_ok=True)
    trees = Clinic(rows=50).data(np.random.default_rng(4))
    write_people(trees.with_keys([f"Ms {n}" for n in range(len(trees))]), place / "clinic")
    (place / "clinic" / SCHEMA_FILE).rename(place / "people.json")
    (place / "ours.toml").write_text(OWN.format(path=path))
    return place / "ours.toml"


@pytest.mark.slow
def test_a_contest_is_played_and_verified_and_histories_name_people(tmp_path):
    folder = play(load("visits", overrides=SMALL), tmp_path / "run", seed=7)
    cells = cells_of(folder)
    assert cells["new-pseudonyms", "histories", "people_named"] > 0.8
    assert cells["noise", "histories", "people_named"] < 0.3
    assert cells["new-pseudonyms", "random", "people_named"] < 0.3
    assert verify(folder).problems == ()


def test_the_edition_has_fewer_than_forty_lines():
    assert len(builtin_text("visits").splitlines()) < 40


def test_a_contest_on_a_folder_of_ones_own_publishes_no_name(tmp_path):
    edition = load(write_own_clinic(tmp_path / "given"))
    folder = play(edition, tmp_path / "run", seed=7)
    assert verify(folder).problems == ()
    texts = [path.read_bytes() for path in folder.root.rglob("*") if path.is_file()]
    assert not any(b"Ms 1" in text for text in texts)
    assert "Of the ids in person, row, of, only numbers become public" in disclosures(edition)[0]


def test_an_archive_gives_the_same_contest_as_its_folder(tmp_path):
    edition = load(write_own_clinic(tmp_path / "given"))
    with zipfile.ZipFile(tmp_path / "given/clinic.zip", "w") as archive:
        for file in sorted((tmp_path / "given/clinic").iterdir()):
            archive.write(file, file.name)
    (tmp_path / "given/ours.toml").write_text(OWN.format(path="clinic.zip"))
    zipped = load(tmp_path / "given/ours.toml")
    data = [each.track[0].dataset.load().digest() for each in (edition, zipped)]
    assert data[0] == data[1]


def test_faults_of_the_tables_come_before_anything_is_fixed(tmp_path):
    file = write_own_clinic(tmp_path / "given")
    visits = tmp_path / "given/clinic/visits.csv"
    lines = visits.read_text().splitlines()
    lines[1] = lines[1].replace("Ms 0", "Ms X")
    visits.write_text("\n".join(lines) + "\n")
    with pytest.raises(DataError, match=r"visits.*:2 patient='Ms X': expected a key of patients"):
        play(load(file), tmp_path / "run", seed=7)


def test_a_folder_needs_a_schema_of_people(tmp_path):
    file = write_own_clinic(tmp_path / "given")
    (tmp_path / "given/people.json").write_text('{"columns": [{"name": "age", "kind": "real"}]}')
    with pytest.raises(EditionError, match=r"describes one table; a folder needs a schema of pe"):
        load(file)


TEAMS = """
include = "visits"
id = "teams"
dataset = { rows = 60 }
sample = { rows = 30 }
repeats = 1
sanitizer = []
baseline = []
utility = []
team = [{ id = "red" }, { id = "blue" }]
phase = [
  { id = "anonymize", submit = "release", closes = 2026-05-10T00:00:00Z },
  { id = "attack", submit = "guess" },
]
"""
OPEN = datetime(2026, 5, 2, tzinfo=UTC)
OVER = datetime(2026, 5, 10, tzinfo=UTC)


@pytest.fixture
def contest(tmp_path):
    return written(tmp_path / "contest", TEAMS)


def private_text(folder):
    return (folder.root / "teams/red/main/private.csv").read_text()


@pytest.mark.slow
def test_teams_release_people_under_their_names_and_the_judge_hides_them(contest):
    text = private_text(contest)
    submit(contest, "red", {"r.csv": text.encode()}, kind="release", now=OPEN)
    hand_over(contest, now=OVER)
    (track,) = contest.edition().track
    (task,) = contest.tasks(track)
    shown, truth = contest.release(track, task).data, contest.truth(track, task)
    assert shown.people.keys.tolist() == [str(number) for number in range(1, 31)]
    sample = draw_sample(contest, track, "red", 0)
    members = np.flatnonzero(sample.members)
    for member, name in zip(members, truth.table.columns["pseudonym"], strict=True):
        both = shown.take([int(name) - 1]), sample.population.take([member])
        visits = [sorted(map(str, side.people.tables["visits"].rows.records())) for side in both]
        assert visits[0] == visits[1]
    content = truth.table.csv_bytes()
    submit(contest, "blue", {"red.csv": content}, kind="guess", now=OVER)
    score(contest)
    assert cells_of(contest)["red", "blue", "people_named"] == 1
    assert verify(contest).problems == ()


@pytest.mark.parametrize(
    ("column", "cell", "words"),
    [
        (0, "visit", "table='visit': expected one of 3 values such as patients"),
        (3, "99999", "of='99999': expected a key of visits; no row there has this one"),
        (3, "", "expected the key of a row of visits"),
        (4, "f", "expected an empty cell, because this is a row of prescriptions"),
    ],
)
def test_a_row_that_belongs_nowhere_is_refused_with_its_line(contest, column, cell, words):
    lines = private_text(contest).splitlines()
    line = next(n for n, text in enumerate(lines) if text.startswith("prescriptions"))
    cells = lines[line].split(",")
    cells[column] = cell
    lines[line] = ",".join(cells)
    content = ("\n".join(lines) + "\n").encode()
    with pytest.raises(SubmissionError) as error:
        submit(contest, "red", {"r.csv": content}, kind="release", now=OPEN)
    assert f"r.csv:{line + 1} " in str(error.value) and words in str(error.value)


def test_the_kit_says_that_names_stay(contest):
    with zipfile.ZipFile(io.BytesIO(kit_bytes(contest, "red"))) as kit:
        assert b"Keep the names in `person`" in kit.read("README.md")


@pytest.mark.slow
def test_baselines_that_rename_people_still_tell_the_judge_who_they_are(tmp_path):
    players = """
[[baseline]]
id = "open"
sanitizer = { use = "new-pseudonyms" }
attack = { use = "histories" }

[[baseline]]
id = "drop"
sanitizer = { use = "row-dropping", share = 0.1 }
attack = { use = "random" }
"""
    (tmp_path / "e.toml").write_text(TEAMS.replace("baseline = []\n", "") + players)
    folder = play(load(tmp_path / "e.toml"), tmp_path / "run", seed=2)
    cells = cells_of(folder)
    assert cells["drop", "open", "people_named"] > 0.8
    assert cells["open", "drop", "people_named"] < 0.3


def test_members_are_asked_about_as_trees(tmp_path):
    changes = {
        "goal": {"use": "membership"},
        "sample": {"use": "targets", "targets": 40, "members": "half", "background": 10},
        "privacy": [{"use": "auc"}],
        "board": [{"id": "attackers", "use": "mean", "measure": "auc"}],
        "dataset": {"use": "clinic", "rows": 80},
        "sanitizer": [{"use": "new-pseudonyms"}],
        "baseline": [
            {"id": "histories", "attack": {"use": "histories"}},
            {"id": "table", "attack": {"use": "aggregates", "attack": {"use": "nearest"}}},
        ],
        "repeats": 1,
        "utility": [],
    }
    text = builtin_text("visits").replace('goal = { use = "naming"', '# goal = { use = "naming"')
    (tmp_path / "e.toml").write_text(text.replace("sample = {", "# sample = {"))
    folder = play(load(tmp_path / "e.toml", overrides=changes), tmp_path / "run", seed=7)
    cells = cells_of(folder)
    assert cells["new-pseudonyms", "histories", "auc"] > 0.95
    assert cells["new-pseudonyms", "table", "auc"] > 0.95
