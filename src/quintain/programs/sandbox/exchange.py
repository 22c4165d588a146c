"""Exchange: send a message to a process and read its answer and its log, all of limited size."""

from __future__ import annotations

import os
import selectors
import subprocess
from collections.abc import Callable, Sequence
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


class Exchange:
    """The three pipes of a process.

    Attributes
    ----------
    answer : what the process wrote to its standard output.
    log : the first part of what it wrote to its standard error; the rest is thrown away.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], message: Sequence[bytes], most: int
    ) -> None:
        assert process.stdin is not None  # all three are pipes
        assert process.stdout is not None
        assert process.stderr is not None
        self.answer, self.log = bytearray(), bytearray()
        self._process, self._most = process, most
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
                pipe.close()

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
