"""Layers: what the cells of a released column say once somebody has read their codes back."""

from __future__ import annotations

import base64
import binascii
import bz2
import gzip
import html
import lzma
import re
import unicodedata
import zlib
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import unquote_plus

Decoder = Callable[[str], str]
"""What a cell says, read in one way; empty if it cannot be read so."""
_DEEPEST = 3
"""So many codes, one within the other, are read."""
_SAMPLE = 400
_LEAST_SHARE, _LEAST = 0.05, 5
"""A code counts if it reads this share of some cells, and so many of them."""
_LONGEST = 20_000
_SHORTEST = 4
_TOKEN = re.compile(r"[A-Za-z0-9+/_-]{6,}={0,2}")
_BASE32 = re.compile(r"[A-Z2-7]{8,}=*")
_HEX = re.compile(r"(?:0[xX]|\\x)?((?:[0-9a-fA-F]{2}){4,})")
_NUMBERS = re.compile(r"\d+(?:[^\w]+\d+){3,}")
_BITS = re.compile(r"(?:[01]{7,8}[\s.,_-]?){3,}")
_ESCAPES = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})|=([0-9A-F]{2})")
_WORD = re.compile(r"[^\W\d_]+")
_PACKED: dict[bytes, Callable[[bytes], bytes]] = {
    b"\x1f\x8b": gzip.decompress,
    b"BZh": bz2.decompress,
    b"\xfd7zXZ": lzma.decompress,
    b"x\x01": zlib.decompress,
    b"x\x5e": zlib.decompress,
    b"x\x9c": zlib.decompress,
    b"x\xda": zlib.decompress,
}
"""How bytes begin that a program has made shorter."""
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")


