"""Memory runtime: a copy of what programs need, in memory, so that no call leaves a trace in it.

Files on a disk have a cache: whether somebody read a page, or looked for a name, can be seen by
the next program. In memory every page and every name costs the same, as if nobody had asked
before. The copy is made once, and all processes of a user share it; the last one removes it. A
copy that a killed process left is used or removed by the next.
"""

from __future__ import annotations

import atexit
import ctypes
import fcntl
import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from quintain.programs.failures import SandboxError
from quintain.programs.limits import MIB
from quintain.programs.sandbox.covers import constant_files, cover_options
from quintain.programs.sandbox.runtime import Runtime, scratch_folder
from quintain.programs.sandbox.trimmed import copy_runtime, package_files, packages_with_needs

_FORMAT = 2
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 -- names are checked for their owner
_OWN_PLACE = Path("/run/quintain-programs")
_SWAPS = Path("/proc/swaps")
_MEMORY_FILES = 0x01021994
"""The number of the file system that is memory."""
_INTERPRETER_MIB = 150
"""What the interpreter, libraries and commands take, with room to spare."""
_COMPILED = 1.3
"""Compiled code makes packages this much larger."""


def memory_runtime(packages: tuple[str, ...] = ()) -> Runtime:
    """The runtime with the usual packages and some more; raises if it cannot be in memory."""
    key = (os.getpid(), tuple(sorted(set(packages))))
    with _acquiring:
        if key not in _copies:
            _copies[key] = SharedCopy.acquire(key[1])
    return _copies[key].runtime


@dataclass(frozen=True, slots=True)
class SharedCopy:
    """A copy of the runtime that this process uses, together with others of the same user.

    Parameters
    ----------
    root : where the copy is.
    lock : an open file; all processes that use the copy share its lock.
    """

    root: Path
    lock: int
    runtime: Runtime = field(init=False)

    def __post_init__(self) -> None:
        scratch = scratch_folder([Path("/", *path.parts) for path in _below(self.root)])
        options = ("--ro-bind", str(self.root), "/")
        covers = tuple(cover_options(self.root / "proc"))
        object.__setattr__(self, "runtime", Runtime((self.root,), scratch, options, covers))

    @classmethod
    def acquire(cls, packages: tuple[str, ...]) -> SharedCopy:
        """Use the copy with these packages; the first process makes it."""
        distributions = packages_with_needs(packages)
        versions = [[d.metadata["Name"], d.version] for d in distributions]
        installed = [_last_change(sysconfig.get_path(name)) for name in ("stdlib", "purelib")]
        facts = [_FORMAT, sys.version, sys.executable, sys.prefix, sys.base_prefix]
        text = json.dumps([facts, versions, installed])
        name = f"quintain-{os.geteuid()}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
        size = sum(path.stat().st_size for d in distributions for path in package_files(d))
        place = _place(int(size * _COMPILED) + _INTERPRETER_MIB * MIB)
        root = place / name
        _remove_unused(place, name)
        lock = _shared_lock(place / f"{name}.lock", root, packages)
        return cls(root, lock)

    def release(self) -> None:
        """Use the copy no more; the last user removes it."""
        _remove_if_unused(self.root, self.lock)
        os.close(self.lock)
        with suppress(OSError):
            if self.root.parent == _OWN_PLACE and not any(_OWN_PLACE.iterdir()):
                subprocess.run(["umount", str(_OWN_PLACE)], check=False)  # noqa: S603, S607


_acquiring = threading.Lock()
_copies: dict[tuple[int, tuple[str, ...]], SharedCopy] = {}


@atexit.register
def _release_all() -> None:
    for (process, _), copy in list(_copies.items()):
        if process == os.getpid():  # after a fork, the copies of the parent are its own business
            copy.release()
    _copies.clear()


def _last_change(folder: str) -> int:
    return Path(folder).stat().st_mtime_ns


def _below(root: Path) -> Iterator[Path]:
    """The first two steps of all paths below a folder."""
    for top in root.iterdir():
        if top.is_dir() and not top.is_symlink():
            yield from (entry.relative_to(root) for entry in top.iterdir())


# --- the lock: several users, one maker, one remover ----------------------------------------------


def _shared_lock(path: Path, root: Path, packages: tuple[str, ...]) -> int:
    """Share the lock of a copy that is there; the process that comes first makes it."""
    while True:
        lock = _open_lock(path)
        try:
            if _is_ready(lock, path, root, packages):
                return lock
        except BaseException:
            os.close(lock)
            raise
        os.close(lock)  # and look again, with a shared lock


def _is_ready(lock: int, path: Path, root: Path, packages: tuple[str, ...]) -> bool:
    """Whether the copy is there and the lock shared; if not, the copy is made, alone."""
    fcntl.flock(lock, fcntl.LOCK_SH)
    if _is_current(lock, path) and _is_there(root):
        return True
    fcntl.flock(lock, fcntl.LOCK_EX)
    if _is_current(lock, path) and not _is_there(root):
        _make(root, packages)
    return False


