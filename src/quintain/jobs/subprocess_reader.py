"""Apart: read files of strangers in processes of their own, with limits on memory and time.

A file from outside is read by libraries that were not written against an enemy. Here such a file is
read by a process that exists for this one file and ends with it. By assumption the file has taken
that process over, so nothing but plain JSON and bytes comes back, with limits on their size, and
the caller checks what they say.

A server process loads the libraries once and then only forks: a *keeper*, which waits, and a
*worker*, which reads. Forking is safe there, because the server has a single thread.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from quintain.jobs.subprocess_server import CONTROL, FRAME, JSON_BYTES, Frame
from quintain.registry import PLUGIN_FILES
from quintain.wording.languages import tell

_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from quintain.jobs.subprocess_server import serve; serve(int(sys.argv[2]), sys.argv[3:])"
)
_ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
    "LC_ALL": "C.UTF-8",
    "PYDANTIC_DISABLE_PLUGINS": "__all__",
}
"""No library starts a thread, since a process with threads must not fork; no plugin of others."""
_KEPT_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", PLUGIN_FILES)
_AT_ONCE = max(1, min(4, os.cpu_count() or 1))
_GRACE = 30.0
"""How many seconds longer than its keeper this process waits for a worker."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one call may use: bytes of memory and seconds of processor time."""

    memory: int
    seconds: int

    @property
    def wall_seconds(self) -> int:
        """The longest time on the clock; a busy machine gives a process only part of it."""
        return 4 * self.seconds


class NotRead(Exception):
    """A worker did not finish; the message says why, as the end of a sentence about the file."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call has used, as far as the system says: processor time and the most memory."""

    seconds: float = 0.0
    memory: int = 0


def _ignore(_: Usage) -> None:
    """Take no notice, while nobody measures what calls use."""


