"""Runner: call a function of a program in a sandbox, and read what it returns."""

from __future__ import annotations

from collections.abc import Mapping

from quintain.programs.failures import ProgramError, Reason, SandboxError
from quintain.programs.limits import CallLimits
from quintain.programs.message import (
    HELLO,
    Arguments,
    Returned,
    longest_answer,
    read_answer,
    request,
)
from quintain.programs.sandbox.provider import Ending, Sandbox

_SIGNAL = 128
"""The exit code of a process that a signal ended is above this if another one waited for it."""


def call(
    program: Mapping[str, bytes],
    module: str,
    function: str,
    arguments: Mapping[str, Arguments],
    limits: CallLimits,
    sandbox: Sandbox,
) -> Returned:
    """Call a function of a program with one dictionary; a ``ProgramError`` says what failed."""
    message = request(program, (module, function), arguments, sandbox.settings(limits))
    ending = sandbox.run(message, limits, longest_answer(arguments))
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
