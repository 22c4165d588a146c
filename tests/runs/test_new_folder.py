"""A new edition folder: a few lines that include another edition, and mean what was asked for."""

import subprocess
import tomllib
from pathlib import Path

import pytest

from quintain.contests import load
from quintain.contests.edition import MadeWith
from quintain.errors import EditionError, FolderError
from quintain.runs.folder.paths import write
from quintain.runs.new_folder import new_folder


def written(folder):
    return tomllib.loads((folder / "edition.toml").read_text())


def test_a_new_folder_includes_a_built_in_edition_by_name(tmp_path):
    new_folder("tiny", tmp_path / "mine", {})
    assert written(tmp_path / "mine") == {"include": "tiny", "id": "mine"}
    own, tiny = load(tmp_path / "mine/edition.toml"), load("tiny")
    assert own.track == tiny.track
    assert (own.id, own.title) == ("mine", tiny.title)


def test_a_new_folder_includes_an_edition_file_wherever_the_folder_is(tmp_path, monkeypatch):
    (tmp_path / "base.toml").write_text('include = "tiny"\nid = "base"\nrepeats = 3\n')
    monkeypatch.chdir(tmp_path)
    new_folder("base.toml", tmp_path / "deep/mine", {})
    monkeypatch.chdir("/")
    assert load(tmp_path / "deep/mine/edition.toml").track[0].repeats == 3


@pytest.mark.parametrize(
    "changes",
    [
        {"repeats": 3},
        {"dataset": {"rows": 700}, "sample": {"targets": 12, "members": "half"}},
        {"title": 'A "quoted" back\\slash'},
        {"title": "Zürich 中"},
        {"knowledge": {"gives": ["base", "parameters"]}},
        {"files": {"strict": True}},
        {"feedback": {"show": "ladder", "step": 0.25}},
    ],
)
def test_changes_are_written_so_that_they_mean_the_same(tmp_path, changes):
    new_folder("tiny", tmp_path / "mine", changes)
    overridden = load("tiny", overrides={"id": "mine", **changes})
    # Overrides are noted in the rules; changes that are written into a file are the file itself.
    expected = overridden.model_copy(update={"made_with": MadeWith()})
    assert load(tmp_path / "mine/edition.toml").to_bytes() == expected.to_bytes()


def test_a_new_folder_keeps_private_files_out_of_git(tmp_path):
    folder = tmp_path / "mine"
    new_folder("tiny", folder, {})
    subprocess.run(["git", "init", "-q", folder], check=True)
    private = ["secret/seeds.json", "teams/red/main/private.csv", "journal.jsonl"]
    private += ["results/report.html", ".cache/stamps/a.json"]
    for name in [*private, "public/main/schema.json"]:
        write(folder, name, b"x")
    added = ["git", "-C", folder, "status", "--porcelain", "--untracked-files=all"]
    listed = subprocess.run(added, check=True, capture_output=True, text=True).stdout
    names = {line[3:] for line in listed.splitlines()}
    assert names == {".gitignore", "edition.toml", "public/main/schema.json"}


def test_the_title_and_an_example_team_stand_in_comments(tmp_path):
    new_folder("tiny", tmp_path / "mine", {})
    text = (tmp_path / "mine/edition.toml").read_text()
    assert text.startswith("# Tiny: who was in the data?\n")
    assert '# id = "red"' in text


def test_the_examples_can_be_switched_on(tmp_path):
    new_folder("tiny", tmp_path / "mine", {"repeats": 2})
    path = tmp_path / "mine/edition.toml"
    text = path.read_text()
    for example in ("[commitment]", "beacon =", "[[team]]", 'id = "red"', "name ="):
        assert f"# {example}" in text
        text = text.replace(f"# {example}", example)
    path.write_text(text)
    rules = load(path)
    assert [(team.id, team.name) for team in rules.team] == [("red", "The red team")]
    assert rules.commitment.beacon.startswith("the six numbers")


def test_a_folder_with_something_in_it_is_left_alone(tmp_path):
    (tmp_path / "diary.txt").write_text("dear diary")
    with pytest.raises(FolderError, match="is not empty"):
        new_folder("tiny", tmp_path, {})
    assert [path.name for path in tmp_path.iterdir()] == ["diary.txt"]


def test_an_empty_folder_will_do(tmp_path):
    (tmp_path / "mine").mkdir()
    new_folder("tiny", tmp_path / "mine", {})
    assert (tmp_path / "mine/edition.toml").is_file()


def test_wrong_changes_leave_no_folder_behind(tmp_path):
    with pytest.raises(EditionError, match="did you mean 'targets'"):
        new_folder("tiny", tmp_path / "mine", {"sample": {"targtes": 3}, "repeats": 0})
    assert not (tmp_path / "mine").exists()


def test_new_writes_lists_of_tables(tmp_path):
    new_folder("tiny", tmp_path / "mine", {"baseline": [{"id": "r", "attack": {"use": "random"}}]})
    (baseline,) = load(tmp_path / "mine").track[0].baseline
    assert baseline.id == "r"


def test_new_leaves_nothing_behind_when_the_name_is_no_id(tmp_path):
    with pytest.raises(EditionError, match="id='My Contest'"):
        new_folder("tiny", tmp_path / "My Contest", {})
    assert not (tmp_path / "My Contest").exists()


def test_new_in_the_current_folder_takes_its_name(tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path / "mine")
    new_folder("tiny", Path(), {})
    assert load(tmp_path / "mine").id == "mine"
