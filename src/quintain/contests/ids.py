"""Ids: the short names of teams, tracks, phases and boards, and those that nobody may take.

Every random stream of a contest is found by a path of ids; see
:mod:`quintain.randomness.seeds`. Two players with one path would draw the same samples or the same
noise, so some ids are reserved.
"""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, WithJsonSchema

_ID = r"^[a-z0-9][a-z0-9._-]{0,63}$"

LONGEST_NAME = 200
"""How many characters the name of a team may have: a line, not a paragraph."""

_RESERVED = {
    "fresh": "the samples that show what the gates demand",
    "population": "the generator of the population",
    "shared": "the sample that all entries share",
}
"""What draws under each reserved id."""

_FOLDERS = ("checkpoints", "commitments", "rules")
_ENDINGS = (".json", ".jsonl", ".key", ".pub", ".sha512", ".txt")
"""The folders beside those of the tracks, and the endings of the files there."""


def checked_id(text: str) -> str:
    """An id of a team, a track or a board; raises ``ValueError`` for a text that cannot be one."""
    if not re.fullmatch(_ID.strip("^$"), text):
        raise ValueError("use up to 64 lower-case letters, digits, '.', '_' and '-' for an id")
    return text


Id = Annotated[str, AfterValidator(checked_id), WithJsonSchema({"type": "string", "pattern": _ID})]


def checked_name(text: str) -> str:
    """The name of a team; raises ``ValueError`` for a text that no table could show."""
    if len(text) > LONGEST_NAME:
        raise ValueError(f"the name has {len(text)} characters; the limit is {LONGEST_NAME}")
    if not text.isprintable():
        raise ValueError("the name has a character that cannot be printed")
    return text


Name = Annotated[str, AfterValidator(checked_name)]


def reserved_id(name: str) -> str | None:
    """Why no team and no baseline may have this id; None if it is free.

    >>> reserved_id("fresh")
    "the id 'fresh' is reserved for the samples that show what the gates demand; choose another"
    >>> reserved_id("red.2")
    "the id 'red.2' ends like the number of a release or a task; choose another"
    >>> reserved_id("3") is None and reserved_id("red") is None
    True
    """
    if name in _RESERVED:
        return f"the id {name!r} is reserved for {_RESERVED[name]}; choose another"
    if re.search(r"\.\d+$", name):
        return f"the id {name!r} ends like the number of a release or a task; choose another"
    return None


def reserved_track(name: str) -> str | None:
    """Why no track may have this id; None if it is free. A track is a folder beside other files.

    >>> reserved_track("board.json")
    "the id 'board.json' is the name of a file or folder of every contest; choose another"
    >>> reserved_track("round.2") is None
    True
    """
    if name in _FOLDERS or name.endswith(_ENDINGS):
        return f"the id {name!r} is the name of a file or folder of every contest; choose another"
    return None
