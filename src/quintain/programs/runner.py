"""Runner: a program in a process of its own, with limits on time and memory.

The process has an empty environment, a folder of its own, no standard input, and is killed with
all its children when its time is up. That keeps honest mistakes from spreading. It does not keep
an enemy out: the program runs as the user who starts it. Run programs of strangers on a machine
or in a container that holds nothing but the data they are given.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from quintain.errors import ProgramError

Arguments = npt.NDArray[Any] | int | None
Returned = list[npt.NDArray[Any] | str | int | None]

_CHILD = Path(__file__).with_name("child.py")
_GIB = 1 << 30


class Limits(BaseModel):
    """What a program may use in one call.

    Parameters
    ----------
    seconds : how long it may run.
    memory_gib : how much memory it may ask for.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    seconds: Annotated[float, Field(gt=0)] = 86_400.0
    memory_gib: Annotated[float, Field(gt=0)] = 16.0


def call(
    program: Mapping[str, bytes],
    module: str,
    function: str,
    arguments: Mapping[str, Arguments],
    limits: Limits,
) -> Returned:
    """Call a function of a program with one dictionary; a ``ProgramError`` says what went wrong."""
    with tempfile.TemporaryDirectory(prefix="quintain-program-") as name:
        folder = Path(name)
        for path, content in program.items():
            file = folder / "program" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        arrays = {k: v for k, v in arguments.items() if isinstance(v, np.ndarray)}
        np.savez(folder / "input.npz", **arrays)  # type: ignore[arg-type]  # its keywords are arrays
        plain = {k: v for k, v in arguments.items() if k not in arrays}
        told = {"module": module, "function": function, "plain": plain}
        (folder / "call.json").write_text(json.dumps(told))
        _run(folder, limits)
        return _returned(folder)


def _run(folder: Path, limits: Limits) -> None:
    started = subprocess.Popen(  # noqa: S603 -- running what teams handed in is the point
        [sys.executable, "-I", str(_CHILD), str(folder)],
        cwd=folder,
        env={"HOME": str(folder), "PATH": os.defpath, "OMP_NUM_THREADS": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: _limit(limits),
    )
    try:
        code = started.wait(limits.seconds)
    except subprocess.TimeoutExpired:
        raise ProgramError(f"it did not end within {limits.seconds:g} seconds") from None
    finally:
        _kill(started)
    error = folder / "error.txt"
    if error.is_file():
        raise ProgramError(f"it failed with {error.read_text()[:300]}")
    if code != 0:
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        raise ProgramError(f"it ended with {how} and returned nothing")


def _kill(started: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(started.pid, signal.SIGKILL)
    started.wait()


def _limit(limits: Limits) -> None:
    size = int(limits.memory_gib * _GIB)
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _returned(folder: Path) -> Returned:
    """What the program returned; its files are no more trusted than the program."""
    try:
        kinds = json.loads((folder / "output.json").read_text())
        with np.load(folder / "output.npz", allow_pickle=False) as arrays:
            return [arrays[kind["array"]] if "array" in kind else kind["plain"] for kind in kinds]
    except (OSError, ValueError, KeyError, TypeError):
        raise ProgramError("it returned something that is no array") from None