class Apart:
    """Calls module-level functions in processes of their own.

    Parameters
    ----------
    modules : loaded by the server before its first call, so that no call has to wait for them.
        Plugins are loaded then, too.

    ``watch`` is called with what every call has used, for measurements.
    """

    def __init__(self, *modules: str) -> None:
        self._modules = modules
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(_AT_ONCE)
        self._server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._plugins = ""
        self.watch: Callable[[Usage], object] = _ignore
        atexit.register(self.stop)
        os.register_at_fork(after_in_child=self._forget)

    def start(self) -> None:
        """Start the server if it does not run, without waiting until it is ready."""
        with self._lock:
            self._running()

    def call(
        self,
        function: str,
        arguments: Mapping[str, Any],
        content: bytes | Sequence[bytes] | BinaryIO,
        allowance: Allowance,
        *,
        most: int,
    ) -> Iterator[Frame]:
        """What a function yields for a content: tables of plain values, and bytes.

        Parameters
        ----------
        function : "module:name" of a generator that takes the arguments and a binary file.
        content : bytes, several of them that follow each other, or an open file of which the
            worker gets a descriptor.
        most : the largest number of bytes that may come back.
        """
        with self._places, _descriptor(content) as source:
            request = {"function": function, "arguments": dict(arguments)}
            answers, status = self._send(source, allowance)
            with answers, status:
                answers.settimeout(allowance.wall_seconds + _GRACE)
                status.settimeout(_GRACE)
                yield from self._answers(answers, status, request, allowance, most)

    def _send(self, source: int, allowance: Allowance) -> tuple[socket.socket, socket.socket]:
        """Hand a call to the server, and give the two ends on which it is answered."""
        answers, worker_end = socket.socketpair()
        status, keeper_end = socket.socketpair()
        facts = CONTROL.pack(allowance.memory, allowance.seconds, allowance.wall_seconds)
        with worker_end, keeper_end, self._lock:
            fds = [worker_end.fileno(), keeper_end.fileno(), source]
            try:
                socket.send_fds(self._running(), [facts], fds)
            except BrokenPipeError:
                self._close()
                socket.send_fds(self._running(), [facts], fds)
        return answers, status

    def _answers(
        self,
        answers: socket.socket,
        status: socket.socket,
        request: Mapping[str, Any],
        allowance: Allowance,
        most: int,
    ) -> Iterator[Frame]:
        problem = "ended before it was read"
        try:
            content = json.dumps(request).encode()
            answers.sendall(FRAME.pack(b"J", len(content)) + content)
            for frame in _frames(answers, most):
                if isinstance(frame, dict) and "failed" in frame:
                    problem = str(frame["failed"])[:200]
                    break
                yield frame
            else:
                self.watch(_usage(status)[1])
                return
        except NotRead as reason:
            problem = str(reason)
        except (EOFError, OSError, ValueError, RecursionError):
            pass
        answers.close()  # a worker that still writes ends here
        code, usage = _usage(status)
        self.watch(usage)
        raise NotRead(_why(code, problem, allowance))

    def _running(self) -> socket.socket:
        plugins = os.environ.get(PLUGIN_FILES, "")
        alive = self._server is not None and self._server.poll() is None
        if self._control is not None and alive and self._plugins == plugins:
            return self._control
        self._close()
        self._plugins = plugins
        our_end, server_end = socket.socketpair()
        places = [os.path.abspath(place) for place in sys.path]  # noqa: PTH100 -- texts for another process
        kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        number = str(server_end.fileno())
        with server_end:
            self._server = subprocess.Popen(  # noqa: S603 -- our own interpreter and module
                [sys.executable, "-I", "-c", _BOOT, json.dumps(places), number, *self._modules],
                env=kept | _ENVIRONMENT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(server_end.fileno(),),
                start_new_session=True,
            )
        self._control = our_end
        return our_end

    def stop(self) -> None:
        """End the server; the next call starts another one."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._control is not None:
            self._control.close()
        if self._server is not None:
            self._server.kill()
            self._server.wait()
        self._control = self._server = None

    def _forget(self) -> None:
        """In a forked process: the server belongs to the parent."""
        if self._server is not None:
            self._server.returncode = 0  # so that nobody here waits for it
        if self._control is not None:
            self._control.close()
        self._control = self._server = None
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(_AT_ONCE)


def _why(code: int | None, problem: str, allowance: Allowance) -> str:
    """Why a worker did not finish, in words for the sender of the file."""
    memory = f"{allowance.memory / 1e9:.3g}"
    if problem == "memory" or code == signal.SIGKILL:
        return tell("needs more than %(memory)s GB of memory to read", memory=memory)
    if code in (signal.SIGXCPU, signal.SIGALRM):
        return tell(
            "needs more than %(seconds)s s of computing time to read", seconds=allowance.seconds
        )
    if code:
        return tell("cannot be read: the reader ended with signal %(code)s", code=code)
    return tell("cannot be read: %(problem)s", problem=problem)


@contextlib.contextmanager
def _descriptor(content: bytes | Sequence[bytes] | BinaryIO) -> Iterator[int]:
    """A descriptor of the content, for the worker to read."""
    if not isinstance(content, bytes | Sequence):
        yield content.fileno()
        return
    in_memory = hasattr(os, "memfd_create")
    with _memory() if in_memory else tempfile.TemporaryFile(prefix="quintain-") as file:
        file.writelines([content] if isinstance(content, bytes) else content)
        file.flush()
        yield file.fileno()


def _memory() -> BinaryIO:
    return os.fdopen(os.memfd_create("quintain"), "w+b")


def _frames(answers: socket.socket, most: int) -> Iterator[Frame]:
    """The frames that a worker sends, up to the one that says it is done."""
    while True:
        kind, size = FRAME.unpack(_exactly(answers, FRAME.size))
        most -= size
        if most < 0 or (kind != b"B" and size > JSON_BYTES):
            raise NotRead(tell("the reader returned more than the limit"))
        content = _exactly(answers, size)
        if kind == b"E":
            return
        if kind == b"B":
            yield content
        else:
            table = json.loads(content)
            if not isinstance(table, dict):
                raise NotRead(tell("the reader returned something else than it was asked for"))
            yield table


def _exactly(answers: socket.socket, size: int) -> bytes:
    parts = bytearray(size)
    view, done = memoryview(parts), 0
    while done < size:
        got = answers.recv_into(view[done:])
        if not got:
            raise EOFError
        done += got
    return bytes(parts)


def _usage(status: socket.socket) -> tuple[int | None, Usage]:
    """The signal that ended a worker, 0 if none, and what it used; the keeper says so."""
    try:
        facts = json.loads(status.recv(1000) or b"null")
    except (OSError, ValueError):
        facts = None
    if facts is None:
        return None, Usage()
    return int(facts["signal"]), Usage(float(facts["seconds"]), int(facts["memory"]))


READERS = Apart("quintain.data.files.readers")
"""The processes that read data files, archives and cards of strangers."""
