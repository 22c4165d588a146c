"""Runner: call a function of a program in a sandbox, and read what it returns.

What goes to the process of a program and what comes back are bytes through pipes. Both directions
are a JSON header after its length, then the raw bytes of files and arrays. No part of a call is a
file on this machine that the program could replace. What comes back is a claim of the program: it
is read as numbers and short texts, and everything else is refused.
"""

from __future__ import annotations

import builtins
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from quintain.programs.failures import ProgramError, Reason, SandboxError
from quintain.programs.limits import MIB, CallLimits
from quintain.programs.sandbox.exchange import HELLO, Ask
from quintain.programs.sandbox.provider import Ending, Sandbox

Arguments = npt.NDArray[Any] | int | str | None
Returned = list[npt.NDArray[Any] | str | int | None]
_TIMES = 4
"""A program may return this many bytes per byte it was given: data and mask as floats."""
_VALUES = 8
_UNUSABLE = (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
_SIGNAL = 128
"""The exit code of a process that a signal ended is above this if another one waited for it."""


def call(
    program: Mapping[str, bytes],
    module: str,
    function: str,
    arguments: Mapping[str, Arguments],
    limits: CallLimits,
    sandbox: Sandbox,
    ask: Ask | None = None,
) -> Returned:
    """Call a function of a program with one dictionary; a ``ProgramError`` says what failed.

    With ``ask``, the dictionary also has a function ``ask``: the program calls it with the name of
    a tool and named arguments, all of them JSON.
    """
    settings = sandbox.settings(limits)
    message = request(program, (module, function), arguments, settings, asks=ask is not None)
    ending = sandbox.run(message, limits, longest_answer(arguments), ask)
    if ending.stopped is not None:
        raise ProgramError(ending.stopped, _why_stopped(ending.stopped, limits), ending.log)
    if not ending.answer.startswith(HELLO):
        raise SandboxError(f"the sandbox {sandbox.name!r} does not start: {_last_line(ending)}")
    try:
        return read_answer(ending.answer, program)
    except ProgramError as error:
        if error.reason is Reason.NOTHING:
            raise ProgramError(*_why_nothing(ending.code), ending.log) from None
        raise


def _why_stopped(reason: Reason, limits: CallLimits) -> str:
    if reason is Reason.OUT_OF_TIME:
        return f"{reason.value}; the limit is {limits.seconds:g} seconds"
    if reason is Reason.OUT_OF_MEMORY:
        return f"{reason.value}; the limit is {limits.memory_gib:g} GiB"
    return "it returned more data than the limit allows"


def _why_nothing(code: int) -> tuple[Reason, str]:
    """What an exit code says about a program that returned nothing."""
    signal = -code if code < 0 else code - _SIGNAL
    if 0 < signal <= 64:
        return Reason.CRASHED, f"it ended with signal {signal} and returned nothing"
    if code == 0:
        return Reason.NOTHING, Reason.NOTHING.value
    return Reason.NOTHING, f"it ended with exit code {code} and returned nothing"


def _last_line(ending: Ending) -> str:
    lines = ending.log.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:300] if lines else f"it ended with code {ending.code}"


def request(
    program: Mapping[str, bytes],
    function: Sequence[str],
    arguments: Mapping[str, Arguments],
    process: Mapping[str, int],
    *,
    asks: bool = False,
) -> list[bytes]:
    """A call as bytes: the module and function, the files of the program, and its arguments.

    ``process`` has the limits and other facts that the process applies to itself first, and
    ``asks`` says that somebody hears what the program asks.
    """
    arrays = {k: np.ascontiguousarray(v) for k, v in arguments.items() if isinstance(v, np.ndarray)}
    header = {
        "call": function,
        "process": process,
        "asks": asks,
        "plain": {k: v for k, v in arguments.items() if k not in arrays},
        "files": [[path, len(content)] for path, content in program.items()],
        "arrays": [[name, array.dtype.str, array.shape] for name, array in arrays.items()],
    }
    text = json.dumps(header).encode()
    contents = [*program.values(), *(array.tobytes() for array in arrays.values())]
    return [len(text).to_bytes(8, "big"), text, *contents]


