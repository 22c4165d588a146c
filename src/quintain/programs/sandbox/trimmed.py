"""Trimmed: which files a program needs to run, and a copy of them under a folder.

They are the interpreter without its tests, some packages with all that these need, the libraries
that any of these files names, and ten commands. Paths in the copy are those of this machine, so an
interpreter finds everything where it expects it.
"""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import MAGIC_NUMBER, cache_from_source, source_hash
from pathlib import Path

from quintain.programs.failures import SandboxError
from quintain.programs.sandbox.elf import needed_libraries

USUAL_PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas")
"""What every program may import, if it is installed."""
_COMMANDS = ("cat", "cp", "env", "ls", "mkdir", "mv", "rm", "sh", "true", "uname")
_LOADED_LATER = ("libgcc_s.so.1", "libnss_files.so.2")
"""Libraries that other libraries load by name when they need them."""
_OTHER_FILES = ("/etc/ld.so.cache",)
_LEFT_OUT = {
    "__pycache__",
    "dist-packages",
    "ensurepip",
    "idlelib",
    "lib2to3",
    "pydoc_data",
    "site-packages",
    "test",
    "tests",
    "tkinter",
    "turtledemo",
}
_HEADER, _UNCHECKED, _WORD = 16, 1, 0xFFFF_FFFF
"""Compiled code: its header in bytes, the flag of one that is never compared; a number of it."""
_REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def packages_with_needs(names: Iterable[str]) -> list[Distribution]:
    """The usual packages and some more, each with those that it needs, as far as installed.

    Raises if a package is missing that somebody asked for by name.
    """
    chosen: dict[str, Distribution] = {}
    extra = list(names)
    queue = [*extra, *USUAL_PACKAGES]
    while queue:
        name = queue.pop(0)
        try:
            package = distribution(name)
        except PackageNotFoundError:
            if name in extra:
                raise SandboxError(
                    f"the rules promise the package {name}, and it is not installed here"
                ) from None
            continue
        if package.metadata["Name"] not in chosen:
            chosen[package.metadata["Name"]] = package
            queue += _requirements(package)
    return [chosen[name] for name in sorted(chosen)]


def _requirements(package: Distribution) -> Iterator[str]:
    for line in package.requires or ():
        match = _REQUIREMENT.match(line)
        if match and "extra ==" not in line:
            yield match[0]


