"""The server of :mod:`quintain.jobs.subprocess_reader`: forks a keeper and a worker for every call.

The server and the keepers never look at a content; only workers do.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import signal
import socket
import struct
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, NoReturn

from quintain import registry

CONTROL = struct.Struct("<QQQ")
"""What the server is told about a call: bytes of memory, seconds of processor time and of clock."""
FRAME = struct.Struct("<cQ")
"""A kind (J: a JSON table, B: bytes, E: the end) and the number of bytes that follow."""
JSON_BYTES = 1 << 24
"""The longest JSON text that is accepted from a worker."""

Frame = dict[str, Any] | bytes
Sent = Mapping[str, Any] | bytes | memoryview
Function = Callable[[Mapping[str, Any], BinaryIO], Iterator[Sent]]


class _NoPandas:
    """Makes pandas look as if it were not installed."""

    def find_spec(self, name: str, *_: object) -> None:
        """Refuse to find pandas."""
        if name == "pandas":
            raise ModuleNotFoundError(name)


def serve(control: int, modules: Sequence[str]) -> None:
    """Fork for every call until the other end is closed."""
    _import_without_pandas(modules)
    registry.load()  # before any content is there, and without the limits of a call
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for keepers
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with socket.socket(fileno=control) as calls:
        while True:
            facts, fds, _, _ = socket.recv_fds(calls, CONTROL.size, 3)
            if len(facts) < CONTROL.size:
                return
            if os.fork() == 0:
                calls.close()
                _keep(fds, *CONTROL.unpack(facts))
            for fd in fds:
                os.close(fd)


def _import_without_pandas(modules: Sequence[str]) -> None:
    """Import modules, and let pyarrow do without pandas, which takes memory and time to load.

    pyarrow looks for pandas once, when it first makes an array. A plugin may import it afterwards.
    """
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    for module in modules:
        importlib.import_module(module)
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].array([None])
    sys.meta_path.remove(finder)


def _keep(fds: Sequence[int], memory: int, seconds: int, wall: int) -> NoReturn:
    """Start a worker, wait for it, and report how it ended and what it used."""
    answers, status, source = fds
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    worker = os.fork()
    if worker == 0:
        os.close(status)
        _work(answers, source, memory, seconds)
    os.close(answers)
    os.close(source)
    late = False

    def kill(*_: object) -> None:
        nonlocal late
        late = True
        os.kill(worker, signal.SIGKILL)

    signal.signal(signal.SIGALRM, kill)
    signal.alarm(wall)
    _, code, used = os.wait4(worker, 0)
    signal.alarm(0)
    ended_by = int(signal.SIGALRM) if late else os.WTERMSIG(code) if os.WIFSIGNALED(code) else 0
    unit = 1 if sys.platform == "darwin" else 1024
    facts = {
        "signal": ended_by,
        "seconds": used.ru_utime + used.ru_stime,
        "memory": used.ru_maxrss * unit,
    }
    with contextlib.suppress(OSError):
        os.write(status, json.dumps(facts).encode())
    os._exit(0)


def _work(answers: int, source: int, memory: int, seconds: int) -> NoReturn:
    """Call the function, and send what it yields."""
    code = 1
    try:
        _limit(memory, seconds)
        with socket.socket(fileno=answers) as out, os.fdopen(source, "rb") as content:
            _answer(out, content)
        code = 0
    finally:
        os._exit(code)


def _limit(memory: int, seconds: int) -> None:
    """Set limits that the worker itself cannot raise; it writes no files."""
    for kind, soft, hard in (
        (resource.RLIMIT_DATA, memory, memory),
        (resource.RLIMIT_CPU, seconds, seconds + 1),  # at the hard limit no reason is given
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        with contextlib.suppress(ValueError, OSError):  # a stricter limit holds already
            resource.setrlimit(kind, (soft, hard))


def _answer(out: socket.socket, content: BinaryIO) -> None:
    _, size = FRAME.unpack(_exactly(out, FRAME.size))
    request = json.loads(_exactly(out, size))
    module, _, name = request["function"].partition(":")
    function: Function = getattr(importlib.import_module(module), name)
    try:
        content.seek(0)
        for frame in function(request["arguments"], content):
            _send(out, frame)
        out.sendall(FRAME.pack(b"E", 0))
    except MemoryError:
        _send(out, {"failed": "memory"})
    except OSError:
        raise
    except Exception as problem:  # the content decides which; the caller gets its name
        _send(out, {"failed": f"the reader failed with {type(problem).__name__}"})


def _send(out: socket.socket, frame: Sent) -> None:
    kind = b"J" if isinstance(frame, Mapping) else b"B"
    content = json.dumps(frame).encode() if isinstance(frame, Mapping) else memoryview(frame)
    out.sendall(FRAME.pack(kind, memoryview(content).nbytes))
    out.sendall(content)


def _exactly(source: socket.socket, size: int) -> bytes:
    content = b""
    while len(content) < size:
        part = source.recv(size - len(content))
        if not part:
            raise EOFError
        content += part
    return content
