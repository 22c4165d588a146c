"""Power failures: nothing that was acknowledged is lost, and the rest is made again."""

import os
import shutil
from itertools import chain

import pytest

from quintain.commitment import sha256
from quintain.jobs.files import make_folder, write_file
from quintain.journal.receipt import Receipt
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.submissions.counting import store
from tests.runs.crashes.power_failure import EMPTY, HALF, LOST, Disk
from tests.runs.crashes.scripted_contest import GUESSES, RELEASES, contents, go_on, new

KINDS = (LOST, EMPTY, HALF)


@pytest.fixture(scope="module")
def failures(tmp_path_factory):
    """What power failures leave of a contest before each of its steps, with what it must have."""
    place = tmp_path_factory.mktemp("power")
    folder, receipts, left = new(place / "contest"), [], {}
    with pytest.MonkeyPatch.context() as patch:
        disk = Disk(folder.root)
        patch.setattr(os, "fsync", disk.fsync)
        for number, step in enumerate(chain(go_on(folder, receipts.append), ["the end"])):
            for kind in KINDS:
                root = disk.after_failure(place / f"{number}-{kind}", kind)
                left[step, kind] = root, list(folder.journal().events()), list(receipts)
        disk.close()
    return left, dict(contents(folder))


MOMENTS = [
    *((step, LOST) for step in ("submit", "score", "reveal")),
    *(("the end", kind) for kind in KINDS),
]


@pytest.mark.parametrize(("step", "kind"), MOMENTS)
def test_after_a_power_failure_the_contest_goes_on_to_the_same_end(failures, step, kind, tmp_path):
    left, expected = failures
    root, events, receipts = left[step, kind]
    folder, more = Folder(shutil.copytree(root, tmp_path / "copy")), []
    assert list(folder.journal().events()) == events
    list(go_on(folder, more.append))
    assert len(receipts) + len(more) == len(RELEASES) + len(GUESSES)
    assert dict(contents(folder)) == expected


def test_a_power_failure_loses_only_what_can_be_made_again(failures):
    left, expected = failures
    root, _, _ = left["the end", LOST]
    lost = {name for name in expected if not (root / name).is_file()}
    assert {name.split("/")[0] for name in lost} == {"public", "secret", "teams", "results"}
    kept = ("/rules/", "/commitments/", "seeds.json", "signing.key", "signing.pub", "edition.json")
    assert not [name for name in lost if any(part in f"/{name}" for part in kept)]


def test_every_receipt_holds_after_a_power_failure(failures):
    left, _ = failures
    for kind in KINDS:
        root, events, receipts = left["the end", kind]
        lines = [event.line() for event in events]
        assert len(receipts) == len(RELEASES) + len(GUESSES)
        for content in receipts:
            receipt = Receipt.from_bytes(content)
            receipt.check(Folder(root).state().key)
            assert receipt.line in lines


def test_a_file_that_a_killed_process_left_is_synced_before_it_counts(tmp_path):
    folder = new(tmp_path / "contest")
    digest = sha256(b"1\n")
    stored = paths.submitted_file(digest, "a.csv")
    with pytest.MonkeyPatch.context() as patch:
        make_folder(folder.at(stored).parent.parent)
        disk = Disk(folder.root)
        patch.setattr(os, "fsync", disk.fsync)
        write_file(folder.at(stored), b"1\n")  # with its folder, and nothing is synced
        with folder.at(stored).open("rb") as file:
            os.fsync(file.fileno())  # the process is killed after this
        store(folder, {"a.csv": b"1\n"})
        left = disk.after_failure(tmp_path / "left", LOST)
        disk.close()
    assert (left / stored).read_bytes() == b"1\n"


def test_a_stored_file_that_is_damaged_is_written_again(tmp_path):
    folder = new(tmp_path / "contest")
    digests = store(folder, {"a.csv": b"1\n"})
    path = folder.at(paths.submitted_file(digests["a.csv"], "a.csv"))
    path.write_bytes(b"")
    store(folder, {"a.csv": b"1\n"})
    assert path.read_bytes() == b"1\n"
