"""Uploads for the tests of submissions, and what a refused one must leave alone."""

import time

import pytest

from quintain.commitment import sha256
from quintain.errors import SubmissionError
from quintain.runs.submissions.submit import submit
from quintain.runs.submissions.upload import read_upload

TASK = "rr-keep0.9.csv"


def valid(folder):
    """One complete answer to one task."""
    track = folder.edition().track[0]
    task = next(t for t in folder.tasks(track) if f"{t.name}.csv" == TASK)
    targets = folder.question(track, task).targets().tolist()
    return "target,probability\n" + "".join(f"{target},0.25\n" for target in targets)


def everything(root):
    return {
        path.relative_to(root).as_posix(): sha256(path.read_bytes())
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.name.endswith(".lock")
    }


def assert_refused(folder, path, *words):
    """Submit an upload that must be refused: quickly, with these words, changing nothing."""
    before, start = everything(folder.root), time.process_time()
    with pytest.raises(SubmissionError) as caught:
        submit(folder, "red", read_upload(path, folder.edition().limits))
    assert time.process_time() - start < 2.0
    assert everything(folder.root) == before
    for word in words:
        assert word in str(caught.value), str(caught.value)
    return caught.value.faults


def upload(tmp_path, content, name=TASK):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path
