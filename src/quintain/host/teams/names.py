"""Names of teams: an id from a name, and whether two names look the same to people."""

from __future__ import annotations

import re
import unicodedata

from quintain.contests.ids import checked_id, checked_name, reserved_id
from quintain.host.refusals import BadInput

_SHORTEST = 2
_PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"))
"""Two letters that look like one in many fonts."""

_LOOKALIKES = {
    "a": "\u0430\u03b1",
    "b": "\u0432\u03b2",
    "c": "\u0441",
    "d": "\u0501",
    "e": "\u0435\u03b5",
    "g": "\u0261",
    "h": "\u043d",
    "j": "\u0458",
    "k": "\u043a\u03ba",
    "l": "1|i\u0456\u03b9\u0131\u04cf",
    "m": "\u043c",
    "n": "\u03b7",
    "o": "0\u043e\u03bf",
    "p": "\u0440\u03c1",
    "q": "\u051b",
    "s": "\u0455",
    "t": "\u0442\u03c4",
    "u": "\u03c5",
    "v": "\u03bd",
    "w": "\u051d",
    "x": "\u0445\u03c7",
    "y": "\u0443",
}
"""Characters of other scripts, and digits, that look like a Latin letter in lower case."""

_ALIKE = str.maketrans(
    {other: letter for letter, others in _LOOKALIKES.items() for other in others}
)


def team_id(name: str, wished: str = "") -> str:
    """The id of a team: the one it wishes, or one made from its name.

    >>> team_id("Équipe Rouge 2!")
    'equipe-rouge-2'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    made = wished.strip() or re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40].strip("-")
    if len(made) < _SHORTEST:
        raise BadInput(
            "no id can be made from this name; choose an id with at least "
            f"{_SHORTEST} of the letters a to z and digits"
        )
    try:
        checked_id(made)
    except ValueError as problem:
        raise BadInput(f"{made!r} cannot be the id of a team: {problem}") from None
    reason = reserved_id(made)
    if reason is not None:
        raise BadInput(reason)
    return made


def clean_name(name: str) -> str:
    """A name without space around it and in one spelling; raises if no table could show it."""
    text = " ".join(unicodedata.normalize("NFC", name).split())
    if not text:
        raise BadInput("a team needs a name")
    try:
        checked_name(text)
    except ValueError as problem:
        raise BadInput(f"a team cannot have this name: {problem}") from None
    if any(unicodedata.category(char) in ("Cf", "Co", "Cn") for char in text):
        raise BadInput("the name has a character that cannot be seen; use letters and digits")
    return text


def skeleton(text: str) -> str:
    """What people see of a name; two names with the same skeleton can be mistaken for each other.

    >>> skeleton("R\u0435d T\u0435am") == skeleton("red team") == skeleton("Red-Tearn")
    True
    >>> skeleton("red") == skeleton("blue")
    False
    """
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    letters = "".join(char for char in folded if not unicodedata.combining(char))
    alike = letters.translate(_ALIKE)
    seen = "".join(char for char in alike if char.isalnum())
    for pair, single in _PAIRS:
        seen = seen.replace(pair, single)
    return seen or letters
