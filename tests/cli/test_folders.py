"""Folders that are damaged, not prepared or no place to submit are refused in words."""

import shutil

import pytest

from quintain.jobs.files import write_file
from quintain.kit.kit import kit_bytes
from tests.cli.command_cases import refusal
from tests.contest_folders import small
from tests.kit.conftest import unpacked


@pytest.fixture(scope="module")
def contest(tmp_path_factory):
    """A prepared contest of one team; read only."""
    return small(tmp_path_factory.mktemp("folders") / "c", team=[{"id": "red"}], repeats=1)


def answers(folder, place):
    """A valid guess for one task, as a file."""
    question = folder.root / "public/main/tasks/identity/question.csv"
    targets = [line.partition(",")[0] for line in question.read_text().splitlines()[1:]]
    rows = "".join(f"{target},0.5\n" for target in targets)
    write_file(place / "identity.csv", f"target,probability\n{rows}".encode())
    return place / "identity.csv"


@pytest.mark.parametrize(
    "name",
    [
        "public/rules/1.json",
        "secret/seeds.json",
        "public/main/schema.json",
        "secret/feedback.json",
    ],
)
def test_a_damaged_file_of_a_folder_is_named(contest, tmp_path, capsys, name):
    copy = shutil.copytree(contest.root, tmp_path / "copy")
    write_file(copy / name, b"{\n")
    error = refusal(capsys, "score", copy, "--workers", "1")
    assert f"quintain: {copy / name}: missing or damaged" in error


def test_a_damaged_journal_is_named(contest, tmp_path, capsys):
    copy = shutil.copytree(contest.root, tmp_path / "copy")
    write_file(copy / "journal.jsonl", b"{\n")
    error = refusal(capsys, "score", copy, "--workers", "1")
    assert f"quintain: {copy / 'journal.jsonl'}: damaged: a line of the journal cannot" in error


def test_verify_of_a_folder_that_is_not_prepared_says_what_to_run(tmp_path, capsys):
    (tmp_path / "edition.toml").write_text('include = "tiny"\n')
    error = refusal(capsys, "verify", tmp_path)
    assert f"{tmp_path} is not prepared yet: run quintain prepare {tmp_path}" in error


def test_nobody_can_submit_as_a_baseline_of_a_live_contest(contest, tmp_path, capsys):
    file = answers(contest, tmp_path)
    error = refusal(capsys, "submit", contest.root, file, "--team", "random")
    assert "unknown team 'random'" in error
    assert not (contest.root / "submissions").exists()


def test_a_kit_is_no_place_to_submit_and_nothing_to_lint(contest, tmp_path, capsys):
    for name, content in unpacked(kit_bytes(contest)).items():
        write_file(tmp_path / "kit" / name, content)
    example = tmp_path / "kit/example/main/attack"
    error = refusal(capsys, "submit", tmp_path / "kit", example, "--team", "red")
    assert "is a participant's kit" in error
    assert "is a participant's kit" in refusal(capsys, "lint", tmp_path / "kit")
