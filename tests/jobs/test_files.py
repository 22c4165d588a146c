"""Files: whole under any number of writers, private unless public, on the disk if they must be."""

import errno
import os
import stat
import subprocess
import sys
import threading

import pytest

from quintain.jobs import files
from quintain.jobs.files import make_folder, remove_drafts, write_file

SIZES = (1, 4096, 70_000)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def drafts(root):
    return [path for path in root.rglob("*") if path.name.endswith(".part")]


def leave_draft(folder, name=f".{'0' * 32}.part"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(b"half")


def write_often(path, byte, rounds=60):
    for _ in range(rounds):
        for size in SIZES:
            write_file(path, byte * size)


def is_whole(content):
    return len(set(content)) == 1 and len(content) in SIZES


# --- many writers ---------------------------------------------------------------------------------


def test_threads_that_write_one_file_never_tear_it(tmp_path, monkeypatch):
    # In two containers, both processes may have the number 1.
    monkeypatch.setattr(os, "getpid", lambda: 1)
    path, problems = tmp_path / "a/file", []

    def writer(byte):
        try:
            write_often(path, byte)
        except OSError as problem:
            problems.append(problem)

    threads = [threading.Thread(target=writer, args=(bytes([65 + n]),)) for n in range(6)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        if path.exists():
            assert is_whole(path.read_bytes())
        remove_drafts(tmp_path)  # takes no draft away from its writer
    assert not problems
    assert is_whole(path.read_bytes())
    assert [entry.name for entry in path.parent.iterdir()] == ["file"]


@pytest.mark.slow
def test_processes_that_write_one_file_never_tear_it(tmp_path):
    code = (
        "import os, sys; os.getpid = lambda: 1\n"
        "from pathlib import Path\n"
        "from tests.jobs.test_files import write_often\n"
        "write_often(Path(sys.argv[1]), sys.argv[2].encode(), 200)\n"
    )
    path = tmp_path / "a/file"
    running = [
        subprocess.Popen([sys.executable, "-c", code, path, byte], stderr=subprocess.PIPE)
        for byte in "AB"
    ]
    while any(process.poll() is None for process in running):
        if path.exists():
            assert is_whole(path.read_bytes())
    for process in running:
        assert process.communicate()[1] == b""
        assert process.returncode == 0
    assert [entry.name for entry in path.parent.iterdir()] == ["file"]


# --- leftovers ------------------------------------------------------------------------------------


def test_a_writer_that_fails_leaves_no_draft(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    write_file(tmp_path / "file", b"old")
    with pytest.raises(OSError, match=r"No space left on device: '.*/file'"):
        write_file(tmp_path / "file", b"new", durable=True)
    assert (tmp_path / "file").read_bytes() == b"old"
    assert drafts(tmp_path) == []


@pytest.mark.parametrize("name", [f".{'0f' * 16}.part", ".truth.csv.4711.139872.part"])
def test_what_a_crash_left_behind_is_removed(tmp_path, name):
    leave_draft(tmp_path / "deep/er", name)
    remove_drafts(tmp_path)
    assert drafts(tmp_path) == []


def test_other_files_and_drafts_in_use_are_not_removed(tmp_path):
    leave_draft(tmp_path, "novel.part")
    leave_draft(tmp_path, ".mine.part")
    draft, descriptor = files._new_draft(tmp_path)
    remove_drafts(tmp_path)
    os.close(descriptor)
    assert {path.name for path in drafts(tmp_path)} == {"novel.part", ".mine.part", draft.name}


def test_a_draft_that_is_taken_for_a_leftover_is_started_again(tmp_path, monkeypatch):
    lock, taken = files.fcntl.flock, []

    def steal_first(descriptor, operation):
        if not taken:
            (stolen,) = drafts(tmp_path)
            stolen.unlink()
            taken.append(stolen)
        lock(descriptor, operation)

    monkeypatch.setattr(files.fcntl, "flock", steal_first)
    write_file(tmp_path / "file", b"x")
    assert taken
    assert (tmp_path / "file").read_bytes() == b"x"


# --- permissions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_files_are_private_unless_they_are_public_whatever_the_umask(tmp_path, umask):
    before = os.umask(umask)
    try:
        write_file(tmp_path / "secret/main/truth.csv", b"x")
        write_file(tmp_path / "public/main/release.csv", b"x", public=True)
    finally:
        os.umask(before)
    assert [mode(tmp_path / p) for p in ("secret", "secret/main", "secret/main/truth.csv")] == [
        *(0o700, 0o700, 0o600)
    ]
    assert [mode(tmp_path / p) for p in ("public", "public/main", "public/main/release.csv")] == [
        *(0o755, 0o755, 0o644)
    ]


def test_a_folder_that_exists_keeps_its_permissions(tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / "old").chmod(0o750)
    write_file(tmp_path / "old/file", b"x", public=True)
    make_folder(tmp_path / "old")
    assert mode(tmp_path / "old") == 0o750


# --- power failures -------------------------------------------------------------------------------


def synced(monkeypatch):
    """The names of what is synchronised, in order."""
    names = []

    def fsync(descriptor):
        names.append(os.readlink(f"/proc/self/fd/{descriptor}"))

    monkeypatch.setattr(os, "fsync", fsync)
    return names


def test_a_durable_file_is_on_the_disk_before_its_name_and_its_folders_after(tmp_path, monkeypatch):
    names = synced(monkeypatch)
    write_file(tmp_path / "a/b/seeds.json", b"x", durable=True)
    *folders, draft, place = names
    assert folders == [str(tmp_path), f"{tmp_path}/a"]  # the lists with the new folders a and b
    assert draft.startswith(f"{tmp_path}/a/b/.")
    assert draft.endswith(".part")
    assert place == f"{tmp_path}/a/b"


def test_what_can_be_computed_again_does_not_wait_for_the_disk(tmp_path, monkeypatch):
    names = synced(monkeypatch)
    write_file(tmp_path / "a/cells.json", b"x")
    assert names == []
