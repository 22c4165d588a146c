"""Seccomp: the filter of system calls that the kernel applies to a program.

It is a deny list. What it refuses is of no use for computing: other namespaces, mounts, other
processes' memory, kernel modules, keys, clocks, sockets other than local ones, and memory that
belongs to no process. It also refuses what one program could use to leave a note for the next, or
for one that runs at the same time: which pages of files are in memory, locks on files that both
see, and numbers that count for the whole machine. The filter is a program of the classic Berkeley
packet filter.

References
----------
Linux, ``Documentation/userspace-api/seccomp_filter.rst``.
McCanne and Jacobson 1993, The BSD Packet Filter.
"""

from __future__ import annotations

import errno
import platform
import struct

from quintain.programs.sandbox.syscalls import ARCHITECTURES, NUMBERS

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
"""Offsets in the data that the kernel shows to a filter."""
_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000

_NAMESPACES = 0x7E020000
"""The flags of ``clone`` that make a new namespace."""
_LOCAL = 1
"""The family of sockets within one machine."""
_TERMINAL = (0x5412, 0x541C)
"""Requests that put characters into a terminal's input."""

_LARGER_BUFFERS = (7, 32)
"""Options that let a socket keep more data than by default."""
_PASS_PROCESS = 76
"""An option by which a socket hands over processes as files, whose numbers count for all."""
_NUMBERS_FOR_ALL = (57, 71, 77)
"""Options of sockets that tell numbers that count for the whole machine."""
_LOCKS = (6, 7, 37, 38, 1024, 1026)
"""Commands that lock a file, lease it or watch it."""
_PROCESS_AS_FILE = 0x1000
"""The flag of ``clone`` that opens the new process as a file."""

_REFUSED_VALUES: dict[str, tuple[int, tuple[int, ...], int]] = {
    "fcntl": (1, _LOCKS, errno.ENOLCK),
    "getsockopt": (2, _NUMBERS_FOR_ALL, errno.ENOPROTOOPT),
    "ioctl": (1, _TERMINAL, errno.EPERM),
    "setsockopt": (2, (*_LARGER_BUFFERS, _PASS_PROCESS), errno.EPERM),
}
"""System calls that fail if an argument has certain values: its number, the values, the error."""
_WITH_ARGUMENTS = {"clone", "socket", "socketpair", *_REFUSED_VALUES}
_ABSENT = {"clone3", "pidfd_open", "preadv2", "pwritev2"}
"""The library falls back to a call that a filter can look into if these do not exist."""
DENIED = sorted(set(NUMBERS) - _WITH_ARGUMENTS - _ABSENT)
"""The system calls that always fail."""

Instruction = tuple[int, int, int, int]


def seccomp_filter(machine: str | None = None) -> bytes:
    """The filter for an architecture, as bytes for ``seccomp``; for this machine by default.

    A call of another architecture ends the process: its numbers mean something else.

    >>> len(seccomp_filter("x86_64")) % 8
    0
    """
    architecture = ARCHITECTURES[machine or platform.machine()]
    code: list[Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, architecture.audit),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if architecture.foreign is not None:
        code += [(_JUMP_AT_LEAST, 0, 1, architecture.foreign), (_RETURN, 0, 0, _KILL)]
    for name, numbers in NUMBERS.items():
        number = numbers[architecture.column]
        if number is not None:
            body = _body(name)
            code += [(_JUMP_EQUAL, 0, len(body), number), *body]
    code.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


def _body(name: str) -> list[Instruction]:
    """What happens in a system call of the list; every body ends with a decision."""
    if name == "clone":
        refused = _NAMESPACES | _PROCESS_AS_FILE
        return [_argument(0), (_JUMP_ANY_BIT, 0, 1, refused), _fail(errno.EPERM), _allow()]
    if name in ("socket", "socketpair"):
        return [_argument(0), (_JUMP_EQUAL, 1, 0, _LOCAL), _fail(errno.EAFNOSUPPORT), _allow()]
    if name in _REFUSED_VALUES:
        number, values, error = _REFUSED_VALUES[name]
        jumps = [(_JUMP_EQUAL, len(values) - i, 0, value) for i, value in enumerate(values)]
        return [_argument(number), *jumps, _allow(), _fail(error)]
    return [_fail(errno.ENOSYS if name in _ABSENT else errno.EPERM)]


def _argument(number: int) -> Instruction:
    """Load the lower half of an argument; the kernel ignores the upper half of these."""
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * number)


def _fail(code: int) -> Instruction:
    return (_RETURN, 0, 0, _FAIL | code)


def _allow() -> Instruction:
    return (_RETURN, 0, 0, _ALLOW)