def layers(cells: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """What cells say under each code, and under codes within codes, with the names of the codes.

    >>> hidden = ["VkdWdVlTQkxiMnc9", "U0hWbmJ5QkNaWE09"] * 5
    >>> [(code, texts[0]) for code, texts in layers(hidden) if texts[0].startswith("Tena")]
    [('base64 in base64', 'Tena Kol')]
    """
    yield from _read(list(cells), "", _DEEPEST, {tuple(cells[:50])})


def _read(
    cells: list[str], outer: str, depth: int, seen: set[tuple[str, ...]]
) -> Iterator[tuple[str, list[str]]]:
    step = max(1, len(cells) // _SAMPLE)
    some = [cell for cell in cells[::step] if cell]
    for name, decode in DECODERS.items():
        readable = sum(bool(text := decode(cell)) and text != cell for cell in some)
        if readable < max(_LEAST, _LEAST_SHARE * len(some)):
            continue
        texts = [decode(cell) if cell else "" for cell in cells]
        start = tuple(texts[:50])
        if start in seen:
            continue
        seen.add(start)
        label = f"{name} in {outer}" if outer else name
        yield label, texts
        if depth > 1 and name in WRAPPERS:
            yield from _read(texts, label, depth - 1, seen)


def _as_text(data: bytes) -> str:
    """The text of bytes, perhaps compressed; empty if they are none."""
    unpack = next((own for start, own in _PACKED.items() if data.startswith(start)), None)
    try:
        text = (data if unpack is None else unpack(data)).decode()
    except (ValueError, OSError, EOFError, zlib.error, lzma.LZMAError):
        return ""
    printable = sum(map(str.isprintable, text)) >= 0.9 * len(text)
    return text if len(text) >= _SHORTEST and printable else ""


def _tokens(pattern: re.Pattern[str], read: Callable[[str], bytes]) -> Decoder:
    """Reads those parts of a cell that are in a code."""

    def decode(cell: str) -> str:
        parts = []
        for match in pattern.finditer(cell[:_LONGEST]):
            try:
                parts.append(_as_text(read(match[match.lastindex or 0])))
            except (ValueError, binascii.Error):
                continue
        return " ".join(filter(None, parts))

    return decode


def _base64(token: str) -> bytes:
    plain = token.rstrip("=").replace("-", "+").replace("_", "/")
    return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)


def _base32(token: str) -> bytes:
    plain = token.rstrip("=")
    return base64.b32decode(plain + "=" * (-len(plain) % 8))


def _whole(read: Callable[[bytes], bytes]) -> Decoder:
    def decode(cell: str) -> str:
        if len(cell) < 6 or " " in cell or not cell.isascii():
            return ""
        try:
            return _as_text(read(cell.encode()))
        except (ValueError, OverflowError):
            return ""

    return decode


def _unescape(cell: str) -> str:
    """Percent signs, entities, and escapes of programs and of mails."""
    text = html.unescape(unquote_plus(cell)) if "%" in cell or "+" in cell or "&" in cell else cell
    if "\\" in text or "=" in text:
        text = _ESCAPES.sub(lambda m: chr(int(m[1] or m[2] or m[3], 16)), text)
    return text if text != cell else ""


def _numbers(cell: str) -> str:
    """Numbers of letters: 90 111 is "Zo", and so is 26-15, if a is one."""
    match = _NUMBERS.search(cell)
    if match is None:
        return ""
    numbers = [int(number) for number in re.findall(r"\d+", match[0])]
    if all(1 <= number <= 26 for number in numbers):
        return "".join(chr(96 + number) for number in numbers)
    if all(32 <= number < 0x250 for number in numbers):
        return "".join(map(chr, numbers))
    return ""


def _bits(cell: str) -> str:
    match = _BITS.search(cell)
    digits = re.sub(r"[^01]", "", match[0]) if match else ""
    if not digits or len(digits) % 8:
        return ""
    return _as_text(int(digits, 2).to_bytes(len(digits) // 8, "big"))


def _number_to(base: int, signs: str) -> Decoder:
    """Reads a cell as a whole number to some base, and writes it in tens."""
    worth = {sign: value for value, sign in enumerate(signs)}

    def decode(cell: str) -> str:
        if not 3 <= len(cell) <= 14 or (base > 10 and cell.isdecimal()):
            return ""
        number = 0
        for sign in cell if base > 36 else cell.lower():
            if sign not in worth:
                return ""
            number = number * base + worth[sign]
        return str(number)

    return decode


_FOLLOW = str.maketrans(
    "абвгдезийклмнопрстуфхыэёαβγδεζικλμνοπρστυφ",
    "abvgdeziiklmnoprstufhyeeabgdeziklmnoprstuf",
)
"""Letters of other alphabets as people write them in Latin ones."""
_LOOK_ALIKE = str.maketrans(
    "АВЕЗКМНОРСТУХасеорхуіјѕһԁɡΑΒΕΖΗΙΚΜΝΟΡΤΥΧοαν",
    "ABE3KMHOPCTYXaceopxyijshdgABEZHIKMNOPTYXoav",
)
_LEET = str.maketrans("0134578@$!", "oieastbasi")


def _visible(cell: str) -> str:
    """The letters that a reader sees: no invisible ones, and those of Latin that look the same."""
    if cell.isascii():
        return ""
    text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", cell)).translate(_LOOK_ALIKE)
    return text if text != cell else ""


def _latin(cell: str) -> str:
    text = cell.casefold()
    written = text.translate(_FOLLOW)
    return written if written != text else ""


def _leet(cell: str) -> str:
    if cell.isalpha() or not any(map(str.isalpha, cell)) or len(cell) > 100:
        return ""
    return cell.translate(_LEET)


_DIGITS = {
    word: str(digit)
    for digit, words in enumerate(
        (
            "zero oh null nul cero zéro",
            "one un une eins ein uno",
            "two deux zwei zwo dos due",
            "three trois drei tres tre",
            "four quatre vier cuatro quattro",
            "five cinq fünf fuenf cinco cinque",
            "six sechs seis sei",
            "seven sept sieben siete sette",
            "eight huit acht ocho otto",
            "nine neuf neun nueve nove",
        )
    )
    for word in words.split()
}
_SIGNALS = (
    "a.- b-... c-.-. d-.. e. f..-. g--. h.... i.. j.--- k-.- l.-.. m-- n-. o--- p.--. q--.- r.-. "
    "s... t- u..- v...- w.-- x-..- y-.-- z--.. 0----- 1.---- 2..--- 3...-- 4....- 5..... 6-.... "
    "7--... 8---.. 9----."
)
_MORSE = {signal[1:]: signal[0] for signal in _SIGNALS.split()}
_SPOKEN = (
    "alfa alpha bravo charlie delta echo foxtrot golf hotel india juliett juliet kilo lima mike "
    "november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu"
)
_SPOKEN_LETTERS = {word: word[0] for word in _SPOKEN.split()} | _DIGITS


def _spoken(words: dict[str, str]) -> Decoder:
    """Writes runs of three or more words that stand for one sign each as these signs."""

    def decode(cell: str) -> str:
        runs, run = [], ""
        for word in (*_WORD.findall(cell.casefold()), ""):
            sign = words.get(word, "")
            if not sign:
                runs.append(run)
            run = run + sign if sign else ""
        return " ".join(run for run in runs if len(run) >= 3)

    return decode


def _morse(cell: str) -> str:
    letters = cell.replace("/", " ").replace("·", ".").replace("−", "-").split()
    if len(letters) < _SHORTEST or any(letter not in _MORSE for letter in letters):
        return ""
    return "".join(_MORSE[letter] for letter in letters)


_SIGNS = "0123456789abcdefghijklmnopqrstuvwxyz"
WRAPPERS: dict[str, Decoder] = {
    "base64": _tokens(_TOKEN, _base64),
    "base32": _tokens(_BASE32, _base32),
    "hex": _tokens(_HEX, bytes.fromhex),
    "base85": _whole(base64.b85decode),
    "ASCII85": _whole(lambda cell: base64.a85decode(cell.removeprefix(b"<~").removesuffix(b"~>"))),
    "escapes": _unescape,
    "numbers of letters": _numbers,
    "bits": _bits,
}
"""Codes in which other codes may stand."""
DECODERS: dict[str, Decoder] = WRAPPERS | {
    "look-alike letters": _visible,
    "another alphabet": _latin,
    "digits for letters": _leet,
    "digits in words": _spoken(_DIGITS),
    "the spelling alphabet": _spoken(_SPOKEN_LETTERS),
    "Morse code": _morse,
    "numbers to the base 36": _number_to(36, _SIGNS),
    "numbers to the base 16": _number_to(16, _SIGNS[:16]),
    "numbers to the base 2": _number_to(2, "01"),
    "numbers to the base 26": _number_to(26, _SIGNS[10:]),
    "numbers to the base 62": _number_to(62, _SIGNS + _SIGNS[10:].upper()),
    "numbers to the base 62, capitals first": _number_to(
        62, _SIGNS[:10] + _SIGNS[10:].upper() + _SIGNS[10:]
    ),
}
"""All that cells are read as."""
