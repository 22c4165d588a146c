"""Given: what somebody gave to an audit: of which shape it is, and what its schema states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from quintain.data import Learned, Schema, is_data
from quintain.data.learning.learn import is_ours, read_schema_file
from quintain.data.people_files import has_tables, is_of_people, own_schema
from quintain.data.people_schema import PeopleSchema
from quintain.data.shape import find_shape
from quintain.errors import KnowledgeError
from quintain.releases import Release

AnySchema = Schema | Learned | PeopleSchema | Path | None
"""The schema of one table or of several, or a file that has it."""


def bare(given: Any) -> Any:
    """The data of a release; anything else as it is."""
    return given.data if isinstance(given, Release) else given


def has_several_tables(original: Any) -> bool:
    """Whether it is a folder, an archive, a database, frames by name, or data of people."""
    data = bare(original)
    return has_tables(data) or own_schema(data) is not None


def given_shape(original: Any, schema: AnySchema) -> str:
    """The shape of the original: its own, or the one that a schema states.

    Of files and frames without a schema it is a table, or people if there may be several tables.
    """
    data = bare(original)
    if has_several_tables(data):
        return "people"
    if is_data(data) and not find_shape(data.schema.shape).row_is_person:
        return str(data.schema.shape)
    stated = stated_schema(schema_of_rows(schema))
    return "table" if stated is None else stated.shape


def stated_schema(schema: Schema | Learned | Path | None) -> Schema | None:
    """The schema that the user gave, if it is one of ours."""
    if isinstance(schema, Path):
        return read_schema_file(schema) if is_ours(schema) else None
    return schema.schema if isinstance(schema, Learned) else schema


def schema_of_rows(schema: AnySchema) -> Schema | Learned | Path | None:
    """The schema of one table; raises if somebody gave that of several tables."""
    if isinstance(schema, PeopleSchema) or (isinstance(schema, Path) and is_of_people(schema)):
        raise KnowledgeError(
            "schema: it is one of several tables (quintain.schema/2), so the original must be a "
            "folder, a zip archive, a database, or data frames by the name of their table"
        )
    return schema


def schema_of_people(schema: AnySchema) -> PeopleSchema | Path | None:
    """The schema of several tables; raises if somebody gave that of one table."""
    if isinstance(schema, Schema | Learned) or (
        isinstance(schema, Path) and not is_of_people(schema)
    ):
        raise KnowledgeError(
            "schema: it is one of a single table, and the original has several; make one with "
            "`quintain schema learn FOLDER > people.json`"
        )
    return schema
