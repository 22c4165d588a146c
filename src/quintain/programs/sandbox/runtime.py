"""Runtime: what of this machine a program needs to run, all of it read-only.

That is the interpreter, its packages, libraries and commands. No home folder, no data and no
configuration is among them. This runtime is the folders of the system themselves; see
:mod:`quintain.programs.sandbox.memory_runtime` for the one that programs of strangers get.
"""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_SYSTEM = ("/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/bin")
_TOP = ("/bin", "/lib", "/lib32", "/lib64")
"""Folders of the system; on most systems these are links to those below ``/usr``."""
_LINKS = ("/etc/ld.so.cache", "/etc/alternatives")
"""What the loader of libraries reads."""
_OF_PREFIX = ("bin", "lib", "lib64", "pyvenv.cfg")


@dataclass(frozen=True, slots=True)
class Runtime:
    """What a program sees of this machine.

    Parameters
    ----------
    paths : the files and folders that it shows.
    scratch : the only folder in which a program can write.
    options : how bubblewrap is told to show them.
    covers : how it is told to hide what the kernel says about the whole machine.
    """

    paths: tuple[Path, ...]
    scratch: str
    options: tuple[str, ...]
    covers: tuple[str, ...] = ()


@cache
def system_runtime() -> Runtime:
    """The folders of the system, as they are on the disk."""
    paths = runtime_paths()
    options: list[str] = []
    for path in paths:
        options += ["--ro-bind", str(path), str(path)]
    for target, link in runtime_links():
        options += ["--symlink", target, link]
    return Runtime(tuple(paths), scratch_folder(paths), tuple(options))


def runtime_paths() -> list[Path]:
    """Existing paths, none of them below another."""
    prefixes = dict.fromkeys(Path(p) for p in (sys.base_prefix, sys.base_exec_prefix, sys.prefix))
    executable = Path(os.path.realpath(sys.executable)).parent
    wanted = [Path(name) for name in (*_SYSTEM, *_LINKS)]
    wanted += [prefix / name for prefix in prefixes for name in _OF_PREFIX]
    wanted += [Path(name) for name in _TOP if not Path(name).is_symlink()]
    existing = {path for path in [*wanted, executable] if path.exists()}
    return sorted(path for path in existing if not existing & set(path.parents))


def scratch_folder(paths: list[Path]) -> str:
    """The only folder in which a program can write: ``/tmp``, unless the runtime is in it.

    >>> scratch_folder([Path("/usr/lib")]), scratch_folder([Path("/tmp/venv/bin")])
    ('/tmp', '/scratch')
    """
    usual = Path("/tmp")  # noqa: S108 -- inside it is empty
    return "/scratch" if any(usual in path.parents for path in paths) else str(usual)


def runtime_links() -> list[tuple[str, str]]:
    """Links of the system at the top, as target and name."""
    return [(str(Path(name).readlink()), name) for name in _TOP if Path(name).is_symlink()]


def hidden_folders(paths: list[Path]) -> dict[Path, list[Path]]:
    """Folders that other users cannot enter, each with the paths of the runtime below it."""
    hidden: dict[Path, list[Path]] = {}
    for path in paths:
        for folder in reversed(path.parents):
            if not folder.stat().st_mode & stat.S_IXOTH:
                hidden.setdefault(folder, []).append(path)
                break
    return hidden
