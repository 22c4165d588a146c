"""Reading: original, release and control as tables under one schema, with all faults at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from quintain.audits.checks.coverage import Coverage, named_people
from quintain.audits.inputs.comparable import CONSTANT, comparable, no_column
from quintain.audits.inputs.units import Units, read_units, several_rows
from quintain.audits.results import AuditedInput, NotComputed
from quintain.data import Learned, Schema, Table
from quintain.data.kinds import as_table
from quintain.data.learning.decisions import Decision
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import learn
from quintain.data.own_files.spelling import MISSING
from quintain.errors import DataError, Fault, KnowledgeError
from quintain.jobs.files import file_digest
from quintain.releases import Release
from quintain.suggestion import suggestion


@dataclass(frozen=True, slots=True, eq=False)
class AuditInputs:
    """What an audit holds beside each other, without ids and other columns it cannot compare.

    Parameters
    ----------
    described : names, sizes and hashes.
    not_computed : the columns that are left out, and why.
    limits : what the reader of the verdict should know about the tables.
    coverage : which columns of the release are not compared, and what they tell nevertheless.
    names : all columns of the original, those that are left out as well.
    units : whose row each one is; None if every row is a person.
    simplified : whether the audit compares less than the original has: ranges for numbers, or not
        all columns. Ids and columns that never vary do not count.
    """

    original: Table
    release: Table
    control: Table | None
    described: tuple[AuditedInput, ...]
    not_computed: tuple[NotComputed, ...]
    limits: tuple[str, ...]
    coverage: Coverage
    names: tuple[str, ...]
    units: Units | None = None
    simplified: bool = False

    def require(self, **columns: Collection[str] | None) -> None:
        """Raise with all names of columns, by parameter, that the original does not have."""
        unknown = [
            f"{parameter}: the original has no column {name!r}{suggestion(name, self.names)}"
            for parameter, names in columns.items()
            for name in names or ()
            if name not in self.names
        ]
        if unknown:
            raise KnowledgeError("\n".join(unknown))

    def one_row_each(self) -> tuple[Table, Table]:
        """Original and control with the first row of each person, for tests of single rows."""
        assert self.control is not None  # there is another audit without one
        if self.units is None or self.units.control is None:
            return self.original, self.control
        return (
            self.original.take(np.unique(self.units.original, return_index=True)[1]),
            self.control.take(np.unique(self.units.control, return_index=True)[1]),
        )


def read_inputs(
    original: Any,
    release: Any,
    control: Any = None,
    *,
    schema: Schema | Learned | Path | None = None,
    unit: str | None = None,
    header: bool | None = None,
) -> AuditInputs:
    """Read the tables of an audit; raises with every fault of all of them.

    Parameters
    ----------
    original, release, control : paths of CSV, Parquet or Excel files, data frames of pandas,
        polars or pyarrow, or data with a schema.
    schema : the columns and their domains; a path may be a schema file of ours, or metadata of
        other tools. By default they are learned from all tables together.
    unit : the column of the original and of the control that says whose row it is.
    header : whether the first rows of files have the column names; None if nobody said it.
    """
    given: dict[str, Any] = {"original": original, "release": release}
    if control is not None:
        given["control"] = control
    data = {role: one.data if isinstance(one, Release) else one for role, one in given.items()}
    tables = [InputTable.of(one, role, header=header) for role, one in data.items()]
    inputs = _read(data, tables, schema, unit)
    if unit is not None:
        return replace(inputs, units=read_units(tables, unit))
    return replace(inputs, limits=(*inputs.limits, *several_rows(tables[0])))


def _read(
    given: Mapping[str, Any],
    tables: Sequence[InputTable],
    schema: Schema | Learned | Path | None,
    unit: str | None,
) -> AuditInputs:
    """The tables, in which every row is a person of its own."""
    if schema is None and (ready := _ready(given, unit)):
        return _inputs(ready, tables, [], [], simplified=False)
    learned = learn(*tables, stated=schema, unit=unit)
    lacking = {
        decision.name: [
            role for role, names in learned.columns.items() if decision.name not in names
        ]
        for decision in learned.decisions
    }
    left_out = [
        no_column(decision.name, _reason(decision, lacking[decision.name]))
        for decision in learned.decisions
        if lacking[decision.name] or decision.left_out
    ]
    original = learned.columns["original"]
    more = [name for name in learned.columns["release"] if name not in original]
    left_out += [no_column(name, "only the release has it") for name in more]
    unread = {name for name, roles in lacking.items() if roles}
    learned = replace(
        learned, agreed=tuple(one for one in learned.agreed if one.column.name not in unread)
    )
    if not learned.agreed:
        reasons = "; ".join(f"{one.what}: {one.reason}" for one in left_out[:20])
        raise DataError([Fault(f"there is no column that the audit can compare. {reasons}")])
    people = [
        _named(decision.name, tables)
        for decision in learned.decisions
        if decision.left_out and decision.otherwise is None and not lacking[decision.name]
    ]
    compared = {column.column.name for column in learned.agreed}
    simplified = any(column.intervals is not None for column in learned.agreed) or any(
        decision.column is None or decision.column.kind != "id"
        for decision in learned.decisions
        if decision.name not in compared
    )
    read = _tables(learned, tables)
    return _inputs(read, tables, left_out, people, simplified=simplified)


def _reason(decision: Decision, lacking: Sequence[str]) -> str:
    """Why the audit cannot compare a column."""
    if lacking:
        reason = f"the {' and the '.join(lacking)} does not have it"
        return f"{reason}, so no attack can compare it"
    reason = decision.reason.removeprefix("left out: ")
    if decision.column is not None and decision.why.startswith("an id"):
        reason += "; to compare it, give a schema in which it is not an id"
    return reason


def _ready(given: Mapping[str, Any], unit: str | None) -> dict[str, Table]:
    """The tables without their ids, if all come with the same schema; else none."""
    tables = {role: one for role, one in given.items() if isinstance(one, Table)}
    if len(tables) < len(given) or len({one.schema for one in tables.values()}) > 1:
        return {}
    return {
        role: one.select([name for name in one.schema.private.names if name != unit])
        for role, one in tables.items()
    }


def _inputs(
    tables: Mapping[str, Table],
    sources: Sequence[InputTable],
    left_out: Sequence[NotComputed],
    people: Sequence[tuple[str, str]],
    *,
    simplified: bool,
) -> AuditInputs:
    kept, unknown, limits = comparable(tables)
    columns = {source.role: len(source.names()) for source in sources}
    constant = {one.what for one in unknown if one.reason == CONSTANT}
    released = [name for name in sources[1].names() if name not in kept]
    coverage = Coverage(
        len(kept),
        tuple(name for name in released if no_column(name, "").what not in constant),
        tuple(proof for proof, _ in people if proof),
        tuple(note for _, note in people if note),
    )
    return AuditInputs(
        tables["original"].select(kept),
        tables["release"].select(kept),
        tables["control"].select(kept) if "control" in tables else None,
        tuple(_describe(one, tables[one.role], columns[one.role]) for one in sources),
        (*left_out, *unknown),
        (*coverage.limits(), *limits),
        coverage,
        tuple(sources[0].names()),
        simplified=simplified or any(one.reason != CONSTANT for one in unknown),
    )


def _named(name: str, sources: Sequence[InputTable]) -> tuple[str, str]:
    """Whether the release has the ids or the texts of people; nested cells are no texts."""
    try:
        texts: dict[str, set[str]] = {
            one.role: one.texts([name])[name] - set(MISSING) for one in sources
        }
    except pa.ArrowException:
        return "", ""
    return named_people(name, texts)


def _tables(learned: Learned, tables: Sequence[InputTable]) -> dict[str, Table]:
    """All tables under the common schema; raises with the faults of all of them."""
    read: dict[str, Table] = {}
    faults: list[Fault] = []
    for table in tables:
        try:
            read[table.role] = as_table(learned.read(table))
        except DataError as error:
            faults += error.faults
    if faults:
        raise DataError(faults)
    return read


def _describe(table: InputTable, records: Table, columns: int) -> AuditedInput:
    """The entry in the audit: name, size and hash."""
    return AuditedInput(
        role=table.role,
        name=table.name,
        rows=len(records),
        columns=columns,
        sha256=records.digest() if table.path is None else file_digest(table.path),
    )
