"""Stores: a file and a database keep the same promises, and their exports are the same bytes."""

import json
import os
import subprocess
import sys
import threading
import uuid
from datetime import UTC, datetime
from pathlib import Path

import pytest

from quintain.errors import NotVerified
from quintain.journal.events import Joined
from quintain.journal.file_store import FileStore
from quintain.journal.journal import Journal
from tests.journal.writers import store_at

ROOT = Path(__file__).resolve().parents[2]
KINDS = ["file", "sqlite", *(["postgresql"] if "QUINTAIN_POSTGRES" in os.environ else [])]


def line(number, event="submitted", team="red", **fields):
    content = {"number": number, "event": event, "team": team, **fields}
    return json.dumps(content, sort_keys=True).encode()


def place_of(kind, folder):
    """Where the processes of a test find the store; no two tests share a journal."""
    if kind == "file":
        return str(folder / "journal.jsonl")
    if kind == "sqlite":
        return f"sqlite:///{folder / 'host.db'}#tiny"
    return f"{os.environ['QUINTAIN_POSTGRES']}#test-{uuid.uuid4()}"


@pytest.fixture(params=KINDS)
def place(request, tmp_path):
    return place_of(request.param, tmp_path)


@pytest.fixture
def store(place):
    return store_at(place)


def fill(store, lines):
    with store.locked():
        for one in lines:
            store.append(one)


def test_a_line_that_nobody_could_read_again_is_not_appended(store):
    journal = Journal(store)
    with journal.locked(), pytest.raises(NotVerified, match="cannot be read"):
        journal.append(Joined(team="red", name="\udcff"), now=datetime.now(UTC), salts=b"key")
    assert journal.size() == 0


def test_a_line_salted_with_other_keys_is_not_appended(store):
    journal = Journal(store)
    with journal.locked():
        journal.append(Joined(team="red"), now=datetime.now(UTC), salts=b"key")
        with pytest.raises(NotVerified, match="not those with which the journal began"):
            journal.append(Joined(team="blue"), now=datetime.now(UTC), salts=b"other")
    assert journal.size() == 1


MIXED = [
    line(1, "rules", None),
    line(2, "joined", "red"),
    line(3, "joined", "blue"),
    line(4, "submitted", "red", files={"a.csv": "00"}),
    line(5, "submitted", "blue", files={"team": "red", "event": "joined"}),
    line(6, "decided", "red", reason='it says "team": "blue" and {"event": "joined"}'),
    line(7, "submitted", 'say "hi" \\ über\u2028\n', files={}),
    line(8, "submitted", "red", files={}, nested={"team": "blue"}),
    json.dumps({"no": "event"}).encode(),
]


def test_an_empty_store_has_nothing(store):
    assert (store.size(), store.last(), list(store.lines())) == (0, None, [])
    assert list(store.lines(start=3, team="red")) == []


def test_lines_come_back_in_order(store, place):
    for number, one in enumerate(MIXED, 1):
        fill(store, [one])
        assert (store.size(), store.last()) == (number, one)
    for reader in (store, store_at(place)):
        assert list(reader.lines()) == MIXED
        for start in range(len(MIXED) + 2):
            assert list(reader.lines(start=start)) == MIXED[start:]


def test_lines_are_filtered_by_the_fields_of_the_event_alone(store):
    fill(store, MIXED)
    for event in (None, "rules", "joined", "submitted", "decided", "nothing"):
        for team in (None, "red", "blue", "re", 'say "hi" \\ über\u2028\n', "green"):
            for start in (0, 4):
                expected = [
                    one
                    for one in MIXED[start:]
                    if event in (None, json.loads(one).get("event"))
                    and team in (None, json.loads(one).get("team"))
                ]
                assert list(store.lines(start=start, event=event, team=team)) == expected


def test_a_writer_sees_what_it_has_appended(store):
    with store.locked():
        store.append(MIXED[0])
        assert (store.size(), store.last(), list(store.lines())) == (1, MIXED[0], MIXED[:1])


def test_long_journals_and_long_lines_are_read_whole(store):
    lines = [line(n, team=f"team{n % 7}", salt="x" * (n * 37 % 900)) for n in range(1, 1201)]
    lines[600] = line(601, salt="x" * 400_000)
    lines[-1] = line(1200, salt="y" * 200_000)
    if isinstance(store, FileStore):  # syncing every line would take seconds
        store.path.write_bytes(b"".join(one + b"\n" for one in lines))
    else:
        fill(store, lines)
    assert list(store.lines()) == lines
    assert (store.size(), store.last()) == (1200, lines[-1])
    assert list(store.lines(start=599)) == lines[599:]
    assert list(store.lines(team="team3")) == [x for x in lines if b'"team": "team3"' in x]


def test_the_exports_of_both_stores_are_the_same_bytes(tmp_path):
    exports = set()
    for kind in ("file", "sqlite"):
        store = store_at(place_of(kind, tmp_path))
        fill(store, MIXED)
        exports.add(b"".join(one + b"\n" for one in store.lines()))
    assert exports == {(tmp_path / "journal.jsonl").read_bytes()}


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'"text"', b'{"a":1}', b'{"b": 1, "a": 1}', b'{"a": 1}\n', b'{"a": "\xff"}'],
)
def test_a_line_that_could_not_be_searched_is_refused(store, content):
    with pytest.raises(ValueError), store.locked():
        store.append(content)
    assert store.size() == 0


def test_lines_are_appended_under_the_lock_only(store):
    with pytest.raises(RuntimeError, match="inside of locked"):
        store.append(MIXED[0])
    with (
        store.locked(),
        pytest.raises(RuntimeError, match="has locked the journal already"),
        store.locked(),
    ):
        pass
    fill(store, MIXED[:1])  # the lock is free again


def test_an_error_under_the_lock_frees_it(store):
    with pytest.raises(KeyError), store.locked():
        raise KeyError
    fill(store, MIXED[:2])
    assert store.size() == 2


def test_threads_take_turns(store):
    def write():
        for _ in range(10):
            with store.locked():
                store.append(line(store.size() + 1))

    threads = [threading.Thread(target=write) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [json.loads(one)["number"] for one in store.lines()] == list(range(1, 51))


def in_other_processes(*arguments):
    command = [sys.executable, "-m", "tests.journal.writers", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_eight_processes_lose_nothing_and_leave_no_gap(store, place):
    assert in_other_processes("together", place, 8, 50) == [0] * 8
    assert [json.loads(one)["number"] for one in store.lines()] == list(range(1, 401))
    assert [sum(1 for _ in store.lines(team=str(writer))) for writer in range(8)] == [50] * 8


@pytest.mark.slow
def test_writers_that_are_killed_lose_nothing_they_reported(store, place):
    reported = in_other_processes("killed", place, 20)
    assert len(reported) >= 20
    numbers = [json.loads(one)["number"] for one in store.lines()]
    assert numbers == list(range(1, len(numbers) + 1))
    assert set(reported) <= set(numbers)
    fill(store, MIXED[:1])
    assert store.last() == MIXED[0]


def test_a_reader_that_stops_halfway_does_not_block_a_writer(store):
    fill(store, MIXED)
    reader = store.lines()
    next(reader)
    fill(store, MIXED[:1])
    assert store.size() == len(MIXED) + 1
