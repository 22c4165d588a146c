"""Runner: run a program in a separate process, with limits on time and memory.

The process has an empty environment, its own folder and no standard input. It is killed with all
its children when it ends or its time is up. This keeps honest mistakes from spreading. It does not
stop an enemy: the program runs as the user who starts it, and a child in a new session survives.
Run programs of strangers on a machine or in a container that holds only the data they are given.

The runner does not trust the files that a program leaves in its folder: it reads plain files of a
limited size and numbers only, and of an error only what cannot be a hidden message.
"""

from __future__ import annotations

import builtins
import contextlib
import json
import os
import re
import resource
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from quintain.errors import ProgramError, Reason

Arguments = npt.NDArray[Any] | int | None
Returned = list[npt.NDArray[Any] | str | int | None]

_CHILD = Path(__file__).with_name("child.py")
_GIB = 1 << 30
_MIB = 1 << 20
_TIMES = 4
"""A program may return this many bytes per byte it was given: data and mask as floats."""
_PARTS = 8
_UNUSABLE = (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)


class CallLimits(BaseModel):
    """How much time and memory a program may use in one call.

    Parameters
    ----------
    seconds : how long the program may run.
    memory_gib : how much memory it may use, and how large each of its files may be.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    seconds: Annotated[float, Field(gt=0)] = 86_400.0
    memory_gib: Annotated[float, Field(gt=0)] = 16.0


def call(
    program: Mapping[str, bytes],
    module: str,
    function: str,
    arguments: Mapping[str, Arguments],
    limits: CallLimits,
) -> Returned:
    """Call a function of a program with one dictionary; a ``ProgramError`` says what failed."""
    # Nothing that the program does to its folder may cause an error here, not even its removal.
    workspace = tempfile.TemporaryDirectory(prefix="quintain-program-", ignore_cleanup_errors=True)
    try:
        folder = Path(workspace.name)
        for path, content in program.items():
            file = folder / "program" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        arrays = {k: v for k, v in arguments.items() if isinstance(v, np.ndarray)}
        np.savez(folder / "input.npz", **arrays)  # type: ignore[arg-type]  # its keywords are arrays
        plain = {k: v for k, v in arguments.items() if k not in arrays}
        request = {"module": module, "function": function, "plain": plain}
        (folder / "call.json").write_text(json.dumps(request))
        code = _run(folder, limits)
        if code != 0:
            raise ProgramError(*_why(folder, code, program), _traceback(folder))
        return _returned(folder, _MIB + _TIMES * sum(array.nbytes for array in arrays.values()))
    finally:
        _remove(workspace)


def _remove(workspace: tempfile.TemporaryDirectory[str]) -> None:
    try:
        workspace.cleanup()
    except RecursionError:  # thousands of nested folders
        subprocess.run(["/bin/rm", "-rf", "--", workspace.name], check=False)  # noqa: S603 -- our path


def _run(folder: Path, limits: CallLimits) -> int:
    """Run a program; return its exit code, or minus the signal that ended it."""
    started = subprocess.Popen(  # noqa: S603 -- running the programs of teams is the purpose
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
        return started.wait(limits.seconds)
    except subprocess.TimeoutExpired:
        details = f"{Reason.OUT_OF_TIME}; the limit is {limits.seconds:g} seconds"
        raise ProgramError(Reason.OUT_OF_TIME, details) from None
    finally:
        _kill(started)


def _kill(started: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(started.pid, signal.SIGKILL)
    started.wait()


def _limit(limits: CallLimits) -> None:
    size = int(limits.memory_gib * _GIB)
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _why(folder: Path, code: int, program: Mapping[str, bytes]) -> tuple[Reason, str]:
    """Say why a program returned nothing, with built-in error types and lines of the program."""
    if code < 0:
        return Reason.CRASHED, f"it ended with signal {-code} and returned nothing"
    try:
        error = json.loads(_read(folder / "error.json", _MIB))
        name, file, line = error["error"], error["file"], error["line"]
        kind = getattr(builtins, name, None)
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            return Reason.FAILED, "it failed with an error of its own"
        known = isinstance(line, int) and 0 < line <= len(program.get(file, b"").splitlines())
        reason = Reason.OUT_OF_MEMORY if name == "MemoryError" else Reason.FAILED
        return reason, f"it failed with {name}" + (f" in {file}, line {line}" if known else "")
    except (OSError, *_UNUSABLE):
        return Reason.NOTHING, f"it ended with exit code {code} and returned nothing"


def _traceback(folder: Path) -> bytes:
    try:
        return _read(folder / "traceback.txt", _MIB)
    except (OSError, ProgramError):
        return b""


def _returned(folder: Path, most: int) -> Returned:
    """Read what a program returned: arrays of numbers and plain values, nothing else."""
    try:
        parts = json.loads(_read(folder / "output.json", _MIB))
    except (OSError, *_UNUSABLE):
        raise ProgramError(Reason.NOTHING) from None
    try:
        if len(parts) > _PARTS:
            details = f"it returned too many values; the limit is {_PARTS}"
            raise ProgramError(Reason.WRONG_SHAPE, details)
        return [_part(folder, part, most) for part in parts]
    except (OSError, *_UNUSABLE):
        raise ProgramError(Reason.NOT_NUMBERS) from None


def _part(folder: Path, part: dict[str, Any], most: int) -> npt.NDArray[Any] | str | int | None:
    if "plain" in part:
        if part["plain"] is None or isinstance(part["plain"], str | int):
            return part["plain"]
        raise TypeError("not a plain value")
    if not re.fullmatch(r"[<>|][biuf]\d+", part["dtype"]):
        raise TypeError("not an array of numbers")
    content = _read(folder / f"part{int(part['part'])}", most)
    return np.frombuffer(content, part["dtype"]).reshape([int(size) for size in part["shape"]])


def _read(path: Path, most: int) -> bytes:
    """Read a plain file; refuse links, pipes and files above the limit."""
    opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(opened, "rb") as file:
        status = os.fstat(opened)
        if not stat.S_ISREG(status.st_mode):
            raise OSError("not a plain file")
        if status.st_size > most:
            details = "it returned more data than the limit allows"
            raise ProgramError(Reason.WRONG_SHAPE, details)
        return file.read(status.st_size)
