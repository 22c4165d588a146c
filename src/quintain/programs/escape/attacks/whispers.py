"""Whispers: pairs of programs; the first leaves bits on the machine, the second reads them.

Each writer and each reader knows the same places. A reader that cannot look returns nothing.
"""

import contextlib
import fcntl
import functools
import mmap
import os
import resource
import socket
import statistics
import struct
import sysconfig
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

_SMALLEST = 1 << 13
"""Files of this many bytes and more are used."""
_DROP = 4
"""The advice that a file is not needed in memory."""
_NAMES = 4
"""How many missing names stand for one bit."""
_COOKIE = 57
_PAGES = 32
"""How many pages stand for one step of the counter."""
_BEGUN, _ENDED, _FIRST = 1, 2, 10
"""Bytes of a file whose locks say that all others are there, that all were read; the first bit."""
_PATIENCE = 20.0
_IS_FREE = 2


def take_turns(given: dict[str, Any]) -> str:
    """Do what the host names, one after another: start once, and whisper or listen many times."""
    ask, heard = given["ask"], ""
    while (turn := ask("turn", heard=heard)) is not None:
        try:
            heard = globals()[turn["function"]](turn)
        except Exception:  # what one pair may not do says nothing about the next
            heard = ""
    return "done"


# --- which pages of files are in memory -----------------------------------------------------------


def read_some_pages(given: dict[str, Any]) -> str:
    """Drop some files from memory where that is allowed, and read those whose bit is 1."""
    with _files(given) as files:
        for file in files:
            with contextlib.suppress(OSError):
                os.posix_fadvise(file, 0, 0, _DROP)
        for file, bit in zip(files, given["bits"], strict=True):
            if bit == "1":
                os.pread(file, 1, 0)
    return "done"


def time_pages(given: dict[str, Any]) -> str:
    """What is in memory is read faster."""
    with _files(given) as files:
        return _fast_ones([_nanoseconds(partial(os.pread, file, 1, 0)) for file in files])


def count_blocks(given: dict[str, Any]) -> str:
    """What is in memory needs no block of the disk, and no fault that waits for one."""
    bits = ""
    with _files(given) as files:
        for file in files:
            before = _blocks()
            with mmap.mmap(file, 1 << 12, mmap.MAP_SHARED, mmap.PROT_READ) as mapped:
                mapped.read_byte()
            bits += "1" if _blocks() == before else "0"
    return bits


def _blocks() -> int:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_inblock + used.ru_majflt


@contextlib.contextmanager
def _files(given: dict[str, Any]) -> Iterator[list[int]]:
    """Open files of the interpreter that no program reads; another pair has other ones."""
    large = _large_files()
    first, size = given["first"], len(given.get("bits", "")) or given["size"]
    opened = [os.open(path, os.O_RDONLY) for path in large[first : first + size]]
    try:
        yield opened
    finally:
        for file in opened:
            os.close(file)


@functools.cache
def _large_files() -> list[Path]:
    return [
        path
        for path in sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py"))
        if "site-packages" not in path.parts and path.stat().st_size >= _SMALLEST
    ]


# --- which names somebody looked for --------------------------------------------------------------


def look_for_names(given: dict[str, Any]) -> str:
    """Look for names that do not exist, where the bit is 1."""
    for number, bit in enumerate(given["bits"]):
        for name in _names(given, number) if bit == "1" else ():
            os.access(name, os.F_OK)
    return "done"


def time_names(given: dict[str, Any]) -> str:
    """The kernel remembers that a name is missing, and answers faster."""
    times = []
    for number in range(given["size"]):
        names = _names(given, number)
        times.append(min(_nanoseconds(partial(os.access, name, os.F_OK)) for name in names))
    return _fast_ones(times)


def _names(given: dict[str, Any], number: int) -> list[str]:
    folder = sysconfig.get_path("stdlib")
    return [f"{folder}/{given['token']}-{number}-{copy}" for copy in range(_NAMES)]


def _nanoseconds(act: Callable[[], object]) -> int:
    began = time.perf_counter_ns()
    act()
    return time.perf_counter_ns() - began


def _fast_ones(times: list[int]) -> str:
    """A bit for each time: 1 below the middle between the fast ones and the slow ones."""
    fifths = statistics.quantiles(times, n=5)
    middle = (fifths[0] * fifths[-1]) ** 0.5
    return "".join("1" if seconds < middle else "0" for seconds in times)


# --- numbers that count for the whole machine -----------------------------------------------------


def count_sockets(given: dict[str, Any]) -> str:
    """Ask for numbers of new sockets until the last digits are the message."""
    _use_one_processor()
    message, size = int(given["bits"], 2), len(given["bits"])
    while _socket_number() % (1 << size) != message:
        pass
    return "done"


def read_sockets(given: dict[str, Any]) -> str:
    """Ask for the number of one socket: it is the next one."""
    _use_one_processor()
    try:
        number = _socket_number() - 1
    except OSError:
        return ""
    return _digits(number, given["size"])


def _socket_number() -> int:
    with socket.socket(socket.AF_UNIX) as one:
        return int.from_bytes(one.getsockopt(socket.SOL_SOCKET, _COOKIE, 8), "little")


def _use_one_processor() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def free_pages(given: dict[str, Any]) -> str:
    """Give pages back lazily until the kernel's count of them is the message."""
    message, size = int(given["bits"], 2), len(given["bits"])
    while (left := (message * _PAGES + _PAGES // 2 - _count_freed()) % (_PAGES << size)) > _PAGES:
        length = min(left, 1 << 14) * mmap.PAGESIZE
        with mmap.mmap(-1, length, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as block:
            block.write(bytes(length))
            block.madvise(mmap.MADV_FREE)
    return "done"


def read_counts(given: dict[str, Any]) -> str:
    """Read the kernel's count of pages that were given back lazily."""
    try:
        return _digits(_count_freed() // _PAGES, given["size"])
    except (OSError, StopIteration):
        return ""


def _count_freed() -> int:
    lines = Path("/proc/vmstat").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("pglazyfree "))


def _digits(number: int, size: int) -> str:
    return f"{number % (1 << size):0{size}b}"


# --- locks on files that both programs see --------------------------------------------------------


def hold_locks(given: dict[str, Any]) -> str:
    """Lock a byte of a file for each bit that is 1, until the reader has seen all."""
    with Path(os.__file__).open("rb") as file:
        for number, bit in enumerate(given["bits"]):
            if bit == "1":
                fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB, 1, _FIRST + number)
        fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB, 1, _BEGUN)
        _wait_for_lock(file.fileno(), _ENDED)
    return "done"


def read_locks(given: dict[str, Any]) -> str:
    """Ask for each byte whether somebody locked it."""
    with Path(os.__file__).open("rb") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB, 1, 0)
        except OSError:
            return ""
        if not _wait_for_lock(file.fileno(), _BEGUN):
            return ""
        numbers = range(_FIRST, _FIRST + given["size"])
        bits = "".join("1" if _is_locked(file.fileno(), number) else "0" for number in numbers)
        fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB, 1, _ENDED)
        time.sleep(0.5)
    return bits


def _wait_for_lock(file: int, byte: int) -> bool:
    end = time.monotonic() + _PATIENCE
    while not _is_locked(file, byte):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def _is_locked(file: int, byte: int) -> bool:
    asked_for = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, byte, 1, 0)
    kind: int = struct.unpack("hhqqi4x", fcntl.fcntl(file, fcntl.F_GETLK, asked_for))[0]
    return kind != _IS_FREE
