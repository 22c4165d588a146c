"""Messages: whatever a program writes into its pipe is read as numbers, or refused in words."""

import json

import numpy as np
import pytest

from quintain.programs.failures import ProgramError, Reason
from quintain.programs.runner import HELLO, longest_answer, read_answer, request


def answer(header, content=b"", hello=HELLO):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return hello + len(text).to_bytes(8, "big") + text + content


def refusal(content):
    with pytest.raises(ProgramError) as caught:
        read_answer(content, {"hider.py": b"one\ntwo\n"})
    return caught.value


def test_arrays_and_plain_values_arrive_as_they_were():
    array = np.arange(6.0).reshape(2, 3)
    values = [{"dtype": "<f8", "shape": [2, 3]}, {"plain": "a"}, {"dtype": "|u1", "shape": []}]
    got = read_answer(answer({"values": values}, array.tobytes() + b"\x07"), {})
    assert np.array_equal(got[0], array)
    assert got[1] == "a"
    assert got[2] == 7


@pytest.mark.parametrize(
    "content",
    [
        b"",
        HELLO,
        HELLO + b"\xff" * 8,
        HELLO + b"\xff" * 8 + b"{}",
        answer(b"[" * 100_000),
        answer(b"\xff\xfe"),
        answer([1]),
        answer({}),
        answer({"values": 3}),
        answer({"failure": {}}),
        answer({"failure": {"error": 1, "file": [], "line": {}, "traceback": ""}}),
        answer({"failure": {"error": "KeyError", "file": "x", "line": 1, "traceback": 7}}),
    ],
)
def test_bytes_that_are_no_answer_are_nothing(content):
    assert refusal(content).reason is Reason.NOTHING


@pytest.mark.parametrize(
    "value",
    [
        {"dtype": "<f8", "shape": [10**12]},
        {"dtype": "<f8", "shape": [10**30, 10**30]},
        {"dtype": "<f8", "shape": [10**400]},
        {"dtype": "<f8", "shape": [-1]},
        {"dtype": "<f8", "shape": [-1, -2]},
        {"dtype": "<f8", "shape": [1] * 100},
        {"dtype": "<f8", "shape": None},
        {"dtype": "|O", "shape": [1]},
        {"dtype": "<c16", "shape": [1]},
        {"dtype": "<f3", "shape": [1]},
        {"dtype": ["<f8"], "shape": [1]},
        {"plain": {}},
        {"plain": 1.5},
        [],
        3,
    ],
)
def test_an_array_with_a_false_description_is_refused(value):
    assert refusal(answer({"values": [value]}, bytes(16))).reason is Reason.NOT_NUMBERS


def test_more_values_than_a_program_may_return_are_refused():
    error = refusal(answer({"values": [{"plain": 1}] * 9}))
    assert (error.reason, error.details) == (
        Reason.WRONG_SHAPE,
        "it returned too many values; the limit is 8",
    )


@pytest.mark.parametrize(
    ("failure", "reason", "details"),
    [
        (("KeyError", "hider.py", 2), Reason.FAILED, "it failed with KeyError in hider.py, line 2"),
        (("KeyError", "hider.py", 3), Reason.FAILED, "it failed with KeyError"),
        (("KeyError", "secret.py", 1), Reason.FAILED, "it failed with KeyError"),
        (("Secret", "hider.py", 1), Reason.FAILED, "it failed with an error of its own"),
        (("print", "hider.py", 1), Reason.FAILED, "it failed with an error of its own"),
        (("MemoryError", "", None), Reason.OUT_OF_MEMORY, "it failed with MemoryError"),
    ],
)
def test_a_failure_is_told_by_known_errors_and_lines_only(failure, reason, details):
    error, file, line = failure
    told = {"error": error, "file": file, "line": line, "traceback": "Traceback 71.25"}
    refused = refusal(answer({"failure": told}))
    assert (refused.reason, refused.details) == (reason, details)
    assert refused.traceback == b"Traceback 71.25"


def test_a_request_is_a_header_and_raw_bytes():
    array = np.arange(4, dtype="<i4").reshape(2, 2)
    size, text, *contents = request({"m.py": b"x"}, ("m", "f"), {"a": array, "seed": 3}, {"CPU": 9})
    assert int.from_bytes(size, "big") == len(text)
    assert json.loads(text) == {
        "call": ["m", "f"],
        "process": {"CPU": 9},
        "asks": False,
        "plain": {"seed": 3},
        "files": [["m.py", 1]],
        "arrays": [["a", "<i4", [2, 2]]],
    }
    assert contents == [b"x", array.tobytes()]
    assert longest_answer({"a": array}) == 2 * 2**20 + 4 * 16
