"""Standing command: a program that starts once and answers one request per line.

Loading a library can take longer than the work. Here a program is loaded once for all runs of an
audit. docs/reference/files.md describes the lines; in short, the program reads a JSON object per
line from its standard input, writes a file, and writes one JSON object to its standard output.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import subprocess
import threading
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any, ClassVar, Literal, NoReturn

from pydantic import field_validator

from quintain.errors import PartError
from quintain.jobs.scratch import ScratchFolder
from quintain.jobs.supervised import CannotStart, Supervised
from quintain.sanitizers.adapters.command import (
    CommandAdapter,
    ExchangedFiles,
    fill_words,
    make_command,
)

REQUESTS = "{requests}"
"""The place in a command that says that it reads requests; the program gets ``-`` there."""
LONGEST_ANSWER = 1 << 16
"""How many bytes an answer may have."""
MOST_MESSAGES = 1 << 26
"""How many bytes of messages a program may write to its standard error."""
MOST_PROGRAMS = 4
"""How many programs this process keeps; the one that nobody used for longest ends first."""

_GLANCE = 0.5
"""How many seconds pass between two looks at what a program that is silent has written."""
_EXPECTED = '{"ok": true}, or {"error": "why not"}'


class StandingCommand(CommandAdapter):
    """A program that starts once and then makes one release per line that it reads.

    Every process of an audit starts one such program and ends it when it ends itself. It is your
    own program: nothing contains it. Arguments that name files of the current folder work as they
    are. A program that crashed or fell silent is started again for the next run.

    Parameters
    ----------
    text : the command with {requests}, in whose place the program gets ``-``.
    timeout : how many seconds an answer may take; the first one includes the start.
    format : the format of both files: "parquet" or "csv".
    settings : parameters for the program; they are in every request.

    >>> part = standing_command("python tool.py {requests}", epsilon=1)
    >>> part.spec()["epsilon"], part.name()
    (1, 'standing-command')
    """

    id: ClassVar[str] = "sanitizer/standing-command-v0"
    label: ClassVar[str] = "standing command"

    @field_validator("text")
    @classmethod
    def _reads_requests(cls, text: str) -> str:
        if REQUESTS not in text:
            raise ValueError(f"the command must contain {REQUESTS}: tool {REQUESTS}")
        return text

    def work(self, files: ExchangedFiles, *, seed: int) -> None:
        """Send one request, and wait for its answer."""
        request = {
            "input": str(files.input),
            "output": str(files.output),
            "schema": str(files.schema),
            "seed": seed,
            "parameters": self.settings,
        }
        _PROGRAMS.ask(self, json.dumps(request))


def standing_command(
    text: str,
    timeout: float = 3600.0,
    format: Literal["parquet", "csv", ""] = "",
    **settings: Any,
) -> StandingCommand:
    """A command that reads requests, as a sanitizer; ``settings`` are in every request."""
    return make_command(StandingCommand, text, timeout, format, settings)


def end_programs() -> None:
    """End the programs that this process keeps; the next run starts its program again."""
    _PROGRAMS.end()


class _Failed(Exception):
    """A program broke the protocol; the message is the end of a sentence about it."""


class _Program:
    """A running program, in a folder of its own."""

    def __init__(self, text: str) -> None:
        self._folder = ScratchFolder()
        self.messages = Path(self._folder.name, "messages.txt")
        self._read = bytearray()
        with self.messages.open("wb") as messages:
            self._running = Supervised(
                fill_words(text, {REQUESTS: "-"}),
                folder=Path(self._folder.name),
                environment=os.environ,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=messages,
            )

    def ask(self, request: str, seconds: float) -> dict[str, Any]:
        """The answer to a request."""
        process = self._running.process
        assert process.stdin is not None  # it is a pipe
        if early := self._waiting():
            raise _Failed(f"wrote a line that nobody asked for: {_quote(early)}")
        try:
            process.stdin.write(request.encode() + b"\n")
        except OSError:
            self._tell_end()
        return _parse(self._line(time.monotonic() + seconds, seconds))

    def has_ended(self) -> bool:
        """Whether the program is gone, although nobody ended it."""
        return self._running.process.poll() is not None

    def end(self) -> None:
        """Kill the program, and remove its folder."""
        self._running.end()
        self._folder.cleanup()

    def forget(self) -> None:
        """In a forked process: program and folder belong to the parent."""
        self._running.forget()
        self._folder._finalizer.detach()  # type: ignore[attr-defined]

    def _waiting(self) -> bytes:
        """What the program has written before anybody asked."""
        while self._is_ready(0.0):
            if not self._take():
                self._tell_end()
        return bytes(self._read)

    def _line(self, end: float, seconds: float) -> bytes:
        """The next line that the program writes."""
        while b"\n" not in self._read:
            left = end - time.monotonic()
            if left <= 0:
                raise _Failed(f"gave no answer within {seconds:g} s, the limit (timeout)")
            if self._is_ready(min(left, _GLANCE)) and not self._take():
                self._tell_end()
            if len(self._read) > LONGEST_ANSWER:
                raise _Failed(f"gave an answer of more than {LONGEST_ANSWER:,} bytes")
            if self.messages.stat().st_size > MOST_MESSAGES:
                raise _Failed(f"wrote more than {MOST_MESSAGES:,} bytes of messages")
        line, _, rest = bytes(self._read).partition(b"\n")
        self._read[:] = rest
        return line

    def _is_ready(self, seconds: float) -> bool:
        assert self._running.process.stdout is not None  # it is a pipe
        waiting = select.poll()
        waiting.register(self._running.process.stdout, select.POLLIN)
        return bool(waiting.poll(1000 * seconds))

    def _take(self) -> bool:
        """Read what is there; False if the program will write no more."""
        assert self._running.process.stdout is not None  # it is a pipe
        content = os.read(self._running.process.stdout.fileno(), LONGEST_ANSWER)
        self._read += content
        return bool(content)

    def _tell_end(self) -> NoReturn:
        try:
            code = self._running.wait(_GLANCE)
        except CannotStart as error:
            raise _Failed(f"cannot start: {error}") from None
        if code is None:
            raise _Failed("closed its standard output before it answered")
        raise _Failed(f"ended with exit code {code} before it answered")


class _Programs:
    """The programs of this process, by their commands; one answers at a time."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, _Program] = OrderedDict()
        self._lock = threading.Lock()
        atexit.register(self.end)
        os.register_at_fork(after_in_child=self._forget)

    def ask(self, part: StandingCommand, request: str) -> None:
        """Let the program of a part do one run; a program that breaks the protocol is ended."""
        with self._lock:
            program = self._running(part.text) or _Program(part.text)
            answered = False
            try:
                answer = program.ask(request, part.timeout)
                answered = True
            except _Failed as error:
                raise part.failure(str(error), program.messages) from None
            finally:
                if answered:
                    self._keep(part.text, program)
                else:
                    program.end()
        if "error" in answer:
            raise PartError(f"{part.describe()} answered: {answer['error']}")

    def _running(self, text: str) -> _Program | None:
        """The program that is kept for a command, if it still runs."""
        program = self._kept.pop(text, None)
        if program is not None and program.has_ended():
            program.end()
            return None
        return program

    def _keep(self, text: str, program: _Program) -> None:
        self._kept[text] = program
        while len(self._kept) > MOST_PROGRAMS:
            self._kept.popitem(last=False)[1].end()

    def end(self) -> None:
        """End all programs."""
        with self._lock:
            while self._kept:
                self._kept.popitem()[1].end()

    def _forget(self) -> None:
        for program in self._kept.values():
            program.forget()
        self._kept.clear()
        self._lock = threading.Lock()


_PROGRAMS = _Programs()


def _parse(line: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict) or not (answer.get("ok") is True or "error" in answer):
        raise _Failed(
            f"answered {_quote(line)}; expected one line, {_EXPECTED}. Other messages belong on "
            "its standard error"
        )
    return answer


def _quote(line: bytes) -> str:
    text = line.decode(errors="replace").strip()
    return repr(text if len(text) <= 200 else f"{text[:200]}…")
