"""The child process of a program: read the arguments, call the program, write what it returns.

After an error, a file for the team has the type of the error and the line of the program. A message
could carry private data out, so only the organisers get the traceback.
"""

import importlib
import json
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np

_LONGEST = 10_000
"""How many of the last characters of a traceback are kept."""


def main(folder: Path) -> None:
    """Call the program in a folder, and write its results or its error there."""
    call = json.loads((folder / "call.json").read_text())
    program = folder / "program"
    with np.load(folder / "input.npz", allow_pickle=False) as arrays:
        arguments: dict[str, Any] = dict(arrays)
    (folder / "input.npz").unlink()  # the program has the arrays; no copy stays behind
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
    """What a team may know of an error: a class of the program goes by its built-in base."""
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
    }


def write(folder: Path, returned: Any) -> None:
    """Write what the program returned as separate arrays and plain values."""
    parts = list(returned) if isinstance(returned, tuple) else [returned]
    descriptions: list[dict[str, Any]] = []
    for number, part in enumerate(parts):
        if part is None or isinstance(part, str | int | np.integer):
            descriptions.append({"plain": int(part) if isinstance(part, np.integer) else part})
            continue
        array = np.asarray(part)
        if array.dtype.kind in "biuf":  # for other types, only the description is written
            array.tofile(folder / f"part{number}")
        descriptions.append({"part": number, "dtype": array.dtype.str, "shape": array.shape})
    (folder / "output.json").write_text(json.dumps(descriptions))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
