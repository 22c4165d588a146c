"""Records: the private data as their owner holds them, from which a call learns all it needs.

A call of a sanitizer begins before the sanitizer: somebody reads cells, learns which columns there
are, of which kinds and with which values. These steps read private records, too, so a game takes
records out of the data *before* these steps, and not after them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from quintain.data import Data, Schema, as_trees
from quintain.data.arrow import to_arrow
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import Learned, learn
from quintain.data.own_files.typed import is_typed
from quintain.data.people_files import read_people, unstated_columns
from quintain.data.plain import plain_view
from quintain.data.trees import Trees
from quintain.data.written_table import WrittenCells, WrittenNumbers, WrittenTable
from quintain.jobs.scratch import ScratchFolder


@dataclass(frozen=True, slots=True)
class ReadRecords:
    """What a call knows once it has read its data.

    Parameters
    ----------
    unstated : the columns whose domains nobody stated.
    kinds_stated : whether somebody stated columns and kinds; None if that follows from the rest.
    says : what the user is told.
    """

    data: Data
    unstated: tuple[str, ...] = ()
    kinds_stated: bool | None = None
    says: tuple[str, ...] = ()


class Records(ABC):
    """Private records before they are read; record i of all of them is the same person."""

    @abstractmethod
    def __len__(self) -> int:
        """How many records there are."""

    @abstractmethod
    def take(self, records: npt.ArrayLike) -> Records:
        """Some of the records, in this order."""

    def cells(self) -> WrittenCells | None:
        """The cells as their owner has them; None if they have no other than the data."""
        return None

    @abstractmethod
    def read(self) -> ReadRecords:
        """Read the records as a call does; raises as a call does."""


@dataclass(frozen=True, slots=True, eq=False)
class StatedRecords(Records):
    """Records under a schema that somebody stated, or that a library made of whole data."""

    data: Data
    unstated: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.data)

    def take(self, records: npt.ArrayLike) -> StatedRecords:
        return replace(self, data=self.data.take(records))

    def cells(self) -> WrittenCells | None:
        return self.data.cells if isinstance(self.data, WrittenTable) else None

    def read(self) -> ReadRecords:
        return ReadRecords(self.data, self.unstated)


@dataclass(frozen=True, slots=True, eq=False)
class CallCells(Records):
    """The cells of a file or of a data frame, from which the schema is learned.

    >>> cells = CallCells.of(InputTable.of(pa.table({"age": [40, 17, 99], "sex": ["f", "m", "f"]})))
    >>> cells.read().data.schema["age"].bounds, cells.take([0, 1]).read().data.schema["age"].bounds
    ((17.0, 99.0), (17.0, 40.0))

    Parameters
    ----------
    table : the cells; those of a text file as they are written.
    written : whether they come from a text file, so that kinds of columns are learned from texts.
    stated : what somebody stated about the columns.
    numbers : of a text file, the columns that are numbers for programs that read it.
    """

    table: pa.Table
    written: bool
    stated: Schema | Learned | Path | None = None
    numbers: Mapping[str, WrittenNumbers] = field(default_factory=dict)

    @classmethod
    def of(cls, given: InputTable, stated: Schema | Learned | Path | None = None) -> CallCells:
        """The cells of a file or of a data frame."""
        written = given.path is not None and not is_typed(given.path)
        cells = given.read_cells()
        return cls(cells.table, written, stated, cells.numbers)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def take(self, records: npt.ArrayLike) -> CallCells:
        """Some records; a value of a dictionary that has left with them is in it no more.

        If the dictionary has values that nobody has, somebody stated it, and it stays.
        """
        columns = {}
        for name in self.table.column_names:
            column = self.table.column(name).combine_chunks()
            kept = column.take(pa.array(np.asarray(records, np.int64)))
            if pa.types.is_dictionary(column.type) and _all_used(column):
                kept = _without_unused(kept)
            columns[name] = kept
        return replace(self, table=pa.table(columns))

    def add(self, cells: Mapping[str, Any]) -> CallCells:
        """The cells with one record more, with the kinds of columns that both fit into."""
        columns = {}
        for name in self.table.column_names:
            columns[name] = _append(self.table.column(name).combine_chunks(), cells[name])
        return replace(self, table=pa.table(columns))

    def cells(self) -> WrittenCells:
        return WrittenCells(self.table, self.numbers)

    def read(self) -> ReadRecords:
        if not self.written:
            return self._learn(InputTable.of(self.table))
        import pyarrow.csv as csv

        with ScratchFolder() as folder:
            path = Path(folder) / "data.csv"
            csv.write_csv(self.table, path)
            return self._learn(InputTable.of(path, header=True))

    def _learn(self, table: InputTable) -> ReadRecords:
        learned = learn(table, stated=self.stated)
        says = [] if self.stated is not None else [learned.tell_left_out("published")]
        return ReadRecords(
            plain_view(learned.read(table)),
            learned.unstated,
            learned.kinds_stated and not learned.unstated,
            tuple(filter(None, says)),
        )


def _all_used(column: pa.DictionaryArray) -> bool:
    return len(pc.unique(column.indices.drop_null())) == len(column.dictionary)


def _without_unused(column: pa.DictionaryArray) -> pa.DictionaryArray:
    indices = column.indices
    used = np.unique(indices.drop_null().to_numpy(zero_copy_only=False))
    place = np.full(len(column.dictionary) + 1, -1)
    place[used] = np.arange(len(used))
    filled = indices.fill_null(len(column.dictionary)).to_numpy(zero_copy_only=False)
    fresh = place[filled]
    codes = pa.array(fresh, pa.int32(), mask=fresh < 0)
    values = column.dictionary.take(pa.array(used))
    return pa.DictionaryArray.from_arrays(codes, values, ordered=column.type.ordered)


def _append(column: pa.Array, value: Any) -> pa.Array:
    """A column with one more cell; of a dictionary, a new value comes into its middle."""
    if pa.types.is_dictionary(column.type):
        return _append_category(column, value)
    kind = column.type
    if isinstance(value, float) and pa.types.is_integer(kind):
        kind = pa.float64()
    if isinstance(value, str) and not pa.types.is_temporal(kind):
        kind = pa.string()
    if pa.types.is_null(kind):
        kind = pa.scalar(value).type
    return pa.concat_arrays([column.cast(kind), pa.array([value]).cast(kind)])


def _append_category(column: pa.DictionaryArray, value: Any) -> pa.DictionaryArray:
    values = column.dictionary.to_pylist()
    codes = column.indices.to_pylist()
    if value is not None and value not in values:
        place = _beside_rarest(column)
        values = [*values[:place], value, *values[place:]]
        codes = [code if code is None or code < place else code + 1 for code in codes]
    codes.append(None if value is None else values.index(value))
    return pa.DictionaryArray.from_arrays(
        pa.array(codes, pa.int32()), pa.array(values), ordered=column.type.ordered
    )


def _beside_rarest(column: pa.DictionaryArray) -> int:
    """The place before the rarest value, where a new one comes between it and its neighbour."""
    codes = column.indices.drop_null().to_numpy(zero_copy_only=False)
    counts = np.bincount(codes, minlength=len(column.dictionary))
    return int(counts.argmin())


@dataclass(frozen=True, slots=True, eq=False)
class PeopleToLearn(Records):
    """People with several tables, whose schema is learned from the tables.

    Parameters
    ----------
    people : everybody, as they were read once; their tables are learned anew without some of them.
    person : the column that names people.
    """

    people: Trees
    person: str | None = None

    def __len__(self) -> int:
        return len(self.people)

    def take(self, records: npt.ArrayLike) -> PeopleToLearn:
        return PeopleToLearn(self.people.take(records), self.person)

    def read(self) -> ReadRecords:
        tables = {name: to_arrow(table) for name, table in self.people.to_tables().items()}
        people = Trees.of(read_people(tables, person=self.person))
        return ReadRecords(people, unstated_columns(None, people.schema), kinds_stated=False)


def rows_by_person(data: Data) -> Sequence[Mapping[str, npt.NDArray[Any]]]:
    """The columns of all tables of some data; one table for all shapes but people."""
    from quintain.data import shape_of

    if data.schema.tables is not None:
        return [table.columns for table in as_trees(data).to_tables().values()]
    return [shape_of(data).to_rows(data).columns]
