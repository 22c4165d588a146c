"""Program: the files of the attacks, which run inside a sandbox."""

from __future__ import annotations

from functools import cache
from importlib import resources

_MODULES = ("__init__", "files", "kernel", "resources", "whispers")


@cache
def attack_program() -> dict[str, bytes]:
    """The package of all attacks as a program."""
    folder = resources.files("quintain.programs") / "escape" / "attacks"
    return {f"attacks/{name}.py": (folder / f"{name}.py").read_bytes() for name in _MODULES}
