"""Tables: one door to what an audit compares as tables, in files, folders, frames and databases."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from quintain.audits.reading.given import (
    AnySchema,
    bare,
    has_several_tables,
    schema_of_people,
    schema_of_rows,
)
from quintain.audits.reading.inputs import AuditInputs
from quintain.audits.reading.one_table import read_one_table
from quintain.audits.reading.several_tables import read_several_tables


def read_inputs(
    original: Any,
    release: Any,
    control: Any = None,
    *,
    schema: AnySchema = None,
    unit: str | None = None,
    header: bool | None = None,
    as_written: Collection[str] | bool = False,
    key: Any = None,
    rng: np.random.Generator | None = None,
) -> AuditInputs:
    """Read the tables of an audit; raises with every fault of all of them.

    If the original has several tables, the tables of the result have one row of aggregates for each
    person and each pseudonym, and its ``sides`` have all rows.

    Parameters
    ----------
    original, release, control : one table each: paths of CSV, Parquet or Excel files, data frames
        of pandas, polars or pyarrow, or data with a schema. Or several tables each: folders or zip
        archives with one file per table, addresses of databases, data frames by the name of their
        table, or data of people.
    schema : the columns and their domains, and of several tables also how they belong together. A
        path may be a schema file of ours, or metadata of other tools. By default they are learned.
    unit : the column of the original and of the control that says whose row it is, or equal-rows.
        Of several tables, the column that names people, if there is no schema.
    header : whether the first rows of files have the column names; None if nobody said it.
    as_written : whether all columns, or which of them, are compared as they are written: nothing
        that the release writes otherwise is matched in them. In several tables a column is
        ``column`` or ``table.column``.
    key : a table that says which pseudonym of the release each person of the original has.
    rng : draws halves of the release, which must agree on what its codes stand for. Without it,
        codes are not matched with values.
    """
    given = {"original": bare(original), "release": bare(release)}
    given |= {} if control is None else {"control": bare(control)}
    options: dict[str, Any] = {"header": header, "as_written": as_written, "key": key, "rng": rng}
    if has_several_tables(original):
        of_people = schema_of_people(schema)
        return read_several_tables(given, schema=of_people, person=unit, **options)
    return read_one_table(given, schema=schema_of_rows(schema), unit=unit, **options)
