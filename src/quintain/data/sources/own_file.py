"""File: data of the organisers' own, in a file or a folder of tables beside the edition file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import ConfigDict, Field, PrivateAttr, model_validator

from quintain.commitment import sha256
from quintain.data.arrays import Array, Rows
from quintain.data.column import optional_field
from quintain.data.columns import Columns
from quintain.data.kinds import flat
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import is_ours, learn, marked_columns, read_schema_file
from quintain.data.own_files.folder import is_folder
from quintain.data.own_files.number_marks import decimal_mark
from quintain.data.own_files.reading import column_names, read_copy, read_own
from quintain.data.schema import Schema
from quintain.data.shape import Data, find_shape, shape_of
from quintain.data.sources.own_folder import (
    data_digest,
    describes_folder,
    folder_columns,
    folder_schema,
    read_folder,
)
from quintain.data.sources.source import FileUse, Source, check_digest
from quintain.errors import DataError, Fault, Faults
from quintain.jobs.files import FileCache, Identity, identity
from quintain.registry import register

FileName = Annotated[str, Field(pattern=r"^[^/\\\x00-\x1f.][^/\\\x00-\x1f]{0,199}$")]
"""The name of a file without its folder: fixed rules must not say where a file lies."""
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]

EXAMPLE = ("people.csv", "people.json")


def _as_written(schema: dict[str, Any]) -> None:
    """In an edition file, files may lie in other folders, and a file may have the schema."""
    facts = schema["properties"]
    for name in ("path", "test"):
        facts[name] = {"type": "string"}
    facts["schema"] = {"anyOf": [{"type": "string"}, facts["schema"]]}
    schema["required"] = ["path"]


@register("file-v1")
class OwnFile(Source):
    """Data of the organisers' own: a CSV, Parquet or Excel file, or a folder of several of them.

    A folder or zip archive has several tables about the same people, and becomes data of the shape
    people. File and schema lie beside the edition file. When the edition is read, the schema
    becomes part of the rules. A run keeps a copy among its secret files, and the reveal publishes
    it. So the copy has only the columns of the schema. Ids that say who belongs together become
    numbers, other ids of a plain table are left out. Fixed rules have the checksum of the copy.

    Parameters
    ----------
    rows : how many records, drawn at random; all of them by default. Households and the rows of a
        person stay whole, so there may be fewer. For series it is the number of persons.
    real : always true: the records are those of the file.
    path : the file with the records, or the folder or zip archive with the tables.
    schema : the columns and their domains: a table, or the name of a file with our schema, a
        Frictionless table schema or data package, Croissant or SDV metadata. For a folder it is the
        name of a file with a schema of people (quintain.schema/2). Without it, the schema
        is learned from the file, and then anybody who sees the schema learns something of the data.
    sha256 : the checksum of the file, checked if given; in fixed rules, that of the copy.
    test : a file with further records, on which measures test utility.
    test_sha256 : the checksum of that file.
    header : whether the first row of the files has the names of the columns. It is asked for if the
        first row looks like the others; columns without names are called column_1, column_2 and on.
    decimal_mark : what stands before decimals, where 1.940 or 1,940 can be nearly two or nearly two
        thousand. It is asked for if no other number of the file shows it.
    learned : the columns whose domain was learned; recorded when the edition is read.

    >>> people = OwnFile.examples()[0].data(np.random.default_rng(1))
    >>> people.take([0]).records()
    [{'person': 'P0001', 'born': datetime.datetime(1984, 1, 28, 0, 0, tzinfo=datetime.timezone.utc),
      'sex': 'f', 'town': 'Ulm', 'income': 1974.8}]
    """

    model_config = ConfigDict(json_schema_extra=_as_written)

    licence: ClassVar[str] = "that of your own data"
    obtain: ClassVar[str] = "Ask the organisers for the file."
    settles: ClassVar[frozenset[str]] = frozenset(
        {"path", "schema", "sha256", "test", "test_sha256"}
    )

    real: Literal[True] = True
    path: FileName
    record_schema: Schema = Field(alias="schema")
    sha256: Digest | None = None
    test: FileName | None = None
    test_sha256: Digest | None = None
    header: bool | None = optional_field()
    decimal_mark: Literal[".", ","] | None = optional_field()
    learned: tuple[str, ...] = ()
    _files: dict[str, Path] = PrivateAttr(default_factory=dict)
    _copies: bool = PrivateAttr(default=False)

    @model_validator(mode="after")
    def _other_records(self) -> Self:
        if self.test == self.path:
            raise ValueError("test is the file of path; test records are further ones, in another")
        return self

    def __eq__(self, other: object) -> bool:
        # Where the files lie on this machine is not a part of the rules.
        return isinstance(other, OwnFile) and self.spec() == other.spec()

    def __hash__(self) -> int:
        return hash((self.path, self.sha256, self.record_schema))

    @classmethod
    def examples(cls) -> list[Self]:
        """A small table of people who do not exist."""
        data, schema = (Path(str(files(__package__) / name)) for name in EXAMPLE)
        table = {"path": data.name, "schema": Schema.model_validate_json(schema.read_bytes())}
        return [cls(**table).with_files({data.name: data})]

    @classmethod
    def settle(
        cls, table: Mapping[str, Any], folders: Sequence[Path]
    ) -> tuple[dict[str, Any], dict[str, Path]]:
        """The parameters with the schema itself and the checksums of the files."""
        return settle_table(table, folders) if folders else (dict(table), {})

    def own_files(self) -> dict[str, str]:
        """The checksums of the data files, as far as the rules give them."""
        given = {self.path: self.sha256, self.test: self.test_sha256}
        return {name: digest for name, digest in given.items() if name and digest}

    def with_files(self, files: Mapping[str, Path]) -> Self:
        """The same source, which reads these files."""
        copy = self.model_copy()
        copy._files = dict(files)
        return copy

    def make_copies(self) -> tuple[Self, dict[str, bytes]]:
        """The source with the checksums of the copies, and the copies as CSV files."""
        schema = used_columns(self.record_schema)
        copies = {name: copy_name(name) for name in self._names()}
        if len(set(copies.values())) < len(copies):
            message = f"both data files would be kept as {copies[self.path]}; rename one of them"
            raise DataError([Fault(message, self.path)])
        tables = number_ids([flat(table) for table in self._read_all(schema)])
        contents = dict(zip(copies.values(), (t.csv_bytes() for t in tables), strict=True))
        digests = {name: sha256(contents[copy]) for name, copy in copies.items()}
        fields: dict[str, object] = {
            "path": copies[self.path],
            "sha256": digests[self.path],
            "record_schema": schema,
            "header": None,
            "decimal_mark": None,
            "learned": tuple(name for name in self.learned if name in schema),
        }
        if self.test is not None:
            fields |= {"test": copies[self.test], "test_sha256": digests[self.test]}
        return self.model_copy(update=fields), contents

    def reading_copies(self, files: Mapping[str, Path]) -> Self:
        """The same source, which reads files that :meth:`make_copies` made."""
        copy = self.with_files(files)
        copy._copies = True
        return copy

    def file_uses(self) -> tuple[FileUse, ...]:
        """The columns of both files, and what stays out of a run."""
        used = used_columns(self.record_schema)
        columns = tuple(column.name for column in used.columns if not column.identifying)
        ids = tuple(column.name for column in used.columns if column.identifying)
        return tuple(
            FileUse(name, columns, ids, tuple(n for n in self._header(name) if n not in used))
            for name in self._names()
        )

    def _names(self) -> tuple[str, ...]:
        return (self.path,) if self.test is None else (self.path, self.test)

    def _header(self, name: str) -> list[str]:
        """The columns of a file of the organisers; none if the file is not at hand."""
        if self._copies or name not in self._files:
            return []
        place = self.location(name)
        if is_folder(place):
            return folder_columns(place, self.record_schema, self.header)
        return column_names(place, header=self.header)

    def public_form(self) -> Self:
        """The source without checksums: who knows all other records could guess one."""
        if not self.own_files():
            return self
        return self.model_copy(update={"sha256": None, "test_sha256": None})

    def learned_domains(self) -> tuple[str, ...]:
        """The columns whose domain was learned when the edition was read."""
        return self.learned

    def unread_columns(self) -> tuple[str, ...]:
        """The columns of the file that the schema does not name."""
        return tuple(name for name in self._header(self.path) if name not in self.record_schema)

    def data_schema(self) -> Schema:
        """The columns as the rules give them."""
        return self.record_schema

    def generate(self, rng: np.random.Generator) -> Data:
        """The records of the file: nothing is simulated."""
        return self.data(rng)

    def load(self) -> Data:
        """All records of the file; raises with every cell that the schema does not allow."""
        return self._read(self.path, self.record_schema)

    def _read(self, name: str, schema: Schema) -> Data:
        if self._copies:
            return read_copy(self.location(name), schema)
        with decimal_mark(self.decimal_mark):
            if is_folder(self.location(name)):
                return read_folder(self.location(name), schema, self.header)
            return read_own(self.location(name), schema, header=self.header)

    def _read_all(self, schema: Schema) -> list[Data]:
        """The records of every file; raises with the faults of all of them."""
        tables, faults = [], Faults()
        for name in self._names():
            try:
                tables.append(self._read(name, schema))
            except DataError as error:
                faults.extend(error.faults)
        faults.raise_if_any(DataError)
        return tables

    def own_faults(self) -> list[Fault]:
        """Every wrong value in the files, and what else keeps them from being read."""
        try:
            self._read_all(used_columns(self.record_schema))
        except DataError as error:
            return list(error.faults)
        return []

    def data(self, rng: np.random.Generator) -> Data:
        """All records, or a random selection in the order of the file."""
        data = self.load()
        if self.rows is None or self.rows >= len(data):
            return data
        return data.take(_selection(data, self.rows, rng))

    def test_data(self, rng: np.random.Generator) -> Data | None:
        """The records of the test file, if there is one."""
        return self._read(self.test, self.record_schema) if self.test else None

    def location(self, name: str) -> Path:
        """Where a data file is; raises if it is missing or has changed."""
        file = self._files.get(name, self.folder() / name)
        if not file.exists():
            message = f"not found in {file.parent}; put it beside the edition file"
            raise DataError([Fault(message, name)])
        expected = self.own_files().get(name)
        if expected is not None:
            check_digest(file, expected, data_digest(file))
        return file


def _selection(data: Data, rows: int, rng: np.random.Generator) -> Rows:
    """The numbers of so many records, in order; who belongs together stays together."""
    units = shape_of(data).groups(data)
    if units is None:
        return np.sort(rng.choice(len(data), rows, replace=False))
    sizes = np.bincount(units)
    drawn = rng.permutation(len(sizes))
    kept = drawn[np.cumsum(sizes[drawn]) <= rows]
    if not len(kept):
        message = f"no group of records fits into {rows} rows; allow more rows"
        raise DataError([Fault(message, data.schema.title or "data")])
    chosen: Rows = np.flatnonzero(np.isin(units, kept))
    return chosen


# --- what a run keeps of the file, because it is published in the end ---


def copy_name(name: str) -> str:
    """The name of the copy of a file: whatever the file was, the copy is a CSV file.

    >>> copy_name("people.xlsx")
    'people.csv'
    """
    return PurePosixPath(name).stem + ".csv"


def used_columns(schema: Schema) -> Schema:
    """The columns of a schema that a contest uses: an id in a plain table only if it has a role."""
    if find_shape(schema.shape).keeps_ids:
        return schema
    names = [c.name for c in schema.columns if not c.identifying or c.role]
    if not any(not schema[name].identifying for name in names):
        raise DataError([Fault("the schema names ids alone; add columns that describe people")])
    return schema.select(names)


def number_ids(tables: Sequence[Columns]) -> list[Columns]:
    """The tables with numbers instead of ids, counted in the order in which the ids appear.

    An id in several tables has the same number in each. Ids that are made for files alone, such as
    the keys of rows in a flat file, are numbers already.

    >>> from quintain.data import Column, Table
    >>> home = Column(name="home", kind="id", role="household")
    >>> people = Table.of(Schema(columns=(home,)), {"home": ["Smith", "Jones", "Smith"]})
    >>> number_ids([people])[0].columns["home"].tolist()
    ['1', '2', '1']
    """
    changed: list[dict[str, Array]] = [{} for _ in tables]
    made = find_shape(tables[0].schema.shape).made_ids
    for column in tables[0].schema.columns:
        if not column.identifying or column.name in made:
            continue
        parts = [table.columns[column.name].astype(np.str_) for table in tables]
        values, first, codes = np.unique(
            np.concatenate(parts), return_index=True, return_inverse=True
        )
        there = values != ""  # an empty text is a missing id
        order = np.argsort(np.where(there, first, len(codes)), kind="stable")
        number = np.empty(len(values), np.int64)
        number[order] = np.arange(1, len(values) + 1)
        width = len(str(int(there.sum())))
        texts = np.array([f"{n:0{width}}" for n in number.tolist()], np.str_)
        texts[~there] = ""
        cuts = np.cumsum([len(part) for part in parts])[:-1]
        for table, part in zip(changed, np.split(texts[codes], cuts), strict=True):
            table[column.name] = part
    return [
        replace(table, columns={**table.columns, **new})
        for table, new in zip(tables, changed, strict=True)
    ]


# --- the parameters, completed with what lies beside the edition file ---

_FILES = {"path": "sha256", "test": "test_sha256"}
"""The parameters that name a data file, and those with its checksum."""


def settle_table(
    table: Mapping[str, Any], folders: Sequence[Path]
) -> tuple[dict[str, Any], dict[str, Path]]:
    """The table with schema and checksums, and the places of the data files; raises with faults."""
    whole, places, faults = dict(table), dict[str, Path](), Faults()
    for key, digest in _FILES.items():
        file = _find(key, table, folders, faults)
        if file is None:
            continue
        if places.get(file.name, file) != file:
            faults.add(f"another file has the name {file.name}; rename one of them", column=key)
        places[file.name] = file
        whole[key], actual = file.name, data_digest(file)
        expected = table.get(digest, actual)
        if actual != expected:
            faults.add(f"SHA-256 is {actual}, expected {expected}", column=key, got=file.name)
        whole[digest] = actual
    if isinstance(table.get("schema"), str | None):
        described = _find("schema", table, folders, faults)
        data = places.get(str(whole.get("path")))
        if described is not None or (data is not None and table.get("schema") is None):
            _add_schema(whole, data, described, faults)
    faults.raise_if_any(DataError)
    return whole, places


def _find(
    key: str, table: Mapping[str, Any], folders: Sequence[Path], faults: Faults
) -> Path | None:
    """The file that a parameter names, in the first folder that has it."""
    name = table.get(key)
    if not isinstance(name, str) or not name:
        return None
    for folder in folders:
        if (folder / name).is_file() or (key in _FILES and (folder / name).is_dir()):
            return folder / name
    faults.add(f"file not found in {folders[0].resolve()}", column=key, got=name)
    return None


def _add_schema(
    whole: dict[str, Any], data: Path | None, described: Path | None, faults: Faults
) -> None:
    """Add the described schema, completed with what can be learned from the data."""
    try:
        if data is not None and describes_folder(data, described):
            schema, learned = folder_schema(data, described, whole.get("header"))
        elif described is not None and is_ours(described):
            schema, learned = read_schema_file(described), marked_columns(described)
        elif data is None:
            return  # its absence is a fault already
        else:
            described_by = None if described is None else identity(described)
            header, mark = whole.get("header"), whole.get("decimal_mark")
            schema, learned = _SCHEMAS(data, described, described_by, header, mark)
    except DataError as error:
        faults.extend(error.faults)
        return
    whole["schema"] = schema.model_dump(mode="json")
    if learned:
        whole["learned"] = list(learned)


def _read_schema(
    data: Path,
    described: Path | None,
    _: Identity | None,
    header: bool | None,
    mark: str | None,
) -> tuple[Schema, tuple[str, ...]]:
    with decimal_mark(mark):
        learned = learn(InputTable.of(data, header=header), stated=described)
    return learned.schema, learned.learned


_SCHEMAS = FileCache(_read_schema, 8)
"""The schemas of the last few data files: a command loads its edition several times."""
