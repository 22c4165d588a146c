"""Columns: rows under a schema, stored as one NumPy array per column.

Categories and bounded integers are stored as codes 0, 1, 2 ...; code -1 is a missing value. Reals
are float64 with NaN for a missing value, times are seconds since 1970 UTC, ids are int64 or text.
The arrays are read-only, so that a sanitizer cannot change its input by accident.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Array, Codes, Floats, Rows, array_bytes, number_rows
from quintain.data.codec import decode_values, encode_values, format_texts
from quintain.data.schema import Schema
from quintain.errors import PartError
from quintain.jobs.files import write_new
from quintain.wording.display import html_table

SHOWN = 10
"""How many rows a notebook shows."""

_ROWS_AT_ONCE = 20_000
"""How many rows are turned into texts at a time: a text takes ten times the memory of its cell."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Columns:
    """Rows under a schema: what :class:`Table` and :class:`Transactions` have in common."""

    schema: Schema
    columns: Mapping[str, Array]

    def __post_init__(self) -> None:
        lengths = set()
        arrays = {}
        for column in self.schema.columns:
            given = np.asarray(self.columns[column.name])
            array = np.array(given, dtype=column.its_kind.dtype(column, given))
            if column.fractional:
                array += 0.0  # turns -0.0 into 0.0, which would sort and hash differently
            array.flags.writeable = False
            arrays[column.name] = array
            lengths.add(len(array))
        if len(lengths) > 1:
            raise ValueError(f"columns of different lengths: {sorted(lengths)}")
        object.__setattr__(self, "columns", arrays)

    @classmethod
    def of(cls, schema: Schema, values: Mapping[str, Sequence[Any] | Array]) -> Self:
        """Rows from plain values: category names, numbers, texts; None where missing."""
        return cls(schema, {c.name: encode_values(c, values[c.name]) for c in schema.columns})

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def take(self, rows: npt.ArrayLike) -> Self:
        """The rows with these numbers (or where a mask is true), in that order."""
        index = np.asarray(rows)
        if index.size == 0 and index.dtype != bool:
            index = index.astype(np.int64)
        return type(self)(self.schema, {k: v[index] for k, v in self.columns.items()})

    def select(self, names: Iterable[str]) -> Self:
        """The same rows with only these columns, in this order."""
        schema = self.schema.select(list(names))
        return type(self)(schema, {name: self.columns[name] for name in schema.names})

    def drop(self, *names: str) -> Self:
        """The same rows without these columns."""
        return self.select(name for name in self.schema.names if name not in names)

    def replace(self, columns: Mapping[str, npt.ArrayLike]) -> Self:
        """The same rows with other (coded) contents in some columns."""
        changed = {name: np.asarray(content) for name, content in columns.items()}
        return type(self)(self.schema, {**self.columns, **changed})

    def concat(self, *others: Columns) -> Self:
        """These rows, followed by the rows of others with the same schema."""
        tables: list[Columns] = [self, *others]
        return type(self)(
            self.schema,
            {name: np.concatenate([t.columns[name] for t in tables]) for name in self.schema.names},
        )

    def codes(self, names: Sequence[str] | None = None) -> Codes:
        """Discrete columns side by side as one integer matrix."""
        chosen = self.schema.names if names is None else names
        for name in chosen:
            if not self.schema[name].discrete:
                raise ValueError(f"column {name!r} has no codes, because its domain is not finite")
        if not chosen:
            return np.empty((len(self), 0), np.int32)
        return np.column_stack([self.columns[name] for name in chosen]).astype(np.int32, copy=False)

    def numbers(self, name: str) -> Floats:
        """A numeric column as float64, NaN where missing; for categories, their codes."""
        column, array = self.schema[name], self.columns[name]
        if not column.plain:
            raise PartError(
                f"column {name!r} has {column.its_kind.plural}, which are no numbers; leave it out"
            )
        out = array.astype(np.float64) + column.offset
        if column.discrete:
            out[array < 0] = np.nan
        return out

    def order(self) -> Rows:
        """Row numbers that sort the rows by content, so that their old order reveals nothing."""
        return _sorted_rows([self.columns[name] for name in self.schema.names])

    def row_keys(self) -> Rows:
        """One number per row, the same for equal rows; it means nothing in other data."""
        return number_rows([self.columns[name] for name in self.schema.names], len(self))

    def records(self) -> list[dict[str, Any]]:
        """Rows as dictionaries of plain values, None where missing."""
        columns = {c.name: decode_values(c, self.columns[c.name]) for c in self.schema.columns}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def digest(self) -> str:
        """The SHA-256 of schema and content, to tell whether two data sets are equal."""
        hasher = hashlib.sha256(self.schema.model_dump_json().encode())
        for name in self.schema.names:
            hasher.update(array_bytes(self.columns[name]))
        return hasher.hexdigest()

    def equals(self, other: Columns) -> bool:
        """Whether the schema is the same, and the rows are the same in the same order."""
        return self.schema == other.schema and self.digest() == other.digest()

    def to_csv(self, path: PathLike[str] | str, *, replace: bool = False) -> None:
        """Write a CSV file with a header line; a file that is there stays, unless ``replace``."""
        write_new(Path(path), self.csv_bytes(), replace=replace)

    def csv_bytes(self, *, header: bool = True) -> bytes:
        """The content of a CSV file; same rows, same bytes."""
        out = io.BytesIO()
        text = io.TextIOWrapper(out, "utf-8", newline="", write_through=True)
        writer = csv.writer(text, lineterminator="\n")
        if header:
            writer.writerow(self.schema.names)
        for start in range(0, len(self), _ROWS_AT_ONCE):
            rows = slice(start, start + _ROWS_AT_ONCE)
            texts = [format_texts(c, self.columns[c.name][rows]) for c in self.schema.columns]
            writer.writerows(zip(*texts, strict=True))
        return out.getvalue()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {len(self)} rows: {', '.join(self.schema.names)}>"

    def _repr_html_(self) -> str:
        first = self.take(np.arange(min(len(self), SHOWN))).records()
        note = f"{len(self)} rows" + (f", the first {SHOWN} shown" if len(self) > SHOWN else "")
        return html_table(self.schema.names, [list(row.values()) for row in first], note)


def _sorted_rows(keys: Sequence[Array]) -> Rows:
    """Row numbers in the order of the keys, the first one first; equal rows keep their order.

    ``np.lexsort`` gives the same, but sorts all rows by every key. Here a key only sorts rows that
    are equal so far, which in wide tables are soon few.
    """
    rows: Rows = np.argsort(keys[0], kind="stable")
    places, group = np.arange(len(rows)), np.zeros(len(rows), np.int64)
    for before, key in pairwise(keys):
        values = before[rows[places]]
        new = np.ones(len(places), bool)
        same = values[1:] == values[:-1]
        if values.dtype.kind == "f":
            same |= np.isnan(values[1:]) & np.isnan(values[:-1])
        new[1:] = ~same | (group[1:] != group[:-1])
        group = np.cumsum(new)
        tied = np.bincount(group)[group] > 1
        places, group = places[tied], group[tied]
        if not len(places):
            break
        rows[places] = rows[places][np.lexsort([key[rows[places]], group])]
    return rows
