"""The ledger is only ever appended to, and outlives a crash."""

import os

import pytest
from quintain.runs.submissions.ledger import receipts

from quintain.jobs.files import write_file
from quintain.runs.score import score
from quintain.runs.submissions import ledger
from quintain.runs.submissions.submit import submit
from quintain.runs.verification.verify import verify
from tests.runs.submissions.test_submissions import TASK, valid


@pytest.fixture
def answer(live):
    return {TASK: valid(live).encode()}


@pytest.fixture
def path(live):
    return live.root / "submissions/ledger.jsonl"


def test_a_submission_adds_one_line_and_rewrites_nothing(live, answer, path):
    submit(live, "red", answer)
    inode, before = path.stat().st_ino, path.read_bytes()
    receipt = submit(live, "blue", answer).receipt
    assert path.stat().st_ino == inode
    assert path.read_bytes() == before + receipt.line().encode() + b"\n"


def test_line_and_files_are_on_the_disk_before_the_receipt_is_given(live, answer, monkeypatch):
    synced = []
    real = os.fsync

    def fsync(descriptor):
        synced.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        real(descriptor)

    monkeypatch.setattr(ledger.os, "fsync", fsync)
    receipt = submit(live, "red", answer).receipt
    place = str((live.root.resolve() / receipt.path(TASK)).parent)
    line = str(live.root.resolve() / "submissions/ledger.jsonl")
    (draft,) = (name for name in synced if name.endswith(".part"))
    assert draft.startswith(f"{place}/")
    assert synced.index(draft) < synced.index(place) < synced.index(line)


@pytest.mark.parametrize("cut", [1, 5, 200])
def test_a_line_that_a_crash_cut_off_counts_for_nothing_and_loses_nobody(live, answer, path, cut):
    first = submit(live, "red", answer).receipt
    whole = path.read_bytes()
    submit(live, "blue", answer)
    torn = path.read_bytes()[:-cut]
    path.write_bytes(torn)
    assert receipts(live) == [first]
    accepted = submit(live, "blue", answer)
    assert accepted.receipt.number == 2
    assert "the last line of the ledger was cut off" in accepted.warnings()[-1]
    aside = live.root / "submissions/cut-off-lines.txt"
    assert aside.read_bytes() == torn[len(whole) :] + b"\n"
    assert [receipt.number for receipt in receipts(live)] == [1, 2]
    score(live)
    assert verify(live).problems == ()


def test_verify_tells_of_a_line_that_was_cut_off(live, answer, path):
    submit(live, "red", answer)
    write_file(path, path.read_bytes() + b'{"form')
    assert any("the last line is cut off" in problem for problem in verify(live).problems)


def test_a_full_disk_leaves_the_ledger_as_it_was(live, answer, path, monkeypatch):
    submit(live, "red", answer)
    before = path.read_bytes()

    def full(descriptor):
        if os.readlink(f"/proc/self/fd/{descriptor}").endswith("ledger.jsonl"):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(ledger.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        submit(live, "blue", answer)
    assert path.read_bytes() == before
