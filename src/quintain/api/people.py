"""People in a notebook: several tables as data frames by name, or as a folder."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from quintain.data import Column, Learned, Schema, Trees, as_trees, is_data
from quintain.data.columns import Columns
from quintain.data.frames import Library, library_of
from quintain.data.learning.learn import LearnedSchema
from quintain.data.learning.people import learn_people
from quintain.data.outside import Outside
from quintain.data.people import Branch, People
from quintain.data.people_files import (
    has_tables,
    open_tables,
    read_people,
    read_people_schema,
    unstated_columns,
)
from quintain.data.people_files import is_of_people as is_schema_of_people
from quintain.data.people_schema import PeopleSchema, TableSchema
from quintain.errors import DataError, Fault, PartError
from quintain.registry import parts
from quintain.releases import Release
from quintain.sanitizers.mechanism import DomainSource, shows_domain
from quintain.sanitizers.outside import choose_outside
from quintain.sanitizers.sanitizer import Sanitizer

AnyPeopleSchema = PeopleSchema | str | PathLike[str]
"""A schema of people, or the path of a file with one."""


def read_private_people(
    given: Any,
    schema: Any,
    sanitizer: Sanitizer,
    person: str | None = None,
    *,
    domain: DomainSource | None = None,
    outside: Outside | None = None,
) -> tuple[Trees, tuple[str, ...], str, Outside]:
    """The people of a folder or of several frames as trees, and the columns that nobody stated.

    Then come a sentence with the tables that are not used, which may be empty, and what became of
    cells and rows that a stated schema does not allow. Without a schema it is learned; ``person``
    then names the column of people.
    """
    stated = _people_schema(schema)
    way: Outside = "refuse"
    if stated is not None:
        way = choose_outside(sanitizer, stated.flat(), outside, domain)
    with warnings.catch_warnings(record=True) as unused:
        warnings.simplefilter("always", LearnedSchema)
        trees = Trees.of(read_people(given, schema=stated, person=person, outside=way))
    _require_for_people(sanitizer, trees.schema)
    left_out = "; ".join(str(warning.message) for warning in unused)
    return trees, unstated_columns(schema, trees.schema), left_out, way


def tell_learned_tables(mechanism: Sanitizer, left_out: str) -> str:
    """What a release of tables shows whose schema nobody stated."""
    shows = "the schema is learned from the tables, and a release shows it"
    if not shows_domain(mechanism):
        shows = (
            "the schema is learned from the tables: their domains are measured with noise, but "
            "which tables and columns there are, and of which kinds, is as in the data, and the "
            "claim does not cover it"
        )
    return "; ".join(filter(None, (shows, left_out)))


def _require_for_people(sanitizer: Sanitizer, schema: Schema) -> None:
    """Raise if a sanitizer is not for several tables, with the names of those that are."""
    try:
        sanitizer.require(schema)
    except PartError as error:
        if sanitizer.can_see(schema):
            raise
        able = [
            cls.name()
            for cls in parts(Sanitizer.family)
            if issubclass(cls, Sanitizer) and cls.can_see(schema) and "table" not in cls.shapes
        ]
        raise PartError(f"{error}; for several tables: {', '.join(able)}") from None


def read_people_together(tables: Mapping[str, Any], schema: Any = None) -> dict[str, Trees]:
    """A release of people and what it is compared with, by their roles, under one schema.

    It is the given one, or that of data with a schema. Else it is learned: keys and references from
    the release, domains from all of them. Others may lack tables of the release. Every row belongs
    to its person directly.
    """
    stated = _people_schema(schema)
    if stated is None:
        own = [PeopleSchema.of_flat(given.schema) for given in tables.values() if is_data(given)]
        stated = own[0] if own else _learn_together(tables)
    return {role: _read_loose(stated, given, role) for role, given in tables.items()}


def schema_of_one_table(
    schema: Schema | Learned | AnyPeopleSchema | None,
) -> Schema | Learned | Path | None:
    """The schema of one table, or the path of a file with it; raises if it is for several."""
    if isinstance(schema, str | PathLike) and not is_schema_of_people(Path(schema)):
        return Path(schema)
    if schema is None or isinstance(schema, Schema | Learned):
        return schema
    message = "one table needs a schema of one table (quintain.schema/1)"
    raise DataError([Fault(message, "schema")])


def is_of_people(release: Any) -> bool:
    """Whether a release has several tables: frames by name, a folder, or trees."""
    given = release.data if isinstance(release, Release) else release
    return has_tables(given) or (is_data(given) and bool(given.schema.tables))


def people_library(given: Any) -> Library:
    """The library of several frames; pandas for folders."""
    return library_of(next(iter(given.values()))) if isinstance(given, Mapping) else "pandas"


def _people_schema(schema: Any) -> PeopleSchema | None:
    if schema is None or isinstance(schema, PeopleSchema):
        return schema
    if isinstance(schema, str | PathLike):
        return read_people_schema(Path(schema))
    raise DataError([Fault("several tables need a schema of people (quintain.schema/2)", "schema")])


def _learn_together(tables: Mapping[str, Any]) -> PeopleSchema:
    """The schema of the release, with domains that have the values of all."""
    learned = {}
    for role, given in tables.items():
        with open_tables(given) as own:
            learned[role] = learn_people(own).schema
    first, *others = learned.values()
    return PeopleSchema(tables=tuple(_widen(table, others) for table in first.tables))


def _widen(table: TableSchema, others: Sequence[PeopleSchema]) -> TableSchema:
    """A table whose columns allow the values of the same columns elsewhere, too."""
    columns = []
    for column in table.columns:
        for other in others:
            known = [t for t in other.tables if t.name == table.name]
            same = [c for t in known for c in t.columns if c.name == column.name]
            column = _join_domains(column, same[0], table.name) if same else column
        columns.append(column)
    return table.model_copy(update={"columns": tuple(columns)})


def _join_domains(one: Column, other: Column, table: str) -> Column:
    if one.kind != other.kind:
        message = f"is a {one.kind} in the release and a {other.kind} elsewhere; give schema="
        raise DataError([Fault(message, table, column=one.name)])
    facts = one.model_dump() | {"nullable": one.nullable or other.nullable}
    facts["values"] = tuple(dict.fromkeys((*one.values, *other.values)))
    for bound, outer in (("low", min), ("high", max)):
        limits = getattr(one, bound), getattr(other, bound)
        facts[bound] = None if None in limits else outer(limits)
    return Column.model_validate(facts | {"earliest": None, "latest": None})


def _read_loose(schema: PeopleSchema, given: Any, role: str) -> Trees:
    """People under a schema, whose rows belong to them directly; some tables may be missing."""
    if is_data(given):
        return Trees.of(as_trees(given).people.loose())
    with open_tables(given) as tables:
        known = PeopleSchema(tables=tuple(t for t in schema.tables if t.name in tables))
        if role == "release" and len(known.tables) < len(schema.tables):
            known = schema  # which says what is missing
        people = People.read(known, tables).loose()
    nothing = np.zeros(0, np.int64)
    branches = {
        table.name: people.tables[table.name]
        if table.name in people.tables
        else Branch(_no_rows(table), nothing, nothing, people.size, table.order)
        for table in schema.tables
    }
    return Trees.of(People(schema.loose(), people.size, people.keys, branches))


def _no_rows(table: TableSchema) -> Columns:
    return Columns(
        Schema.model_construct(columns=table.columns),
        {column.name: np.array([]) for column in table.columns},
    )