def with_process(message: bytes, process: Mapping[str, int]) -> list[bytes]:
    """A call with other facts that the process applies to itself; see :func:`request`.

    >>> parts = request({}, ("m", "f"), {"a": 1}, {"CPU": 1})
    >>> b"".join(with_process(b"".join(parts), {"CPU": 2})) == b"".join(
    ...     request({}, ("m", "f"), {"a": 1}, {"CPU": 2}))
    True
    """
    end = 8 + int.from_bytes(message[:8], "big")
    header = json.loads(message[8:end])
    text = json.dumps({**header, "process": dict(process)}).encode()
    return [len(text).to_bytes(8, "big"), text, message[end:]]


def longest_answer(arguments: Mapping[str, Arguments]) -> int:
    """How many bytes a program may return, given its arguments."""
    given = sum(value.nbytes for value in arguments.values() if isinstance(value, np.ndarray))
    return 2 * MIB + _TIMES * given


def read_answer(answer: bytes, program: Mapping[str, bytes]) -> Returned:
    """The values that a program returned; a ``ProgramError`` says what is wrong with them."""
    try:
        start = len(HELLO) + 8 + int.from_bytes(answer[len(HELLO) : len(HELLO) + 8], "big")
        header = json.loads(answer[len(HELLO) + 8 : start])
        failure, values = header.get("failure"), header.get("values")
        if failure is not None:
            raise ProgramError(*_failure(failure, program), _text(failure["traceback"]).encode())
        if len(values) > _VALUES:
            details = f"it returned too many values; the limit is {_VALUES}"
            raise ProgramError(Reason.WRONG_SHAPE, details)
    except _UNUSABLE:
        raise ProgramError(Reason.NOTHING) from None
    try:
        return _values(values, memoryview(answer)[start:])
    except _UNUSABLE:
        raise ProgramError(Reason.NOT_NUMBERS) from None


def _values(values: list[dict[str, Any]], content: memoryview) -> Returned:
    returned: Returned = []
    for value in values:
        if "plain" in value:
            if not (value["plain"] is None or isinstance(value["plain"], str | int)):
                raise TypeError("not a plain value")
            returned.append(value["plain"])
            continue
        if not re.fullmatch(r"[<>|][biuf]\d+", value["dtype"]):
            raise TypeError("not an array of numbers")
        dtype, shape = np.dtype(value["dtype"]), [int(size) for size in value["shape"]]
        size = dtype.itemsize * int(np.prod([float(n) for n in shape]))
        if min(shape, default=0) < 0 or size > len(content):
            raise ValueError("an array that is not there")
        returned.append(np.frombuffer(content[:size], dtype).reshape(shape))
        content = content[size:]
    return returned


def read_numbers(part: Any) -> npt.NDArray[np.float64]:
    """One value that a program returned, as an array of numbers of which any may be too large."""
    if not isinstance(part, np.ndarray) or part.dtype.kind not in "biuf":
        raise ProgramError(Reason.NOT_NUMBERS)
    with np.errstate(over="ignore"):
        return part.astype(np.float64)


def _failure(failure: Mapping[str, Any], program: Mapping[str, bytes]) -> tuple[Reason, str]:
    """Why a program failed, with built-in error types and lines of the program only."""
    name, file, line = failure["error"], failure["file"], failure["line"]
    kind = getattr(builtins, name, None)
    if not (isinstance(kind, type) and issubclass(kind, BaseException)):
        return Reason.FAILED, "it failed with an error of its own"
    known = isinstance(line, int) and 0 < line <= len(program.get(file, b"").splitlines())
    reason = Reason.OUT_OF_MEMORY if kind is MemoryError else Reason.FAILED
    return reason, f"it failed with {name}" + (f" in {file}, line {line}" if known else "")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value
