"""Verification: what was revealed checks out, and one flipped byte anywhere does not."""

import json
import os
import random
import shutil
from dataclasses import replace

import pytest

from quintain.errors import QuintainError
from quintain.runs.folder.folder import Folder
from quintain.runs.score import score
from quintain.runs.scores.stored import Stored
from quintain.runs.verification.verify import verdict, verify


@pytest.mark.slow
def test_a_revealed_folder_is_verified(copy):
    verification = verify(copy)
    assert verification.problems == ()
    assert verification.submissions == 3
    assert verification.files > 20
    assert sorted(verification.roots) == ["prepare-main", "rules-1"]
    assert verification.size == 8


def guarded_files(root):
    """Secret files, submissions and scores: everything the promise is about."""
    tops = ("secret", "submissions", "results", "public", "journal.jsonl")
    files = [path for top in tops for path in [root / top, *(root / top).rglob("*")]]
    free = {"public/board.json", "secret/feedback.json", "secret/signing.key"}
    names = {path.relative_to(root).as_posix() for path in files if path.is_file()}
    return sorted(name for name in names - free if "/." not in name)


def damaged(content, rng):
    """A file after an accident: one byte changed, the end cut off, or emptied."""
    at = rng.randrange(len(content))
    flipped = content[:at] + bytes([content[at] ^ rng.randrange(1, 256)]) + content[at + 1 :]
    return rng.choice([flipped, flipped, content[:at], b""])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_damage_anywhere_is_found_and_its_file_named(played, tmp_path, seed):
    rng = random.Random(seed)
    root = tmp_path / "copy"
    shutil.copytree(played, root, ignore=shutil.ignore_patterns(".cache"))
    names = guarded_files(root)
    for name in rng.sample(names, 5):
        before = (root / name).read_bytes()
        if rng.random() < 0.2:
            (root / name).unlink()
        else:
            (root / name).write_bytes(damaged(before, rng))
        try:
            problems = verify(Folder(root), fast=rng.random() < 0.8).problems
        except QuintainError as problem:
            problems = (f"{problem}, nor has it {name}",)  # without its rules it is no folder
        assert any(name in problem for problem in problems), (name, problems)
        assert not any("Traceback" in problem for problem in problems)
        (root / name).write_bytes(before)
    assert verify(Folder(root), fast=True).problems == ()


def flip(folder, name, at):
    content = bytearray((folder.root / name).read_bytes())
    content[at] ^= 1
    (folder.root / name).write_bytes(content)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["secret/main/tasks/rr-keep0.5.000/truth.csv", "public/main/tasks/identity.001/release.csv"],
)
def test_the_first_byte_that_differs_is_named(copy, name):
    flip(copy, name, 20)
    (problem,) = verify(copy).problems
    assert problem.startswith(f"{name}: is not the file that was committed to; byte 20 is")


@pytest.mark.slow
def test_a_changed_score_is_named_with_its_byte(copy):
    path = copy.root / "results/standings.json"
    text = path.read_text().replace('"rank": 1', '"rank": 2', 1)
    path.write_text(text)
    (problem,) = verify(copy).problems
    assert problem.startswith("results/standings.json: differs when made again: byte ")


@pytest.mark.slow
def test_a_file_that_nobody_committed_to_is_found(copy):
    (copy.root / "secret/extra.txt").write_text("late idea")
    assert "secret/extra.txt: no commitment covers this file" in verify(copy).problems


def test_a_result_that_scoring_does_not_make_is_a_note_in_the_verdict(copy):
    (copy.root / "results/final.html").write_text("<h1>red wins</h1>")
    verification = verify(copy, fast=True)
    assert verification.problems == ()
    (note,) = verification.notes
    assert note.startswith("results/final.html: scoring does not make this file")
    assert verdict(verification).endswith("; 1 note above: not everything could be checked")


def test_rules_that_are_nested_too_deeply_are_a_problem_in_words(copy):
    (copy.root / "public/rules/1.json").write_text('{"a":' * 100_000 + "1" + "}" * 100_000)
    assert any("public/rules/1.json: cannot be read" in one for one in verify(copy).problems)


def test_a_pipe_in_place_of_a_commitment_is_not_read(copy):
    path = copy.root / "public/commitments/rules-1.json"
    path.unlink()
    os.mkfifo(path)
    name = "public/commitments/rules-1.json"
    assert f"{name}: is missing or cannot be read" in verify(copy).problems


def test_files_that_do_not_fit_into_memory_are_problems_in_words(copy):
    enormous = 10**12  # sparse: it takes no place on the disk
    for name in ("journal.jsonl", "results/matrix.csv"):
        content = (copy.root / name).read_bytes()
        os.truncate(copy.root / name, enormous)
        (problem,) = verify(copy, fast=True).problems
        assert problem.startswith(f"{name}: ") and f"{enormous} bytes" in problem
        (copy.root / name).write_bytes(content)


def test_a_commitment_with_another_root_is_found(copy):
    path = copy.root / "public/commitments/prepare-main.json"
    table = json.loads(path.read_bytes())
    table["root"] = "0" * 64
    path.write_text(json.dumps(table))
    assert any("do not give the root" in problem for problem in verify(copy).problems)


@pytest.mark.parametrize("leaf", ["zz", "", "é" * 32, "0" * 63])
def test_a_leaf_that_is_no_hash_is_a_problem_in_words(copy, leaf):
    path = copy.root / "public/commitments/prepare-main.json"
    table = json.loads(path.read_bytes())
    table["leaves"]["public/main/schema.json"] = leaf
    path.write_text(json.dumps(table))
    name = "public/commitments/prepare-main.json"
    assert any(problem.startswith(f"{name}: ") for problem in verify(copy).problems)


@pytest.mark.slow
def test_scores_that_were_doctored_before_they_were_added_up_are_found(played, tmp_path):
    # The cache is what the organisers' own scoring believes; a verifier does not.
    root = tmp_path / "doctored"
    shutil.copytree(played, root)
    path = root / ".cache/readings/main.bin"
    stored = Stored.read(path)
    entry, attacker = "independent-epsilon1", "random"
    cell = dict(stored.table[entry, attacker])
    doctored = {"value": 1.0, "low": 1.0, "high": 1.0}
    cell["membership_advantage"] = cell["membership_advantage"].model_copy(update=doctored)
    table = stored.table.change(
        stored.table.entries, stored.table.attackers, {(entry, attacker): cell}
    )
    replace(stored, table=table).write(path)
    shutil.rmtree(root / ".cache/stamps")
    before = (root / "results/standings.json").read_bytes()
    score(Folder(root))
    assert (root / "results/standings.json").read_bytes() != before
    assert any(p.startswith("results/standings.json: ") for p in verify(Folder(root)).problems)


def test_submissions_after_the_last_scoring_are_named_instead_of_bytes(copy):
    path = copy.root / "results/standings.json"
    path.write_text(path.read_text().replace('"submissions": 3', '"submissions": 2'))
    assert verify(copy).problems == (
        "results/standings.json: counts only 2 of 3 submissions; run quintain score again",
    )


def test_a_folder_without_scores_says_so_once(copy):
    shutil.rmtree(copy.root / "results")
    assert verify(copy).problems == (
        "results/standings.json: there are no scores yet; run quintain score first",
    )
