"""Trajectories: where people were and when, each place a cell of a grid.

A place is a pair of columns with the roles ``x`` and ``y``, or one number of a region with the role
``region/W``, where W is how many cells wide the grid is. Regions are numbered row by row. A point
whose place is missing is still a point: everybody sees that nothing was recorded at that time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Annotated, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data.arrays import Array, Floats, Ints, Rows, array_bytes
from quintain.data.column import Column
from quintain.data.columns import SHOWN, Columns
from quintain.data.schema import Schema
from quintain.errors import Faults, PartError
from quintain.wording.display import html_table
from quintain.wording.languages import tell, to_say

REGION = "region/"
"""What the role of a column with numbers of regions begins with; the width of the grid follows."""

DAY = 86_400
HOUR = 3_600

Sides = tuple[Annotated[float, Field(gt=0)], Annotated[float, Field(gt=0)]]
"""The sides of a cell, from left to right and from one end to the other."""


@dataclass(frozen=True, slots=True)
class CellGrid:
    """The cells on which the places of a schema lie, numbered row by row.

    Parameters
    ----------
    width, height : how many cells there are from left to right, and from one end to the other.
    columns : the column of x and that of y, or the one with the number of the region.

    >>> schema = Schema(columns=(Column(name="cell", kind="integer", low=1, high=1024,
    ...                                 role="region/32"),))
    >>> CellGrid.of(schema)
    CellGrid(width=32, height=32, columns=('cell',))
    """

    width: int
    height: int
    columns: tuple[str, ...]

    @classmethod
    def of(cls, schema: Schema) -> CellGrid:
        """The grid of a schema; raises if its columns describe none."""
        lack = lacking_place(schema)
        if lack:
            raise PartError(lack)
        region = _region(schema)
        if region is not None:
            width = int(region.role.removeprefix(REGION))
            return cls(width, region.size // width, (region.name,))
        x, y = (schema.role(role) for role in ("x", "y"))
        assert x is not None and y is not None  # nothing is lacking
        return cls(x.size, y.size, (x.name, y.name))

    @property
    def size(self) -> int:
        """How many cells there are."""
        return self.width * self.height

    def cells(self, columns: Mapping[str, Array]) -> Ints:
        """The number of the cell of each row; -1 where the place is missing."""
        first, *second = (columns[name].astype(np.int64) for name in self.columns)
        if not second:
            return np.asarray(first)
        missing = (first < 0) | (second[0] < 0)
        return np.where(missing, -1, second[0] * self.width + first)

    def places(self, cells: Ints) -> dict[str, Array]:
        """The columns for cells with these numbers; -1 is a missing place."""
        if len(self.columns) == 1:
            return {self.columns[0]: cells}
        missing = cells < 0
        x, y = np.where(missing, -1, cells % self.width), np.where(missing, -1, cells // self.width)
        return dict(zip(self.columns, (x, y), strict=True))

    def distances(self, one: Ints, other: Ints, sides: Sides = (1, 1)) -> Floats:
        """How far the middles of cells are apart, for cells with sides of these lengths."""
        across = (one % self.width - other % self.width) * sides[0]
        along = (one // self.width - other // self.width) * sides[1]
        return np.asarray(np.hypot(across, along))


def lacking_place(schema: Schema) -> str:
    """Why the columns of a schema are no places on a grid; empty if they are.

    >>> lacking_place(Schema(columns=(Column(name="cell", kind="integer", low=1, high=9,
    ...                                      role="region/4"),)))
    "'cell' has 9 regions, which do not fill rows of 4"
    """
    region = _region(schema)
    if region is not None:
        width = region.role.removeprefix(REGION)
        if not width.isdecimal() or int(width) < 1:
            return f"the role of {region.name!r} is {region.role!r}; expected region/32 or the like"
        if not (region.whole and region.discrete):
            return f"{region.name!r} must be an integer with low and high"
        rest = region.size % int(width)
        words = f"{region.name!r} has {region.size} regions, which do not fill rows of {width}"
        return words if rest else ""
    for role in ("x", "y"):
        column = schema.role(role)
        if column is None:
            return (
                "trajectories need places: columns with the roles x and y, or one with the role "
                "region/W, where the grid is W cells wide"
            )
        if not (column.whole and column.discrete):
            return f"{column.name!r} has the role {role}; it must be an integer with low and high"
    return ""


def _region(schema: Schema) -> Column | None:
    return next((c for c in schema.columns if c.role.startswith(REGION)), None)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Trajectories:
    """The points of many people, one person after another, each in the order of time.

    Parameters
    ----------
    schema : an id column with the role "person", a time, a place, and perhaps more.
    ids : one identifier per person.
    offsets : the points of person i are those from offsets[i] to before offsets[i + 1].
    columns : all columns but that of the person, coded as :class:`Columns` has them.

    >>> columns = (Column(name="who", kind="id", role="person"),
    ...            Column(name="when", kind="time", role="time"),
    ...            Column(name="x", kind="integer", low=0, high=3, role="x", nullable=True),
    ...            Column(name="y", kind="integer", low=0, high=3, role="y", nullable=True))
    >>> rows = Columns.of(Schema(shape="trajectories", columns=columns), {
    ...     "who": ["eve", "bob", "eve"], "when": ["2024-03-04", "2024-03-04", "2024-03-05"],
    ...     "x": [1, 0, None], "y": [2, 3, None]})
    >>> traces = Trajectories.from_rows(rows)
    >>> traces, traces.cells().tolist(), traces.lengths.tolist()
    (<Trajectories 2 persons, 3 points on 4 x 4 cells>, [9, -1, 12], [2, 1])
    """

    schema: Schema
    ids: Array
    offsets: Rows
    columns: Mapping[str, Array]

    def __post_init__(self) -> None:
        CellGrid.of(self.schema)
        ids, offsets = np.array(self.ids), np.array(self.offsets, np.int64)
        rows = Columns(_without_person(self.schema), self.columns)
        if len(offsets) != len(ids) + 1 or offsets[0] != 0 or offsets[-1] != len(rows):
            raise ValueError("offsets must run from 0 to the number of points, a step per person")
        for name, array in (("ids", ids), ("offsets", offsets)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "columns", rows.columns)

    @classmethod
    def from_rows(cls, rows: Columns) -> Trajectories:
        """Trajectories from a long table; persons come in the order in which they first appear."""
        person = person_column(rows.schema).name
        ids, first, codes = np.unique(rows.columns[person], return_index=True, return_inverse=True)
        place = np.argsort(np.argsort(first))
        codes = place[codes]
        order = np.lexsort((rows.columns[time_column(rows.schema).name], codes))
        counts = np.bincount(codes, minlength=len(ids))
        columns = {n: a[order] for n, a in rows.columns.items() if n != person}
        return cls(rows.schema, ids[np.argsort(first)], np.append(0, np.cumsum(counts)), columns)

    def to_rows(self) -> Columns:
        """The long table, with one row per person and time."""
        person = person_column(self.schema).name
        return Columns(self.schema, {**self.columns, person: self.ids[self.person_of_point()]})

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def grid(self) -> CellGrid:
        """The cells on which the places lie."""
        return CellGrid.of(self.schema)

    @property
    def lengths(self) -> Rows:
        """The number of points of each person."""
        return np.diff(self.offsets)

    def person_of_point(self) -> Rows:
        """For every point the number of its person."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def cells(self) -> Ints:
        """For every point the number of its cell, or -1."""
        return self.grid.cells(self.columns)

    def times(self) -> Ints:
        """For every point its time, in seconds since 1970."""
        return self.columns[time_column(self.schema).name].astype(np.int64)

    def hours(self) -> Floats:
        """For every point the hour of the day."""
        return np.asarray((self.times() % DAY) / HOUR)

    def take(self, persons: npt.ArrayLike) -> Self:
        """The trajectories of the persons with these numbers, in that order."""
        chosen = np.asarray(persons)
        index = np.arange(len(self))[chosen if chosen.size else chosen.astype(np.int64)]
        lengths = self.lengths[index]
        offsets = np.append(0, np.cumsum(lengths))
        points = np.repeat(self.offsets[index] - offsets[:-1], lengths) + np.arange(offsets[-1])
        columns = {name: array[points] for name, array in self.columns.items()}
        return type(self)(self.schema, self.ids[index], offsets, columns)

    def keep(self, points: npt.NDArray[np.bool_]) -> Self:
        """Everybody, with only those points for which the mask is true."""
        lengths = np.bincount(self.person_of_point()[points], minlength=len(self))
        columns = {name: array[points] for name, array in self.columns.items()}
        return type(self)(self.schema, self.ids, np.append(0, np.cumsum(lengths)), columns)

    def with_cells(self, cells: Ints) -> Self:
        """The same people and times at other places."""
        columns = {**self.columns, **self.grid.places(cells)}
        return type(self)(self.schema, self.ids, self.offsets, columns)

    def with_ids(self, ids: Array) -> Self:
        """The same trajectories under other names."""
        return type(self)(self.schema, ids, self.offsets, self.columns)

    def digest(self) -> str:
        """The SHA-256 of schema and content, to tell whether two data sets are equal."""
        hasher = hashlib.sha256(self.schema.model_dump_json().encode())
        for array in (self.ids, self.offsets, *self.columns.values()):
            hasher.update(array_bytes(array))
        return hasher.hexdigest()

    def to_csv(self, path: PathLike[str] | str, *, replace: bool = False) -> None:
        """Write a CSV file with a header line; a file that is there stays, unless ``replace``."""
        self.to_rows().to_csv(path, replace=replace)

    def _repr_html_(self) -> str:
        rows = self.to_rows()
        first = rows.take(np.arange(min(len(rows), SHOWN))).records()
        note = f"{len(self)} persons, {len(rows)} points; the first points are shown"
        return html_table(self.schema.names, [list(row.values()) for row in first], note)

    def __repr__(self) -> str:
        grid, points = self.grid, int(self.offsets[-1])
        cells = f"{grid.width} x {grid.height} cells"
        return f"<Trajectories {len(self)} persons, {points} points on {cells}>"


