"""Runs inside the process of a program: read the arguments, call it, write what it returns.

Only what a team may know is written about an error: its type and the line of the program it
happened in. A message could carry private data out.
"""

import importlib
import json
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np


def main(folder: Path) -> None:
    """Call the program in a folder."""
    call = json.loads((folder / "call.json").read_text())
    program = folder / "program"
    with np.load(folder / "input.npz", allow_pickle=False) as arrays:
        arguments: dict[str, Any] = dict(arrays)
    arguments |= call["plain"]
    sys.path.insert(0, str(program))
    try:
        function = getattr(importlib.import_module(call["module"]), call["function"])
        write(folder, function(arguments))
    except BaseException as error:
        frames = traceback.extract_tb(error.__traceback__)
        mine = [frame for frame in frames if Path(frame.filename).is_relative_to(program)]
        where = ""
        if mine:
            file = Path(mine[-1].filename).relative_to(program)
            where = f" in {file}, line {mine[-1].lineno}"
        (folder / "error.txt").write_text(f"{type(error).__name__}{where}")
        sys.exit(1)


def write(folder: Path, returned: Any) -> None:
    """Whatever was returned, as arrays and plain values, one by one."""
    parts = list(returned) if isinstance(returned, tuple) else [returned]
    kinds, arrays = [], {}
    for number, part in enumerate(parts):
        if part is None or isinstance(part, str | int):
            kinds.append({"plain": part})
        else:
            kinds.append({"array": f"part{number}"})
            arrays[f"part{number}"] = np.asarray(part)
    np.savez(folder / "output.npz", **arrays)  # type: ignore[arg-type]  # all are arrays
    (folder / "output.json").write_text(json.dumps(kinds))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
