"""Scripts: the files of the scoring program that a bundle needs, side by side as they run there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from quintain.data.files import foreign

_PROGRAM = Path(__file__).parent / "program"
_IMPORT = re.compile(rb"^from quintain\.(?:kit\.codabench\.program|data\.files)\.", re.MULTILINE)
_SHARED = ("score.py", "artefacts.py", "faults.py", "cells.py", "table.py")
GUESSES = ("guesses.py", "targets.py", "sums.py")
RELEASES = ("releases.py",)


def scripts(names: Iterable[str]) -> dict[str, bytes]:
    """The files that every judge needs, and these; all of them need nothing but Python."""
    contents = {name: (_PROGRAM / name).read_bytes() for name in (*_SHARED, *names)}
    contents["foreign.py"] = Path(foreign.__file__).read_bytes()
    return {name: _IMPORT.sub(b"from ", content) for name, content in contents.items()}
