"""Inputs of an audit: original, release and control as tables under one schema for all of them.

Attacks compare attributes. Ids and free texts are none, so the attacks leave them out, and so they
do with columns that two tables write differently. A verdict must not hide that. Free texts are kept
apart, as notes in which the audit looks for what the release repeats.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quintain.audits.checks.control import same_as_control
from quintain.audits.checks.identities import NOT_SEARCHED, IdentitySearch, search_identities
from quintain.audits.checks.same_numbers import chance_of_alike_rows
from quintain.audits.people_sides import PeopleSides
from quintain.audits.results import AuditedInput, MatchedColumn, NotComputed, ReleasedColumns
from quintain.audits.texts.notes import Notes, cells_of, text_columns
from quintain.audits.units import (
    Units,
    frequent_units,
    read_units,
    require_unit,
    rows_of_nobody,
    several_rows,
    tell_frequent,
    whole_rows,
)
from quintain.audits.verdict import Judgement
from quintain.data import Learned, Schema, Table, is_data, shape_of
from quintain.data.arrays import Array, Mask, Rows
from quintain.data.kinds import as_table
from quintain.data.learning.decisions import Decision
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import learn
from quintain.data.learning.matching.codes import CodedColumn, match_codes, recode
from quintain.data.learning.matching.match import RELEASE, Match
from quintain.data.learning.matching.names import match_names
from quintain.data.own_files.spelling import MISSING
from quintain.data.plain import plain_view
from quintain.errors import DataError, Fault, KnowledgeError
from quintain.jobs.files import file_digest
from quintain.releases import Release
from quintain.wording.suggestion import suggestion

_LEVEL = 0.001


_MOST_NAMED = 8


_FOREIGN = 0.5
"""If more of a column's released cells than this have unknown values, it cannot be compared."""


_WORTH_SAYING = 0.05


_UNSEEN = "it has {}, and the kind {!r} does not say how attacks see them"
CONSTANT = "it has the same value everywhere"
SUPPRESSED = "it has the same value in every row of the release, so it says nothing about anybody"
_LONGEST_CONSTANT = 100
"""A longer text in every row may tell of people."""


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
    repeated : a sentence for each column that seems to say whose row it is, if no unit was named.
    simplified : whether the audit compares less than the original has: ranges for numbers,
        beginnings of codes, or not all columns. Ids and columns that never vary do not count.
    notes : the columns of free text; None if there is none.
    matched : the columns that the release writes otherwise.
    sides : people with their rows in several tables, of whom the tables here have one row each;
        None if there is one table.
    identities : what the release says about who people are.
    whole_rows : for each row of the original, and of the control, a number that rows share which
        are equal in all columns of the file; empty if nobody compared them.
    control_is : "original" or "release" if the control is the same file; else empty.
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
    repeated: tuple[str, ...] = ()
    simplified: bool = False
    notes: Notes | None = None
    matched: tuple[MatchedColumn, ...] = ()
    sides: PeopleSides | None = None
    identities: IdentitySearch = NOT_SEARCHED
    whole_rows: tuple[Rows, ...] = ()
    control_is: str = ""

    @property
    def one_row(self) -> bool:
        """Whether every row counts as a person of its own."""
        return self.units is None and self.sides is None

    def require(self, **columns: Collection[str] | None) -> None:
        """Raise with all names of columns, by parameter, that the original does not have."""
        _require_columns(self.names, **columns)

    def one_row_each(self) -> tuple[Table, Table]:
        """Original and control with the first row of each person, for tests of single rows."""
        assert self.control is not None  # there is another audit without one
        if self.units is None or self.units.control is None:
            return self.original, self.control
        return (
            self.original.take(np.unique(self.units.original, return_index=True)[1]),
            self.control.take(np.unique(self.units.control, return_index=True)[1]),
        )

    def people(self) -> Table:
        """Everybody in the original and in the control, if there is one, with their first row."""
        if self.control is None:
            return self.private_people()
        original, control = self.one_row_each()
        return original.concat(control)

    def private_people(self) -> Table:
        """Everybody in the original, with their first row."""
        if self.units is None:
            return self.original
        return self.original.take(np.unique(self.units.original, return_index=True)[1])


