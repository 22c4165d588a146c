"""Bubblewrap: new namespaces for every call, without anything of this machine that can be written.

The program is user 65534 without privileges, in new namespaces of users, processes, files, network,
messages and host name. It sees the runtime read-only, an empty /tmp of limited size, and pipes. The
runtime is in memory and files about the whole machine are covered, so that a program leaves nothing
for the next one. A filter refuses system calls that computing does not need. Our own code is the
first process of the namespace, under the same filter: it waits for the program, and when it ends,
the kernel kills the rest. The usual first process of bubblewrap is not under the filter, and the
program could change its memory.

If we are root, the user outside is not root either: each call gets a number that nobody else has.
Every call is a machine of its own: with another host name, another boot id and, where root can
move them, other clocks since the start. What a program makes from these differs from run to run.
"""

from __future__ import annotations

import json
import os
import platform
import secrets
import select
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib import resources
from pathlib import Path
from subprocess import PIPE
from typing import ClassVar

from quintain.programs.failures import SandboxError
from quintain.programs.limits import MIB, CallLimits
from quintain.programs.sandbox.covers import BOOT_ID, closing_options
from quintain.programs.sandbox.kernel_memory import scratch_used, socket_bytes
from quintain.programs.sandbox.memory_runtime import memory_runtime
from quintain.programs.sandbox.provider import (
    Sandbox,
    environment,
    interpreter,
    limits_of_resources,
    scratch_bytes,
)
from quintain.programs.sandbox.runtime import Runtime, hidden_folders, system_runtime
from quintain.programs.sandbox.seccomp import seccomp_filter
from quintain.programs.sandbox.syscalls import ARCHITECTURES

PROCESSES, FILES = 64, 256
"""How many processes a program may have, and how many open files each of them."""
_SHARED = 16 * MIB
"""The size of /dev/shm, which semaphores between processes need."""
_NOBODY = "65534"
_USERS = b"program:x:65534:65534::/tmp:/bin/sh\n"
_NAMESPACES = ("user", "ipc", "pid", "net", "uts", "cgroup-try")
_LONGEST_DEATH = 10.0
"""How many seconds we wait for killed processes."""
_OLDEST = 10_000_000
"""How many seconds at most a machine pretends to be on."""


class Bubblewrap(Sandbox):
    """Runs a program in namespaces of its own, by the command ``bwrap``.

    Parameters
    ----------
    forgets : show a runtime in memory, in which no call leaves a trace. Without it, programs get
        the folders of the system: that starts at once, and is for programs that nobody doubts.
    """

    name: ClassVar[str] = "bubblewrap"

    def __init__(self, *, forgets: bool = True) -> None:
        self.forgets = forgets

    def runtime(self, limits: CallLimits) -> Runtime:
        """What a program sees of this machine; raises if that cannot be in memory."""
        return memory_runtime(limits.packages) if self.forgets else system_runtime()

    def settings(self, limits: CallLimits) -> Mapping[str, int]:
        """Limits, also of processes and open files, which are counted in the namespace."""
        extra = {"NPROC": PROCESSES, "NOFILE": FILES, "MEMLOCK": 0, "nice": 10}
        return {**limits_of_resources(limits), **extra}

    def kernel_memory(self, limits: CallLimits, processes: list[int]) -> int:
        """Sockets, and temporary files, which are memory here."""
        scratch = self.runtime(limits).scratch
        sizes = {scratch: scratch_bytes(limits), "/dev/shm": _SHARED}  # noqa: S108 -- inside
        return socket_bytes(processes) + scratch_used(processes, sizes)

    @contextmanager
    def started(self, limits: CallLimits) -> Iterator[subprocess.Popen[bytes]]:
        """Start an interpreter in new namespaces, which die with it."""
        with ExitStack() as stack:
            contents = (seccomp_filter(), _USERS, f"{uuid.uuid4()}\n".encode())
            files = [stack.enter_context(_readable(content)) for content in contents]
            process = subprocess.Popen(  # noqa: S603 -- running programs is the purpose
                command(limits, self.runtime(limits), *files),
                cwd="/",
                env={"PATH": os.defpath},
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                bufsize=0,
                pass_fds=files,
                start_new_session=True,
            )
            try:
                yield process
            finally:
                with process:  # closes the pipes and waits
                    process.kill()  # the others die with their parents
                    _wait_for_end(process)


