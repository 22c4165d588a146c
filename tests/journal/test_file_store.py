"""File store: crashes and full disks leave whole lines, and a long file is as quick as a short."""

import errno
import json
import os
import resource
import stat
import time
import tracemalloc

import pytest

from quintain.journal.file_store import FileStore, _needles, _places


def line(number, **fields):
    return json.dumps({"number": number, **fields}, sort_keys=True).encode()


def append(store, *lines):
    with store.locked():
        for one in lines:
            store.append(one)


@pytest.fixture
def store(tmp_path):
    return FileStore(tmp_path / "journal.jsonl")


# --- lines that a crash cut off -------------------------------------------------------------------


def test_a_line_that_a_crash_cut_off_is_ignored_and_then_set_aside(store):
    append(store, line(1), line(2))
    with store.path.open("ab") as file:
        file.write(line(3)[:5])
    assert list(store.lines()) == [line(1), line(2)]
    assert (store.size(), store.last()) == (2, line(2))
    append(store, line(3, team="red"))
    assert store.path.read_bytes() == b"".join(
        one + b"\n" for one in (line(1), line(2), line(3, team="red"))
    )
    assert store.cut_off.name == "journal.jsonl.cut-off"
    assert store.cut_off.read_bytes() == line(3)[:5] + b"\n"


@pytest.mark.parametrize("length", [1, 70_000, 200_000])
def test_the_first_line_can_be_cut_off_too(store, length):
    store.path.write_bytes(b"x" * length)
    assert (list(store.lines()), store.size(), store.last()) == ([], 0, None)
    append(store, line(1))
    assert list(store.lines()) == [line(1)]
    assert store.cut_off.read_bytes() == b"x" * length + b"\n"


def test_a_damaged_line_reaches_its_reader(store):
    damaged = b'{"nested": {"team": "red"}, "team": "red"'
    store.path.write_bytes(damaged + b"\n")
    assert list(store.lines(team="red")) == [damaged]


def test_only_the_owner_may_read_the_journal(store):
    append(store, line(1))
    for path in store.path.parent.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


# --- a full disk ----------------------------------------------------------------------------------


def test_a_full_disk_leaves_no_half_line(store):
    append(store, line(1))
    before = store.path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 10, hard))
    try:
        with pytest.raises(OSError) as problem:
            append(store, line(2, salt="x" * 100))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert problem.value.errno == errno.EFBIG
    assert store.path.read_bytes() == before
    append(store, line(2))
    assert list(store.lines()) == [line(1), line(2)]


def test_a_disk_that_cannot_sync_leaves_no_line(store, monkeypatch):
    append(store, line(1))

    def fail(descriptor):
        raise OSError(errno.EIO, "no disk")

    with monkeypatch.context() as patch, pytest.raises(OSError, match="no disk"):
        patch.setattr(os, "fsync", fail)
        append(store, line(2))
    assert list(store.lines()) == [line(1)]


# --- cost -----------------------------------------------------------------------------------------


def write_journal(path, count):
    entry = {"event": "submitted", "salt": "0" * 610, "files": {"guess.csv": "0"}}
    texts = (line(n, **entry, team=f"team{n % 200}") + b"\n" for n in range(1, count + 1))
    path.write_bytes(b"".join(texts))


def quickest(action, times=7):
    seconds = []
    for _ in range(times):
        begin = time.process_time()
        action()
        seconds.append(time.process_time() - begin)
    return min(seconds)


def test_a_long_journal_costs_no_more_to_append_to_than_a_short_one(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # the disk is not what is measured
    costs = []
    for count in (100, 30_000):
        store = FileStore(tmp_path / f"{count}.jsonl")
        write_journal(store.path, count)
        with store.locked():
            costs.append(quickest(lambda store=store: [store.append(line(1)) for _ in range(50)]))
            costs[-1] += quickest(lambda store=store: [store.last() for _ in range(50)])
    assert costs[1] < 2 * costs[0] + 0.002


def test_the_lines_of_a_team_are_found_fast(tmp_path):
    store = FileStore(tmp_path / "journal.jsonl")
    write_journal(store.path, 10_000)
    assert store.path.stat().st_size > 7_000_000
    assert sum(1 for _ in store.lines(team="team7", event="submitted")) == 50
    # It takes about 5 ms; the machines of tests are slow and busy.
    assert quickest(lambda: list(store.lines(team="team7", event="submitted"))) < 0.05


def test_memory_stays_flat_however_long_the_journal_is(tmp_path):
    store = FileStore(tmp_path / "journal.jsonl")
    write_journal(store.path, 10_000)
    tracemalloc.start()
    try:
        assert sum(1 for _ in store.lines(event="submitted")) == store.size() == 10_000
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 1_000_000  # of more than seven million bytes


def test_lines_are_found_by_their_own_fields_alone():
    block = (
        b'\n{"event": "submitted", "team": "red"}\n{"team": "red", "event": "joined"}\n'
        b'{"event": "note", "inside": {"team": "red", "event": "submitted"}}\n'
        b'{"event": "submitted", "inside": {"n": 1}, "team": "red"}\n'
        b'{"event": "submitted", "team": "redder"}\n{"team": "red", "event": "submitted"\n'
    )
    lines = block.splitlines(keepends=True)
    for event, team, expected in (
        ("submitted", "red", [1, 4, 6]),  # a damaged line is left to who reads the event
        ("joined", "red", [2]),
        ("submitted", None, [1, 4, 5, 6]),
        (None, "redder", [5]),
        ("note", None, [3]),
        ("note", "red", []),
    ):
        places = list(_places(block, _needles(event, team)))
        starts = [sum(map(len, lines[:number])) for number in expected]
        ends = [start + len(lines[n]) - 1 for start, n in zip(starts, expected, strict=True)]
        assert places == list(zip(starts, ends, strict=True))