def person_column(schema: Schema) -> Column:
    """The column that says who was there."""
    return _role(schema, "person")


def time_column(schema: Schema) -> Column:
    """The column that says when."""
    return _role(schema, "time")


def _role(schema: Schema, role: str) -> Column:
    column = schema.role(role)
    if column is None:
        raise PartError(f"trajectories need a column with the role {role}")
    return column


def _without_person(schema: Schema) -> Schema:
    return schema.drop(person_column(schema).name)


def note_wrong_points(rows: Columns, faults: Faults) -> None:
    """Note points out of order, two points of a person at one time, and half a place.

    >>> columns = (Column(name="who", kind="id", role="person"),
    ...            Column(name="when", kind="time", role="time"),
    ...            Column(name="cell", kind="integer", low=0, high=8, role="region/3"))
    >>> rows = Columns.of(Schema(shape="trajectories", columns=columns), {"who": ["a", "b", "a"],
    ...     "when": ["2024-03-05", "2024-03-04", "2024-03-04"], "cell": [1, 2, 3]})
    >>> faults = Faults("trips.csv", first_line=2)
    >>> note_wrong_points(rows, faults)
    >>> print(faults.findings[0])
    trips.csv:4 when='2024-03-04 ...': before the time on line 2, which is of the same person; ...
    """
    time = time_column(rows.schema).name
    _, person = np.unique(rows.columns[person_column(rows.schema).name], return_inverse=True)
    order = np.argsort(person, kind="stable")  # persons together, in the order of the file
    when = rows.columns[time][order]
    same = person[order][1:] == person[order][:-1]
    before = np.full(len(rows), -1)
    before[order[1:]] = order[:-1]
    for wrong, words in (
        (
            when[1:] == when[:-1],
            to_say("the same person has a point at this time already, on line %(line)s"),
        ),
        (
            when[1:] < when[:-1],
            to_say(
                "before the time on line %(line)s, which is of the same person; expected the "
                "points of a person in the order of time"
            ),
        ),
    ):
        points = np.sort(order[1:][same & wrong])
        listed = points[: faults.room()]
        for row in listed.tolist():
            text = str(rows.columns[time][row].astype("datetime64[s]")).replace("T", " ")
            message = tell(words, line=faults.line_of(int(before[row])))
            faults.add(message, line=faults.line_of(row), column=time, got=text)
        faults.count(len(points) - len(listed))
    _note_half_places(rows, faults)


def _note_half_places(rows: Columns, faults: Faults) -> None:
    columns = CellGrid.of(rows.schema).columns
    if len(columns) < 2:
        return
    x, y = (rows.columns[name] < 0 for name in columns)
    for row in np.flatnonzero(x != y)[: faults.room()].tolist():
        name = columns[0] if x[row] else columns[1]
        faults.add(
            tell(
                "expected a number, because %(other)s has one; a missing place has neither",
                other=columns[1] if x[row] else columns[0],
            ),
            line=faults.line_of(row),
            column=name,
        )
