"""What a mistyped name may have meant: the end of every message about an unknown name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def suggestion(word: str, known: Iterable[str]) -> str:
    """The nearest of the known names, or all of them if none is near.

    >>> suggestion("nearst", ["nearest", "random"]), suggestion("x", ["nearest", "random"])
    ("; did you mean 'nearest'?", '; available: nearest, random')
    >>> suggestion("x", [])
    ''
    """
    names = list(dict.fromkeys(known))
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; available: {', '.join(sorted(names))}" if names else ""
