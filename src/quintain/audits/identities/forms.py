"""Forms: the ways in which people write an identity down, or hide it in a code.

A form makes one text of the cells of a person. Codes hide it: anybody who has a list of names can
make the same codes, and so finds who has which.
"""

from __future__ import annotations

import codecs
import hashlib
import re
import unicodedata
import uuid
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product

Cells = Sequence[str]
"""The cells of a column, a text for each row; empty where there is none."""
Spell = Callable[[str], str]
SEPARATORS = ("", "|", " ", "_", "-", ";", ",", ":", "/", ".", ", ")
"""What people write between the parts of an identity, the usual ones first."""
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[ T].*)?|(\d\d)[./](\d\d)[./](\d{4})")
_PART = re.compile(r"[^\W\d_]+")
_MARKS = re.compile(r"[\W_\u0300-\u036f]+")


@dataclass(frozen=True, slots=True)
class Form:
    """A way to write an identity: which columns, how each is spelled, and what joins them."""

    columns: tuple[str, ...]
    spellings: tuple[str, ...]
    separator: str = ""
    case: str = "as it is"


class Written:
    """The texts of some people in all forms; a column that many forms have is spelled once.

    >>> people = Written({"name": ["Zoé B."], "birth": ["1956-02-09"]})
    >>> people.texts(Form(("name", "birth"), ("as it is", "the year"), "|", "in small letters"))
    ['zoé b.|1956']
    """

    def __init__(self, cells: Mapping[str, Cells]) -> None:
        self._cells = cells
        self._spelled: dict[tuple[str, str], list[str]] = {}

    def texts(self, form: Form) -> list[str]:
        """The text of each row; empty where a cell is missing."""
        parts = [self._column(*key) for key in zip(form.columns, form.spellings, strict=True)]
        case = CASES[form.case]
        join = form.separator.join
        return [case(join(row)) if all(row) else "" for row in zip(*parts, strict=True)]

    def _column(self, name: str, spelling: str) -> list[str]:
        key = name, spelling
        if key not in self._spelled:
            spell = SPELLINGS[spelling]
            self._spelled[key] = [spell(cell) if cell else "" for cell in self._cells[name]]
        return self._spelled[key]


def squeeze(text: str) -> str:
    """Small letters and digits alone, without accents.

    >>> squeeze("Besson, Zoé: 06-54")
    'bessonzoe0654'
    """
    plain = text if text.isascii() else unicodedata.normalize("NFKD", text)
    return _MARKS.sub("", plain.casefold())


def _date(write: str) -> Spell:
    def spell(text: str) -> str:
        match = _DATE.fullmatch(text)
        if match is None:
            return ""
        year, month, day = match.group(1, 2, 3) if match[1] else match.group(6, 5, 4)
        return write.format(y=year, m=month, d=day, s=year[2:])

    return spell


def _name(write: Callable[[list[str]], str]) -> Spell:
    def spell(text: str) -> str:
        parts = _PART.findall(text)
        whole = not any(letter in "@0123456789" for letter in text)
        return write(parts) if whole and 1 < len(parts) < 5 else ""

    return spell


def _digits(text: str) -> str:
    digits = "".join(filter(str.isdecimal, text))
    return digits if len(digits) >= SHORTEST and not any(map(str.isalpha, text)) else ""


def _after(start: str) -> Spell:
    return lambda text: start + text


_COUNTRIES = (33, 49, 44, 41, 43, 39, 34, 31, 32, 45, 46, 47, 61, 91, 81)
"""The codes by which people call numbers that begin with a zero at home."""


def _abroad(start: str) -> Spell:
    def spell(text: str) -> str:
        digits = "".join(filter(str.isdecimal, text))
        is_number = 9 <= len(digits) <= 12 and digits[0] == "0" and "." not in text
        return start + digits[1:] if is_number else ""

    return spell


AS_IT_IS = "as it is"
SPELLINGS: dict[str, Spell] = {
    AS_IT_IS: lambda text: text,
    "without accents": lambda text: (
        unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    ),
    "last part first": _name(lambda parts: " ".join([parts[-1], *parts[:-1]])),
    "last part first, with a comma": _name(lambda parts: f"{parts[-1]}, {' '.join(parts[:-1])}"),
    "initial and last part": _name(lambda parts: f"{parts[0][0]} {parts[-1]}"),
    "last part and initial": _name(lambda parts: f"{parts[-1]} {parts[0][0]}"),
    "initials": _name(lambda parts: "".join(part[0] for part in parts)),
    "the last part": _name(lambda parts: parts[-1]),
    "year-month-day": _date("{y}-{m}-{d}"),
    "yearmonthday": _date("{y}{m}{d}"),
    "day.month.year": _date("{d}.{m}.{y}"),
    "day/month/year": _date("{d}/{m}/{y}"),
    "month/day/year": _date("{m}/{d}/{y}"),
    "daymonthyear": _date("{d}{m}{y}"),
    "yymmdd": _date("{s}{m}{d}"),
    "ddmmyy": _date("{d}{m}{s}"),
    "the year": _date("{y}"),
    "digits alone": _digits,
    **{f"after {own!r}": _after(own) for own in ("mailto:", "tel:", "salt", "user", "id:")},
    **{
        f"with the country code {mark}{code}": _abroad(f"{mark}{code}")
        for mark, code in product(("+", ""), _COUNTRIES)
    },
}
ALONE = frozenset(name for name in SPELLINGS if name.startswith(("after", "with the")))
"""Spellings that nobody joins with another column."""
CASES: dict[str, Spell] = {
    AS_IT_IS: lambda text: text,
    "in small letters": str.lower,
    "in capitals": str.upper,
    "letters and digits alone": squeeze,
    "without blanks": lambda text: text.replace(" ", ""),
    "in capitals, without marks": lambda text: _MARKS.sub("", text).upper(),
    "capitals and digits alone": lambda text: squeeze(text).upper(),
}


