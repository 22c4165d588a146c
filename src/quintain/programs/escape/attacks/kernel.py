"""Attacks on the kernel: namespaces, mounts, sockets, keys and other doors, by system calls."""

import ctypes
import errno
import os
import platform
import pty
import signal
import socket
import sys
import termios
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

_LIBRARY = ctypes.CDLL(None, use_errno=True)
_REFUSED = (errno.EPERM, errno.ENOSYS, errno.EACCES)
_USER, _MOUNT, _NETWORK = 0x10000000, 0x00020000, 0x40000000
_NUMBERS = {
    "x86_64": {"clone": 56, "clone3": 435, "add_key": 248, "keyctl": 250, "userfaultfd": 323}
    | {"bpf": 321, "perf_event_open": 298, "kexec_load": 246, "init_module": 175, "shmget": 29}
    | {"memfd_create": 319, "io_uring_setup": 425, "reboot": 169, "settimeofday": 164}
    | {"open_by_handle_at": 304, "fsopen": 430, "syslog": 103},
    "aarch64": {"clone": 220, "clone3": 435, "add_key": 217, "keyctl": 219, "userfaultfd": 282}
    | {"bpf": 280, "perf_event_open": 241, "kexec_load": 104, "init_module": 105, "shmget": 194}
    | {"memfd_create": 279, "io_uring_setup": 425, "reboot": 142, "settimeofday": 170}
    | {"open_by_handle_at": 265, "fsopen": 430, "syslog": 116},
}[platform.machine()]


def _system_call(name: str, *arguments: Any) -> int:
    """The result of a system call, or minus its error."""
    number = ctypes.c_long(_NUMBERS[name])
    values = [ctypes.c_long(v) if isinstance(v, int) else v for v in arguments]
    result = int(_LIBRARY.syscall(number, *values))
    return result if result >= 0 else -ctypes.get_errno()


def _in_child(work: Callable[[], bool]) -> bool:
    """Whether something succeeds in a process of its own, which it may change."""
    child = os.fork()
    if child == 0:
        worked = False
        with suppress(BaseException):
            worked = work()
        os._exit(0 if worked else 1)
    return os.waitpid(child, 0)[1] == 0


def make_namespaces(given: dict[str, Any]) -> str:
    """Make a new user, get all rights in it, then make other namespaces and mount."""
    ways = {
        "user": lambda: _LIBRARY.unshare(_USER) == 0,
        "mount": lambda: _LIBRARY.unshare(_MOUNT) == 0,
        "network": lambda: _LIBRARY.unshare(_NETWORK) == 0,
        "user and mount": lambda: _LIBRARY.unshare(_USER | _MOUNT) == 0,
        "chroot": lambda: _LIBRARY.chroot(b"/tmp") == 0,
        "tmpfs": lambda: _LIBRARY.unshare(_MOUNT) == 0 and _mount_private(),
        "setns": _join_first,
        "fsopen": lambda: _system_call("fsopen", ctypes.c_char_p(b"tmpfs"), 0) >= 0,
    }
    return ", ".join(name for name, work in ways.items() if _in_child(work))


def _mount_private() -> bool:
    private = _LIBRARY.mount(None, b"/", None, 0x44000, None) == 0
    return bool(private and _LIBRARY.mount(b"x", b"/tmp", b"tmpfs", 0, None) == 0)


def _join_first() -> bool:
    number = os.open("/proc/1/ns/uts", os.O_RDONLY)
    return bool(_LIBRARY.setns(number, 0) == 0)


