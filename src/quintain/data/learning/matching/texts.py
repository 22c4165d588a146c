"""Texts of categories: the same words in another spelling, and codes that are cut off."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from quintain.data.learning.matching.match import LEAST_OVERLAP, overlap

_NUMBER = re.compile(r"[-+]?\d*[.,]?\d+")
_WHOLE = r"^0*([0-9]+)(?:\.0+)?$"
_MASK = re.compile(r"(?<=\d)[xX]+$")
"""Letters that stand for digits: 803xx."""


def fold(text: str) -> str:
    """A text without what people write in different ways: capitals, accents, spaces, punctuation.

    Signs such as < and + carry a meaning and stay. A number stays as it is.

    >>> fold("Self-emp (not inc.)"), fold("<=50K."), fold("Zürich"), fold("-1.5")
    ('selfempnotinc', '<=50k', 'zurich', '-1.5')
    """
    text = text.strip()
    if _NUMBER.fullmatch(text):
        return text
    plain = unicodedata.normalize("NFKD", text).casefold()
    kept = (letter for letter in plain if not letter.isspace())
    folded = "".join(letter for letter in kept if unicodedata.category(letter)[0] not in "PM")
    return folded or text


def same_notation(columns: Sequence[pa.ChunkedArray]) -> list[pa.ChunkedArray]:
    """Columns of ids with each whole number in one notation: 7, 007 and 7.0 name the same.

    Where a column has several notations of one number, they may name different things, and all
    columns stay as they are.

    >>> columns = [pa.chunked_array([["7", "8"]]), pa.chunked_array([["007", "9.0", "x"]])]
    >>> [column.to_pylist() for column in same_notation(columns)]
    [['7', '8'], ['7', '9', 'x']]
    """
    plain = [pc.replace_substring_regex(own, _WHOLE, r"\1") for own in columns]
    for own, changed in zip(columns, plain, strict=True):
        if pc.count_distinct(own).as_py() != pc.count_distinct(changed).as_py():
            return list(columns)
    return plain


def match_spelling(known: Mapping[str, int], released: Mapping[str, int]) -> dict[str, str]:
    """For released texts that nobody else has, the text that others have in another spelling.

    Where two texts of the others differ in nothing but the spelling, the match is not clear, and
    there is none.

    >>> match_spelling({"Male": 5, "x-1": 1, "x1": 1}, {"MALE": 4, "X 1": 1, "Male": 1, "?!": 1})
    {'MALE': 'Male'}
    """
    spellings: dict[str, list[str]] = {}
    for text in known:
        spellings.setdefault(fold(text), []).append(text)
    candidates = {text: spellings.get(fold(text), []) for text in released if text not in known}
    return {text: texts[0] for text, texts in candidates.items() if len(texts) == 1}


def stem(text: str) -> str:
    """What is left of a code whose end was cut off or masked; empty if nothing is.

    >>> stem("803**"), stem("803XX"), stem("F17."), stem("***")
    ('803', '803', 'f17', '')
    """
    return fold(_MASK.sub("", text.strip().rstrip("*#•…._-")))


def match_prefixes(
    known: Mapping[str, int], released: Mapping[str, int]
) -> tuple[dict[str, str], dict[str, str]]:
    """For the texts of others, and for released ones, the stem that they have in common.

    Each text of the others gets the longest released stem that it begins with. The match holds if
    most cells have stems in common, and more than have whole texts in common; else both are empty.

    >>> match_prefixes({"F17.4": 2, "F10": 1, "K1": 3}, {"F": 3, "K": 2, "*": 1})[0]
    {'F17.4': 'F', 'F10': 'F', 'K1': 'K'}
    """
    stems: dict[str, str] = {}
    for text in sorted(released, key=lambda text: (-released[text], text)):
        stems.setdefault(stem(text), text.strip().rstrip("*#•…") or text)
    stems.pop("", None)
    others = {text: label for text in known if (label := _longest(fold(text), stems))}
    own = {text: stems[stem(text)] for text in released if stem(text)}
    common = overlap(relabel(known, others), relabel(released, own))
    if common < LEAST_OVERLAP or common <= overlap(known, released):
        return {}, {}
    return others, own


def relabel(counts: Mapping[str, int], labels: Mapping[str, str]) -> Counter[str]:
    """How many cells have each label; a text without a label keeps its own."""
    out: Counter[str] = Counter()
    for text, number in counts.items():
        out[labels.get(text, text)] += number
    return out


def _longest(text: str, stems: Mapping[str, str]) -> str:
    """The label of the longest stem that a text begins with; empty if there is none."""
    for length in range(len(text), 0, -1):
        if text[:length] in stems:
            return stems[text[:length]]
    return ""
