"""Number marks: what stands between thousands and before decimals.

1.940,49 and 1,940.49 say it themselves. 1.940 can be nearly two or nearly two thousand: the other
numbers of its column say it, or those of other columns, or a person.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

_SPACES = " '\u2019\u00a0\u2009\u202f"
"""Between thousands these say nothing about decimals: spaces of four widths, and apostrophes."""
_LEAD = r"[-+]?[1-9][0-9]{0,2}"
_SPACED = rf"^({_LEAD}(?:[{_SPACES}][0-9]{{3}})+)(?:[.,]([0-9]*))?$"
NUMBER = (
    rf"^(?:[-+]?[0-9]{{1,3}}(?:[.,{_SPACES}][0-9]{{3}})+(?:[.,][0-9]*)?"
    r"|[-+]?[0-9]*[.,]?[0-9]+(?:[eE][-+]?[0-9]+)?)$"
)
"""What may be a number, whichever marks it has."""
_OTHER = {".": ",", ",": "."}
_AT_FIRST = 1000
"""So many cells are looked at first: they usually say how decimals are written."""

_STATED: ContextVar[str | None] = ContextVar("decimal mark", default=None)


@contextmanager
def decimal_mark(mark: str | None) -> Iterator[None]:
    """Say what stands before decimals, for numbers that can be read in two ways.

    Parameters
    ----------
    mark : "." or ","; None if nobody says it.

    >>> with decimal_mark(","):
    ...     settle_marks(seen_in(["1.940"]), separator=";")
    Marks(decimal_comma=True, thousands='.')
    """
    if mark not in (None, ".", ","):
        raise ValueError(f"expected '.' or ',' as the mark before decimals, not {mark!r}")
    token = _STATED.set(mark)
    try:
        yield
    finally:
        _STATED.reset(token)


def stated_mark() -> str | None:
    """What stands before decimals, if somebody says it now."""
    return _STATED.get()


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks in the numbers of a column.

    Parameters
    ----------
    decimal_comma : whether a comma may stand before decimals.
    thousands : the point or comma that stands between thousands; empty if none does.
    """

    decimal_comma: bool = False
    thousands: str = ""

    def plain(self, texts: pa.Array) -> pa.Array:
        """The numbers without marks between thousands and with a decimal point.

        >>> Marks(decimal_comma=True, thousands=".").plain(pa.array(["1.940,49", "3"])).to_pylist()
        ['1940.49', '3']
        >>> Marks().plain(pa.array(["1 940,49", "1'940"])).to_pylist()
        ['1940.49', '1940']
        """
        if pc.any(pc.match_substring_regex(texts, f"[{_SPACES}]")).as_py():
            texts = _without_spaces(texts)
        if self.thousands:
            mark, decimal = self.thousands, _OTHER[self.thousands]
            grouped = rf"^{_LEAD}(?:[{mark}][0-9]{{3}})+(?:[{decimal}][0-9]*)?$"
            bare = pc.replace_substring(texts, mark, "")
            texts = pc.if_else(pc.match_substring_regex(texts, grouped), bare, texts)
            if self.decimal_comma:
                # Where a point separates thousands, 3.5 is not a number.
                pointed = pc.match_substring_regex(texts, r"^[-+]?[0-9.,]*\.[0-9.,]*$")
                texts = pc.if_else(pointed, pc.replace_substring(texts, ".", "'"), texts)
                return pc.replace_substring_regex(texts, "^([-+]?[0-9]*),([0-9]*)$", r"\1.\2")
        return _comma_to_point(texts) if self.decimal_comma else texts


def _comma_to_point(texts: pa.Array) -> pa.Array:
    return pc.replace_substring(texts, ",", ".")


def _without_spaces(texts: pa.Array) -> pa.Array:
    spaced = pc.fill_null(pc.match_substring_regex(texts, _SPACED), False)
    if not pc.any(spaced).as_py():
        return texts
    bare = pc.replace_substring_regex(texts, f"[{_SPACES}]", "")
    return pc.if_else(spaced, _comma_to_point(bare), texts)


class MarksSeen:
    """What the numbers of a column say about their marks, with an example of each kind.

    Attributes
    ----------
    groups, decimals : for a mark, a number in which it surely stands between thousands, or before
        decimals.
    open : for a mark, a number in which it can be either.
    """

    def __init__(self) -> None:
        self.groups: dict[str, str] = {}
        self.decimals: dict[str, str] = {}
        self.open: dict[str, str] = {}

    def look(self, texts: pa.Array) -> None:
        """Take in more cells; once it is sure what a mark is, they are not all looked at."""
        for mark in _OTHER:
            marked = texts.filter(pc.match_substring(texts, mark))
            for part in (marked[:_AT_FIRST], marked):
                self._note(self.groups, mark, part, _groups(mark))
                self._note(self.decimals, mark, part, _decimals(mark))
                self._note(self.open, mark, part, rf"^{_LEAD}[{mark}][0-9]{{3}}$")

    @staticmethod
    def _note(known: dict[str, str], mark: str, texts: pa.Array, form: str) -> None:
        if mark not in known and len(texts):
            place = pc.index(pc.match_substring_regex(texts, form), True).as_py()
            if place >= 0:
                known[mark] = texts[place].as_py()

    @property
    def proven(self) -> set[str]:
        """The marks that surely stand before decimals."""
        return {*self.decimals, *(_OTHER[mark] for mark in self.groups)}

    @property
    def conflict(self) -> tuple[str, str] | None:
        """Two numbers that cannot be written by the same rules; None if there are none."""
        for mark, example in self.groups.items():
            against = self.decimals.get(mark) or self.groups.get(_OTHER[mark])
            if against:
                return example, against
        return None


