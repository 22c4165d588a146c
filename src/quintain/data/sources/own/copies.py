"""Copies: what a run keeps of a file of the organisers' own, because it is published in the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

import numpy as np

from quintain.data.arrays import Array
from quintain.data.columns import Columns
from quintain.data.schema import Schema
from quintain.errors import DataError, Fault


def copy_name(name: str) -> str:
    """The name of the copy of a file: whatever the file was, the copy is a CSV file.

    >>> copy_name("people.xlsx")
    'people.csv'
    """
    return PurePosixPath(name).stem + ".csv"


def used_columns(schema: Schema) -> Schema:
    """The columns of a schema that a contest uses: an id in a plain table only if it has a role."""
    if schema.shape != "table":
        return schema
    names = [c.name for c in schema.columns if c.kind != "id" or c.role]
    if not any(schema[name].kind != "id" for name in names):
        raise DataError([Fault("the schema names ids alone; add columns that describe people")])
    return schema.select(names)


def number_ids(tables: Sequence[Columns]) -> list[Columns]:
    """The tables with numbers instead of ids, counted in the order in which the ids appear.

    An id in several tables has the same number in each.

    >>> from quintain.data import Column, Table
    >>> home = Column(name="home", kind="id", role="household")
    >>> people = Table.of(Schema(columns=(home,)), {"home": ["Smith", "Jones", "Smith"]})
    >>> number_ids([people])[0].columns["home"].tolist()
    ['1', '2', '1']
    """
    changed: list[dict[str, Array]] = [{} for _ in tables]
    for column in tables[0].schema.columns:
        if column.kind != "id":
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
