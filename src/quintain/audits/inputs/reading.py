"""Reading: original, release and control as tables under one schema, with all faults at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from quintain.audits.checks.coverage import Coverage, named_people
from quintain.audits.finding import NotComputed
from quintain.audits.inputs.agreement import Agreed, agree
from quintain.audits.inputs.comparable import CONSTANT, comparable, no_column
from quintain.audits.inputs.source import Role, Source
from quintain.audits.inputs.stated import stated_decisions
from quintain.audits.inputs.units import Units, read_units, several_rows
from quintain.audits.release_audit import AuditedInput
from quintain.data import Learned, Schema, Table
from quintain.data.arrays import Array
from quintain.data.learning.decisions import Decision
from quintain.data.own_files.spelling import MISSING
from quintain.data.schema import Column
from quintain.errors import DataError, Fault, KnowledgeError
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
) -> AuditInputs:
    """Read the tables of an audit; raises with every fault of all of them.

    Parameters
    ----------
    original, release, control : paths of CSV, Parquet or Excel files, data frames of pandas,
        polars or pyarrow, or data with a schema.
    schema : the columns and their domains; a path may be a schema file of ours, or metadata of
        other tools. By default they are learned from all tables together.
    unit : the column of the original and of the control that says whose row it is.
    """
    given: dict[Role, Any] = {"original": original, "release": release}
    if control is not None:
        given["control"] = control
    sources = [Source.of(role, one) for role, one in given.items()]
    inputs = _read(given, sources, schema, unit)
    if unit is not None:
        return replace(inputs, units=read_units(sources, unit))
    return replace(inputs, limits=(*inputs.limits, *several_rows(sources[0])))


def _read(
    given: Mapping[Role, Any],
    sources: Sequence[Source],
    schema: Schema | Learned | Path | None,
    unit: str | None,
) -> AuditInputs:
    """The tables, in which every row is a person of its own."""
    if schema is None and (ready := _ready(given, unit)):
        return _inputs(ready, sources, [], [])
    decisions = stated_decisions(sources, schema) if schema is not None else _learned(sources)
    if unit is not None:
        decisions = {role: known | _as_id(known, unit) for role, known in decisions.items()}
    agreed, left_out = _common(decisions, sources)
    if not agreed:
        reasons = "; ".join(f"{one.what}: {one.reason}" for one in left_out[:20])
        raise DataError([Fault(f"there is no column that the audit can compare. {reasons}")])
    people = [_named(name, sources) for name in _identifiers(decisions)]
    return _inputs(_tables(agreed, sources), sources, left_out, people)


def _as_id(decisions: Mapping[str, Decision], unit: str) -> dict[str, Decision]:
    """The column that says whose row it is, as a column of ids, if the table has it."""
    column = Column(name=unit, kind="id", nullable=True)
    return {unit: Decision(unit, column, "it says whose row it is")} if unit in decisions else {}


def _ready(given: Mapping[Role, Any], unit: str | None) -> dict[Role, Table]:
    """The tables without their ids, if all come with the same schema; else none."""
    data = {role: one.data if isinstance(one, Release) else one for role, one in given.items()}
    tables = {role: one for role, one in data.items() if isinstance(one, Table)}
    if len(tables) < len(data) or len({one.schema for one in tables.values()}) > 1:
        return {}
    return {
        role: one.select([name for name in one.schema.private.names if name != unit])
        for role, one in tables.items()
    }


def _inputs(
    tables: Mapping[Role, Table],
    sources: Sequence[Source],
    left_out: Sequence[NotComputed],
    people: Sequence[tuple[str, str]],
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
        tuple(one.described(tables[one.role], columns[one.role]) for one in sources),
        (*left_out, *unknown),
        (*coverage.limits(), *limits),
        coverage,
        tuple(sources[0].names()),
    )


def _learned(sources: Sequence[Source]) -> dict[Role, dict[str, Decision]]:
    """What each table suggests; raises with the faults of all of them."""
    made: dict[Role, dict[str, Decision]] = {}
    faults: list[Fault] = []
    for source in sources:
        try:
            made[source.role] = source.decisions()
        except DataError as error:
            faults += error.faults
    if faults:
        raise DataError(faults)
    return made


def _common(
    decisions: Mapping[Role, Mapping[str, Decision]], sources: Sequence[Source]
) -> tuple[list[Agreed], list[NotComputed]]:
    """The columns that can be compared, and why the others cannot."""
    agreed, left_out = [], []
    for name in decisions["original"]:
        lacking = [role for role, known in decisions.items() if name not in known]
        if lacking:
            reason = f"the {' and the '.join(lacking)} does not have it"
            left_out.append(no_column(name, f"{reason}, so no attack can compare it"))
            continue
        made = agree(name, {role: known[name] for role, known in decisions.items()}, sources)
        if isinstance(made, str):
            left_out.append(no_column(name, made))
        else:
            agreed.append(made)
    more = [name for name in decisions["release"] if name not in decisions["original"]]
    left_out += [no_column(name, "only the release has it") for name in more]
    return agreed, left_out


def _identifiers(decisions: Mapping[Role, Mapping[str, Decision]]) -> list[str]:
    """The columns of ids and free texts that all tables have."""
    return [
        name
        for name, one in decisions["original"].items()
        if (one.column is None or one.column.kind == "id")
        and all(name in known for known in decisions.values())
    ]


def _named(name: str, sources: Sequence[Source]) -> tuple[str, str]:
    """Whether the release has the ids or the texts of people; nested cells are no texts."""
    try:
        texts: dict[str, set[str]] = {
            one.role: one.texts([name])[name] - set(MISSING) for one in sources
        }
    except pa.ArrowException:
        return "", ""
    return named_people(name, texts)


def _tables(agreed: Sequence[Agreed], sources: Sequence[Source]) -> dict[Role, Table]:
    """All tables under the common schema; raises with the faults of all of them."""
    common = Schema(columns=tuple(one.column for one in agreed))
    tables: dict[Role, Table] = {}
    faults: list[Fault] = []
    for source in sources:
        try:
            written = Schema(columns=tuple(one.written[source.role] for one in agreed))
            read = source.read(written)
        except DataError as error:
            faults += error.faults
            continue
        contents = {one.column.name: _contents(one, read, source.role) for one in agreed}
        tables[source.role] = Table(common, contents)
    if faults:
        raise DataError(faults)
    return tables


def _contents(agreed: Agreed, read: Table, role: Role) -> Array:
    """The cells of a column under the common schema."""
    name = agreed.column.name
    if agreed.intervals is None or role == "release":
        return read.columns[name]
    return agreed.intervals.codes(read.numbers(name))
