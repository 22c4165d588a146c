"""Runs inside the process of a program: read the arguments, call it, write what it returns.

Of an error, what a team may know is written apart: its type and the line of the program it happened
in. A message could carry private data out; the traceback is for the organisers.
"""

import importlib
import json
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np

_LONGEST = 10_000
"""Characters of a traceback that are kept, the last ones."""


def main(folder: Path) -> None:
    """Call the program in a folder."""
    call = json.loads((folder / "call.json").read_text())
    program = folder / "program"
    with np.load(folder / "input.npz", allow_pickle=False) as arrays:
        arguments: dict[str, Any] = dict(arrays)
    (folder / "input.npz").unlink()  # the program has it; nothing is to be left behind
    arguments |= call["plain"]
    sys.path.insert(0, str(program))
    try:
        function = getattr(importlib.import_module(call["module"]), call["function"])
        write(folder, function(arguments))
    except BaseException as error:
        (folder / "error.json").write_text(json.dumps(about(error, program)))
        (folder / "traceback.txt").write_text(traceback.format_exc()[-_LONGEST:])
        sys.exit(1)


def about(error: BaseException, program: Path) -> dict[str, Any]:
    """What a team may know of an error; a class of the program's own is called by its base."""
    base = next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")
    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        places.append((str(error.filename), error.lineno))
    mine = [(file, line) for file, line in places if Path(file).is_relative_to(program)]
    file, line = mine[-1] if mine else (str(program), None)
    return {
        "error": base.__name__,
        "file": Path(file).relative_to(program).as_posix(),
        "line": line,
    }


def write(folder: Path, returned: Any) -> None:
    """Whatever was returned, as arrays and plain values, one by one."""
    parts = list(returned) if isinstance(returned, tuple) else [returned]
    told: list[dict[str, Any]] = []
    for number, part in enumerate(parts):
        if part is None or isinstance(part, str | int | np.integer):
            told.append({"plain": int(part) if isinstance(part, np.integer) else part})
            continue
        array = np.asarray(part)
        if array.dtype.kind in "biuf":  # of anything else, only what it is
            array.tofile(folder / f"part{number}")
        told.append({"part": number, "dtype": array.dtype.str, "shape": array.shape})
    (folder / "output.json").write_text(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