def clone_user(given: dict[str, Any]) -> str:
    """Make a new user by the system calls that start processes."""
    got = []
    pid = _system_call("clone", _USER | signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    if pid > 0:
        os.waitpid(pid, 0)
        got.append("clone")
    fields = (ctypes.c_uint64 * 11)(_USER, 0, 0, 0, signal.SIGCHLD)
    pid = _system_call("clone3", ctypes.byref(fields), ctypes.sizeof(fields))
    if pid == 0:
        os._exit(0)
    if pid > 0:
        os.waitpid(pid, 0)
        got.append("clone3")
    return ", ".join(got)


def open_sockets(given: dict[str, Any]) -> str:
    """Open sockets to networks and to the kernel, and connect to the host."""
    kinds = {
        "internet": (socket.AF_INET, socket.SOCK_STREAM),
        "internet 6": (socket.AF_INET6, socket.SOCK_STREAM),
        "kernel": (socket.AF_NETLINK, socket.SOCK_RAW),
        "host of a virtual machine": (getattr(socket, "AF_VSOCK", 40), socket.SOCK_STREAM),
        "packets": (socket.AF_PACKET, socket.SOCK_RAW),
    }
    got = []
    for name, (family, kind) in kinds.items():
        with suppress(OSError):
            socket.socket(family, kind).close()
            got.append(name)
    with suppress(OSError):
        socket.create_connection(("127.0.0.1", given["port"]), 2).close()
        got.append("connected to the host")
    return ", ".join(got)


def connect_locally(given: dict[str, Any]) -> str:
    """Connect to a local socket of the host that has a name and no file."""
    with socket.socket(socket.AF_UNIX) as one, suppress(OSError):
        one.connect("\0" + given["socket"])
        return "connected to the host"
    return ""


def use_keys(given: dict[str, Any]) -> str:
    """Use the kernel's ring of keys, which all processes of a user share."""
    user, name, value = (ctypes.c_char_p(text) for text in (b"user", b"quintain", b"x"))
    got = []
    if -_system_call("keyctl", 0, -3, 1) not in _REFUSED:
        got.append("keyctl")
    if -_system_call("add_key", user, name, value, 1, -2) not in _REFUSED:
        got.append("add_key")
    return ", ".join(got)


def use_interfaces(given: dict[str, Any]) -> str:
    """Use wide interfaces of the kernel that had many faults."""
    buffer = ctypes.create_string_buffer(512)
    calls: dict[str, tuple[Any, ...]] = {
        "io_uring_setup": (1, buffer),
        "userfaultfd": (1,),
        "bpf": (0, buffer, 72),
        "perf_event_open": (buffer, 0, -1, -1, 0),
        "open_by_handle_at": (-100, buffer, 0),
        "syslog": (10, 0, 0),
    }
    return ", ".join(n for n, rest in calls.items() if -_system_call(n, *rest) not in _REFUSED)


def stop_machine(given: dict[str, Any]) -> str:
    """Restart the machine, load a kernel or a module, or set the clock; all with wrong arguments.

    The kernel asks for the right first, so another refusal means that the right is there.
    """
    calls: dict[str, tuple[Any, ...]] = {
        "restart": ("reboot", 1, 2, 3, None),
        "another kernel": ("kexec_load", 0, 17, None, 0xFFFF),
        "kernel modules": ("init_module", None, 0, ctypes.c_char_p(b"")),
        "the clock": ("settimeofday", None, None),
    }
    return ", ".join(
        name for name, (call, *rest) in calls.items() if -_system_call(call, *rest) not in _REFUSED
    )


def name_host(given: dict[str, Any]) -> str:
    """Set the name of the machine, to the one that it has."""
    with suppress(OSError):
        socket.sethostname(socket.gethostname())
        return "the name of the machine"
    return ""


def type_characters(given: dict[str, Any]) -> str:
    """Type into a terminal as if the user did."""
    return "a terminal's input" if _in_child(_type_into_terminal) else ""


def _type_into_terminal() -> bool:
    import fcntl

    os.setsid()
    _, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    fcntl.ioctl(terminal, termios.TIOCSTI, b"x")
    return True


def hide_memory(given: dict[str, Any]) -> str:
    """Keep memory that belongs to no process, so that nobody counts it."""
    got = []
    name = ctypes.c_char_p(b"quintain")
    if (number := _system_call("memfd_create", name, 0)) >= 0:
        got.append(f"{os.write(number, bytes(1 << 22))} bytes in a file without a name")
        os.close(number)
    if (segment := _system_call("shmget", 0, 1 << 22, 0o1600)) >= 0:
        got.append("a shared segment")
        _LIBRARY.shmctl(segment, 0, None)
    return ", ".join(got)


def reach_unfiltered(given: dict[str, Any]) -> str:
    """Change the memory of a process that is under no filter of system calls."""
    got = []
    for number in {1, os.getppid(), given["parent"]}:
        with suppress(OSError):
            status = Path(f"/proc/{number}/status").read_text()
            os.close(os.open(f"/proc/{number}/mem", os.O_RDWR))
            if "Seccomp:\t0" in status:
                got.append(f"process {number}")
    if sys.platform == "linux" and "Seccomp:\t0" in Path("/proc/self/status").read_text():
        got.append("this process")
    return ", ".join(got)
