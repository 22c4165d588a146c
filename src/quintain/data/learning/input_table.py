"""Input tables: a file, a data frame or data with a schema, before its columns are settled."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from quintain.data.arrow import cell_texts, to_arrow
from quintain.data.files.formats import format_of
from quintain.data.frames import arrow_of
from quintain.data.kinds import as_table, is_data
from quintain.data.learning.decisions import Decision, decide
from quintain.data.learning.facts import Facts, TextFacts, typed_facts
from quintain.data.outside import Outside
from quintain.data.own_files.csv_file import (
    Dialect,
    file_lines,
    read_dialect,
    require_marks,
    text_batches,
)
from quintain.data.own_files.declared import DeclaredLinks
from quintain.data.own_files.number_marks import settle_columns
from quintain.data.own_files.reading import code_typed, column_names, read_own
from quintain.data.own_files.typed import is_typed, read_typed
from quintain.data.readable import Lines
from quintain.data.schema import Schema
from quintain.data.shape import Data
from quintain.data.sources.database_address import require_file
from quintain.data.table import Table
from quintain.data.written_table import WrittenCells
from quintain.errors import DataError, Fault, Faults

STATED = "the schema says so"
"""The reason of a decision that nobody had to learn."""
_LONGEST_HEADER = 1_000_000
"""A file with more bytes has records, so nobody has to look."""


@dataclass(frozen=True, slots=True)
class DescribedTable:
    """A table that was looked at: how it is written, and how many records it has."""

    role: str
    name: str
    form: str = ""
    rows: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class InputTable:
    """A table before it is read.

    Parameters
    ----------
    role : what the table is for, such as "release"; a word for messages.
    name : the file name, or the role if there is no file.
    path : the file; None for everything else.
    frame : the cells of a data frame as an Arrow table; None for everything else.
    data : data with a schema; None for everything else.
    header : whether the first row of a file has the names of the columns; None if nobody said it.
    own_names : for columns with a name that another table gave them, the name in this one.
    hidden : columns, by the name in this table, that nobody sees.
    links : the key and the references that a database or a description states; None if none does.
    outside : what becomes of cells that a stated schema does not allow.
    """

    role: str
    name: str
    path: Path | None = None
    frame: pa.Table | None = field(default=None, repr=False)
    data: Data | None = field(default=None, repr=False)
    header: bool | None = None
    own_names: Mapping[str, str] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    links: DeclaredLinks | None = None
    outside: Outside = "refuse"
    _cells: list[pa.Table] = field(default_factory=list, repr=False)

    @classmethod
    def of(cls, given: Any, role: str = "data frame", *, header: bool | None = None) -> InputTable:
        """The table for a path, a data frame, or data with a schema."""
        if isinstance(given, InputTable):
            return given
        if isinstance(given, str | PathLike):
            path = Path(given)
            if path.is_dir():
                message = f"expected a file like the other tables; this is a folder: {path}"
                raise DataError([Fault(message, role)])
            require_file(given, role)
            return cls(role, path.name, path=path, header=header)
        if is_data(given):
            return cls(role, role, data=given)
        return cls(role, role, frame=arrow_of(given, role))

    @property
    def place(self) -> str:
        """Where the cells are, in a word for reasons."""
        return "data" if self.path is None else "file"

    def rename(self, own_names: Mapping[str, str]) -> InputTable:
        """The table with other names for some columns, given with the names that they have.

        >>> table = InputTable.of(pa.table({"Age": [40, 17]})).rename({"age": "Age"})
        >>> table.names(), table.texts(["age"])["age"] == {"17", "40"}
        (['age'], True)
        """
        return replace(self, own_names=own_names)

    def hide(self, names: Collection[str]) -> InputTable:
        """The table without some columns.

        >>> InputTable.of(pa.table({"who": ["a", "b"], "age": [40, 17]})).hide(["who"]).names()
        ['age']
        """
        return replace(self, hidden=self.hidden | {self._own(name) for name in names})

    def names(self) -> list[str]:
        """The names of the columns."""
        given = {own: name for name, own in self.own_names.items()}
        seen = [own for own in self._names_as_written() if own not in self.hidden]
        return [given.get(own, own) for own in seen]

    def _own(self, name: str) -> str:
        """The name that a column has in this table."""
        return self.own_names.get(name, name)

    def _names_as_written(self) -> list[str]:
        if self.data is not None:
            return list(self.data.schema.names)
        if self.path is not None:
            return column_names(self.path, header=self.header)
        return list(self._typed_cells().column_names)

    def count_rows(self) -> int:
        """How many records there are."""
        return len(self.cells(self.names()[0]))

    def arrow(self) -> pa.Table:
        """The cells of a frame, of data or of a typed file as they are; of a CSV file, texts."""
        if self.path is not None and not is_typed(self.path):
            return pa.table(self.columns(self.names()))
        return self._typed_cells()

    def is_empty(self) -> bool:
        """Whether the table has columns and no records; not if it cannot be read."""
        if self.path is not None and self.path.stat().st_size > _LONGEST_HEADER:
            return False
        try:
            names = self.names()
            return bool(names) and not len(self.cells(names[0]))
        except DataError:
            return False

    def learn(self, words: Collection[str] = ()) -> tuple[DescribedTable, list[Decision]]:
        """What the cells suggest for each column; ``words`` are not taken for numbers."""
        described, decisions = self._learn_as_written({self._own(name) for name in words})
        decisions = [made for made in decisions if made.name not in self.hidden]
        given = {own: name for name, own in self.own_names.items()}
        return described, [
            decision.rename(given[decision.name]) if decision.name in given else decision
            for decision in decisions
        ]

    def _learn_as_written(self, words: Collection[str]) -> tuple[DescribedTable, list[Decision]]:
        if self.data is not None:
            described = DescribedTable(self.role, self.name, "data with a schema", len(self.data))
            return described, self._schema_decisions(self.data.schema)
        if self.path is not None and not is_typed(self.path):
            dialect = read_dialect(self.path, header=self.header, ask=True)
            facts, form = _text_facts(self.path, dialect, words), str(dialect)
        else:
            if self.path is not None:
                self._cells[:] = [read_typed(self.path, header=self.header, ask=True)]
            facts, form = self._typed_facts(words), self._form()
        rows = max((column.rows for column in facts), default=0)
        if not rows:
            message = "has no records" if self.path is None else "has a header and no records"
            raise DataError([Fault(message, self.name)])
        facts = [replace(own, spelled_as="") if own.name in words else own for own in facts]
        decisions = [decide(column, self.place) for column in facts]
        return DescribedTable(self.role, self.name, form, rows), decisions

    def _form(self) -> str:
        if self.path is None:
            return "a data frame"
        return (
            "Parquet" if format_of(self.path.name).tables == "parquet" else "Excel, the first sheet"
        )

    def _schema_decisions(self, schema: Schema) -> list[Decision]:
        """The columns of the schema; numbers without bounds get them from the cells."""
        decisions = []
        for column in schema.columns:
            otherwise = None
            if column.numeric and not column.bounded:
                cells = self._typed_cells().column(column.name)
                otherwise = decide(typed_facts(column.name, cells)).column
            decisions.append(Decision(column.name, column, STATED, otherwise=otherwise))
        return decisions

    def _typed_facts(self, words: Collection[str]) -> list[Facts]:
        cells, faults, facts = self._typed_cells(), Faults(self.name), []
        for name in cells.column_names:
            try:
                facts.append(typed_facts(name, cells.column(name), words=name in words))
            except ValueError as problem:
                faults.add(str(problem), column=name)
        faults.raise_if_any(DataError)
        return facts

    def _typed_cells(self) -> pa.Table:
        """The cells of everything but a CSV file, read once."""
        if self.frame is not None:
            return self.frame
        if not self._cells:
            if self.data is None:
                assert self.path is not None  # a table is a file, a frame or data
                self._cells.append(read_typed(self.path, header=self.header))
            else:
                self._cells.append(to_arrow(self.data))
        return self._cells[0]

    def read(self, schema: Schema) -> Data:
        """The records in the columns of the schema; raises with every cell that does not fit."""
        if not self.own_names:
            return self._read_as_written(schema)
        columns = [
            column.model_copy(update={"name": self._own(column.name)}) for column in schema.columns
        ]
        written = schema.model_copy(update={"columns": tuple(columns)})
        read = as_table(self._read_as_written(written))
        return Table(schema, {name: read.columns[self._own(name)] for name in schema.names})

    def _read_as_written(self, schema: Schema) -> Data:
        if self.data is not None and self.data.schema == schema:
            return self.data
        if self.path is not None:
            return read_own(self.path, schema, header=self.header, outside=self.outside)
        return code_typed(self._typed_cells(), schema, self.name, outside=self.outside)

    def texts(self, names: Collection[str]) -> dict[str, set[str]]:
        """The different texts in some columns, as they are written, without spaces around them."""
        seen: dict[str, set[str]] = {name: set() for name in names}
        if not names:
            return seen
        for batch in self._batches([self._own(name) for name in names]):
            for name in names:
                trimmed = pc.utf8_trim_whitespace(_as_texts(batch.column(self._own(name))))
                seen[name].update(pc.unique(trimmed).drop_null().to_pylist())
        return seen

    def cells(self, name: str) -> pa.ChunkedArray:
        """The texts of one column, row by row, without spaces around them."""
        return self.columns([name])[name]

    def columns(self, names: Collection[str]) -> dict[str, pa.ChunkedArray]:
        """The texts of some columns, row by row, without spaces around them."""
        chunks: dict[str, list[pa.Array]] = {name: [] for name in names}
        for batch in self._batches([self._own(name) for name in names]) if names else ():
            for name in names:
                trimmed = pc.utf8_trim_whitespace(_as_texts(batch.column(self._own(name))))
                whole = isinstance(trimmed, pa.ChunkedArray)
                chunks[name] += trimmed.chunks if whole else [trimmed]
        return {name: pa.chunked_array(own, pa.string()) for name, own in chunks.items()}

    def faults(self) -> Faults:
        """A list for faults of this table, which knows where in the file a record is."""
        if self.path is None:
            return Faults(self.name)
        if is_typed(self.path):
            plain = format_of(self.path.name).tables == "parquet" or self.header is False
            return Faults(self.name, first_line=1 if plain else 2)
        lines = cache(partial(self._lines, self.path))
        return Faults(self.name, lines=lambda record: lines()(record))

    def read_cells(self) -> WrittenCells:
        """The cells as the file or the frame has them, in all columns that are not hidden."""
        if self.path is None or is_typed(self.path):
            return WrittenCells(self._typed_cells()).drop(self.hidden)
        batches = text_batches(self.path, read_dialect(self.path, header=self.header))
        return WrittenCells.of_texts(pa.Table.from_batches(batches)).drop(self.hidden)

    def _lines(self, path: Path) -> Lines:
        return file_lines(path, read_dialect(path, header=self.header))

    def _batches(self, names: list[str]) -> Iterable[Any]:
        if self.path is None or is_typed(self.path):
            return [self._typed_cells().select(names)]
        return text_batches(self.path, read_dialect(self.path, header=self.header), names)


def _as_texts(cells: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    return cell_texts(cells) if isinstance(cells, pa.ChunkedArray) else cells.cast(pa.string())


def _text_facts(path: Path, dialect: Dialect, words: Collection[str]) -> list[Facts]:
    """The facts about all columns of a CSV file; some columns are read twice.

    A column of numbers is not kept as texts, so a word late in the file asks for all of it again.
    So do numbers whose marks other cells or other columns explain.
    """
    gathered = {
        name: TextFacts(name, separator=dialect.separator, numbers=name not in words)
        for name in dialect.names
    }
    _gather(path, dialect, gathered)
    opened: set[str] = set()
    for _ in range(2):  # an open column is read as numbers at first, to see all that it proves
        seen = {
            name: facts.seen
            for name, facts in gathered.items()
            if name not in words and facts.may_be_numbers
        }
        settled = settle_columns(seen, dialect.separator)
        marked = {
            name: TextFacts(name, separator=dialect.separator, marks=marks)
            for name, own in settled.items()
            if not (own is None and name in opened)
            and (marks := gathered[name].marks_to_read_with(own)) is not None
        }
        if not marked:
            break
        _gather(path, dialect, marked)
        gathered |= marked
        opened = {name for name in marked if settled[name] is None}
    stale = {name: facts for name, facts in gathered.items() if facts.stale}
    again = {name: TextFacts(name, separator=dialect.separator, numbers=False) for name in stale}
    for name, old in stale.items():
        again[name].spoiler = old.spoiler
    if again:
        _gather(path, dialect, again)
    facts = [facts.facts() for facts in (gathered | again).values()]
    numbers = {column.name for column in facts if column.content == "numbers"}
    require_marks(
        path,
        dialect,
        {name: gathered[name].seen for name in opened & numbers if settled[name] is None},
    )
    return facts


def _gather(path: Path, dialect: Dialect, columns: dict[str, TextFacts]) -> None:
    for batch in text_batches(path, dialect, list(columns)):
        for name, facts in columns.items():
            facts.add(batch.column(name))
