"""Launcher: root becomes an unknown user, who still reaches the runtime, and runs a command.

An interpreter runs the text of this file with a JSON list: the number of the user, how many seconds
the machine pretends to be on beyond the truth, the private folders with the paths of the runtime
below them, and the command. It stays one process throughout, so a signal to it reaches the command.
"""

import contextlib
import ctypes
import json
import os
import stat
import sys
import tempfile
from pathlib import Path

_LIBRARY = ctypes.CDLL(None, use_errno=True)
_NEW_MOUNTS, _NEW_CLOCKS = 0x00020000, 0x00000080
_BIND, _RECURSIVE, _PRIVATE, _LATER = 0x1000, 0x4000, 0x40000, 2
_NO_NEW_RIGHTS = 38
_DEVICES = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8), "urandom": (1, 9)}
"""The devices that programs use, with their numbers."""


def main(user: int, seconds: int, hidden: dict[str, list[str]], command: list[str]) -> None:
    """Open the way to the runtime, give up what root may do, and become the command."""
    _check(_LIBRARY.unshare(_NEW_MOUNTS))
    try:
        _mount(None, "/", None, _RECURSIVE | _PRIVATE)
    except OSError:
        if hidden:
            sys.exit(
                "the folder / is not a mount point, as in a chroot: private folders stay in reach"
            )
    else:
        for folder, paths in hidden.items():
            _cover(folder, paths)
        with contextlib.suppress(OSError):  # some containers may not make devices
            _make_devices()
    with contextlib.suppress(OSError):  # some kernels have no namespaces of clocks
        _move_clocks(seconds)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    _check(_LIBRARY.prctl(_NO_NEW_RIGHTS, 1, 0, 0, 0))
    os.execvp(command[0], command)  # noqa: S606 -- the command is ours


def _make_devices() -> None:
    """Cover each device with one that no other call has, as nobody else can lock it."""
    folder = tempfile.mkdtemp()
    _mount("tmpfs", folder, "tmpfs", 0, "mode=755,size=64k")
    os.umask(0)
    for name, (major, minor) in _DEVICES.items():
        place = Path(folder, name)
        os.mknod(place, stat.S_IFCHR | 0o666, os.makedev(major, minor))
        place.open("rb").close()  # in some containers a device can be made and not opened
    for name in _DEVICES:
        _mount(f"{folder}/{name}", f"/dev/{name}", None, _BIND)
    _check(_LIBRARY.umount2(os.fsencode(folder), _LATER))
    Path(folder).rmdir()
    os.umask(0o022)


def _move_clocks(seconds: int) -> None:
    """Let the command and its children see later clocks since the start; the date stays."""
    _check(_LIBRARY.unshare(_NEW_CLOCKS))
    text = f"monotonic {seconds} 0\nboottime {seconds} 0\n"
    Path("/proc/self/timens_offsets").write_text(text)


def _cover(folder: str, paths: list[str]) -> None:
    """Cover a private folder, for this process only, with one that has nothing but some paths."""
    opened = {path: os.open(path, os.O_PATH) for path in paths}
    _mount("tmpfs", folder, "tmpfs", 0, "mode=755")
    for path, number in opened.items():
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        if Path(f"/proc/self/fd/{number}").is_dir():
            target.mkdir()
        else:
            target.touch()
        _mount(f"/proc/self/fd/{number}", path, None, _BIND | _RECURSIVE)
        os.close(number)


def _mount(
    source: str | None, target: str, kind: str | None, flags: int, options: str | None = None
) -> None:
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind)]
    given = None if options is None else options.encode()
    _check(_LIBRARY.mount(*texts, ctypes.c_ulong(flags), given))


def _check(result: int) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


if __name__ == "__main__":
    os.umask(0o022)
    main(*json.loads(sys.argv[1]))
