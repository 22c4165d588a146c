"""Submissions: one line of the journal each, and files stored by content."""

import os
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from quintain.errors import FolderError, NotVerified
from quintain.jobs.files import write_file
from quintain.runs.folder import paths
from quintain.runs.score import score
from quintain.runs.submissions.counting import file_of, submissions
from quintain.runs.submissions.submit import submit
from quintain.runs.verification.verify import verify
from tests.runs.submissions.test_submissions import TASK, valid


@pytest.fixture
def answer(live):
    return {TASK: valid(live).encode()}


@pytest.fixture
def path(live):
    return live.root / "journal.jsonl"


def test_a_submission_adds_one_line_and_rewrites_nothing(live, answer, path):
    submit(live, "red", answer)
    inode, before = path.stat().st_ino, path.read_bytes()
    accepted = submit(live, "blue", answer)
    assert path.stat().st_ino == inode
    assert path.read_bytes() == before + accepted.submission.line() + b"\n"
    assert accepted.receipt.line == accepted.submission.line()


def test_line_and_files_are_on_the_disk_before_the_receipt_is_given(live, answer, monkeypatch):
    synced = []
    real = os.fsync

    def fsync(descriptor):
        synced.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    submission = submit(live, "red", answer).submission
    place = str((live.root.resolve() / file_of(submission, TASK)).parent)
    line = str(live.root.resolve() / "journal.jsonl")
    (draft,) = (name for name in synced if name.endswith(".part"))
    assert draft.startswith(f"{place}/")
    assert synced.index(draft) < synced.index(place) < synced.index(line)


@pytest.mark.slow
@pytest.mark.parametrize("cut", [1, 5, 200])
def test_a_line_that_a_crash_cut_off_counts_for_nothing_and_loses_nobody(live, answer, path, cut):
    first = submit(live, "red", answer).submission
    whole, shown = path.read_bytes(), live.at(paths.CHECKPOINT).read_bytes()
    submit(live, "blue", answer)
    torn = path.read_bytes()[:-cut]
    path.write_bytes(torn)
    live.at(paths.CHECKPOINT).write_bytes(shown)  # it is signed after the line is on the disk
    assert submissions(live) == [first]
    again = submit(live, "blue", answer).submission
    assert again.number == first.number + 1
    assert path.read_bytes() == whole + again.line() + b"\n"
    assert submissions(live) == [first, again]
    score(live)
    assert verify(live).problems == ()


def test_a_journal_that_is_older_than_its_checkpoint_does_not_go_on(live, answer, path):
    submit(live, "red", answer)
    yesterday = path.read_bytes()
    submit(live, "blue", answer)
    path.write_bytes(yesterday)
    with pytest.raises(FolderError, match=r"has 5 events and is not .* which has 6: restore"):
        submit(live, "red", answer)
    assert path.read_bytes() == yesterday


def test_the_receipt_of_a_submission_is_signed_and_proves_that_it_is_in_the_journal(live, answer):
    first = submit(live, "red", answer)
    second = submit(live, "blue", answer)
    key = live.state().key
    for accepted in (first, second):
        checkpoint = accepted.receipt.check(key)
        assert checkpoint.size == accepted.submission.number
    with pytest.raises(NotVerified):
        replace(first.receipt, line=second.receipt.line).check(key)


def test_the_same_file_is_stored_once_and_never_under_the_name_of_the_team(live, answer):
    names = {file_of(submit(live, team, answer).submission, TASK) for team in ("red", "blue")}
    (name,) = names
    assert TASK not in name
    stored = [p for p in (live.root / "submissions").rglob("*") if p.is_file()]
    assert [p.relative_to(live.root).as_posix() for p in stored] == [name]


def test_a_clock_that_is_set_back_does_not_turn_time_back(live, answer):
    later = submit(live, "red", answer, now=datetime(2026, 5, 2, tzinfo=UTC)).submission
    earlier = submit(live, "red", answer, now=datetime(2026, 5, 1, tzinfo=UTC)).submission
    assert (later.time, earlier.time) == ("2026-05-02T00:00:00Z", "2026-05-02T00:00:00Z")


def test_verify_tells_of_a_line_that_was_cut_off(live, answer, path):
    submit(live, "red", answer)
    write_file(path, path.read_bytes() + b'{"form')
    assert any("the last line is cut off" in problem for problem in verify(live).problems)


def test_a_full_disk_leaves_the_journal_as_it_was(live, answer, path, monkeypatch):
    submit(live, "red", answer)
    before = path.read_bytes()
    real = os.fsync

    def full(descriptor):
        if os.readlink(f"/proc/self/fd/{descriptor}").endswith("journal.jsonl"):
            raise OSError(28, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        submit(live, "blue", answer)
    assert path.read_bytes() == before