def seen_in(texts: list[str]) -> MarksSeen:
    """What some cells say about their marks.

    >>> seen_in(["1.940,49", "3"]).proven, seen_in(["1.940"]).open
    ({','}, {'.': '1.940'})
    """
    seen = MarksSeen()
    seen.look(pa.array(texts, pa.string()))
    return seen


def _groups(mark: str) -> str:
    several = rf"^{_LEAD}(?:[{mark}][0-9]{{3}}){{2,}}$"
    return rf"{several}|^{_LEAD}(?:[{mark}][0-9]{{3}})+[{_OTHER[mark]}][0-9]*$"


def _decimals(mark: str) -> str:
    end = r"(?:[eE][-+]?[0-9]+)"
    shorter = rf"[0-9]*[{mark}](?:[0-9]{{0,2}}|[0-9]{{4,}}){end}?"
    no_groups = rf"(?:0[0-9]*|[0-9]{{4,}}|)[{mark}][0-9]{{3}}{end}?|[0-9]*[{mark}][0-9]*{end}"
    spaced = rf"[1-9][0-9]{{0,2}}(?:[{_SPACES}][0-9]{{3}})+[{mark}][0-9]*"
    return rf"^[-+]?(?:{shorter}|{no_groups}|{spaced})$"


def usual_marks(separator: str) -> Marks:
    """The marks of numbers that say nothing: a comma between cells is not a decimal comma."""
    return Marks(decimal_comma=separator != "," or stated_mark() == ",")


def settle_marks(
    seen: MarksSeen, *, separator: str, elsewhere: frozenset[str] = frozenset()
) -> Marks | None:
    """The marks of a column; None if a person has to say it.

    Parameters
    ----------
    separator : what stands between the cells; where it is a comma, a comma in a cell stands before
        decimals only beside points between thousands, or if a person says so.
    elsewhere : the marks that surely stand before decimals in other columns of the file.

    >>> settle_marks(seen_in(["1.940", "3,5"]), separator=";")
    Marks(decimal_comma=True, thousands='.')
    >>> settle_marks(seen_in(["1,940"]), separator=",") is None
    True
    """
    stated = stated_mark()
    usual = usual_marks(separator)
    proven = seen.proven
    if seen.conflict or len(proven) > 1:
        return usual
    if not proven:
        if not seen.open:
            return usual
        if stated is not None:
            proven = {stated}
        elif len(elsewhere) == 1:
            proven = set(elsewhere)
        elif set(seen.open) == {"."} and separator != ";":
            return usual  # most programs write decimals so
        else:
            return None
    (decimal,) = proven
    group = _OTHER[decimal]
    grouped = group in seen.groups or group in seen.open
    return Marks(usual.decimal_comma or (grouped and decimal == ","), group) if grouped else usual


def settle_columns(columns: Mapping[str, MarksSeen], separator: str) -> dict[str, Marks | None]:
    """The marks of each column of a file; None where a person has to say it."""
    settled: dict[str, Marks | None] = {}
    for name, seen in columns.items():
        others = (own.proven for other, own in columns.items() if other != name)
        elsewhere = frozenset(mark for proven in others for mark in proven)
        settled[name] = settle_marks(seen, separator=separator, elsewhere=elsewhere)
    return settled


def ask_for_marks(seen: MarksSeen) -> str:
    """The question to a person, about a number that can be read in two ways.

    >>> print(ask_for_marks(seen_in(["1.940"])))
    '1.940' can be 1940 or 1.94, and no other number of the file shows which mark stands before \
decimals. Say it: --decimal-mark , for 1940, or --decimal-mark . for 1.94; in a notebook \
decimal_mark, in an edition file decimal_mark of the source
    """
    mark, example = next(iter(seen.open.items()))
    whole, part = example.replace(mark, ""), f"{float(example.replace(mark, '.')):g}"
    return (
        f"{example!r} can be {whole} or {part}, and no other number of the file shows which mark "
        f"stands before decimals. Say it: --decimal-mark {_OTHER[mark]} for {whole}, or "
        f"--decimal-mark {mark} for {part}; in a notebook decimal_mark, in an edition file "
        "decimal_mark of the source"
    )
