"""The filter of system calls, run by a small interpreter of its own language."""

import errno
import struct

import pytest

from quintain.programs.sandbox.seccomp import DENIED, seccomp_filter
from quintain.programs.sandbox.syscalls import ARCHITECTURES, NUMBERS

ALLOW, KILL, FAIL = 0x7FFF0000, 0x80000000, 0x00050000


def decide(code, architecture, number, *arguments):
    """What the kernel would answer, by the meaning of the six instructions that we use."""
    words = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=iIQ6Q", number, architecture, 0, *words)
    program = list(struct.iter_unpack("=HBBI", code))
    at, value = 0, 0
    while True:
        kind, yes, no, constant = program[at]
        at += 1
        if kind == 0x20:
            (value,) = struct.unpack_from("=I", data, constant)
        elif kind == 0x06:
            return constant
        else:
            jumps = {0x15: value == constant, 0x35: value >= constant, 0x45: bool(value & constant)}
            at += yes if jumps[kind] else no


@pytest.fixture(params=ARCHITECTURES)
def ask(request):
    architecture = ARCHITECTURES[request.param]
    code = seccomp_filter(request.param)

    def ask(name, *arguments):
        number = NUMBERS[name][architecture.column] if isinstance(name, str) else name
        return decide(code, architecture.audit, number, *arguments)

    ask.machine = request.param
    return ask


def test_every_call_of_the_list_is_refused_on_both_architectures(ask):
    column = ARCHITECTURES[ask.machine].column
    names = [name for name in DENIED if NUMBERS[name][column] is not None]
    assert len(names) > 55
    assert {name: ask(name) for name in names} == dict.fromkeys(names, FAIL | errno.EPERM)


def test_new_processes_are_allowed_and_new_namespaces_are_not(ask):
    assert ask("clone", 0x01200011) == ALLOW, "a fork"
    assert ask("clone", 0x003D0F00) == ALLOW, "a thread"
    for flag in (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 1 << 30):
        assert ask("clone", 0x11 | flag) == FAIL | errno.EPERM
    assert ask("clone3") == FAIL | errno.ENOSYS, "so that the library falls back to clone"


def test_only_local_sockets_are_allowed(ask):
    assert ask("socket", 1, 1, 0) == ask("socketpair", 1, 1, 0) == ALLOW
    for family in (0, 2, 10, 16, 17, 40):
        assert ask("socket", family) == FAIL | errno.EAFNOSUPPORT


def test_sockets_keep_their_size(ask):
    assert ask("setsockopt", 3, 1, 7) == ask("setsockopt", 3, 1, 32) == FAIL | errno.EPERM
    assert ask("setsockopt", 3, 1, 2) == ALLOW


def test_files_are_not_locked_leased_or_watched(ask):
    for locking in (6, 7, 37, 38, 1024, 1026):
        assert ask("fcntl", 3, locking) == FAIL | errno.ENOLCK
    for harmless in (0, 1, 2, 3, 4, 1030):
        assert ask("fcntl", 3, harmless) == ALLOW, "flags and copies of descriptors"


def test_numbers_that_count_for_the_whole_machine_are_not_told(ask):
    for option in (57, 71, 77):
        assert ask("getsockopt", 3, 1, option) == FAIL | errno.ENOPROTOOPT
    assert ask("getsockopt", 3, 1, 4) == ALLOW, "the last error"
    assert ask("setsockopt", 3, 1, 76) == FAIL | errno.EPERM
    assert ask("clone", 0x1200011 | 0x1000) == FAIL | errno.EPERM, "a process as a file"


def test_libraries_fall_back_from_calls_that_do_not_exist(ask):
    for name in ("preadv2", "pwritev2", "pidfd_open"):
        assert ask(name) == FAIL | errno.ENOSYS


def test_nothing_is_typed_into_a_terminal(ask):
    assert ask("ioctl", 0, 0x5412) == ask("ioctl", 0, 0x541C) == FAIL | errno.EPERM
    assert ask("ioctl", 0, 0x5413) == ALLOW, "the size of a terminal"
    assert ask("ioctl", 0, 0x5412 | 1 << 32) == FAIL | errno.EPERM, "the kernel reads 32 bits"


def test_calls_of_another_architecture_end_the_process():
    here, there = ARCHITECTURES.values()
    assert decide(seccomp_filter("x86_64"), there.audit, 1) == KILL
    assert decide(seccomp_filter("x86_64"), 0x40000003, 1) == KILL, "32 bits"
    assert decide(seccomp_filter("x86_64"), here.audit, 0x40000000) == KILL, "x32"
    assert decide(seccomp_filter("aarch64"), here.audit, 1) == KILL


@pytest.mark.parametrize(("machine", "read", "write"), [("x86_64", 0, 1), ("aarch64", 63, 64)])
def test_reading_and_writing_are_allowed(machine, read, write):
    architecture = ARCHITECTURES[machine]
    for number in (read, write):
        assert decide(seccomp_filter(machine), architecture.audit, number) == ALLOW


def test_a_call_has_one_number_per_architecture():
    for column in (0, 1):
        numbers = [pair[column] for pair in NUMBERS.values() if pair[column] is not None]
        assert len(numbers) == len(set(numbers))
