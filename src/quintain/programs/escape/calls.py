"""Calls: run many functions of the attack program in few calls of a sandbox, as starts are dear."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from queue import SimpleQueue
from threading import Thread
from typing import Any

from quintain.programs.escape.program import attack_program
from quintain.programs.failures import ProgramError, Reason
from quintain.programs.limits import CallLimits
from quintain.programs.runner import Arguments, call
from quintain.programs.sandbox.provider import Sandbox

Returned = str | int | ProgramError
"""What a function returned, or how it was ended."""


def call_function(
    sandbox: Sandbox, function: str, given: Mapping[str, Arguments], limits: CallLimits
) -> str:
    """What one function of the attack program returns, in a call of its own."""
    module, _, name = function.rpartition(".")
    (got,) = call(attack_program(), module, name, given, limits, sandbox)
    return str(got)


def call_together(
    sandbox: Sandbox,
    functions: Sequence[str],
    given: Mapping[str, Arguments],
    limits: CallLimits,
) -> dict[str, Returned]:
    """What each of several functions returns, all of them in one call if none ends it.

    One that ends the call has the error of the call, and those after it get another one.
    """
    returned: dict[str, Returned] = {}
    while left := [function for function in functions if function not in returned]:

        def hear(question: bytes) -> bytes:
            outcome = json.loads(question)["given"]
            returned[outcome["function"]] = _read_outcome(outcome)
            return _reply(None)

        wanted = {**given, "functions": " ".join(left)}
        try:
            call(attack_program(), "attacks.together", "run", wanted, limits, sandbox, hear)
            ending = ProgramError(Reason.NOTHING)
        except ProgramError as error:
            ending = error
        silent = [function for function in left if function not in returned]
        if silent:
            returned[silent[0]] = ending
    return returned


def _read_outcome(outcome: Mapping[str, Any]) -> Returned:
    if "got" in outcome:
        got = outcome["got"]
        return got if isinstance(got, str | int) else ProgramError(Reason.NOT_NUMBERS)
    if "error" not in outcome:
        return ProgramError(Reason.CRASHED)
    out_of_memory = outcome["error"] == MemoryError.__name__
    reason = Reason.OUT_OF_MEMORY if out_of_memory else Reason.FAILED
    return ProgramError(reason, f"it failed with {outcome['error']}")


def _reply(answer: object) -> bytes:
    return json.dumps({"answer": answer}).encode()


class Speaker:
    """A call that does one thing after another, as the host says; if it ends, another one begins.

    Parameters
    ----------
    function : what asks for turns, until there are none left.
    """

    def __init__(self, sandbox: Sandbox, function: str, limits: CallLimits) -> None:
        self._sandbox, self._function, self._limits = sandbox, function, limits
        self._turns: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
        self._heard: SimpleQueue[str | BaseException] = SimpleQueue()
        self._thread: Thread | None = None

    def say(self, function: str, given: Mapping[str, Any]) -> str:
        """What a function returns; empty if the call ended. Raises if no call can start at all."""
        if self._thread is None:
            self._turns, self._heard = SimpleQueue(), SimpleQueue()
            self._thread = Thread(target=self._speak, daemon=True)
            self._thread.start()
            heard: str | BaseException = (
                self._heard.get()
            )  # it is ready, or the reason why it cannot be
        else:
            heard = ""
        if isinstance(heard, str):
            self._turns.put({"function": function, **given})
            heard = self._heard.get()
        if isinstance(heard, str):
            return heard
        self._thread.join()
        self._thread = None
        if isinstance(heard, ProgramError):
            return ""
        raise heard

    def close(self) -> None:
        """Let the call end."""
        self._turns.put(None)
        if self._thread is not None:
            self._thread.join()

    def _speak(self) -> None:
        module, _, name = self._function.rpartition(".")
        limits, sandbox = self._limits, self._sandbox
        try:
            call(attack_program(), module, name, {}, limits, sandbox, self._listen)
        except BaseException as problem:
            self._heard.put(problem)

    def _listen(self, question: bytes) -> bytes:
        self._heard.put(str(json.loads(question)["given"]["heard"]))
        return _reply(self._turns.get())