class Copy:
    """Copies files of this machine to the same paths under a folder; links stay links."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._done: set[Path] = set()
        self._real: set[Path] = set()
        self.bytes = 0

    def add(self, path: Path) -> None:
        """Copy a file, or a folder with all that is not left out."""
        real = self._follow(path)
        if real in self._done:
            return
        self._done.add(real)
        if real.is_dir():
            self._inside(real).mkdir(parents=True, exist_ok=True)
            for entry in sorted(real.iterdir()):
                if not _is_left_out(entry.name):
                    self.add(entry)
        elif real.is_file():
            inside = self._inside(real)
            inside.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(real, inside)
            inside.chmod(0o755 if os.access(real, os.X_OK) else 0o644)
            self.bytes += real.stat().st_size

    def _follow(self, path: Path) -> Path:
        """The place of a path behind all links; each link on the way is made in the copy."""
        whole = Path(os.path.abspath(path))  # noqa: PTH100 -- it follows no link
        walked, left = Path("/"), list(whole.parts[1:])
        if whole.parent in self._real:
            walked, left = whole.parent, [whole.name]
        while left:
            step = walked / left.pop(0)
            if not step.is_symlink():
                walked = step
                continue
            target = step.readlink()
            self._link(step, target)
            rest = Path(os.path.normpath(walked / target)).joinpath(*left)
            walked, left = Path("/"), list(rest.parts[1:])
        self._real.add(walked.parent)
        return walked

    def _link(self, link: Path, target: Path) -> None:
        inside = self._inside(link)
        inside.parent.mkdir(parents=True, exist_ok=True)
        if not inside.is_symlink():
            inside.symlink_to(target)

    def _inside(self, path: Path) -> Path:
        return self.root / path.relative_to("/")


def _is_left_out(name: str) -> bool:
    return name in _LEFT_OUT or name.startswith(("config-", "_tkinter."))


def copy_runtime(root: Path, packages: Iterable[str]) -> int:
    """Copy what programs need to a folder, with their code compiled; returns the bytes copied."""
    copy = Copy(root)
    for path in _interpreter_files():
        copy.add(path)
    for package in packages_with_needs(packages):
        for path in package_files(package):
            copy.add(path)
    for command in _COMMANDS:
        place = shutil.which(command, path=os.defpath)
        if place is not None:
            copy.add(Path(place))
    for name in _OTHER_FILES:
        copy.add(Path(name))
    _copy_libraries(copy)
    _compile(root)
    return copy.bytes


def _interpreter_files() -> Iterator[Path]:
    yield Path(sys.executable)
    yield from {Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    settings = Path(sys.prefix) / "pyvenv.cfg"
    if settings.is_file():
        yield settings
        yield Path(sys.prefix) / "lib64"


def package_files(package: Distribution) -> Iterator[Path]:
    """The files of a package that are not left out, as its own list says."""
    if package.files is None:
        raise SandboxError(
            f"the package {package.metadata['Name']} has no list of its files; install it with pip"
        )
    for file in package.files:
        if ".." not in file.parts and not any(_is_left_out(part) for part in file.parts[:-1]):
            path = Path(str(package.locate_file(file)))
            if path.is_file():
                yield path


def _copy_libraries(copy: Copy) -> None:
    """Copy every library that a file of the copy needs and does not bring with it."""
    names, seen = list(_LOADED_LATER), set[str]()
    scanned: set[Path] = set()
    while True:
        for path in copy.root.rglob("*"):
            compiled = ".so" in path.name or os.access(path, os.X_OK)
            if compiled and path.is_file() and not path.is_symlink() and path not in scanned:
                scanned.add(path)
                names += needed_libraries(path)
        fresh = [name for name in dict.fromkeys(names) if name not in seen]
        if not fresh:
            return
        seen.update(fresh)
        for name in fresh:
            place = Path(name) if name.startswith("/") else _library(name)
            if place is not None:
                copy.add(place)


def _library(name: str) -> Path | None:
    places = (folder / name for folder in _library_folders())
    return next((place for place in places if place.is_file()), None)


@cache
def _library_folders() -> list[Path]:
    """Where the loader looks for libraries, as its settings say, and beside the interpreter."""
    machine = sysconfig.get_config_var("MULTIARCH") or ""
    usual = [f"/lib/{machine}", f"/usr/lib/{machine}", "/lib64", "/usr/lib64", "/lib", "/usr/lib"]
    lines = [
        line.strip()
        for file in sorted(Path("/etc/ld.so.conf.d").glob("*.conf"))
        for line in file.read_text().splitlines()
    ]
    named = [line for line in lines if line.startswith("/")]
    beside = [f"{sys.base_prefix}/lib"]  # a name there comes before one of the system
    return [Path(name) for name in dict.fromkeys([*beside, *usual, *named]) if Path(name).is_dir()]


def _compile(root: Path) -> None:
    """Have code compiled for every call; it never looks at the time of a file again.

    What this machine has compiled already is taken, as compiling costs most of the time of a copy.
    """
    sources = [path for path in root.rglob("*.py") if not path.is_symlink()]
    left = "\n".join(str(path) for path in sources if not _take_compiled(root, path))
    options = ["-q", "-q", "-f", "--invalidation-mode", "unchecked-hash", "-i", "-"]
    command = [sys.executable, "-I", "-m", "compileall", *options, "-s", str(root), "-p", "/"]
    if left:
        subprocess.run(  # noqa: S603 -- ours
            command, check=False, input=left.encode(), stdout=subprocess.DEVNULL
        )


def _take_compiled(root: Path, source: Path) -> bool:
    """Copy the code that belongs to a file, if this machine has it and it is not an older one's."""
    original = Path("/", source.relative_to(root))
    try:
        content = Path(cache_from_source(str(original), optimization="")).read_bytes()
        made_from = original.stat()
    except OSError:
        return False
    changed, size = int(made_from.st_mtime) & _WORD, made_from.st_size & _WORD
    if content[:_HEADER] != struct.pack("<4sLLL", MAGIC_NUMBER, 0, changed, size):
        return False
    head = struct.pack("<4sL8s", MAGIC_NUMBER, _UNCHECKED, source_hash(source.read_bytes()))
    target = Path(cache_from_source(str(source), optimization=""))
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(head + content[_HEADER:])
    return True
