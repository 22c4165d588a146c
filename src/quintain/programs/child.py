"""The process of a program: read a call from standard input, make it, write back what it returns.

An interpreter in a sandbox runs the text of this file, without quintain. The limits are applied
before the program is imported. After an error, the type of the error, the line of the program and
the traceback are written; the reader decides what a team may know.
"""

import importlib
import json
import os
import resource
import sys
import traceback
from numbers import Integral
from pathlib import Path
from typing import Any, BinaryIO

_LONGEST = 10_000
"""How many of the last characters of a traceback are kept."""
_DIE_WITH_PARENT = 1
"""The code of this request in ``prctl``."""


def main() -> None:
    """Make the call that is on standard input."""
    _leave_first_process()
    source, answer = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what the program prints goes to the log
    header = json.loads(source.read(int.from_bytes(source.read(8), "big")))
    _apply(header["process"])
    program = Path.cwd() / "program"
    arguments = _arguments(source, header, program)
    answer.write(b"quintain")
    answer.flush()
    if header.get("asks"):
        arguments["ask"] = _asker(source, answer)
    sys.path.insert(0, str(program))
    module, function = header["call"]
    try:
        values, arrays = _describe(getattr(importlib.import_module(module), function)(arguments))
        _write(answer, {"values": values}, arrays)
    except BaseException as error:
        _write(answer, {"failure": _about(error, program)}, [])
        sys.exit(1)


def _leave_first_process() -> None:
    """In a namespace of processes, let the first process do nothing but wait for the program.

    The kernel protects the first process from many signals, so a program would not die of them.
    """
    if os.getpid() != 1:
        return
    program = os.fork()
    if program == 0:
        return
    while True:
        ended, status = os.wait()
        if ended == program:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)


def _apply(process: dict[str, int]) -> None:
    """Apply the limits to this process; its children inherit them."""
    for name, value in process.items():
        if name == "nice":
            os.nice(value)
        elif name == "parent":
            _die_with(value)
        else:
            kind = getattr(resource, f"RLIMIT_{name}")
            most = resource.getrlimit(kind)[1]
            value = value if most == resource.RLIM_INFINITY else min(value, most)
            resource.setrlimit(kind, (value, value))


def _die_with(parent: int) -> None:
    import ctypes

    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, 9)
    if os.getppid() != parent:
        os._exit(1)


def _arguments(source: BinaryIO, header: dict[str, Any], program: Path) -> dict[str, Any]:
    for path, size in header["files"]:
        file = program / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(source.read(size))
    arguments: dict[str, Any] = dict(header["plain"])
    if header["arrays"]:
        import numpy as np

        for name, dtype, shape in header["arrays"]:
            array = np.empty(shape, dtype)
            source.readinto(array.reshape(-1).view(np.uint8))  # type: ignore[attr-defined]
            arguments[name] = array
    return arguments


def _asker(source: BinaryIO, answer: BinaryIO) -> Any:
    """A function with which the program asks for something, and gets it or a ``ValueError``."""

    def ask(tool: str, **given: Any) -> Any:
        text = json.dumps({"tool": tool, "given": given}).encode()
        answer.write(b"question" + len(text).to_bytes(8, "big") + text)
        answer.flush()
        reply = json.loads(source.read(int.from_bytes(source.read(8), "big")))
        if "refused" in reply:
            raise ValueError(reply["refused"])
        return reply["answer"]

    return ask


def _about(error: BaseException, program: Path) -> dict[str, Any]:
    """What to tell of an error: a class of the program goes by its built-in base."""
    base = next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")
    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        places.append((str(error.filename), error.lineno))
    own_lines = [(file, line) for file, line in places if Path(file).is_relative_to(program)]
    file, line = own_lines[-1] if own_lines else (str(program), None)
    return {
        "error": base.__name__,
        "file": Path(file).relative_to(program).as_posix(),
        "line": line,
        "traceback": "".join(traceback.format_exception(error))[-_LONGEST:],
    }


def _describe(returned: Any) -> tuple[list[dict[str, Any]], list[Any]]:
    """Descriptions of what the program returned, and its arrays of numbers."""
    descriptions: list[dict[str, Any]] = []
    arrays = []
    for part in returned if isinstance(returned, tuple) else [returned]:
        if part is None or isinstance(part, str | Integral):
            descriptions.append({"plain": int(part) if isinstance(part, Integral) else part})
            continue
        import numpy as np

        array = np.asarray(part)
        descriptions.append({"dtype": array.dtype.str, "shape": array.shape})
        if array.dtype.kind in "biuf":  # of other types, the description alone is refused
            arrays.append(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return descriptions, arrays


def _write(answer: BinaryIO, header: dict[str, Any], arrays: list[Any]) -> None:
    text = json.dumps(header).encode()
    for content in (len(text).to_bytes(8, "big"), text, *arrays):
        answer.write(content)
    answer.close()


if __name__ == "__main__":
    main()
