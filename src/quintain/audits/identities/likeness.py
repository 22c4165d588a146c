"""Likeness: does a released row share rare parts with one person, whatever joined or cut them?

A name without a letter, initials beside a birth date, the end of a telephone number: no single form
says what was done to them. But each leaves pieces. Rows and people are cut into pieces, rare pieces
count more, and the best row of each person is what an attacker would choose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from quintain.audits.identities.forms import SPELLINGS
from quintain.audits.identities.shown import squeeze_marks
from quintain.data.arrays import Floats, Rows
from quintain.measures.pooled.joint_test import chance_of_hits

MOST_PEOPLE, MOST_ROWS = 1_000, 3_000
"""So many people of each side are compared with so many released rows."""
_PIECES = re.compile(r"[a-z]+|\d+|[^\W\d_a-z]+")
_LONGEST = 2_000
_FREQUENT = 0.2
"""A piece that so many have tells nobody apart."""
_WRONG = 0.1
"""An attacker names people if at most so many of the names are wrong."""
_GROUPS = {"bfpv": "1", "cgjkqsxz": "2", "dt": "3", "l": "4", "mn": "5", "r": "6"}
_SOUNDS = {letter: sign for letters, sign in _GROUPS.items() for letter in letters}
_DATES = (
    "yearmonthday",
    "daymonthyear",
    "yymmdd",
    "ddmmyy",
)
_MONTHS = {
    name: number
    for names in (
        "january february march april may june july august september october november december",
        "jan feb mar apr may jun jul aug sep oct nov dec",
        "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
        "januar februar marz april mai juni juli august september oktober november dezember",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    )
    for number, name in enumerate(names.split(), 1)
}
_SPELLED = re.compile(
    r"(\d{1,2})\D{0,4} ([a-z]{3,10})\.?,? (\d{4})|([a-z]{3,10})\.? (\d{1,2})\D{0,3} (\d{4})"
)


def pieces(text: str) -> set[str]:
    """The words, parts of words, sounds and rows of digits of a text.

    >>> sorted(pieces("Z. Bes"))
    ['<be', '<z', 'bes', 'es>', 'sound b2', 'starts bes', 'word bes', 'z>']
    """
    small = squeeze_marks(text[:_LONGEST].casefold())
    out: set[str] = set()
    runs = _PIECES.findall(small)
    for run in runs:
        if run.isdecimal():
            continue
        out |= _letters(run)
    for left, right in pairwise(runs):
        if len(left) == len(right) == 1 and not (left + right).isdecimal():
            out.add(f"starts {left}{right}")
    digits = "".join(run for run in runs if run.isdecimal())
    out |= _digits(digits)
    for match in _SPELLED.finditer(small):
        day, month, year = match[1] or match[5], match[2] or match[4], match[3] or match[6]
        if month in _MONTHS:
            out |= _digits(f"{year}{_MONTHS[month]:02}{int(day):02}")
    return out


def _letters(run: str) -> set[str]:
    marked = f"<{run}>"
    out = {marked[start : start + 3] for start in range(len(marked) - 2)} if len(run) > 1 else set()
    if len(run) == 1:
        return {f"<{run}", f"{run}>"}
    if len(run) <= 3:
        out.add(f"starts {run}")
    if len(run) >= 3:
        out |= {f"word {run}", f"sound {sound(run)}"}
    return out


def _digits(digits: str) -> set[str]:
    out = {digits[start : start + 4] for start in range(len(digits) - 3)}
    out |= {digits[start : start + 6] for start in range(len(digits) - 5)}
    if len(digits) >= 4:
        out |= {f"ends {digits[-4:]}", f"begins {digits[:4]}"}
    return out


def sound(word: str) -> str:
    """How a word sounds, by the rules of Soundex.

    >>> sound("robert"), sound("rupert")
    ('r163', 'r163')
    """
    out, last = word[0], _SOUNDS.get(word[0], "")
    for letter in word[1:]:
        sign = _SOUNDS.get(letter, "")
        if sign and sign != last:
            out += sign
        if letter not in "hw":
            last = sign
    return out[:4]


def pieces_of_person(cells: Iterable[str]) -> set[str]:
    """The pieces of a person's cells, and of other ways to write their dates and names.

    >>> "starts zb" in pieces_of_person(["Zoé Besson", "1956-02-09"])
    True
    """
    out: set[str] = set()
    for cell in cells:
        if not cell:
            continue
        out |= pieces(cell)
        for name in _DATES:
            written = SPELLINGS[name](cell)
            out |= _digits(written)
        words = [run for run in _PIECES.findall(squeeze_marks(cell.casefold())) if run.isalpha()]
        if 1 < len(words) < 5:
            out |= {f"starts {words[0][0]}{words[-1][0]}", f"starts {words[-1][0]}{words[0][0]}"}
            out |= {f"<{word[0]}" for word in words}
            first, last = words[0], words[-1]
            joined = (first + last, last + first, first[0] + last, last + first[0])
            out |= {f"word {own}" for own in joined}
    return out


@dataclass(frozen=True, slots=True)
class Likeness:
    """How many people a released row resembles as nobody else.

    Parameters
    ----------
    hits, false : how many people of the original, and of the control, are named.
    inside, outside : of how many.
    p : how probable so many people of the original are by chance.
    people, rows : who they are, and the row that each resembles most.
    """

    hits: int
    false: int
    inside: int
    outside: int
    p: float
    people: Rows
    rows: Rows


def likeness(
    inside: Sequence[set[str]], outside: Sequence[set[str]], rows: Sequence[set[str]]
) -> Likeness:
    """Name people by the row that shares most with them, at the level at which most are right."""
    scores, best = _best(*_weights([*inside, *outside], rows))
    members = np.arange(len(scores)) < len(inside)
    order = np.argsort(-scores, kind="stable")
    choices = []
    size = 10
    while size < 2 * len(scores):
        level = scores[order[min(size, len(scores)) - 1]]
        named = (scores >= level) & (scores > 0)
        hits, false = int((named & members).sum()), int((named & ~members).sum())
        choices.append((hits, false, level))
        size *= 2
    ratio = len(inside) / max(1, len(outside))
    clean = [own for own in choices if own[1] * ratio <= _WRONG * own[0]] or choices[:1]
    hits, false, level = max(clean)
    p = chance_of_hits(hits, false, len(inside), len(outside)) * len(choices)
    people = np.flatnonzero((scores >= level) & members & (scores > 0))
    wrong = false * ratio > _WRONG * hits
    return Likeness(
        hits, false, len(inside), len(outside), 1.0 if wrong else min(1.0, p), people, best[people]
    )


def _weights(people: Sequence[set[str]], rows: Sequence[set[str]]) -> tuple[Any, Any]:
    """Two sparse tables: who has which pieces, weighted by how rare they are."""
    from scipy.sparse import csr_array

    known: dict[str, int] = {}
    shared = set().union(*people) & set().union(*rows)
    tables = []
    for docs in (people, rows):
        indices: list[int] = []
        starts = [0]
        for doc in docs:
            indices += [known.setdefault(piece, len(known)) for piece in doc & shared]
            starts.append(len(indices))
        tables.append((indices, starts))
    shape = max(1, len(known))
    out = [
        csr_array(
            (np.ones(len(indices)), np.array(indices, np.int64), np.array(starts)),
            shape=(len(starts) - 1, shape),
        )
        for indices, starts in tables
    ]
    counts = [np.asarray(own.sum(axis=0)).ravel() for own in out]
    total = len(people) + len(rows)
    weight = np.log(total / np.maximum(1, counts[0] + counts[1]))
    for count, docs in zip(counts, (people, rows), strict=True):
        weight[count > max(2, _FREQUENT * len(docs))] = 0.0
    out[0] = out[0].multiply(weight).tocsr()
    return out[0], out[1].T.tocsr()


def _best(people: Any, rows: Any) -> tuple[Floats, Rows]:
    """For each person the best row, and what they share."""
    scores, best = np.zeros(people.shape[0]), np.zeros(people.shape[0], np.int64)
    for start in range(0, people.shape[0], 200):
        block = np.asarray((people[start : start + 200] @ rows).todense())
        best[start : start + 200] = block.argmax(axis=1)
        scores[start : start + 200] = block.max(axis=1)
    return scores, best
