"""Verification: what was revealed checks out, and one flipped byte anywhere does not."""

import json
import shutil
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from quintain.runs.submissions.receipt import Receipt

from quintain.runs.folder.commitments import commit
from quintain.runs.folder.folder import Folder
from quintain.runs.score import score
from quintain.runs.scores.stored import Stored
from quintain.runs.verification.verify import verify


def test_a_revealed_folder_is_verified(copy):
    verification = verify(copy, again=True)
    assert verification.problems == ()
    assert verification.submissions == 3
    assert verification.files > 20


def guarded_files(root):
    """Secret files, submissions and scores: everything the promise is about."""
    tops = ("secret", "submissions", "results", "public")
    return sorted(
        path.relative_to(root).as_posix()
        for top in tops
        for path in (root / top).rglob("*")
        if path.is_file() and not path.name.startswith(".") and path.name != "board.json"
    )


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_one_flipped_byte_is_found_and_its_file_named(played, tmp_path_factory, data):
    name = data.draw(st.sampled_from(guarded_files(played)))
    at = data.draw(st.integers(0, (played / name).stat().st_size - 1))
    flip = data.draw(st.integers(1, 255))
    root = tmp_path_factory.mktemp("flipped") / "copy"
    shutil.copytree(played, root, ignore=shutil.ignore_patterns(".cache"))
    content = bytearray((root / name).read_bytes())
    content[at] ^= flip
    (root / name).write_bytes(content)
    verification = verify(Folder(root))
    shutil.rmtree(root)
    assert any(problem.startswith(name + ":") for problem in verification.problems), (
        verification.problems
    )


def flip(folder, name, at):
    content = bytearray((folder.root / name).read_bytes())
    content[at] ^= 1
    (folder.root / name).write_bytes(content)


@pytest.mark.parametrize(
    "name",
    ["secret/main/tasks/rr-keep0.5.000/truth.csv", "public/main/tasks/identity.001/release.csv"],
)
def test_the_first_byte_that_differs_is_named(copy, name):
    flip(copy, name, 20)
    (problem,) = verify(copy).problems
    assert problem.startswith(f"{name}: is not the file that was committed to; byte 20 is")


def test_a_changed_score_is_named_with_its_byte(copy):
    path = copy.root / "results/standings.json"
    text = path.read_text().replace('"rank": 1', '"rank": 2', 1)
    path.write_text(text)
    (problem,) = verify(copy).problems
    assert problem.startswith("results/standings.json: byte ")


def test_a_ledger_with_a_line_taken_out_is_found(copy):
    path = copy.root / "submissions/ledger.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[1:]) + "\n")
    assert any("does not follow the one before" in p for p in verify(copy).problems)


def test_a_line_put_in_place_of_another_breaks_the_chain(copy):
    # The forger numbers and seals the line as the organisers would have.
    path = copy.root / "submissions/ledger.jsonl"
    lines = [Receipt.model_validate_json(line) for line in path.read_text().splitlines()]
    forged = lines[0].model_copy(update={"time": "2001-01-01T00:00:00Z"}).sealed()
    path.write_text("".join(f"{receipt.line()}\n" for receipt in (forged, *lines[1:])))
    assert (
        "submissions/ledger.jsonl: line 2 does not follow the one before" in verify(copy).problems
    )


def test_a_file_that_nobody_committed_to_is_found(copy):
    (copy.root / "secret/extra.txt").write_text("late idea")
    assert "secret/extra.txt: no commitment covers this file" in verify(copy).problems


def test_a_commitment_with_another_root_is_found(copy):
    path = copy.root / "public/commitments/prepare.json"
    table = json.loads(path.read_bytes())
    table["root"] = "0" * 64
    path.write_text(json.dumps(table))
    assert any("do not give the root" in problem for problem in verify(copy).problems)


def test_a_release_that_the_keys_do_not_give_is_found_by_making_it_again(copy):
    # The organisers changed their minds, committed to the new file and scored again.
    card = copy.root / "public/main/tasks/rr-keep0.5.000/card.json"
    card.write_bytes(card.read_bytes().replace(b"probability 0.5", b"probability 0.9"))
    (copy.root / "public/commitments/prepare.json").unlink()
    commit(copy, "prepare")
    score(copy)
    assert verify(copy).problems == ()
    (problem,) = verify(copy, again=True).problems
    assert problem.startswith(
        "public/main/tasks/rr-keep0.5.000/card.json: differs when made again: byte "
    )


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
    table = stored.table.changed(
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
