"""Attacks on resources: processes, memory, disk, time and output without end."""

import ctypes
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

_MIB = 1 << 20


def touch_bystander(given: dict[str, Any]) -> str:
    """Signal another process of the host, trace it, and open its memory."""
    got, process = [], given["bystander"]
    with suppress(OSError):
        os.kill(process, 0)
        got.append("signals")
    if ctypes.CDLL(None).ptrace(0x4206, process, None, None) == 0:  # seize: it is not stopped
        got.append("traces")
    with suppress(OSError):
        os.close(os.open(f"/proc/{process}/mem", os.O_RDWR))
        got.append("memory")
    return ", ".join(got)


def bomb_forks(given: dict[str, Any]) -> str:
    """Start processes until the machine refuses."""
    children: list[int] = []
    try:
        for _ in range(200):
            children.append(_fork_sleeper())  # noqa: PERF401 -- all but the last one are kept
        return f"{len(children)} processes"
    except OSError:
        return ""
    finally:
        _end(children)


def _fork_sleeper(begin: Callable[[], object] = lambda: None) -> int:
    """A child that does something, keeps what came of it, and sleeps."""
    child = os.fork()
    if child == 0:
        kept = begin()
        time.sleep(20)
        os._exit(kept is None)
    return child


def _end(children: list[int]) -> None:
    """End children, so that the next attack finds room."""
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def start_daemon(given: dict[str, Any]) -> str:
    """Start a process that outlives the program."""
    source, sink = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            text = f"import time; token = {given['token']!r}; time.sleep(60)"
            os.execv(sys.executable, [sys.executable, "-I", "-c", text])  # noqa: S606
        os._exit(0)
    os.close(sink)
    os.read(source, 1)  # ends when the other side is closed: the daemon runs its own command
    return ""


def ignore_signals(given: dict[str, Any]) -> str:
    """Ignore every signal and never end, in two processes."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    os.fork()
    while True:
        time.sleep(1)


def fill_memory(given: dict[str, Any]) -> str:
    """Use eight times the memory that is allowed."""
    blocks = [b"x" * (16 * _MIB) for _ in range(8 * given["memory_mib"] // 16)]
    return f"{sum(map(len, blocks)) // _MIB} MiB"


def fill_memory_together(given: dict[str, Any]) -> str:
    """Use memory in twelve processes, each of them within the limit."""
    share = given["memory_mib"] * _MIB // 2
    children = [_fork_sleeper(lambda: b"x" * share) for _ in range(12)]
    time.sleep(3)
    _end(children)
    return f"{12 * share // _MIB} MiB"


def fill_disk(given: dict[str, Any]) -> str:
    """Write files until the disk is full, or to four times of what is allowed."""
    written, block = 0, bytes(_MIB)
    with suppress(OSError):
        for number in range(16):
            with Path(tempfile.gettempdir(), f"fill{number}").open("wb") as file:
                for _ in range(16):
                    written += file.write(block)
        return f"{written // _MIB} MiB of temporary files"
    return ""


def fill_sockets(given: dict[str, Any]) -> str:
    """Keep data on its way through sockets, where no process has it."""
    source, sink = os.pipe()

    def fill() -> list[socket.socket]:
        pairs: list[socket.socket] = []
        os.write(sink, _fill_pairs(pairs).to_bytes(8, "big"))
        return pairs

    children = [_fork_sleeper(fill) for _ in range(12)]
    total = sum(int.from_bytes(os.read(source, 8), "big") for _ in range(12))
    time.sleep(0.5)
    _end(children)
    return f"{total // _MIB} MiB" if total > given["memory_mib"] * _MIB else ""


def _fill_pairs(pairs: list[socket.socket]) -> int:
    total = 0
    with suppress(OSError):
        for _ in range(110):
            pairs += (pair := socket.socketpair())
            for end in pair:
                end.setblocking(False)
                with suppress(BlockingIOError):
                    while True:
                        total += end.send(bytes(1 << 16))
    return total


def make_names(given: dict[str, Any]) -> str:
    """Make empty files, which take no space but need memory."""
    count = 600 * given["memory_mib"]
    in_memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108
    with suppress(OSError), tempfile.TemporaryDirectory(dir=in_memory) as folder:
        for number in range(count):
            os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_WRONLY))
        time.sleep(0.2)
        return f"{count} files"
    return ""


def flood_log(given: dict[str, Any]) -> str:
    """Print without end, on both streams."""
    for _ in range(64):
        os.write(1, b"o" * _MIB)
        os.write(2, b"e" * _MIB)
    os._exit(3)


def flood_answer(given: dict[str, Any]) -> str:
    """Return far more than was asked for."""
    return "x" * (256 * _MIB)
