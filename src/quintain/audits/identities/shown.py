"""Shown: what the cells of a released column could be an identity, or the code of one."""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product

from quintain.audits.identities.forms import (
    CHECKSUMS,
    DIGESTS,
    FREQUENT,
    SHORTEST,
    SIZED,
    TURNED,
    digest,
    short_digest,
    squeeze,
    usual_digests,
    uuids,
)

_RUN = 6
"""So many parts of a cell that stand one after another may be one identity."""
_LONGEST = 200
"""Cells with more letters are texts, in which the audit looks for passages, names and numbers."""
_PARTS = re.compile(r"[a-z]+|\d+|[^\W\d_a-z]+")
_CODE = re.compile(rf"[0-9a-f]{{{SHORTEST},}}")
_TOKEN = re.compile(r"[A-Za-z0-9+/=_-]+")
_BASE64 = re.compile(r"(?=.*[A-Z])(?=.*[a-z])(?=.*[0-9+/_-])[A-Za-z0-9+/_-]{20,}")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
SHORTEST_PLAIN = 5
"""Shorter parts of cells agree by chance."""
_LENGTHS = 4


@dataclass(slots=True)
class ShownCells:
    """What stands in a column, cut in the ways in which identities are written.

    Parameters
    ----------
    cells : the different cells.
    parts : their words and numbers without marks, alone and one after another.
    tokens : their parts with capitals and the signs of base64.
    codes : by length, their hexadecimal codes.
    numbers : the whole numbers.
    """

    cells: set[str] = field(default_factory=set)
    parts: set[str] = field(default_factory=set)
    tokens: set[str] = field(default_factory=set)
    codes: dict[int, set[str]] = field(default_factory=dict)
    numbers: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, cells: Iterable[str], windows: Collection[int] = ()) -> ShownCells:
        """Cut all different cells.

        Parameters
        ----------
        windows : lengths of ids of digits, which may stand anywhere in a longer number.
        """
        shown = cls()
        for cell in cells:
            shown._add(cell, windows)
        return shown

    def _add(self, cell: str, windows: Collection[int]) -> None:
        self.cells.add(cell)
        small = cell.casefold()
        if len(cell) <= _LONGEST:
            whole = squeeze(cell)
            self.parts.add(whole)
            runs = _PARTS.findall(small if small.isascii() else squeeze_marks(small))
            for start in range(len(runs)):
                text = ""
                for part in runs[start : start + _RUN]:
                    text += part
                    self.parts.add(text)
            for part in runs if windows else ():
                if part.isdecimal():
                    self.parts.update(
                        part[start : start + length]
                        for length in windows
                        for start in range(len(part) - length + 1)
                    )
        for token in _TOKEN.findall(cell):
            self.tokens.add(token.rstrip("="))
        joined = small.replace("-", "")
        for code in {*_CODE.findall(small), joined}:
            if _CODE.fullmatch(code):
                self.codes.setdefault(len(code), set()).add(code)
        if cell.lstrip("-").isascii() and cell.lstrip("-").isdecimal() and len(cell) < 20:
            self.numbers.add(int(cell))

    def merge(self, other: ShownCells) -> None:
        """Take in what another column has."""
        self.cells |= other.cells
        self.parts |= other.parts
        self.tokens |= other.tokens
        self.numbers |= other.numbers
        for length, codes in other.codes.items():
            self.codes.setdefault(length, set()).update(codes)

    @property
    def lengths(self) -> list[int]:
        """The lengths of most hexadecimal codes, most frequent first."""
        sizes = sorted(self.codes, key=lambda length: -len(self.codes[length]))
        least = max(1, len(self.cells) // 20)
        return [size for size in sizes[:_LENGTHS] if len(self.codes[size]) >= least]


def squeeze_marks(text: str) -> str:
    """The text without accents; marks and blanks stay.

    >>> squeeze_marks("rémi b.")
    'remi b.'
    """
    plain = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


PLAIN = "as they are"
Look = Callable[[str], bool]


def looks(shown: ShownCells) -> dict[str, Look]:
    """By the name of each code that a column may have, whether it has the code of a text.

    >>> shown = ShownCells.of(["zoebesson@mail.example", "5f4dcc3b5aa765d61d8327deb882cf99"])
    >>> [name for name, look in looks(shown).items() if look("Besson") or look("password")]
    ['md5']
    >>> looks(shown)[PLAIN]("zoe besson")
    True
    """
    out: dict[str, Look] = {PLAIN: partial(_stands, shown)}
    out |= {name: partial(_stands_turned, shown, turn) for name, turn in TURNED.items()}
    lengths = shown.lengths
    digits = sorted({len(str(abs(number))) for number in shown.numbers})[-2:]
    if 8 in lengths or (digits and digits[-1] >= SHORTEST):
        out |= {name: partial(_sums_up, shown, check) for name, check in CHECKSUMS.items()}
    if any(map(_UUID.fullmatch, shown.cells)):
        out["UUID"] = partial(_names, shown)
    in_base64 = any(map(_BASE64.fullmatch, shown.tokens))
    out |= {
        f"{name} of {size} bytes": partial(_digests_shortly, shown, name, size)
        for name, size in product(SIZED, (length // 2 for length in lengths if length % 2 == 0))
        if size < SIZED[name]
    }
    out |= {
        f"{outer} of {inner}": partial(_digests_twice, shown, outer, inner, length)
        for outer, inner, length in product(FREQUENT, FREQUENT, lengths)
        if usual_digests(length) != DIGESTS and outer in usual_digests(length)
    }
    for name in DIGESTS:
        sizes = [size for size in lengths if name in usual_digests(size)]
        if sizes:
            out[name] = partial(_digests, shown, name, sizes)
        if in_base64:
            out[f"{name} in base64"] = partial(_digests_in_base64, shown, name)
        if digits and digits[-1] >= SHORTEST and name in DIGESTS[:3]:
            powers = [10**size for size in digits]
            out[f"{name} as a number"] = partial(_digests_as_number, shown, name, powers)
    return out


def _stands(shown: ShownCells, text: str) -> bool:
    plain = squeeze(text)
    return plain in shown.parts if len(plain) >= SHORTEST_PLAIN else text in shown.cells


def _stands_turned(shown: ShownCells, turn: Callable[[str], str], text: str) -> bool:
    turned = turn(text)
    return turned != text and len(text) >= SHORTEST_PLAIN and squeeze(turned) in shown.parts


def _sums_up(shown: ShownCells, check: Callable[[bytes], int], text: str) -> bool:
    value = check(text.encode())
    return value in shown.numbers or f"{value:08x}" in shown.codes.get(8, ())


def _names(shown: ShownCells, text: str) -> bool:
    return any(code in shown.codes.get(32, ()) for code in uuids(text))


def _digests(shown: ShownCells, name: str, sizes: Sequence[int], text: str) -> bool:
    digits = digest(name, text).hex()
    for size in sizes:  # a loop, because this runs millions of times
        codes = shown.codes[size]
        if digits[:size] in codes or digits[-size:] in codes:
            return True
    return False


def _digests_shortly(shown: ShownCells, name: str, size: int, text: str) -> bool:
    return short_digest(name, text, size).hex() in shown.codes[2 * size]


def _digests_twice(shown: ShownCells, outer: str, inner: str, length: int, text: str) -> bool:
    return digest(outer, digest(inner, text).hex()).hex() in shown.codes[length]


def _digests_in_base64(shown: ShownCells, name: str, text: str) -> bool:
    code = base64.b64encode(digest(name, text)).decode().rstrip("=")
    return code in shown.tokens or code.replace("+", "-").replace("/", "_") in shown.tokens


def _digests_as_number(shown: ShownCells, name: str, powers: Sequence[int], text: str) -> bool:
    number = int.from_bytes(digest(name, text), "big")
    return not shown.numbers.isdisjoint([number % power for power in powers])
