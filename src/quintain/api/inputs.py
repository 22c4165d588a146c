"""Inputs: turn files, data frames, data and releases into data with a common schema."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from quintain.data import Data, Schema, is_data
from quintain.data.frames import Frame, Library, library_of
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import Learned, LearnedSchema, learn, read_schema_file
from quintain.errors import DataError, Faults
from quintain.releases import Release

AnyData = Frame | Data | Release | Path | str | Mapping[str, Frame]
"""What users give as data: a frame, data with a schema, a release, the path of a file, or several
tables about the same people: frames by name, or the path of a folder."""


def unpack_release(given: Any) -> Any:
    """The data of a release; anything else comes back unchanged."""
    return given.data if isinstance(given, Release) else given


def library(given: Any) -> Library:
    """The library for the result: that of the given data frame, or pandas for other data."""
    if isinstance(given, Mapping) and given:
        return library(next(iter(given.values())))  # several tables by name
    return "pandas" if is_data(given) or isinstance(given, str | PathLike) else library_of(given)


def learn_schema(
    *data: AnyData,
    schema: Schema | Path | None = None,
    unit: str | None = None,
    roles: Mapping[str, str] | None = None,
    words: Collection[str] = (),
    header: bool | None = None,
    others: bool = False,
) -> Learned:
    """The schema of files, data frames or data with the same columns, and why it is what it is.

    Parameters
    ----------
    data : paths of files, data frames of pandas, polars or pyarrow, or data with a schema. The
        domains cover all of them; the first decides which columns are ids.
    schema : what somebody states about the columns: a schema, or a file with one.
    unit : the column that says whose row it is.
    roles : columns with a role, such as ``{"home": "household"}``.
    words : columns whose cells are words, also if they look like numbers.
    header : whether the first row of a file has the column names, if it looks like the others.
    others : whether columns that ``schema`` does not have are learned rather than left out.

    >>> import pyarrow as pa
    >>> learned = learn_schema(pa.table({"pid": range(30), "sex": ["f", "m"] * 15}))
    >>> learned.schema["sex"].values, learned.left_out
    (('f', 'm'), {'pid': 'an id: it numbers the rows'})
    """
    tables = [
        InputTable.of(unpack_release(given), _role(place, len(data)), header=header)
        for place, given in enumerate(data)
    ]
    faults = Faults("data frames")
    names = list(dict.fromkeys(name for table in tables for name in table.names()))
    for name in names:
        if any(name not in table.names() for table in tables):
            faults.add("this column is not in all of the data frames", column=name)
    try:
        learned = learn(*tables, stated=schema, unit=unit, roles=roles, words=words, others=others)
    except DataError as error:
        raise DataError([*faults.findings, *error.faults]) from None
    faults.raise_if_any(DataError)
    return learned


def _role(place: int, count: int) -> str:
    return "data frame" if count == 1 else f"data frame {place + 1}"


def with_schema(given: Any, schema: Schema | Learned | None, header: bool | None = None) -> Data:
    """Data under the given schema, or their own; else it learns a schema and warns."""
    table = InputTable.of(given, header=header)
    learned = learn(table, stated=schema)
    if schema is None and learned.warning:
        warnings.warn(learned.warning, LearnedSchema, stacklevel=3)
    return learned.read(table)


def read_private(
    given: Any,
    schema: Schema | Learned | Path | None,
    header: bool | None = None,
    unit: str | None = None,
) -> tuple[Data, Learned]:
    """Data under the given schema, or their own, or one that is learned; ``unit`` is an id."""
    table = InputTable.of(given, header=header)
    learned = learn(table, stated=schema, unit=unit)
    return learned.read(table), learned


def read_as(given: Any, schema: Schema, header: bool | None = None) -> Data:
    """Data under a schema, without the columns that the schema does not have."""
    return InputTable.of(given, header=header).read(schema)


def read_together(
    tables: Mapping[str, Any],
    schema: Schema | Learned | Path | None,
    hidden: Collection[str] = (),
    header: bool | None = None,
) -> dict[str, Data]:
    """A release and the data it is compared with, by their roles, under one schema for all.

    Without a schema, it is learned from all of them; the first decides which columns are ids. It
    has the columns of the release. The others may lack those in ``hidden``. Where the release is a
    model, the others have the columns of the records that it learned from.
    """
    model = tables["release"]
    if is_data(model) and model.schema.model is not None:
        roles = [role for role in tables if role != "release"]
        others = {role: InputTable.of(tables[role], role, header=header) for role in roles}
        known = model.schema.records
        read = {role: data.read(_without(known, data, hidden)) for role, data in others.items()}
        return {"release": model, **read}
    given = {role: InputTable.of(table, role, header=header) for role, table in tables.items()}
    if schema is not None:
        stated = schema.schema if isinstance(schema, Learned) else schema
        stated = read_schema_file(stated) if isinstance(stated, Path) else stated
        return {role: table.read(_without(stated, table, hidden)) for role, table in given.items()}
    names = given["release"].names()
    faults = Faults("data frames")
    for role, table in given.items():
        own = table.names()
        for name in names:
            if name not in own and name not in hidden:
                hint = _TARGETS_HINT if role == "targets" else ""
                faults.add(f"the {role} lack this column of the release{hint}", column=name)
    faults.raise_if_any(DataError)
    learned = learn(*given.values())
    if unused := learned.tell_left_out("used"):
        warnings.warn(unused, LearnedSchema, stacklevel=3)
    return {role: learned.read(table) for role, table in given.items()}


_TARGETS_HINT = "; secret= names a column to infer, and known= the columns that attackers know"


def _without(schema: Schema, table: InputTable, hidden: Collection[str]) -> Schema:
    """The schema without the hidden columns that a table lacks."""
    names = table.names()
    return schema.drop(*(name for name in hidden if name in schema and name not in names))


def names_of(given: Any, header: bool | None = None) -> list[str]:
    """The names of the columns of a file, of a data frame or of data with a schema."""
    return InputTable.of(given, header=header).names()
