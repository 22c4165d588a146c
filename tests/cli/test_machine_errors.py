"""What the machine refuses (space, permissions, memory) is a sentence, and changes nothing."""

import errno
import os
import stat

import pytest

from quintain.cli.main import main
from quintain.jobs import files
from quintain.runs.folder import record as recording
from quintain.runs.folder.folder import Folder
from quintain.runs.submissions import submit as submitting
from tests.contest_folders import small


@pytest.fixture
def contest(tmp_path):
    return small(tmp_path / "contest", team=[{"id": "red"}], repeats=1).root


@pytest.fixture
def answer(contest, tmp_path):
    question = (contest / "public/main/tasks/rr-keep0.9/question.csv").read_text()
    targets = dict.fromkeys(line.split(",")[0] for line in question.splitlines()[1:])
    path = tmp_path / "rr-keep0.9.csv"
    path.write_text("target,probability\n" + "".join(f"{target},0.5\n" for target in targets))
    return path


def contents(root):
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


def refusing(number):
    """Lets folders through, refuses files."""

    def refuse(descriptor):
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(number, os.strerror(number))

    return refuse


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "the disk is full; make room"),
        (errno.EDQUOT, "the disk quota is used up; make room"),
        (errno.EROFS, "the disk is read-only; make it writable"),
        (errno.EACCES, "permission denied; change the permissions or the user"),
    ],
)
def test_a_disk_that_refuses_is_a_sentence(quintain, contest, answer, monkeypatch, number, words):
    before = contents(contest)
    monkeypatch.setattr(files.os, "fsync", refusing(number))
    code, message, _ = quintain("submit", contest, answer, "--team", "red")
    ending = "then run the command again; what was stored before is unchanged"
    assert code == 1
    assert message.startswith(f"quintain: {contest}/submissions/files/")
    assert message.endswith(f".csv: {words}, {ending}\n")
    after = contents(contest)
    assert {path: after[path] for path in before} == before
    assert {path.name for path in after.keys() - before.keys()} <= {".lock"}
    monkeypatch.undo()
    with pytest.raises(SystemExit) as done:
        main(["submit", str(contest), str(answer), "--team", "red"])
    assert done.value.code == 0


def test_too_little_memory_is_a_sentence(quintain, contest, answer, monkeypatch):
    def exhausted(*arguments, **options):
        raise MemoryError

    monkeypatch.setattr(submitting, "examine", exhausted)
    code, message, _ = quintain("submit", contest, answer, "--team", "red")
    advice = "use fewer --workers or a machine with more memory"
    assert (code, message) == (1, f"quintain: there is not enough memory; {advice}\n")


def test_an_error_that_may_be_a_fault_of_ours_keeps_its_traceback(contest, answer, monkeypatch):
    monkeypatch.setattr(files.os, "fsync", refusing(errno.EBADF))
    with pytest.raises(OSError, match="Bad file descriptor"):
        main(["submit", str(contest), str(answer), "--team", "red"])


@pytest.fixture
def full(contest, monkeypatch):
    """A disk that has no room for anything public, once everything else is stored."""

    def refuse(root, path, content, *, durable=False):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(root / path))

    monkeypatch.setattr(recording, "write", refuse)
    return contest


def test_a_submission_that_is_stored_has_its_receipt_even_if_the_disk_is_full_then(
    full, answer, monkeypatch
):
    folder, files = Folder(full), {answer.name: answer.read_bytes()}
    receipt = submitting.submit(folder, "red", files).receipt
    assert receipt.check(folder.state().key).size == folder.journal().size() == 4
    assert "\n3\n" in (full / "public/checkpoint.txt").read_text()
    monkeypatch.undo()
    submitting.submit(folder, "red", files)
    assert "\n5\n" in (full / "public/checkpoint.txt").read_text()


def test_an_event_that_could_not_be_published_is_not_to_be_repeated(quintain, full, monkeypatch):
    code, message, _ = quintain("team", "add", full, "green")
    assert code == 1
    assert message.startswith("quintain: event 4 is in the journal, but ")
    assert "do not repeat it, but mend that and run quintain checkpoint" in message
    monkeypatch.undo()
    recording.publish(Folder(full))
    assert "green" in (full / "public/events.jsonl").read_text()