def _open_lock(path: Path) -> int:
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as problem:
        raise SandboxError(f"cannot open {path}: {problem.strerror}") from None
    if os.fstat(lock).st_uid != os.geteuid():
        os.close(lock)
        raise SandboxError(f"{path} belongs to another user; remove it")
    return lock


def _is_there(root: Path) -> bool:
    """Whether a copy is there; raises if somebody else made it, who could have changed it."""
    try:
        seen = root.lstat()
    except FileNotFoundError:
        return False
    if seen.st_uid != os.geteuid() or not stat.S_ISDIR(seen.st_mode):
        raise SandboxError(f"{root} belongs to another user; remove it")
    return True


def _is_current(lock: int, path: Path) -> bool:
    """Whether nobody removed a lock while we waited for it."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(lock), path.stat())
    return False


def _make(root: Path, packages: tuple[str, ...]) -> None:
    """Make the copy under another name first, so that there is never half of it."""
    draft = root.with_name(f"{root.name}.part")
    shutil.rmtree(draft, ignore_errors=True)
    try:
        draft.mkdir(mode=0o755)
        copy_runtime(draft, packages)
        for name in ("dev", "etc", "proc", "scratch", "tmp"):
            (draft / name).mkdir(exist_ok=True)
        for name, text in constant_files().items():
            (draft / "proc" / name).write_text(text)
        (draft / "etc" / "passwd").touch()
        _make_plain(draft)
    except OSError as problem:
        shutil.rmtree(draft, ignore_errors=True)
        raise SandboxError(
            f"cannot make the runtime of programs in {root.parent}: {problem}"
        ) from None
    draft.rename(root)


def _make_plain(root: Path) -> None:
    """Let everybody read, nobody write, and let no time say when the copy was made."""
    for path in [root, *root.rglob("*")]:
        if not path.is_symlink():
            runs = path.is_dir() or os.access(path, os.X_OK)
            path.chmod(0o755 if runs else 0o644)
        os.utime(path, (0, 0), follow_symlinks=False)


def _remove_unused(place: Path, name: str) -> None:
    """Remove other copies of this user that nobody uses, such as those of an earlier version."""
    for path in place.glob(f"quintain-{os.geteuid()}-*.lock"):
        if path.stem != name:
            with suppress(SandboxError):
                lock = _open_lock(path)
                _remove_if_unused(path.with_suffix(""), lock)
                os.close(lock)


def _remove_if_unused(root: Path, lock: int) -> None:
    with suppress(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _is_current(lock, root.with_name(f"{root.name}.lock")):
            for path in (root, root.with_name(f"{root.name}.part")):
                shutil.rmtree(path, ignore_errors=True)
            root.with_name(f"{root.name}.lock").unlink()


# --- the place: memory that is never written to a disk --------------------------------------------


def _place(size: int) -> Path:
    """A folder in memory with room for a copy; raises if this machine has none."""
    problem = _why_not_shared(size)
    if not problem:
        return _SHARED_MEMORY
    if os.geteuid() == 0 and _mounted_place():
        return _OWN_PLACE
    raise SandboxError(f"the runtime of programs cannot be kept in memory: {problem}")


def _why_not_shared(size: int) -> str:
    """Why a copy cannot be in the memory that all processes share; empty if it can."""
    if not _is_memory(_SHARED_MEMORY):
        return f"{_SHARED_MEMORY} is not memory"
    if has_swap():
        return (
            "this machine swaps, so memory could be on the disk: switch swap off, or be root "
            "on Linux 6.4 or later"
        )
    free = os.statvfs(_SHARED_MEMORY)
    room = free.f_bavail * free.f_frsize
    if not any(_SHARED_MEMORY.glob(f"quintain-{os.geteuid()}-*.lock")) and room < size:
        return (
            f"{_SHARED_MEMORY} has {room // MIB} MiB free, and the copy needs {size // MIB}: give "
            "a container more, as with --shm-size=1g"
        )
    return ""


def has_swap(table: Path = _SWAPS) -> bool:
    """Whether the kernel may move memory to a disk."""
    return table.is_file() and len(table.read_text().splitlines()) > 1


def _is_memory(folder: Path) -> bool:
    """Whether a folder is in memory; the kernel says the number of its file system."""
    content = ctypes.create_string_buffer(256)
    if not folder.is_dir() or ctypes.CDLL(None).statfs(os.fsencode(folder), content) != 0:
        return False
    return int.from_bytes(content.raw[:8], sys.byteorder) == _MEMORY_FILES


def _mounted_place() -> bool:
    """Mount memory that is never swapped, which root can; False if the kernel refuses."""
    _OWN_PLACE.mkdir(mode=0o755, parents=True, exist_ok=True)
    if os.path.ismount(_OWN_PLACE):
        return _is_memory(_OWN_PLACE)
    options = "noswap,noatime,nodev,nosuid,mode=755"
    command = ["mount", "-t", "tmpfs", "-o", options, "quintain", str(_OWN_PLACE)]
    done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 -- ours
    return done.returncode == 0