def read_inputs(
    original: Any,
    release: Any,
    control: Any = None,
    *,
    schema: Schema | Learned | Path | None = None,
    unit: str | None = None,
    header: bool | None = None,
    as_written: Collection[str] | bool = False,
    key: Any = None,
    rng: np.random.Generator | None = None,
) -> AuditInputs:
    """Read the tables of an audit; raises with every fault of all of them.

    Parameters
    ----------
    original, release, control : paths of CSV, Parquet or Excel files, data frames of pandas,
        polars or pyarrow, or data with a schema.
    schema : the columns and their domains; a path may be a schema file of ours, or metadata of
        other tools. By default they are learned from all tables together.
    unit : the column of the original and of the control that says whose row it is, or equal-rows.
    header : whether the first rows of files have the column names; None if nobody said it.
    as_written : whether all columns, or which of them, are compared as they are written: nothing
        that the release writes otherwise is matched in them.
    key : a table that says which pseudonym of the release each person of the original has.
    rng : draws halves of the release, which must agree on what its codes stand for. Without it,
        codes are not matched with values.
    """
    given: dict[str, Any] = {"original": original, "release": release}
    if control is not None:
        given["control"] = control
    data = {
        role: table.data if isinstance(table, Release) else table for role, table in given.items()
    }
    require_named_columns(data["original"], header=header, as_written=as_written)
    if not isinstance(as_written, bool):
        as_written = (as_written,) if isinstance(as_written, str) else tuple(as_written)
    inputs, tables = read_sides(
        data, schema=schema, unit=unit, header=header, as_written=as_written, rng=rng
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
    _require_columns(known, **named)


def _require_columns(known: Sequence[str], /, **columns: Collection[str] | None) -> None:
    """Raise with all names of columns, by parameter, that are not known."""
    unknown = [
        f"{parameter}: the original has no column {name!r}{suggestion(name, known)}"
        for parameter, names in columns.items()
        for name in names or ()
        if name not in known
    ]
    if unknown:
        raise KnowledgeError("\n".join(unknown))


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
        raise _nothing_to_compare(left_out, renamed=bool(more), notes=notes)
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
        raise _nothing_to_compare(left_out)
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


def readable_columns(source: InputTable) -> dict[str, pa.ChunkedArray]:
    """The cells of all columns as texts, without nested ones."""
    out = {}
    for name in source.names():
        try:
            out[name] = source.cells(name)
        except pa.ArrowException:  # nested cells are no texts
            continue
    return out


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


def describe_table(table: InputTable, records: Table, columns: int | None = None) -> AuditedInput:
    """The entry in the audit: name, size and hash; ``columns`` if the file has others, too."""
    return AuditedInput(
        role=table.role,
        name=table.name,
        rows=len(records),
        columns=len(records.schema.names) if columns is None else columns,
        sha256=records.digest() if table.path is None else file_digest(table.path),
    )


def describe_cells(table: InputTable) -> AuditedInput:
    """The entry of a table of which no column became a record."""
    cells = readable_columns(table)
    texts = json.dumps({name: own.to_pylist() for name, own in cells.items()}).encode()
    return AuditedInput(
        role=table.role,
        name=table.name,
        rows=max(map(len, cells.values()), default=0),
        columns=len(table.names()),
        sha256=hashlib.sha256(texts).hexdigest() if table.path is None else file_digest(table.path),
    )


# --- which columns can be held beside each other ---


def no_column(name: str, reason: str) -> NotComputed:
    """Say that a column is left out, and why."""
    return NotComputed(what=f"the column {name!r}", reason=reason)


def comparable(
    tables: Mapping[str, Table], notes: Notes | None = None
) -> tuple[list[str], list[NotComputed], list[str]]:
    """Leave out columns that never vary, and those whose released values nobody else has.

    A released column that has one value of the original in every row is compared: the release may
    be about the people alone who have it.
    """
    kept, left_out, limits = [], [], []
    for column in tables["original"].schema.columns:
        name, cells = column.name, [table.columns[column.name] for table in tables.values()]
        if _constant(cells):
            left_out.append(no_column(name, CONSTANT))
            continue
        if _is_suppressed(tables, name):
            left_out.append(no_column(name, SUPPRESSED))
            continue
        share, example = 0.0, ""
        if column.listed:
            share, example = _unknown_share(tables, name)
        words = f"{share:.0%} of its released cells have values such as {example!r}, which "
        words += "neither the original nor the control has"
        if share > _FOREIGN:
            left_out.append(no_column(name, f"{words}: are they generalised or in codes?"))
            continue
        if share > _WORTH_SAYING:
            limits.append(f"The column {name!r} is compared as it is written, but {words}.")
        kept.append(name)
    if not kept:
        raise _nothing_to_compare(left_out, notes=notes)
    return kept, left_out, limits


class NothingToCompare(DataError):
    """The tables have no column that attacks can compare.

    Parameters
    ----------
    notes : the free texts that they have nevertheless; None if there are none.
    sources : the tables.
    """

    def __init__(
        self,
        faults: Sequence[Fault],
        notes: Notes | None = None,
        sources: Sequence[InputTable] = (),
    ) -> None:
        super().__init__(faults)
        self.notes = notes
        self.sources = sources

    def search_identities(self) -> IdentitySearch:
        """Look for the people in all columns of the release."""
        return search_identities(*(readable_columns(source) for source in self.sources))

    def coverage(self, identities: IdentitySearch) -> Coverage:
        """No column is compared; texts and identities were looked for."""
        searched = () if self.notes is None else self.notes.columns
        names = self.sources[1].names()
        return Coverage(
            0,
            tuple(name for name in names if name not in searched),
            identities.proofs,
            identities.notes,
            tuple(name for name in searched if name in names),
            looked=identities.limits(),
        )

    def described(self) -> tuple[AuditedInput, ...]:
        """The tables with their hashes."""
        return tuple(describe_cells(source) for source in self.sources)


def _nothing_to_compare(
    left_out: Sequence[NotComputed], *, renamed: bool = False, notes: Notes | None = None
) -> NothingToCompare:
    """The reasons, each once with its columns, and what to do if columns have new names."""
    columns: dict[str, list[str]] = {}
    for left in left_out:
        columns.setdefault(left.reason, []).append(left.what)
    reasons = "; ".join(
        ", ".join((*of[:20], *(["..."] if len(of) > 20 else []))) + f": {reason}"
        for reason, of in columns.items()
    )
    advice = (
        ". Columns are compared by their names: if the release has them under other names, give "
        "them the names of the original"
    )
    message = f"there is no column that the audit can compare. {reasons}{advice * renamed}"
    return NothingToCompare([Fault(message)], notes)


def _constant(cells: Sequence[Array]) -> bool:
    return all(bool(_equal(own, cells[0][:1]).all()) for own in cells)


def _equal(cells: Array, value: Array) -> Mask:
    """Which cells have a value; missing numbers are equal."""
    return np.asarray((cells == value) | ((cells != cells) & (value != value)))


def _is_suppressed(tables: Mapping[str, Table], name: str) -> bool:
    """Whether all released cells have one value, which nobody in the other tables has."""
    released = tables["release"].columns[name]
    if not len(released) or not _constant([released]):
        return False
    others = [table.columns[name] for role, table in tables.items() if role != "release"]
    return not any(bool(_equal(own, released[:1]).any()) for own in others)


def _unknown_share(tables: Mapping[str, Table], name: str) -> tuple[float, str]:
    """The share of released cells with a value that only the release has, and such a value."""
    values = tables["original"].schema[name].values
    known = np.zeros(len(values) + 1, bool)
    for role, table in tables.items():
        if role != "release":
            known[table.columns[name]] = True
    known[-1] = True  # a missing cell has the code -1
    released = tables["release"].columns[name]
    strange = ~known[released]
    if not strange.any():
        return 0.0, ""
    return float(strange.mean()), values[int(released[strange][0])]


# --- what of the release no attack looked at, and texts that name people in it ---


@dataclass(frozen=True, slots=True)
class Coverage:
    """What of a release the attacks compare, and what the rest tells without them.

    Parameters
    ----------
    compared : how many columns of the release the attacks see.
    uncompared : the names of the others, except those that never vary.
    proofs : why texts that were left out make the release unsafe, in sentences.
    notes : the same where no control says how many texts agree by chance.
    searched : the columns of free text, in which the audit looks for what the release repeats.
    unseen : those of the uncompared columns that may say something about people that nothing
        looked for: no ids that were looked for, and no free texts.
    looked : where the audit looked for identities, in sentences.
    constant : the columns that have the same value in every row of the release.
    finer : compared columns whose released numbers have digits behind those of the original, which
        are no errors of calculation and no averages of few numbers.
    """

    compared: int
    uncompared: tuple[str, ...] = ()
    proofs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    looked: tuple[str, ...] = ()
    constant: tuple[str, ...] = ()
    finer: tuple[str, ...] = ()

    def limits(self) -> tuple[str, ...]:
        """What the reader of the verdict should know, in sentences."""
        limits = list(self.notes)
        if self.uncompared:
            columns = self.compared + len(self.searched) + len(self.uncompared)
            beyond = "Beyond identities, the" if self.looked else "The"
            limits.append(
                f"No attack looked at {len(self.uncompared)} of {columns} columns of the release: "
                f"{quote_names(self.uncompared)}. {beyond} verdict does not cover them; what was "
                "not computed says why."
            )
        if self.searched:
            limits.append(
                f"In the free text of {quote_names(self.searched)} the audit sees repeated "
                "passages, names and numbers alone. It does not see what the release says about "
                "people in other words, or in another language."
            )
        if self.constant:
            limits.append(
                "The same value stands in every row of the release, and so says nothing about "
                f"anybody, in {quote_names(self.constant)}."
            )
        if self.finer:
            limits.append(_finer_words(self.finer))
        return (*limits, *self.looked)

    @property
    def not_attacked(self) -> tuple[str, ...]:
        """The columns that attacks do not compare, free texts among them."""
        return (*self.uncompared, *self.searched)

    def as_result(self) -> ReleasedColumns:
        """The same for the result of the audit."""
        return ReleasedColumns(
            compared=self.compared,
            searched=self.searched,
            constant=self.constant,
            uncompared=self.uncompared,
            unseen=self.unseen,
        )

    def limit_verdict(self, verdict: Judgement) -> Judgement:
        """The verdict, or "cannot-say" if too much of the release was not seen to call it small.

        One attribute of people that no attack could compare is too much: it may be what gives them
        away. So are digits behind those of the original, which may be an id. Ids and free texts are
        too much if they are more than the columns that were compared.
        """
        if verdict.verdict not in ("nothing-found", "some-leakage"):
            return verdict
        total = self.compared + len(self.uncompared)
        if self.unseen:
            reason = (
                f"No attack could compare {len(self.unseen)} of {total} columns of the release "
                f"with the original: {quote_names(self.unseen)}. Nobody can say what they give "
                "away. Give the original and the control such columns, too, under the same names. "
                "Or publish the release without these columns, and audit that file."
            )
        elif len(self.uncompared) > self.compared:
            reason = (
                f"The attacks could compare only {self.compared} of {total} columns of the release "
                f"with the original, without {quote_names(self.uncompared)}."
            )
        elif self.finer and verdict.verdict == "nothing-found":
            reason = _finer_words(self.finer)
        else:
            return verdict
        return verdict.cannot_say(reason, "columns")


def _finer_words(names: Sequence[str]) -> str:
    """Why digits that nobody measured leave the verdict open."""
    return (
        f"The released numbers of {quote_names(names)} have more digits than those of the "
        "original. Attacks compare how large numbers are, and the audit looked for ids and dates "
        "behind them; what else such digits say, nobody can tell. Round the numbers to the "
        "precision of the original."
    )


def quote_names(names: Sequence[str]) -> str:
    """Names of columns for a sentence, the first ones if there are many."""
    more = len(names) - _MOST_NAMED
    listed = ", ".join(repr(name) for name in names[:_MOST_NAMED])
    return listed + (f" and {more} more" if more > 0 else "")
