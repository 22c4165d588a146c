"""Processes apart: what a hostile file can do to the one that reads it, and what comes of it."""

import io
import os
import threading

import pytest

from quintain.jobs.subprocess_reader import Allowance, Apart, NotRead

ALLOWANCE = Allowance(memory=400_000_000, seconds=150)
SHORT = Allowance(memory=400_000_000, seconds=1)
"""For readers that never end: others get more time than any machine needs."""
CASES = "tests.jobs.apart_cases"


@pytest.fixture(scope="module")
def apart():
    processes = Apart(CASES)
    yield processes
    processes.stop()


def frames(apart, function, content=b"", most=10_000_000, allowance=ALLOWANCE, **arguments):
    return list(apart.call(f"{CASES}:{function}", arguments, content, allowance, most=most))


def reason(apart, function, **options):
    with pytest.raises(NotRead) as caught:
        frames(apart, function, **options)
    return str(caught.value)


def test_plain_values_and_bytes_come_back(apart):
    content = bytes(range(256)) * 10_000
    given = {"name": "é\x00", "numbers": [1, 2.5, None]}
    assert frames(apart, "echo", content, **given) == [{"given": given}, content]
    assert frames(apart, "list_instead") == [{"fine": True}, bytes(24)]


def test_what_a_call_has_used_can_be_watched(apart):
    used = []
    apart.watch = used.append
    frames(apart, "use_memory", size=100_000_000)
    (usage,) = used
    assert 0 < usage.seconds < ALLOWANCE.seconds
    assert 100_000_000 < usage.memory < ALLOWANCE.memory


def test_an_open_file_is_read_from_its_beginning(apart, tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    with path.open("rb") as file:
        file.read()
        assert frames(apart, "echo", file)[1] == b"abc"


@pytest.mark.parametrize(
    ("function", "arguments", "sentence"),
    [
        ("use_memory", {"size": 10**9}, "needs more than 0.4 GB of memory to read"),
        ("crash", {}, "cannot be read: the reader ended with signal 11"),
        ("fail", {}, "cannot be read: the reader failed with LookupError"),
        ("flood", {}, "cannot be read: the reader returned more than the limit"),
    ],
)
def test_a_reader_that_misbehaves_ends_in_a_sentence(apart, function, arguments, sentence):
    assert reason(apart, function, **arguments) == sentence
    assert frames(apart, "list_instead")  # and the next call works


@pytest.mark.slow
@pytest.mark.parametrize("function", ["burn", "sleep"])
def test_a_reader_that_never_ends_is_ended(apart, function):
    sentence = "needs more than 1 s of computing time to read"
    assert reason(apart, function, allowance=SHORT) == sentence
    assert frames(apart, "list_instead")  # and the next call works


def test_a_reader_writes_no_file(apart, tmp_path):
    reason(apart, "write", path=str(tmp_path / "out"))
    assert not (tmp_path / "out").exists() or not (tmp_path / "out").stat().st_size


def test_every_call_has_a_process_of_its_own(apart):
    numbers = {frames(apart, "pids")[0]["pid"] for _ in range(3)}
    assert len(numbers) == 3
    assert os.getpid() not in numbers


def test_many_threads_read_at_once(apart):
    contents = [bytes([i]) * 100_000 for i in range(12)]
    answers = {}

    def read(i):
        answers[i] = frames(apart, "echo", contents[i])[1]

    threads = [threading.Thread(target=read, args=(i,)) for i in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answers[i] for i in range(12)] == contents


def test_a_server_that_was_killed_is_started_again():
    apart = Apart(CASES)
    assert frames(apart, "echo", b"1")[1] == b"1"
    apart._server.kill()
    apart._server.wait()
    assert frames(apart, "echo", b"2")[1] == b"2"
    apart.stop()


def test_a_forked_process_gets_readers_of_its_own(apart):
    frames(apart, "echo", b"1")
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.write(send, frames(apart, "echo", b"child")[1])
            apart.stop()
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    os.close(send)
    with io.FileIO(receive) as answer:
        assert answer.read() == b"child"
    assert frames(apart, "echo", b"parent")[1] == b"parent"