def _wait_for_end(process: subprocess.Popen[bytes]) -> None:
    """Wait until the pipe of the log is closed: our first process holds it to its end."""
    log, end = process.stderr, time.monotonic() + _LONGEST_DEATH
    if log is None or log.closed:
        return
    while select.select([log], [], [], max(0, end - time.monotonic()))[0]:
        if not os.read(log.fileno(), MIB):
            return


def _bwrap() -> str:
    """The path of the command; raises if it is missing, or the machine is unknown."""
    path = shutil.which("bwrap")
    if path is None:
        raise SandboxError("the command bwrap is missing; install the package bubblewrap")
    if platform.machine() not in ARCHITECTURES:
        known = ", ".join(ARCHITECTURES)
        raise SandboxError(f"no filter for the machine {platform.machine()!r}; available: {known}")
    return path


def command(
    limits: CallLimits, runtime: Runtime, filter_file: int, users_file: int, boot_file: int
) -> list[str]:
    """The whole command: for root it begins with becoming another user."""
    profile = _profile(limits, runtime, filter_file, users_file, boot_file)
    inner = [*profile, "--", *interpreter()]
    if os.geteuid() != 0:
        return inner
    reached = hidden_folders([*runtime.paths, Path(_bwrap())])
    hidden = {str(folder): list(map(str, below)) for folder, below in reached.items()}
    text = (resources.files(__package__) / "launcher.py").read_text()
    given = [_unused_user(), secrets.randbelow(_OLDEST), hidden, inner]
    return [sys.executable, "-I", "-S", "-c", text, json.dumps(given)]


def _profile(
    limits: CallLimits, runtime: Runtime, filter_file: int, users_file: int, boot_file: int
) -> list[str]:
    out = [_bwrap(), *(f"--unshare-{name}" for name in _NAMESPACES), "--disable-userns"]
    out += ["--uid", _NOBODY, "--gid", _NOBODY, "--cap-drop", "ALL"]
    out += ["--hostname", f"sandbox-{secrets.token_hex(4)}"]
    out += ["--die-with-parent", "--new-session", "--as-pid-1", "--clearenv"]
    for name, value in environment(runtime.scratch).items():
        out += ["--setenv", name, value]
    out += runtime.options
    out += ["--ro-bind-data", str(users_file), "/etc/passwd", "--proc", "/proc", "--dev", "/dev"]
    if runtime.covers:
        out += [*runtime.covers, "--ro-bind-data", str(boot_file), BOOT_ID, *closing_options()]
    out += ["--size", str(_SHARED), "--perms", "1777", "--tmpfs", "/dev/shm"]  # noqa: S108
    out += ["--size", str(scratch_bytes(limits)), "--perms", "1777", "--tmpfs", runtime.scratch]
    out += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", runtime.scratch]
    return [*out, "--seccomp", str(filter_file)]


def _unused_user() -> int:
    """A number of a user that no account and no other call has, so that it shares no limit.

    It is drawn at random, so it does not say which call this is. The first range is far above all
    accounts; containers may not have it.
    """
    for first, size in ((1_500_000_000, 1 << 28), (40_000, 20_000)):
        if _has_users(first, size):
            return first + secrets.randbelow(size)
    raise SandboxError("this container has no user numbers from 40000 to 59999 for programs")


def _has_users(first: int, size: int) -> bool:
    for line in Path("/proc/self/uid_map").read_text().splitlines():
        start, _, length = map(int, line.split())
        if start <= first and first + size <= start + length:
            return True
    return False


@contextmanager
def _readable(content: bytes) -> Iterator[int]:
    """A descriptor from which short contents can be read."""
    source, sink = os.pipe()
    try:
        os.write(sink, content)
    finally:
        os.close(sink)
    try:
        yield source
    finally:
        os.close(source)
