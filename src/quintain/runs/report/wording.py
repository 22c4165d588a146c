"""Wording: describe a part, an entry and a claim in words for readers of the report."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from quintain.contests import Track
from quintain.data import Column, Schema
from quintain.figures.claim import claim_words
from quintain.figures.format import listed
from quintain.rankings import Entry
from quintain.registry import Part
from quintain.releases import Method, ReleaseCard
from quintain.sanitizers import Sanitizer

_MOST_COLUMNS = 4
_LONGEST = 240
"""The most letters for what was done; a longer text is replaced by the sanitizer's summary."""


@dataclass(frozen=True, slots=True)
class EntryWords:
    """An entry in words: what was done to the data, with which settings, and what is claimed."""

    done: str
    settings: str = ""
    claim: str = ""


def entry_words(track: Track, entry: Entry, card: ReleaseCard) -> EntryWords:
    """What an entry is, from the rules of the track and the card of the release."""
    sanitizer = _sanitizer(track, entry)
    claims = [] if card.claim is None else [claim_words(card.claim)]
    claim = "; ".join([*claims, *(model.words() for model in card.models)])
    done = "; ".join(_method_words(method) for method in card.methods if method.name != "none")
    if sanitizer is None:
        return EntryWords(done or "The team did not say what it did.", "", claim)
    if not done or len(done) > _LONGEST:
        done = _sentences(sanitizer)
    return EntryWords(done, settings(sanitizer), claim)


_KINDS = {
    "category": ("category", "categories"),
    "integer": ("whole number", "whole numbers"),
    "real": ("real number", "real numbers"),
    "time": ("time", "times"),
    "id": ("id", "ids"),
}


def columns_words(schema: Schema) -> str:
    """How many columns of each kind a schema has.

    >>> from quintain.testing.examples import TABLE
    >>> columns_words(TABLE)
    '4: 2 categories, 1 whole number and 1 id'
    """
    counts: Counter[str] = Counter(column.kind for column in schema.columns)
    kinds = [f"{counts[k]} {_KINDS[k][counts[k] > 1]}" for k in _KINDS if counts[k]]
    gaps = [column.name for column in schema.columns if column.nullable]
    missing = f". Values of {listed(gaps, most=8)} may be missing" if gaps else ""
    return f"{len(schema.columns)}: {listed(kinds, most=5)}{missing}"


def column_words(column: Column) -> str:
    """The values that a column can have.

    >>> column_words(Column(name="age", kind="integer", low=0, high=120, nullable=True))
    'whole numbers from 0 to 120; may be missing'
    """
    first, last = (
        (column.earliest, column.latest) if column.kind == "time" else (column.low, column.high)
    )
    bounds = (bound for bound in (first, last) if bound is not None)
    shown = [bound if isinstance(bound, str) else f"{bound:.10g}" for bound in bounds]
    words = _KINDS[column.kind][1]
    if column.kind == "category":
        words = f"{len(column.values)} values: {listed(column.values, most=8)}"
    elif len(shown) == 2:
        words += f" from {shown[0]} to {shown[1]}"
    elif shown:
        words += f" of at {'least' if first is not None else 'most'} {shown[0]}"
    elif column.kind == "id":
        words += ", which are no attributes of a person"
    unit = f" ({column.unit})" if column.unit else ""
    return words + unit + ("; may be missing" if column.nullable else "")


def sentence(part: Part) -> str:
    """The summary of a part, with its parameters where the summary names them.

    >>> from quintain.sanitizers.masking.randomized_response import RandomizedResponse
    >>> sentence(RandomizedResponse(keep=0.5))
    'Keeps each value with probability 0.5, otherwise draws one uniformly from its domain.'
    """

    def value(match: re.Match[str]) -> str:
        given = getattr(part, match[1], None)
        return match[1] if given is None else _shown(given)

    return re.sub(r"``(\w+)``", value, part.summary())


def _sentences(part: Part) -> str:
    """What a part does; for a part that consists of others, what each of them does."""
    return " Then: ".join(sentence(step) for step in _parts(part)) or sentence(part)


def settings(part: Part) -> str:
    """The name of a part and its parameters.

    >>> from quintain.sanitizers.masking.randomized_response import RandomizedResponse
    >>> settings(RandomizedResponse(keep=0.5))
    'rr: keep 0.5, draw domain'
    """
    name = re.sub(r"-v\d+$", "", part.id.partition("/")[2])
    nested = [settings(step) for step in _parts(part)]
    chosen = [f"{key.replace('_', ' ')} {_shown(value)}" for key, value in _plain(part)]
    return ": ".join(filter(None, [name, ", ".join(chosen) or "; then ".join(nested)]))


def _plain(part: Part) -> Iterator[tuple[str, Any]]:
    """The parameters that have a value and fit into a few words."""
    for name in type(part).model_fields:
        value = getattr(part, name)
        if value is None or isinstance(value, Mapping | BaseModel) or _is_nested(value):
            continue
        yield name, value


def _is_nested(value: Any) -> bool:
    several = isinstance(value, Sequence) and not isinstance(value, str)
    return several and any(isinstance(item, Mapping | BaseModel) for item in value)


def _parts(part: Part) -> list[Part]:
    """The parts that a part consists of, such as the steps of a pipeline."""
    values = [getattr(part, name) for name in type(part).model_fields]
    several = [value for value in values if isinstance(value, list | tuple)]
    return [item for value in several for item in value if isinstance(item, Part)]


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return listed([_shown(item) for item in value])
    return str(value)


def _method_words(method: Method) -> str:
    columns = method.columns if len(method.columns) <= _MOST_COLUMNS else ()
    where = f" of {listed(columns)}" if columns else ""
    rows = f" ({method.rows:,} records)" if method.rows and "deletion" in method.name else ""
    text = method.name[:1].upper() + method.name[1:]
    return f"{text}{where}{rows}: {method.detail}" if method.detail else f"{text}{where}{rows}"


def _sanitizer(track: Track, entry: Entry) -> Sanitizer | None:
    """The sanitizer that made an entry, if the rules name it."""
    if entry.owner is None:
        return track.entries.get(entry.id)
    return next((b.sanitizer for b in track.baseline if b.id == entry.owner), None)


def rows_text(rows: int | tuple[int, int]) -> str:
    """A number of rows, or the range of several, with commas.

    >>> rows_text(2000), rows_text((470, 505)), rows_text((50, 50))
    ('2,000', '470 to 505', '50')
    """
    low, high = (rows, rows) if isinstance(rows, int) else rows
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
