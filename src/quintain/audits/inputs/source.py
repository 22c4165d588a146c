"""Source: one of the tables of an audit, as a file, a data frame or data with a schema."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from quintain.audits.release_audit import AuditedInput
from quintain.data import Schema, Series, Table, Transactions
from quintain.data.arrow import to_arrow
from quintain.data.frames import arrow_of
from quintain.data.kinds import as_table
from quintain.data.learning.decisions import Decision
from quintain.data.learning.files import learn_file, typed_decisions
from quintain.data.lines import Lines
from quintain.data.own_files.csv_batches import text_batches
from quintain.data.own_files.dialect import read_dialect
from quintain.data.own_files.reading import code_typed, column_names, read_own
from quintain.data.own_files.typed import is_typed, read_typed
from quintain.errors import DataError, Fault
from quintain.releases import Release

Role = Literal["original", "release", "control"]


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A table before it is read.

    Parameters
    ----------
    name : the file name, or the role if there is no file.
    path : the file; None for a data frame.
    arrow : the cells of a data frame; None for a file.
    schema : the schema that comes with the data; None for files and data frames.
    """

    role: Role
    name: str
    path: Path | None = None
    arrow: pa.Table | None = None
    schema: Schema | None = None

    @classmethod
    def of(cls, role: Role, given: Any) -> Source:
        """The source for a path, a data frame, data with a schema, or a release."""
        if isinstance(given, str | Path):
            path = Path(given)
            if not path.is_file():
                raise DataError([Fault(f"there is no such file: {path}", role)])
            return cls(role, path.name, path=path)
        data = given.data if isinstance(given, Release) else given
        if isinstance(data, Table | Transactions | Series):
            return cls(role, role, arrow=to_arrow(as_table(data)), schema=data.schema)
        return cls(role, role, arrow=arrow_of(data))

    def names(self) -> list[str]:
        """The names of the columns."""
        if self.path is not None:
            return column_names(self.path)
        assert self.arrow is not None  # a source has a file or cells
        return list(self.arrow.column_names)

    def decisions(self) -> dict[str, Decision]:
        """What kind of column the cells suggest, by name; the schema decides if there is one."""
        if self.schema is not None:
            made = [Decision(c.name, c, "the schema says so") for c in self.schema.columns]
        elif self.path is not None:
            made = list(learn_file(self.path).decisions)
        else:
            assert self.arrow is not None  # a source has a file or cells
            if not self.arrow.num_rows:
                raise DataError([Fault("has no records", self.name)])
            made = typed_decisions(self.arrow, self.name)
        return {one.name: one for one in made}

    def read(self, schema: Schema) -> Table:
        """The records in the columns of the schema; raises with every cell that does not fit."""
        if self.path is not None:
            return as_table(read_own(self.path, schema))
        assert self.arrow is not None  # a source has a file or cells
        return as_table(code_typed(self.arrow, schema, self.name, Lines(0)))

    def texts(self, names: Collection[str]) -> dict[str, set[str]]:
        """The different texts in some columns, as they are written, without spaces around them."""
        seen: dict[str, set[str]] = {name: set() for name in names}
        if not names:
            return seen
        for batch in self._batches(list(names)):
            for name in names:
                trimmed = pc.utf8_trim_whitespace(batch.column(name).cast(pa.string()))
                seen[name].update(pc.unique(trimmed).drop_null().to_pylist())
        return seen

    def cells(self, name: str) -> pa.ChunkedArray:
        """The texts of one column, row by row, without spaces around them."""
        chunks: list[pa.Array] = []
        for batch in self._batches([name]):
            trimmed = pc.utf8_trim_whitespace(batch.column(name).cast(pa.string()))
            chunks += trimmed.chunks if isinstance(trimmed, pa.ChunkedArray) else [trimmed]
        return pa.chunked_array(chunks, pa.string())

    def _batches(self, names: list[str]) -> Iterable[Any]:
        if self.path is None:
            assert self.arrow is not None  # a source has a file or cells
            return [self.arrow.select(names)]
        if is_typed(self.path):
            return [read_typed(self.path).select(names)]
        return text_batches(self.path, read_dialect(self.path), names)

    def described(self, records: Table, columns: int) -> AuditedInput:
        """The entry in the audit: name, size and hash."""
        return AuditedInput(
            role=self.role,
            name=self.name,
            rows=len(records),
            columns=columns,
            sha256=records.digest() if self.path is None else _digest(self.path),
        )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
