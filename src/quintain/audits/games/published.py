"""Published: everything a user would publish of one call, as named facts that can be compared.

Two releases may have other columns, kinds and values, so they are no rows of one matrix. A fact has
a name that means the same in all of them: the kind of a column, how often a value occurs, a number
in the card, a warning, how many records equal the person in question. Numbers are kept as numbers.
Texts are kept as fingerprints, which can only be equal or not.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from quintain.data import Column, Data, Schema, as_trees, shape_of
from quintain.data.arrays import Array
from quintain.data.codec import missing_cells
from quintain.data.columns import Columns
from quintain.releases import Release
from quintain.releases.release import ReleaseCard

MOST_VALUES = 200
"""Of columns with more possible values, only those of the person in question are counted."""
MOST_PAIRS = 12
"""Pairs of columns are counted for so many columns."""
MOST_NUMBERS = 2000
"""Of larger models, so many of their numbers are looked at."""


@dataclass(frozen=True, slots=True)
class PublishedCall:
    """What a user sees of one call: a release with its card, or a refusal; and warnings."""

    release: Release | None
    says: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Seen:
    """The facts of one call: numbers, and texts that are the same or not."""

    numbers: dict[str, float] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SoughtPerson:
    """What an attacker looks for: the cells of the person in question, as labels and numbers.

    Parameters
    ----------
    cells : by column; a category as its text, a number or time as a number, None for missing.
    slot : the row that the person has in the data with them, if rows keep their places; else -1.
    """

    cells: Mapping[str, str | float | None]
    slot: int = -1

    @classmethod
    def of(cls, rows: Columns, row: int, slot: int = -1) -> SoughtPerson:
        """The person of a row."""
        return cls(
            {c.name: _label(c, rows.columns[c.name][row]) for c in rows.schema.attributes}, slot
        )


def _label(column: Column, value: Any) -> str | float | None:
    if missing_cells(column, np.array([value]))[0]:
        return None
    if column.listed:
        return column.values[int(value)]
    return float(_as_numbers(column, np.array([value]))[0])


def _as_numbers(column: Column, contents: Array) -> Array:
    """Numbers as people write them; bounded integers are stored from their lower bound on."""
    return contents.astype(np.float64) + (column.offset if column.discrete else 0)


def facts_of(published: PublishedCall, person: SoughtPerson, *, aligned: bool) -> Seen:
    """Everything that one call shows."""
    seen = Seen()
    for sentence in published.says:
        seen.numbers[f"it says: {sentence}"] = 1.0
    release = published.release
    if release is None:
        seen.texts["what is released"] = "nothing"
        return seen
    seen.texts["what is released"] = release.data.schema.shape
    _flatten("card", ReleaseCard.of(release).model_dump(mode="json"), seen)
    if release.weights:
        seen.texts["the weights beside the release"] = _digest(release.weights)
        seen.numbers["bytes of the weights beside the release"] = len(release.weights)
    seen.texts["all records"] = release.data.digest()
    for name, table in _tables(release.data):
        _schema_facts(name, table.schema, seen)
        _count(name, table, person, seen)
    if aligned and person.slot >= 0:
        _own_row(release.data, person, seen)
    if release.data.schema.model is not None:
        _flatten("the model", release.data.schema.model.model_dump(mode="json"), seen)
        values = release.data.columns["value"][:MOST_NUMBERS]  # type: ignore[attr-defined]
        for place, value in enumerate(values.tolist()):
            seen.numbers[f"number {place} of the model"] = value
    return seen


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _tables(data: Data) -> Iterator[tuple[str, Columns]]:
    if data.schema.tables is not None:
        for name, table in as_trees(data).to_tables().items():
            yield f"{name}.", table
    else:
        yield "", shape_of(data).to_rows(data)


def _flatten(path: str, given: Any, seen: Seen) -> None:
    """Every leaf of plain data as a fact."""
    if isinstance(given, bool) or given is None or isinstance(given, str):
        seen.texts[path] = str(given)
    elif isinstance(given, int | float):
        seen.numbers[path] = float(given)
    elif isinstance(given, Mapping):
        for name, part in given.items():
            _flatten(f"{path}: {name}", part, seen)
    else:
        seen.numbers[f"{path}: how many"] = float(len(given))
        if len(given) <= MOST_VALUES:
            for place, part in enumerate(given):
                _flatten(f"{path} {place}", part, seen)


_KNOWN: dict[str, tuple[Schema, Seen]] = {}
"""The facts of the last schema of each table: releases under one public schema share it."""


def _schema_facts(table: str, schema: Schema, seen: Seen) -> None:
    if table not in _KNOWN or _KNOWN[table][0] is not schema:
        facts = Seen()
        facts.texts[f"the columns of {table or 'the release'}"] = json.dumps(schema.names)
        for column in schema.columns:
            given = column.model_dump(mode="json")
            values = given.pop("values")
            name = f"column {table}{column.name}"
            _flatten(name, given, facts)
            facts.texts[f"{name}: values"] = json.dumps(values)
            facts.numbers.update(
                {f"{name} may be {value!r}": 1.0 for value in values[:MOST_VALUES]}
            )
        _KNOWN[table] = schema, facts
    facts = _KNOWN[table][1]
    seen.numbers.update(facts.numbers)
    seen.texts.update(facts.texts)


def _count(table: str, rows: Columns, person: SoughtPerson, seen: Seen) -> None:
    """How often values occur, and how many records are like the person in question."""
    size = len(rows)
    seen.numbers[f"rows of {table or 'the release'}"] = float(size)
    same: dict[str, Array] = {}
    for column in rows.schema.columns:
        if column.identifying:
            continue
        contents = rows.columns[column.name]
        name = f"{table}{column.name}"
        missing = missing_cells(column, contents)
        seen.numbers[f"{name} is missing"] = float(missing.sum())
        own = person.cells.get(column.name)
        if column.listed:
            counts = np.bincount(contents[~missing], minlength=column.size)
            for value, count in zip(column.values[:MOST_VALUES], counts.tolist(), strict=False):
                seen.numbers[f"{name} = {value!r}"] = float(count)
            equal = contents == (column.values.index(own) if own in column.values else -2)
        else:
            known = _as_numbers(column, contents[~missing])
            _number_facts(name, known, seen)
            equal = np.zeros(size, bool)
            if isinstance(own, float):
                equal[~missing] = known == own
                seen.numbers[f"{name} is as large as that of the person"] = float(
                    (known >= own).sum()
                )
                seen.numbers[f"{name} is as small as that of the person"] = float(
                    (known <= own).sum()
                )
        if column.name in person.cells:
            same[name] = missing if own is None else equal
    _alike(table, same, size, seen)


def _number_facts(name: str, known: Array, seen: Seen) -> None:
    if len(known):
        seen.numbers[f"the smallest {name}"] = float(known.min())
        seen.numbers[f"the largest {name}"] = float(known.max())
        seen.numbers[f"the mean {name}"] = float(known.mean())
        seen.numbers[f"{name}: how many fractions"] = float((known % 1 != 0).sum())


OWN = "person: "
"""Facts about the values of the person begin so; they are also weighed together."""


def _alike(table: str, same: Mapping[str, Array], size: int, seen: Seen) -> None:
    """Counts of the values of the person, alone, in pairs and all together."""
    if not same:
        return
    masks = np.stack(list(same.values())) if size else np.zeros((len(same), 0), bool)
    counts = masks.sum(axis=1)
    for name, count in zip(same, counts.tolist(), strict=True):
        seen.numbers[f"{OWN}{name}"] = float(count)
    seen.numbers[f"{table}values of the person that occur"] = float((counts > 0).sum())
    seen.numbers[f"{table}cells with the values of the person"] = float(counts.sum())
    names, few = list(same)[:MOST_PAIRS], masks[:MOST_PAIRS].astype(np.float32)
    both = few @ few.T
    for i, j in combinations(range(len(names)), 2):
        seen.numbers[f"{OWN}{names[i]} and {names[j]}"] = float(both[i, j])
    agree = masks.sum(axis=0)
    seen.numbers[f"{table}records that equal the person"] = float((agree == len(same)).sum())
    seen.numbers[f"{table}records that equal the person but for one cell"] = float(
        (agree >= len(same) - 1).sum()
    )


def _own_row(data: Data, person: SoughtPerson, seen: Seen) -> None:
    """In how many columns the released record in the place of the person equals the person."""
    rows = shape_of(data).to_rows(data)
    if person.slot >= len(rows):
        return
    there = SoughtPerson.of(rows, person.slot)
    agrees = [there.cells.get(name) == cell for name, cell in person.cells.items()]
    seen.numbers["cells of the record in the place of the person that equal the person"] = float(
        sum(agrees)
    )
    for name, agree in zip(person.cells, agrees, strict=True):
        seen.numbers[f"{OWN}{name} in their place"] = float(agree)
