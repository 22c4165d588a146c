"""Names: what a file of a submission may be called, wherever it comes from."""

from __future__ import annotations

import re
from collections.abc import Iterable

from quintain.errors import Faults

LONGEST = 200
"""The longest name that every file system accepts, with room for a prefix and a suffix."""
_STORED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def checked_names(files: Iterable[str], faults: Faults) -> None:
    """Note every name that could mean another file than it shows, or another one elsewhere.

    Names come from a command line, from a zip or from the header of a request. Each is refused
    unless it is plain: no path, no hidden file, nothing that cannot be shown or typed.

    >>> faults = Faults("upload")
    >>> checked_names(["answers.csv", "../seeds.json", ".r.csv"], faults)
    >>> faults.total
    2
    """
    seen: set[str] = set()
    for name in files:
        if not name.isprintable():
            faults.add("a name with characters that cannot be shown", got=name)
        elif len(name.encode()) > LONGEST:
            size = len(name.encode())
            faults.add(f"a name of {size} bytes; the limit is {LONGEST}", got=name)
        elif not _STORED.fullmatch(name):
            faults.add(
                "a name has only the letters A to Z, digits, '.', '_' and '-', and begins with a "
                "letter or a digit",
                got=name,
            )
        if name.lower() in seen:
            faults.add("appears twice", got=name)
        seen.add(name.lower())
