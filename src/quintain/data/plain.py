"""Plain columns: data as parts see them that know names, numbers, times and ids alone.

Most parts compare, count or change plain values. A kind of column that has other values says as
which plain columns it can be seen, and here the data are turned into them and back. Data that have
plain columns alone stay as they are.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from quintain.data.arrays import Array
from quintain.data.column import Column
from quintain.data.columns import Columns
from quintain.data.schema import Schema
from quintain.data.shape import Data, shape_of
from quintain.errors import PartError


def is_plain(schema: Schema) -> bool:
    """Whether all columns are plain."""
    return all(column.plain for column in schema.columns)


def plain_schema(schema: Schema) -> Schema:
    """The schema with plain columns; raises if a kind does not say how its values are seen.

    >>> home = Column(name="home", kind="coordinates")
    >>> plain_schema(Schema(columns=(home,))).names
    ('home.latitude', 'home.longitude')
    """
    if is_plain(schema):
        return schema
    if schema.tables is not None:
        names = ", ".join(column.name for column in schema.columns if not column.plain)
        raise PartError(
            f"no part can see {names} in rows of several tables; leave such columns out"
        )
    columns = tuple(new for column in schema.columns for new in plain_columns(column))
    return schema.model_copy(update={"columns": Schema(columns=columns).columns})


def plain_columns(column: Column) -> tuple[Column, ...]:
    """The plain columns as which parts see a column; a plain one is seen as itself."""
    if column.plain:
        return (column,)
    seen = column.its_kind.plain_columns(column)
    if not seen:
        raise PartError(
            f"{column.name!r} has {column.its_kind.plural}, and {column.its_kind.id} does not say "
            "how other parts see them; leave the column out"
        )
    if not all(new.name.startswith(f"{column.name}.") for new in seen):
        raise PartError(f"{column.its_kind.id}: its plain columns are not named {column.name}.…")
    return seen


_views: WeakKeyDictionary[Data, Any] = WeakKeyDictionary()
"""The views of data that are still in use: parts keep results by the object that they read."""


def plain_view(data: Any) -> Any:
    """The data with plain columns alone."""
    if is_plain(data.schema):
        return data
    if data not in _views:
        shape = shape_of(data)
        _views[data] = shape.from_rows(plain_rows(shape.to_rows(data)))
    return _views[data]


def plain_rows(rows: Columns) -> Columns:
    """The rows with plain columns alone."""
    schema, contents = plain_schema(rows.schema), dict[str, Array]()
    for column in rows.schema.columns:
        stored = rows.columns[column.name]
        seen = (stored,) if column.plain else column.its_kind.to_plain(column, stored)
        contents |= {new.name: own for new, own in zip(plain_columns(column), seen, strict=True)}
    return Columns(schema, contents)


def gather(data: Any, schema: Schema) -> Any:
    """Data with plain columns under the schema that they were seen from.

    Where a part changed the plain columns of a kind, such as numbers into ranges, these stay.
    """
    if is_plain(schema):
        return data
    shape = shape_of(data)
    rows = shape.to_rows(data)
    contents, columns = dict(rows.columns), list(rows.schema.columns)
    for column in schema.columns:
        seen = plain_columns(column)
        if column.plain or not all(new in columns for new in seen):
            continue
        place = columns.index(seen[0])
        columns = [own for own in columns if own not in seen]
        columns.insert(place, column)
        parts = [contents.pop(new.name) for new in seen]
        contents[column.name] = column.its_kind.from_plain(column, parts)
    whole = rows.schema.model_copy(update={"columns": tuple(columns)})
    return shape.from_rows(Columns(whole, contents))
