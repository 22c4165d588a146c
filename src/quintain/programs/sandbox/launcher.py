"""Launcher: root becomes an unknown user, who still reaches the runtime, and runs a command.

An interpreter runs the text of this file with a JSON list: the number of the user, the private
folders with the paths of the runtime below them, and the command. It stays one process throughout,
so a signal to it reaches the command.
"""

import ctypes
import json
import os
import sys
from pathlib import Path

_LIBRARY = ctypes.CDLL(None, use_errno=True)
_NEW_MOUNTS = 0x00020000
_BIND, _RECURSIVE, _PRIVATE = 0x1000, 0x4000, 0x40000
_NO_NEW_RIGHTS = 38


def main(user: int, hidden: dict[str, list[str]], command: list[str]) -> None:
    """Open the way to the runtime, give up what root may do, and become the command."""
    if hidden:
        _check(_LIBRARY.unshare(_NEW_MOUNTS))
        try:
            _mount(None, "/", None, _RECURSIVE | _PRIVATE)
        except OSError:
            sys.exit(
                "the folder / is not a mount point, as in a chroot: private folders stay in reach"
            )
        for folder, paths in hidden.items():
            _cover(folder, paths)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    _check(_LIBRARY.prctl(_NO_NEW_RIGHTS, 1, 0, 0, 0))
    os.execvp(command[0], command)  # noqa: S606 -- the command is ours


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