def spellings_of(cells: Cells) -> list[str]:
    """The spellings that say something of their own about most cells of a column.

    >>> spellings_of(["1980-01-02", "1977-12-30"])[:3]
    ['as it is', 'yearmonthday', 'day.month.year']
    """
    some = [cell for cell in cells if cell][:50]
    seen: dict[tuple[str, ...], str] = {}
    for name, spell in SPELLINGS.items():
        written = tuple(map(spell, some))
        if 2 * sum(map(bool, written)) > len(some):
            seen.setdefault(written, name)
    return list(seen.values())


def single_forms(columns: Mapping[str, Cells]) -> Iterator[Form]:
    """Every column alone, in every spelling and case."""
    for name, cells in columns.items():
        for spelling in spellings_of(cells):
            for case in (AS_IT_IS,) if spelling in ALONE else CASES:
                yield Form((name,), (spelling,), "", case)


def joined_forms(columns: Mapping[str, Cells]) -> Iterator[Form]:
    """Every two columns in both orders, and three in the order of the table."""
    spellings = {
        name: [own for own in spellings_of(cells) if own not in ALONE]
        for name, cells in columns.items()
    }
    for names in permutations(columns, 2):
        for spelled in product(*(spellings[name] for name in names)):
            others = sum(own != AS_IT_IS for own in spelled)
            joints = SEPARATORS[: (len(SEPARATORS), 4, 2)[others]]
            yield from _join_parts(names, spelled, joints, ("in capitals",) * (others < 2))
    for three in combinations(columns, 3):
        yield from _join_parts(three, (AS_IT_IS,) * 3, SEPARATORS[:6], ())


def _join_parts(
    names: tuple[str, ...],
    spelled: tuple[str, ...],
    separators: Sequence[str],
    more: Sequence[str],
) -> Iterator[Form]:
    for case in (AS_IT_IS, "in small letters", *more):
        yield from (Form(names, spelled, separator, case) for separator in separators)
    for case in ("letters and digits alone", "capitals and digits alone"):
        yield Form(names, spelled, "", case)


# --- codes: what a text becomes that nobody should read ---

DIGESTS = ("md5", "sha1", "sha256", "sha512", "sha224", "sha384", "sha3_256", "blake2b", "blake2s")
FREQUENT = DIGESTS[:4]
"""Those that are tried with joined columns if only a part of the digits is there."""
_SIZES = {32: ("md5",), 40: ("sha1",), 56: ("sha224",), 64: ("sha256", "sha3_256", "blake2s")}
_SIZES |= {96: ("sha384",), 128: ("sha512", "blake2b")}
_SPACES = (uuid.NAMESPACE_DNS, uuid.NAMESPACE_URL, uuid.NAMESPACE_OID, uuid.NAMESPACE_X500)
_ATBASH = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "zyxwvutsrqponmlkjihgfedcbaZYXWVUTSRQPONMLKJIHGFEDCBA",
)
SHORTEST = 6
"""Parts of hashes that are shorter than this agree by chance."""


_HASHES = {name: getattr(hashlib, name) for name in DIGESTS}
"""To look a hash up by its name costs more than to compute it, and this runs millions of times."""


def digest(name: str, text: str) -> bytes:
    """The hash of a text."""
    code: bytes = _HASHES[name](text.encode(), usedforsecurity=False).digest()
    return code


SIZED = {"blake2b": 64, "blake2s": 32}
"""Hashes that depend on how many bytes somebody wants, and the most that they give."""


def short_digest(name: str, text: str, size: int) -> bytes:
    """The hash of a text that has so few bytes."""
    if name == "blake2b":
        return hashlib.blake2b(text.encode(), digest_size=size).digest()
    return hashlib.blake2s(text.encode(), digest_size=size).digest()


def usual_digests(length: int) -> tuple[str, ...]:
    """The hashes whose digits are so many; all of them if a part of one may be meant.

    >>> usual_digests(32), len(usual_digests(16)) == len(DIGESTS)
    (('md5',), True)
    """
    return _SIZES.get(length, DIGESTS)


TURNED: dict[str, Spell] = {
    "ROT13": lambda text: codecs.encode(text, "rot13"),
    "reversed letters": lambda text: text[::-1],
    "reversed alphabet": lambda text: text.translate(_ATBASH),
}
"""Other letters, or another order of them."""
CHECKSUMS: dict[str, Callable[[bytes], int]] = {"CRC32": zlib.crc32, "Adler-32": zlib.adler32}


def uuids(text: str) -> Iterator[str]:
    """The identifiers that are made of a name (versions 3 and 5)."""
    for space in _SPACES:
        yield uuid.uuid3(space, text).hex
        yield uuid.uuid5(space, text).hex
