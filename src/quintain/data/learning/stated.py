"""Schema files: the columns of a table, described by us or by another tool."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from quintain.data.learning.decisions import Decision
from quintain.data.learning.input_table import STATED, InputTable
from quintain.data.metadata.foreign_column import ForeignColumn
from quintain.data.metadata.reading import column_of, foreign_columns
from quintain.data.schema import Column, Schema
from quintain.errors import DataError, Fault, Faults
from quintain.registry import parameter_faults

_UNSTATED = "the schema does not have it"


def read_schema_file(path: Path) -> Schema:
    """The schema in a file of our own format; raises with every fault in it."""
    faults = Faults(path.name)
    try:
        return Schema.model_validate_json(path.read_bytes())
    except ValidationError as problem:
        for fault in parameter_faults(Schema, problem):
            faults.add(fault.message, column=fault.column, got=fault.got)
    except OSError as problem:
        faults.add(f"cannot be read: {problem.strerror}")
    raise DataError(faults.findings, faults.total)


def marked_columns(path: Path) -> tuple[str, ...]:
    """The columns of a schema file of ours whose lines still say that their domain was learned."""
    columns = json.loads(path.read_bytes())["columns"]
    return tuple(column["name"] for column in columns if column.get("learned") is True)


def stated_decisions(table: InputTable, stated: Schema | Path, *, partly: bool) -> list[Decision]:
    """What a schema, or a file with metadata of another tool, says about the columns of a table.

    A schema decides about all its columns, and everything else is left out. Another tool may leave
    domains open, which the table completes. With ``partly``, the table may lack columns.
    """
    if isinstance(stated, Path):
        return _described(table, stated, partly=partly)
    names = table.names()
    known = {column.name: Decision(column.name, column, STATED) for column in stated.columns}
    if partly:
        return [known.get(name, Decision(name, None, _UNSTATED)) for name in names]
    others = [Decision(name, None, _UNSTATED) for name in names if name not in stated]
    return [*known.values(), *others]


def _described(table: InputTable, path: Path, *, partly: bool) -> list[Decision]:
    """The columns as another tool describes them, completed from the cells."""
    if table.path is None:
        message = "metadata of other tools describe files; give files, or schema=Schema(...)"
        raise DataError([Fault(message, path.name)])
    faults = Faults(path.name)
    foreign = foreign_columns(path, faults)
    words = {column.name for column in foreign if column.kind == "category" and not column.values}
    observed = {decision.name: decision for decision in table.learn(words)[1]}
    decisions = []
    for column in foreign:
        if partly and column.name not in observed:
            continue
        complete, learned = _complete(column, observed.get(column.name), faults)
        if complete is not None:
            decisions.append(Decision(column.name, complete, STATED, learned))
    faults.raise_if_any(DataError)
    return decisions


def is_ours(path: Path) -> bool:
    """Whether a file is a schema of our own format rather than one of another tool."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError) as problem:
        raise DataError([Fault(f"is not a readable JSON file: {problem}", path.name)]) from None
    return isinstance(content, dict) and isinstance(content.get("columns"), list)


def _complete(
    foreign: ForeignColumn, seen: Decision | None, faults: Faults
) -> tuple[Column | None, bool]:
    """The column with what the cells show, and whether its domain comes from the cells."""
    if seen is None:
        faults.add("the data file has no such column", column=foreign.name)
        return None, False
    facts = _observed(foreign, seen.column)
    if foreign.kind == "category" and not (foreign.values or facts.get("values")):
        message = f"its values are not listed, and cannot be learned: {seen.reason}"
        faults.add(message, column=foreign.name)
        return None, False
    learned = facts.keys() & {"low", "high", "earliest", "latest"} or facts.get("values") != (
        foreign.values or None
    )
    return column_of(foreign, faults, **facts), bool(learned)


def _observed(foreign: ForeignColumn, column: Column | None) -> dict[str, Any]:
    """The facts that a description leaves open and the cells show."""
    facts: dict[str, Any] = {"values": foreign.values} if foreign.values else {}
    if column is None:
        return facts
    if column.nullable and not foreign.required:
        facts |= {"nullable": True, "missing": column.missing}
    if foreign.kind == column.kind == "category" and not foreign.values:
        facts["values"] = column.values
    elif foreign.kind in ("integer", "real") and column.kind in ("integer", "real"):
        bounds = {"low": column.low, "high": column.high}
        facts |= {key: value for key, value in bounds.items() if getattr(foreign, key) is None}
        if foreign.low is None and foreign.high is None:
            facts["kind"] = column.kind
    elif foreign.kind == column.kind == "time" and foreign.time_format in ("", column.time_format):
        facts["time_format"] = column.time_format
        facts |= {"earliest": column.earliest, "latest": column.latest}
    return facts
