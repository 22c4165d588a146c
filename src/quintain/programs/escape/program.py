"""Program: the files of the attacks and of honest work, which run inside a sandbox."""

from __future__ import annotations

from functools import cache
from importlib import resources

_MODULES = ("__init__", "files", "kernel", "resources", "together", "whispers")


@cache
def attack_program() -> dict[str, bytes]:
    """All attacks and honest work as one program."""
    folder = resources.files("quintain.programs") / "escape"
    attacks = {f"attacks/{name}.py": folder / "attacks" / f"{name}.py" for name in _MODULES}
    files = attacks | {"honest_work.py": folder / "honest_work.py"}
    return {name: file.read_bytes() for name, file in files.items()}
