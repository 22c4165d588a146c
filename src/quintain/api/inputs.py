"""Inputs: turn data frames, data and releases into data with a common schema."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from quintain.data import Data, Schema, Series, Table, Transactions
from quintain.data.arrow import to_arrow
from quintain.data.frames import Library, arrow_of, coded, library_of
from quintain.data.learning.learned import Learned, LearnedDomain, learn_schema
from quintain.errors import DataError, Faults
from quintain.releases import Release


def is_data(given: object) -> bool:
    """Whether something is a table, transactions or series of quintain, with a schema."""
    return isinstance(given, Table | Transactions | Series)


def unpacked(given: Any) -> Any:
    """The data of a release; anything else comes back unchanged."""
    return given.data if isinstance(given, Release) else given


def library(given: Any) -> Library:
    """The library for the result: that of the given data frame, or pandas for other data."""
    return "pandas" if is_data(given) else library_of(given)


def with_schema(given: Any, schema: Schema | Learned | None) -> Data:
    """Data under the given schema, or their own; else it learns a schema and warns."""
    if schema is None and is_data(given):
        data: Data = given
        return data
    if schema is None:
        learned = learn_schema(given)
        if learned.warning:
            warnings.warn(learned.warning, LearnedDomain, stacklevel=3)
        schema = learned
    return recoded(given, stated(schema))


def stated(schema: Schema | Learned) -> Schema:
    """The schema itself, also if it was learned and comes with its warning."""
    return schema.schema if isinstance(schema, Learned) else schema


def recoded(given: Any, schema: Schema) -> Data:
    """Data under a schema, without the columns that the schema does not have."""
    if is_data(given) and given.schema == schema:
        data: Data = given
        return data
    arrow = to_arrow(given) if is_data(given) else arrow_of(given)
    return coded(arrow.select([n for n in arrow.column_names if n in schema]), schema)


def common_schema(
    release: Any,
    compared: Mapping[str, Any],
    schema: Schema | Learned | None,
    hidden: Collection[str] = (),
) -> Schema:
    """One schema for a release and the data it is compared with, learned from all of them.

    It has the columns of the release. The others, each with its name, may lack those in ``hidden``.
    """
    others = list(compared.values())
    if schema is not None:
        return stated(schema)
    if all(is_data(one) and one.schema == release.schema for one in (release, *others)):
        own: Schema = release.schema
        return own
    names = names_of(release)
    faults = Faults("data frames")
    for label, one in compared.items():
        for name in names:
            if name not in names_of(one) and name not in hidden:
                hint = _TARGETS_HINT if label == "targets" else ""
                faults.add(f"the {label} lack this column of the release{hint}", column=name)
    faults.raise_if_any(DataError)
    shared = [name for name in names if all(name in names_of(one) for one in others)]
    learned = _learned([release, *others], shared)
    rest = [name for name in names if name not in shared]
    more = _learned([one for one in (release, *others) if set(rest) <= set(names_of(one))], rest)
    columns = {column.name: column for one in (learned, more) for column in one}
    return Schema(columns=tuple(columns[name] for name in names if columns[name].kind != "id"))


_TARGETS_HINT = "; secret= names a column to infer, and known= the columns that attackers know"


def _learned(given: Sequence[Any], names: list[str]) -> Any:
    if not names:
        return ()
    cut = [one.select(names) if is_data(one) else arrow_of(one).select(names) for one in given]
    learned: Learned = learn_schema(*cut)
    return learned.schema.columns


def names_of(given: Any) -> list[str]:
    """The names of the columns of a data frame or of data with a schema."""
    return list(given.schema.names if is_data(given) else arrow_of(given).column_names)
