"""Exchange: send a message to a process and read its answer and its log, all of limited size.

A process may also ask before it answers, if somebody listens: a question is :data:`QUESTION`, its
length in eight bytes, and its bytes; what comes back is a length and bytes.
"""

from __future__ import annotations

import os
import selectors
import subprocess
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from selectors import EVENT_READ, EVENT_WRITE
from typing import IO

from quintain.programs.failures import Reason
from quintain.programs.limits import MIB

LONGEST_LOG = MIB
TICK = 0.03
"""How many seconds pass at most between two looks at the process."""
_CHUNK = 1 << 18
HELLO = b"quintain"
"""The first bytes of an answer, from our own code, before the program gets control."""
QUESTION = b"question"
"""The first bytes of a question; no answer goes on like this, because it would be too long."""
_LENGTH = 8

Ask = Callable[[bytes], bytes]
"""What a process may ask: from the bytes of a question to those of what comes back."""


class Exchange:
    """The three pipes of a process.

    Parameters
    ----------
    ask : who says something to each question of the process; without it, nobody listens.

    Attributes
    ----------
    answer : what the process wrote to its standard output.
    log : the first part of what it wrote to its standard error; the rest is thrown away.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        message: Sequence[bytes],
        most: int,
        ask: Ask | None = None,
    ) -> None:
        assert process.stdin is not None  # all three are pipes
        assert process.stdout is not None
        assert process.stderr is not None
        self.answer, self.log = bytearray(), bytearray()
        self._process, self._most, self._ask = process, most, ask
        self._asked: Future[bytes] | None = None
        self._left = [memoryview(part) for part in message if part]
        self._sink = process.stdin.fileno()
        serve: dict[IO[bytes], Callable[[int], bool]] = {
            process.stdin: self._send,
            process.stdout: partial(self._read, self.answer, most + 1),
            process.stderr: partial(self._read, self.log, LONGEST_LOG),
        }
        self._pipes = {pipe.fileno(): (pipe, work) for pipe, work in serve.items()}

    def run(self, watch: Callable[[], Reason | None]) -> Reason | None:
        """Exchange until the process ends; returns why it has to be stopped before that."""
        with selectors.DefaultSelector() as selector:
            for pipe in self._pipes:
                os.set_blocking(pipe, False)
                selector.register(pipe, EVENT_WRITE if pipe == self._sink else EVENT_READ)
            while True:
                over = self._ended(selector)
                self._turn(selector)
                if len(self.answer) > self._most:
                    return Reason.WRONG_SHAPE
                if self._ask is not None:
                    self._listen(self._ask, selector)
                if over:
                    return None
                if (reason := watch()) is not None:
                    return reason

    def _ended(self, selector: selectors.BaseSelector) -> bool:
        if selector.get_map():
            return self._process.poll() is not None
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(TICK)
        return self._process.returncode is not None

    def _turn(self, selector: selectors.BaseSelector) -> None:
        """Serve every pipe that is ready; forget those that are closed."""
        for key, _ in selector.select(TICK) if selector.get_map() else []:
            pipe, serve = self._pipes[key.fd]
            if not serve(key.fd):
                selector.unregister(key.fd)
                if key.fd != self._sink or self._ask is None:
                    pipe.close()

    def _listen(self, ask: Ask, selector: selectors.BaseSelector) -> None:
        """Hand a question on, or send what came back; raises what ``ask`` raises.

        The limits of the process hold while somebody thinks about its question.
        """
        if self._asked is None:
            question = self._take_question()
            self._asked = None if question is None else _begin(ask, question)
        elif self._asked.done():
            reply, self._asked = self._asked.result(), None
            self._left += [memoryview(len(reply).to_bytes(_LENGTH, "big") + reply)]
            if self._sink not in selector.get_map():
                selector.register(self._sink, EVENT_WRITE)

    def _take_question(self) -> bytes | None:
        """The next question of the process, if all of it is there."""
        start = len(HELLO) + len(QUESTION)
        if self.answer[:start] != HELLO + QUESTION:
            return None
        end = start + _LENGTH + int.from_bytes(self.answer[start : start + _LENGTH], "big")
        if len(self.answer) < max(end, start + _LENGTH):
            return None
        question = bytes(self.answer[start + _LENGTH : end])
        del self.answer[len(HELLO) : end]
        return question

    def _send(self, pipe: int) -> bool:
        try:
            while self._left:
                sent = os.write(pipe, self._left[0][:_CHUNK])
                self._left[0] = self._left[0][sent:]
                if not self._left[0]:
                    del self._left[0]
        except BlockingIOError:
            return True
        except BrokenPipeError:  # the process does not read on; how it ends says why
            self._left.clear()
        return False

    def _read(self, content: bytearray, most: int, pipe: int) -> bool:
        """Read until nothing is there; bytes above ``most`` are thrown away, but not for long."""
        for _ in range(64):
            try:
                chunk = os.read(pipe, _CHUNK)
            except BlockingIOError:
                return True
            if not chunk:
                return False
            content += chunk[: max(0, most - len(content))]
        return True


def _begin(ask: Ask, question: bytes) -> Future[bytes]:
    """Ask in a thread, which ends with this process if nobody waits for it any more."""
    future: Future[bytes] = Future()

    def think() -> None:
        try:
            future.set_result(ask(question))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=think, daemon=True).start()
    return future
