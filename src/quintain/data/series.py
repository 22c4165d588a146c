"""Series: one irregular multivariate time series per person.

The rows of all persons are stored one after the other, without padding, with the place where each
person begins. :meth:`Series.padded` gives the rectangular array that models and contests use.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Rows, array_bytes
from quintain.data.column import Column
from quintain.data.columns import SHOWN, Columns
from quintain.data.schema import Schema
from quintain.wording.display import html_table


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Series:
    """Time series of many persons; NaN is a value that was not measured.

    Parameters
    ----------
    schema : one id column with role "person", then real columns, the one with role "time" first.
    ids : one identifier per person.
    offsets : the rows of person i are those from offsets[i] to before offsets[i + 1].
    values : rows x (time and features), float64.

    >>> from quintain.data import Column, Schema
    >>> schema = Schema(shape="series", columns=(
    ...     Column(name="stay", kind="id", role="person"),
    ...     Column(name="hour", kind="real", role="time", nullable=True),
    ...     Column(name="pulse", kind="real", nullable=True)))
    >>> s = Series(schema, np.array([7, 8]), np.array([0, 1, 3]), [[0, 60], [0, 70], [2, np.nan]])
    >>> array, padding = s.padded(2)
    >>> array[0].tolist(), padding[0].tolist()
    ([[-1.0, -1.0], [0.0, 60.0]], [True, False])
    """

    schema: Schema
    ids: npt.NDArray[Any]
    offsets: Rows
    values: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        ids = np.array(self.ids)
        offsets = np.array(self.offsets, dtype=np.int64)
        values = np.array(self.values, dtype=np.float64)
        features = len(self.schema.columns) - 1
        if values.ndim != 2 or values.shape[1] != features:
            raise ValueError(f"values must be rows x {features}, not {values.shape}")
        if len(offsets) != len(ids) + 1 or offsets[0] != 0 or offsets[-1] != len(values):
            raise ValueError("offsets must run from 0 to the number of rows, one step per person")
        if (np.diff(offsets) < 0).any():
            raise ValueError("offsets must not decrease")
        for name, array in (("ids", ids), ("offsets", offsets), ("values", values)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @classmethod
    def from_rows(cls, rows: Columns) -> Series:
        """Series from a long table; persons come in the order in which they first appear."""
        person = _person(rows.schema).name
        ids, first, codes = np.unique(rows.columns[person], return_index=True, return_inverse=True)
        place = np.argsort(np.argsort(first))
        ids, codes = ids[np.argsort(first)], place[codes]
        order = np.argsort(codes, kind="stable")
        values = np.column_stack([rows.columns[n][order] for n in rows.schema.names if n != person])
        counts = np.bincount(codes, minlength=len(ids))
        return cls(rows.schema, ids, np.concatenate([[0], np.cumsum(counts)]), values)

    def head(self, steps: int) -> Series:
        """The series cut to the first ``steps`` rows of every person."""
        lengths = self.lengths
        if lengths.max(initial=0) <= steps:
            return self
        place = np.arange(len(self.values)) - np.repeat(self.offsets[:-1], lengths)
        offsets = np.concatenate([[0], np.cumsum(np.minimum(lengths, steps))])
        return Series(self.schema, self.ids, offsets, self.values[place < steps])

    def to_rows(self) -> Columns:
        """The long table, with one row per person and time."""
        names = [n for n in self.schema.names if n != _person(self.schema).name]
        columns: dict[str, npt.NDArray[Any]] = {
            name: self.values[:, j] for j, name in enumerate(names)
        }
        columns[_person(self.schema).name] = np.repeat(self.ids, self.lengths)
        return Columns(self.schema, columns)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def lengths(self) -> Rows:
        """The number of rows of each person."""
        return np.diff(self.offsets)

    def take(self, persons: npt.ArrayLike) -> Series:
        """The series of the persons with these numbers, in that order."""
        chosen = np.asarray(persons)
        index = np.arange(len(self))[chosen if chosen.size else chosen.astype(np.int64)]
        lengths = self.lengths[index]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        rows = np.repeat(self.offsets[index] - offsets[:-1], lengths) + np.arange(offsets[-1])
        return Series(self.schema, self.ids[index], offsets, self.values[rows])

    def padded(
        self, length: int, *, fill: float = -1.0, side: Literal["left", "right"] = "left"
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        """A persons x length x features array and a mask of padding (persons x length).

        A longer series keeps its first ``length`` rows.
        """
        kept = np.minimum(self.lengths, length)
        out = np.full((len(self), length, self.values.shape[1]), float(fill))
        step = np.arange(length)[None, :]
        begin = (length - kept)[:, None] if side == "left" else np.zeros((len(self), 1), np.int64)
        real = (step >= begin) & (step < begin + kept[:, None])
        rows = self.offsets[:-1, None] + step - begin
        out[real] = self.values[rows[real]]
        return out, ~real

    def digest(self) -> str:
        """The SHA-256 of schema and content, to tell whether two data sets are equal."""
        hasher = hashlib.sha256(self.schema.model_dump_json().encode())
        for array in (self.ids, self.offsets, self.values):
            hasher.update(array_bytes(array))
        return hasher.hexdigest()

    def equals(self, other: Series) -> bool:
        """Whether the schema, the persons, their order and their values are the same."""
        return self.digest() == other.digest()

    def _repr_html_(self) -> str:
        rows = self.head(SHOWN).to_rows()
        first = rows.take(np.arange(min(len(rows), SHOWN))).records()
        note = f"{len(self)} persons, {len(self.values)} rows; the first rows are shown"
        return html_table(self.schema.names, [list(row.values()) for row in first], note)

    def to_csv(self, path: PathLike[str] | str, *, replace: bool = False) -> None:
        """Write a CSV file with a header line; a file that is there stays, unless ``replace``."""
        self.to_rows().to_csv(path, replace=replace)

    def __repr__(self) -> str:
        return f"<Series {len(self)} persons, {len(self.values)} rows, {self.schema.names[1:]}>"


def _person(schema: Schema) -> Column:
    column = schema.role("person")
    if column is None:
        raise ValueError("a series needs an id column with the role 'person'")
    return column
