"""Frozen rules: what attackers are not given is not published, and still bound and verified."""

import json

import pytest

from quintain.cli.main import main
from quintain.contests import load
from quintain.errors import FolderError
from quintain.jobs.files import write_file
from quintain.kit.codabench.bundle import bundle_bytes
from quintain.kit.kit import kit_bytes
from quintain.runs.folder.folder import Folder
from quintain.runs.play import play
from quintain.runs.score import score
from quintain.runs.submissions.submit import submit
from quintain.runs.verification.verify import verify
from tests.contest_folders import SMALL, prepared
from tests.kit.conftest import unpacked

BLIND = {
    **SMALL,
    "repeats": 1,
    "knowledge": {"gives": ["base"]},
    "team": [{"id": "red"}],
    "baseline": [{"id": "blind", "attack": "random"}],
}
FIVE = [f"entry-{number}" for number in range(1, 6)]


def made(root, **changes):
    return prepared(root, load("tiny", overrides={**BLIND, **changes}))


@pytest.fixture
def contest(tmp_path):
    """A contest in which attackers are not told what made the releases."""
    return made(tmp_path / "contest")


def names(folder):
    return [task.name for task in folder.tasks(folder.edition().track[0])]


def test_what_made_the_releases_is_told_nowhere_in_public(contest):
    public = {
        path.relative_to(contest.root).as_posix(): path.read_bytes()
        for path in contest.root.glob("public/**/*")
        if path.is_file()
    }
    assert json.loads(public["public/edition.json"])["track"][0]["sanitizer"] == []
    for word in (b"rr-v1", b"rr-keep", b'"rr"', b"independent", b"identity"):
        assert not [name for name in public if word.decode() in name]
        texts = {n: c for n, c in public.items() if not n.endswith((".csv", ".parquet"))}
        assert not [name for name, content in texts.items() if word in content]
    assert names(contest) == FIVE


def test_the_rules_in_full_are_secret_and_committed_to(contest):
    kept = json.loads((contest.root / "secret/rules/1.json").read_bytes())["track"][0]["sanitizer"]
    assert [(table["use"], table["name"]) for table in kept] == [
        ("identity", "entry-1"),
        ("rr", "entry-2"),
        ("rr", "entry-3"),
        ("independent", "entry-4"),
        ("independent", "entry-5"),
    ]
    assert contest.edition().track[0].entries["entry-2"].keep == 0.9
    assert {"secret/rules/1.json", "public/rules/1.json"} <= committed(contest, "rules-1")
    assert "public/main/entries.json" in committed(contest, "prepare-main")


def committed(folder, stage):
    """The files that a commitment covers."""
    content = (folder.root / f"public/commitments/{stage}.json").read_bytes()
    return set(json.loads(content)["leaves"])


@pytest.mark.slow
def test_teams_check_and_hand_in_with_the_kit_and_all_is_verified(contest, tmp_path, capsys):
    for name, content in unpacked(kit_bytes(contest, "red")).items():
        write_file(tmp_path / "kit" / name, content)
    kit, answers = Folder(tmp_path / "kit"), tmp_path / "kit/example/main/attack"
    assert names(kit) == FIVE
    assert not kit.edition().track[0].entries
    with pytest.raises(SystemExit) as done:
        main(["check", str(kit.root), str(answers), "--team", "red"])
    assert done.value.code == 0
    assert "a valid guess of 5 files" in capsys.readouterr().out
    submit(contest, "red", {path.name: path.read_bytes() for path in answers.iterdir()})
    results = score(contest)["main"]
    assert {entry for entry, attacker in results.cells if attacker == "red"} == set(FIVE)
    assert verify(contest).problems == ()


@pytest.mark.parametrize(
    "name", ["secret/rules/1.json", "public/edition.json", "public/main/entries.json"]
)
def test_rules_changed_afterwards_are_found(contest, name):
    path = contest.root / name
    path.write_bytes(path.read_bytes().replace(b"entry-2", b"entry-6").replace(b"0.05", b"0.06"))
    changed = bytearray(path.read_bytes())
    changed[-2] ^= 1
    path.write_bytes(changed)
    assert any(problem.startswith(f"{name}: ") for problem in verify(contest).problems)


def test_names_the_organisers_wrote_stay_unless_they_spell_out_a_parameter(tmp_path):
    sanitizers = [
        {"use": "identity", "name": "entry-1"},
        {"use": "rr", "grid": {"keep": [0.5, 0.9]}, "name": "kept-{keep}"},
        {"use": "rr", "keep": 0.1, "name": "hard"},
    ]
    folder = made(tmp_path / "contest", sanitizer=sanitizers)
    assert names(folder) == ["entry-1", "entry-2", "entry-3", "hard"]


def test_a_run_goes_on_and_is_not_taken_for_another(tmp_path):
    edition = load("tiny", overrides={**BLIND, "team": []})
    folder = play(edition, tmp_path / "run", seed=1)
    before = {p: p.read_bytes() for p in folder.root.rglob("*") if p.is_file()}
    assert play(edition, tmp_path / "run", seed=1).root == folder.root
    assert {p: p.read_bytes() for p in folder.root.rglob("*") if p.is_file()} == before
    assert verify(folder).problems == ()
    with pytest.raises(FolderError, match="holds a run of another edition"):
        play(load("tiny", overrides={**BLIND, "repeats": 2}), tmp_path / "run", seed=1)


def test_where_parameters_are_given_all_rules_are_public(tmp_path):
    folder = made(tmp_path / "contest", knowledge={"gives": ["base", "parameters"]})
    assert names(folder)[:2] == ["identity", "rr-keep0.9"]
    assert not (folder.root / "secret/rules/1.json").exists()
    assert (folder.root / "public/edition.json").read_bytes() == folder.edition().to_bytes()


def test_a_bundle_for_codabench_tells_no_more(contest):
    files = unpacked(bundle_bytes(contest))
    overview = files["pages/overview.md"].decode()
    assert "- `entry-2`\n" in overview
    for part in contest.edition().track[0].entries.values():
        assert part.summary() not in overview
