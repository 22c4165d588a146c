"""Suggestion: which name a mistyped one may mean, at the end of messages about unknown names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from quintain.wording.languages import tell


def suggestion(word: str, known: Iterable[str]) -> str:
    """The most similar of the known names, or all of them if none is similar.

    >>> suggestion("nearst", ["nearest", "random"]), suggestion("x", ["nearest", "random"])
    ("; did you mean 'nearest'?", '; available: nearest, random')
    >>> suggestion("x", [])
    ''
    """
    names = list(dict.fromkeys(known))
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if close:
        return tell("; did you mean %(name)s?", name=repr(close[0]))
    return tell("; available: %(names)s", names=", ".join(sorted(names))) if names else ""
