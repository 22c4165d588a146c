"""One table: original, release and control under one schema for all of them.

Attacks compare attributes. Ids and free texts are none, so the attacks leave them out, and so they
do with columns that two tables write differently. A verdict must not hide that. Free texts are kept
apart, as notes in which the audit looks for what the release repeats.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quintain.audits.checks.control import same_as_control
from quintain.audits.checks.identities import IdentitySearch, search_identities
from quintain.audits.checks.same_numbers import chance_of_alike_rows
from quintain.audits.reading.cells import describe_table, readable_columns
from quintain.audits.reading.comparable import (
    CONSTANT,
    SUPPRESSED,
    NothingToCompare,
    comparable,
    no_column,
    nothing_to_compare,
)
from quintain.audits.reading.coverage import Coverage, quote_names
from quintain.audits.reading.inputs import AuditInputs, require_columns
from quintain.audits.reading.units import (
    frequent_units,
    read_units,
    require_unit,
    rows_of_nobody,
    several_rows,
    tell_frequent,
    whole_rows,
)
from quintain.audits.results import MatchedColumn, NotComputed
from quintain.audits.texts.notes import Notes, cells_of, text_columns
from quintain.data import Learned, Schema, Table, is_data, shape_of
from quintain.data.kinds import as_table
from quintain.data.learning.decisions import Decision
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import learn
from quintain.data.learning.matching.codes import CodedColumn, match_codes, recode
from quintain.data.learning.matching.match import RELEASE, Match
from quintain.data.learning.matching.names import match_names
from quintain.data.own_files.spelling import MISSING
from quintain.data.plain import plain_view
from quintain.errors import DataError, Fault

_LEVEL = 0.001
_UNSEEN = "it has {}, and the kind {!r} does not say how attacks see them"
_LONGEST_CONSTANT = 100
"""A longer text in every row may tell of people."""


def read_one_table(
    given: Mapping[str, Any],
    *,
    schema: Schema | Learned | Path | None,
    unit: str | None,
    header: bool | None,
    as_written: Collection[str] | bool,
    key: Any,
    rng: np.random.Generator | None,
) -> AuditInputs:
    """The tables of all roles, with whose row each one is; raises with every fault of all of them.

    :func:`quintain.audits.reading.tables.read_inputs` says what the options mean.
    """
    require_named_columns(given["original"], header=header, as_written=as_written)
    if not isinstance(as_written, bool):
        as_written = (as_written,) if isinstance(as_written, str) else tuple(as_written)
    inputs, tables = read_sides(
        given, schema=schema, unit=unit, header=header, as_written=as_written, rng=rng
    )
    inputs = replace(
        inputs,
        limits=(*tell_matches(inputs.matched), *inputs.limits),
        control_is=same_as_control({table.role: [table] for table in tables}),
    )
    if unit is not None:
        limits = (*rows_of_nobody(tables, unit), *inputs.limits)
        return replace(inputs, limits=limits, units=read_units(tables, unit, key))
    repeated = tuple(several_rows(tables[0]))
    rows = whole_rows(tables)
    units = None if repeated else frequent_units(tables, rows)
    limits = (*repeated, *(() if units is None else (tell_frequent(units),)), *inputs.limits)
    return replace(inputs, limits=limits, repeated=repeated, units=units, whole_rows=tuple(rows))


def read_sides(
    given: Mapping[str, Any],
    *,
    schema: Schema | Learned | Path | None = None,
    unit: str | None = None,
    header: bool | None = None,
    as_written: Collection[str] | bool = False,
    words: Collection[str] = (),
    rng: np.random.Generator | None = None,
) -> tuple[AuditInputs, list[InputTable]]:
    """One table of original, release and perhaps control, in which every row is a person.

    Also the tables as they were given, with the names of columns that were matched. Cells of
    ``words`` are not taken for numbers.
    """
    tables = [InputTable.of(table, role, header=header) for role, table in given.items()]
    plain = () if isinstance(as_written, bool) else as_written
    named: list[Match] = []
    if as_written is not True:
        tables, named = match_names(tables, plain, owner=unit)
    if unit is not None:
        require_unit(tables, unit)
    try:
        inputs = _read(given, tables, schema, unit, as_written, words, rng)
    except NothingToCompare as error:
        raise NothingToCompare(error.faults, error.notes, tables) from None
    pa.default_memory_pool().release_unused()  # texts take several times the room of codes
    matched = (*map(describe_match, named), *inputs.matched)
    return replace(inputs, matched=matched), tables


def require_named_columns(
    original: Any, /, *, header: bool | None = None, **columns: Collection[str] | bool | None
) -> None:
    """Raise with all names of columns, by parameter, that the original does not have.

    Only its names are read, so that nobody waits for the cells of large tables to hear of a typing
    error. If even the names cannot be read, reading all tables says what is wrong with each.

    Parameters
    ----------
    columns : names, or one name, by parameter; a truth value names none.
    """
    try:
        known = InputTable.of(original, "original", header=header).names()
    except DataError:
        return
    named = {
        parameter: (names,) if isinstance(names, str) else names
        for parameter, names in columns.items()
        if not isinstance(names, bool)
    }
    require_columns(known, **named)


def describe_match(match: Match) -> MatchedColumn:
    """The entry of a match in the audit."""
    return MatchedColumn(
        column=match.column,
        how=match.how,
        says=match.says,
        cells=match.cells,
        as_written=match.as_written,
    )


def tell_matches(matched: Sequence[MatchedColumn]) -> tuple[str, ...]:
    """A sentence with the columns that are compared after a match; none if there are none."""
    names = dict.fromkeys(match.column for match in matched)
    if not names:
        return ()
    written = "1 column is" if len(names) == 1 else f"{len(names)} columns are"
    return (
        f"{written} written otherwise in the release, and compared after a match: "
        f"{quote_names(list(names))}. If a match is wrong, refuse it with --as-written.",
    )


def _read(
    given: Mapping[str, Any],
    tables: Sequence[InputTable],
    schema: Schema | Learned | Path | None,
    unit: str | None,
    as_written: Collection[str] | bool,
    words: Collection[str],
    rng: np.random.Generator | None,
) -> AuditInputs:
    """The tables, in which every row is a person of its own."""
    if schema is None and (ready := _ready(given, unit)):
        names = [column.name for column in ready["original"].schema.columns if not column.plain]
        ready, unseen = _plain_tables(ready)
        fewer = bool(unseen)
        return _inputs(ready, tables, unseen, names, unit=unit, simplified=fewer, notes=None)
    learned = learn(*tables, stated=schema, unit=unit, words=words, as_written=as_written)
    lacking = {
        decision.name: [
            role for role, names in learned.columns.items() if decision.name not in names
        ]
        for decision in learned.decisions
    }
    unused = [made.name for made in learned.decisions if made.column is None]
    notes = _read_notes(tables, unused)
    searched = () if notes is None else notes.columns
    left_out = [
        no_column(decision.name, _reason(decision, lacking[decision.name], searched))
        for decision in learned.decisions
        if lacking[decision.name] or decision.left_out
    ]
    original = learned.columns["original"]
    more = [name for name in learned.columns["release"] if name not in original]
    left_out += [no_column(name, "only the release has it") for name in more]
    unread = {name for name, roles in lacking.items() if roles}
    learned = replace(
        learned, agreed=tuple(own for own in learned.agreed if own.column.name not in unread)
    )
    if not learned.agreed:
        raise nothing_to_compare(left_out, renamed=bool(more), notes=notes)
    compared = {column.column.name for column in learned.agreed}
    coarser = [match.coarser for match in learned.matches]
    coarser += [column.intervals is not None for column in learned.agreed]
    simplified = any(coarser) or any(
        decision.column is None or not decision.column.identifying
        for decision in learned.decisions
        if decision.name not in compared
    )
    attributes = [
        decision.name
        for decision in learned.decisions
        if not (decision.left_out and decision.otherwise is None)
        and not {"original", "release"} & {*lacking[decision.name]}
    ]
    attributes += [name for name in more if not _numbers_in_order(tables[1].cells(name))]
    read, unseen = _plain_tables(_tables(learned, tables))
    left_out += unseen
    coded: list[CodedColumn] = []
    if rng is not None and as_written is not True:
        others = [table for role, table in read.items() if role != RELEASE]
        coded = match_codes(others, read[RELEASE], as_written or (), rng=rng)
        read = {role: recode(table, coded, role) for role, table in read.items()}
    inputs = _inputs(
        read,
        tables,
        left_out,
        attributes,
        unit=unit,
        simplified=simplified or bool(unseen),
        notes=notes,
        rewritten={match.column for match in learned.matches},
    )
    matches = (*learned.matches, *(column.match for column in coded))
    return replace(inputs, matched=tuple(map(describe_match, matches)))


def _read_notes(tables: Sequence[InputTable], names: Collection[str]) -> Notes | None:
    """Those of the columns that no attack compares that are free text, in all tables."""
    texts = {table.role: text_columns(table, names) for table in tables}
    known = texts["original"]
    # A note of the original may be short in the release, and the other way round.
    released = {**cells_of(tables[1], known), **texts[RELEASE]}
    control = cells_of(tables[2], known) if len(tables) > 2 else None
    return Notes.read(known, list(released.values()), control)


def _numbers_in_order(cells: pa.ChunkedArray) -> bool:
    """Whether a column counts the rows, or people, from the first row on: it says nothing new."""
    try:
        numbers = cells.cast(pa.int64()).to_numpy(zero_copy_only=False)
    except pa.ArrowException:
        return False
    steps = np.diff(numbers)
    return len(numbers) > 0 and numbers[0] in (0, 1) and bool(np.isin(steps, (0, 1)).all())


def _reason(decision: Decision, lacking: Sequence[str], searched: Collection[str]) -> str:
    """Why the audit cannot compare a column."""
    if lacking:
        reason = f"the {' and the '.join(lacking)} does not have it"
        return f"{reason}, so no attack can compare it"
    reason = decision.reason.removeprefix("left out: ")
    if decision.column is not None and decision.why.startswith("an id"):
        reason += "; to compare it, give a schema in which it is not an id"
    if decision.name in searched:
        reason += "; the audit looks for what the release repeats of it"
    return reason


def _ready(given: Mapping[str, Any], unit: str | None) -> dict[str, Table]:
    """The tables without their ids, if all come with the same schema; else none."""
    tables = {
        role: as_table(table)
        for role, table in given.items()
        if is_data(table) and shape_of(table).row_is_person
    }
    if len(tables) < len(given) or len({table.schema for table in tables.values()}) > 1:
        return {}
    return {
        role: table.select([name for name in table.schema.private.names if name != unit])
        for role, table in tables.items()
    }


def _plain_tables(tables: dict[str, Table]) -> tuple[dict[str, Table], list[NotComputed]]:
    """The tables with the plain columns that attacks know, and the columns that none can see."""
    columns = tables["original"].schema.columns
    unseen = [c for c in columns if not (c.plain or c.its_kind.plain_columns(c))]
    left_out = [no_column(c.name, _UNSEEN.format(c.its_kind.plural, c.kind)) for c in unseen]
    names = [column.name for column in columns if column not in unseen]
    if not names:
        raise nothing_to_compare(left_out)
    seen = {role: plain_view(table.select(names)) for role, table in tables.items()}
    return seen, left_out


def _inputs(
    tables: Mapping[str, Table],
    sources: Sequence[InputTable],
    left_out: Sequence[NotComputed],
    attributes: Collection[str] = (),
    *,
    unit: str | None,
    simplified: bool,
    notes: Notes | None,
    rewritten: Collection[str] = (),
) -> AuditInputs:
    kept, unknown, limits = comparable(tables, notes)
    # The columns of the file: plain columns have the name of theirs before a dot.
    files = sources[1].names()
    written = dict.fromkeys(own if own in files else own.rpartition(".")[0] for own in kept)
    columns = {source.role: len(source.names()) for source in sources}
    searched = () if notes is None else notes.columns
    searched = tuple(name for name in searched if name in sources[1].names())
    released = [name for name in sources[1].names() if name not in (*written, *searched, unit)]
    constant = _constant_columns(sources[1], released)
    released = [name for name in released if name not in constant]
    # Of a column that never varies in the original either, another reason says as much.
    suppressed = set(constant) - {*_constant_columns(sources[0], constant)}
    left_out = _tell_suppressed([*left_out, *unknown], suppressed)
    identities = _search_identities(tables, sources, written)
    unseen = {*attributes, *identities.doubtful, *_other_numbers(sources, released)}
    coverage = Coverage(
        len(written),
        tuple(released),
        identities.proofs,
        identities.notes,
        searched,
        tuple(name for name in released if name in unseen),
        identities.limits(),
        constant,
        tuple(name for name in identities.finer if name not in rewritten),  # inches have decimals
    )
    return AuditInputs(
        tables["original"].select(kept),
        tables["release"].select(kept),
        tables["control"].select(kept) if "control" in tables else None,
        tuple(describe_table(s, tables[s.role], columns[s.role]) for s in sources),
        tuple(left_out),
        (*coverage.limits(), *limits),
        coverage,
        tuple(sources[0].names()),
        simplified=simplified or any(left.reason != CONSTANT for left in unknown),
        notes=notes,
        identities=identities,
    )


def _search_identities(
    tables: Mapping[str, Table], sources: Sequence[InputTable], compared: Collection[str]
) -> IdentitySearch:
    """Look for the people in the columns of the release that attacks do not compare."""
    columns = {source.role: readable_columns(source) for source in sources}

    def alike(name: str) -> bool:
        """Whether rows of the release are like those rows of the original with the same number."""
        cells = [columns[role].get(name) for role in ("original", "release")]
        if any(own is None for own in cells):
            return False
        numbers = [np.array(own.to_pylist(), np.str_) for own in cells if own is not None]
        pair = tables["original"], tables["release"]
        return chance_of_alike_rows(*pair, (numbers[0], numbers[1])) <= _LEVEL

    return search_identities(
        columns["original"],
        columns["release"],
        columns.get("control"),
        compared=compared,
        alike=alike,
    )


def _constant_columns(source: InputTable, names: Sequence[str]) -> tuple[str, ...]:
    """Those columns that have the same short text, or nothing, in every row."""
    constant = []
    for name in names:
        if name not in source.names():
            continue
        try:
            values = pc.unique(source.cells(name)).to_pylist()
        except pa.ArrowException:  # nested cells are no texts
            continue
        texts = {None if value in MISSING else value for value in values}
        if len(texts) == 1 and all(len(text or "") <= _LONGEST_CONSTANT for text in texts):
            constant.append(name)
    return tuple(constant)


def _tell_suppressed(left_out: Sequence[NotComputed], names: Iterable[str]) -> list[NotComputed]:
    """The columns that are left out; of those with one value, that they say nothing."""
    whats = {no_column(name, SUPPRESSED).what for name in names}
    return [
        left.model_copy(update={"reason": SUPPRESSED}) if left.what in whats else left
        for left in left_out
    ]


def _other_numbers(sources: Sequence[InputTable], names: Sequence[str]) -> list[str]:
    """Those columns that have numbers in the release, and words in the original."""
    original, release = (readable_columns(source) for source in sources[:2])
    return [
        name
        for name in names
        if name in original and _are_numbers(release[name]) and not _are_numbers(original[name])
    ]


def _are_numbers(cells: pa.ChunkedArray) -> bool:
    try:
        cells.drop_null().cast(pa.float64())
    except pa.ArrowException:
        return False
    return True


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
