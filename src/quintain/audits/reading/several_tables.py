"""Several tables: owners of rows, and one row for each person.

Every table is read as the only table of an audit would be: one schema for all sides, with what the
release writes otherwise. Keys and references say whose row each one is, on each side for itself.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from quintain.audits.checks.control import same_as_control
from quintain.audits.checks.identities import (
    IdentitySearch,
    join_identities,
    search_identities,
)
from quintain.audits.reading.cells import describe_cells, readable_columns
from quintain.audits.reading.comparable import NothingToCompare, comparable
from quintain.audits.reading.coverage import Coverage
from quintain.audits.reading.inputs import AuditInputs
from quintain.audits.reading.one_table import (
    describe_match,
    read_sides,
    tell_matches,
)
from quintain.audits.reading.people_sides import PeopleSides, TableSides
from quintain.audits.reading.units import (
    Units,
    faults_of_key,
    faults_of_pairs,
    kept_ids,
    number_units,
)
from quintain.audits.results import NotComputed
from quintain.audits.texts.notes import Notes, cells_of, text_columns
from quintain.data.arrays import Array, Rows
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.matching.match import Match
from quintain.data.learning.matching.tables import match_release
from quintain.data.learning.matching.texts import same_notation
from quintain.data.learning.people import learn_people
from quintain.data.own_files.folder import files_without_tables, is_folder
from quintain.data.people import Branch, People, RowOwners, read_owners
from quintain.data.people_files import (
    is_of_people,
    open_tables,
    own_schema,
    read_people_schema,
    source_name,
)
from quintain.data.people_schema import PeopleSchema, TableSchema
from quintain.data.schema import Schema
from quintain.data.sources.database_address import is_address
from quintain.errors import DataError, Fault, KnowledgeError
from quintain.kernels.aggregates import MOST, aggregate
from quintain.wording.suggestion import suggestion

_MANY = 5_000
"""With more people than this, attacks on aggregates see half as many of them, to save time."""
Tables = Mapping[str, InputTable]
"""The tables of one side, by name."""


def read_several_tables(
    given: Mapping[str, Any],
    *,
    schema: PeopleSchema | Path | None,
    person: str | None,
    header: bool | None,
    as_written: Collection[str] | bool,
    key: Any,
    rng: np.random.Generator | None,
) -> AuditInputs:
    """The tables of people of all roles; raises with every fault of all of them.

    :func:`quintain.audits.reading.tables.read_inputs` says what the options mean.
    """
    original = given["original"]
    schema = own_schema(original) if schema is None else schema
    with ExitStack() as files:
        sides = {role: _open_side(files, source, role, header) for role, source in given.items()}
        plan = _plan(sides, schema, person, original, as_written)
        sides["release"] = plan.release
        owners = _owners_of_sides(plan, sides, original)
        right = _right_pseudonyms(owners, plan, key)
        notes = _read_notes(plan, sides, owners)
        tables, left_out = _read_tables(plan, sides, as_written, rng)
        same = same_as_control({role: _without_ids(plan, own) for role, own in sides.items()})
        identities = _search_identities(sides, tables)
        searched = [
            describe_cells(replace(table, role=role))
            for role, own in sides.items()
            for name, table in own.items()
            if name not in tables
        ]
    beside = _beside_tables(given["release"])
    joined = _join(plan, owners, right, tables, left_out, beside, notes, identities)
    return replace(
        joined,
        described=(*joined.described, *searched),
        limits=(*joined.limits, *identities.notes),
        identities=identities,
        control_is=same,
    )


def _open_side(files: ExitStack, source: Any, role: str, header: bool | None) -> Tables:
    """The tables of one side; messages name the folder and the file."""
    tables = files.enter_context(open_tables(source, header=header))
    path = isinstance(source, str | PathLike)
    place = source_name(source) if isinstance(source, str | PathLike) else role
    return {
        name: replace(table, name=f"{place}/{table.name if path else name}")
        for name, table in tables.items()
    }


def _beside_tables(release: Any) -> list[str]:
    """A sentence if the release is a folder or an archive with files that are no tables."""
    if not isinstance(release, str | PathLike) or is_address(release):
        return []
    path = Path(release)
    names = files_without_tables(path) if is_folder(path) else []
    names = [name for name in names if not (name.endswith(".json") and is_of_people(path / name))]
    if not names:
        return []
    more = f" and {len(names) - 5:,} more" if len(names) > 5 else ""
    return [
        f"The release has files that are no tables of it: {', '.join(names[:5])}{more}. The audit "
        "does not look at what they give away."
    ]


# --- what the tables are, and whose row each one is ---


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is compared.

    Parameters
    ----------
    schema : the tables of the original and of the control.
    shown : those of the release that tell whose row each one is; None if none does.
    ids : for each table the columns that name rows or people, which are no attributes.
    words : for each table the columns whose cells are words, also if they look like numbers.
    stated : whether somebody stated the columns, too.
    left_out : the tables that are not compared, and why.
    unseen : those of them of which the release has rows.
    release : the tables of the release, under the names of the original.
    matched : what the release calls otherwise.
    """

    schema: PeopleSchema
    shown: PeopleSchema
    ids: Mapping[str, Collection[str]]
    words: Mapping[str, Collection[str]]
    stated: bool
    left_out: Mapping[str, str]
    unseen: tuple[str, ...]
    release: Tables
    matched: tuple[Match, ...]

    @property
    def person(self) -> str:
        """The column that names people."""
        first = self.schema.root or self.schema.tables[0]
        return str(first.key if first.reference is None else first.reference)


def _plan(
    sides: Mapping[str, Tables],
    schema: PeopleSchema | Path | None,
    person: str | None,
    source: Any,
    as_written: Collection[str] | bool,
) -> _Plan:
    """The schema, stated or learned from the original, and what the release has of it."""
    original = sides["original"]
    left_out: dict[str, str] = {}
    unread: tuple[str, ...] = ()
    stated = schema is not None
    if schema is None:
        try:
            learned = learn_people(original, person)
        except DataError as error:
            raise with_advice(error.faults, source) from None
        known, left_out, unread = learned.schema, dict(learned.left_out), learned.unread
        ids: dict[str, Collection[str]] = {t.schema.name: t.ids for t in learned.tables}
        words = {
            table.name: [column.name for column in table.columns if column.listed]
            for table in known.tables
        }
    else:
        known = read_people_schema(schema) if isinstance(schema, Path) else schema
        ids = {table.name: table.links for table in known.tables}
        words = {table.name: [] for table in known.tables}
    faults = [
        Fault(f"the {role} has no table {table.name!r}{suggestion(table.name, [*tables])}")
        for role, tables in sides.items()
        for table in known.tables
        if role != "release" and table.name not in tables
    ]
    if faults:
        raise with_advice(faults, source)
    release, matched = dict(sides["release"]), list[Match]()
    if as_written is not True:
        release, matched = match_release(known, original, release)
    empty = [name for name, table in release.items() if table.is_empty()]
    release = {name: table for name, table in release.items() if name not in empty}
    kept, reasons = _shown_tables(known, release)
    reasons |= {name: "the release has no row of it" for name in reasons if name in empty}
    if not kept:
        lacking = "; ".join(f"{name}: {why}" for name, why in reasons.items())
        message = (
            f"the release has no table that tells whose row each one is. {lacking}. Give tables, "
            "keys and references of the release the names that they have in the original. If it "
            "has no pseudonyms, audit each table alone, with its files in place of folders"
        )
        raise DataError([Fault(message)])
    more = [name for name in release if name not in original]
    left_out |= reasons | dict.fromkeys(more, "only the release has it")
    unseen = tuple(name for name in (*unread, *reasons) if name in release)
    shown = PeopleSchema(tables=tuple(kept))
    return _Plan(known, shown, ids, words, stated, left_out, unseen, release, tuple(matched))


def _shown_tables(
    schema: PeopleSchema, release: Tables
) -> tuple[list[TableSchema], dict[str, str]]:
    """The tables of which the release has the rows and the links, and why not the others."""
    kept: list[TableSchema] = []
    reasons: dict[str, str] = {}
    for table in schema.tables:
        if table.name not in release:
            others = ", ".join(release)
            reasons[table.name] = f"the release does not have it; its tables are: {others}"
            continue
        names = release[table.name].names()
        owner = table.key if table.reference is None else table.reference
        above = next((own for own in kept if own.name == table.parent), None)
        if owner not in names:
            reasons[table.name] = (
                f"the release does not have its column {owner!r}, so nobody can tell whose rows "
                f"these are; the columns there are: {', '.join(names)}"
            )
        elif table.parent and above is None:
            reasons[table.name] = (
                f"its rows belong to rows of {table.parent}, which the release does not have"
            )
        elif above is not None and above.key is None:
            reasons[table.name] = (
                f"its rows belong to rows of {table.parent}, whose key the release does not have"
            )
        else:
            key = table.key if table.key in names else None  # then no table below is shown
            kept.append(table.model_copy(update={"key": key}))
    return kept, reasons


def with_advice(faults: Sequence[Fault], source: Any) -> DataError:
    """The faults, and last the command that shows what was learned."""
    named = isinstance(source, str | PathLike) and not is_address(source)
    where = shlex.quote(str(source)) if named else "FOLDER"
    advice = (
        f"see what the tables are taken for with `quintain schema learn {where} > people.json`, "
        "correct that file, and give it with --schema people.json"
    )
    return DataError([*faults, Fault(advice)])


def _owners_of_sides(plan: _Plan, sides: Mapping[str, Tables], source: Any) -> dict[str, RowOwners]:
    """Whose row each one is, on each side; raises with the faults of all sides."""
    owners: dict[str, RowOwners] = {}
    faults: list[Fault] = []
    for role, tables in sides.items():
        try:
            owners[role] = read_owners(plan.shown if role == "release" else plan.schema, tables)
        except DataError as error:
            faults += error.faults
    if faults:
        raise with_advice(faults, source)
    outside = owners["control"].keys if "control" in owners else np.zeros(0, np.str_)
    inside, outside = same_notation([_texts(owners["original"].keys), _texts(outside)])
    both = sorted({*inside.to_pylist()} & {*outside.to_pylist()})
    if both:
        message = (
            f"the control has {len(both):,} people of the original, such as {both[0]!r}; a "
            "control must have other people: split the folder with `quintain audit split`"
        )
        raise DataError([Fault(message, column=plan.person)])
    return owners


def _right_pseudonyms(owners: Mapping[str, RowOwners], plan: _Plan, key: Any) -> Rows | None:
    """For each person of original and control the number of their pseudonym, or -1."""
    sides = [owners[role].keys for role in ("original", "control") if role in owners]
    pairs = _number_keys(sides, owners["release"].keys, plan.person, key)
    if pairs is None:
        return None
    people, pseudonyms, (persons, names) = pairs
    of = np.full(int(max(people.max(initial=-1), persons.max(initial=-1))) + 1, -1)
    place = np.full(int(max(pseudonyms.max(initial=-1), names.max(initial=-1))) + 1, -1)
    place[pseudonyms] = np.arange(len(pseudonyms))
    of[persons] = place[names]
    return of[people]


def _number_keys(
    sides: Sequence[Array], shown: Array, person: str, key: Any
) -> tuple[Rows, Rows, tuple[Rows, Rows]] | None:
    """People, pseudonyms, and pairs of both, as numbers of their texts; None if nobody knows."""
    cells = [_texts(own) for own in (*sides, shown)]
    if key is not None:
        table = InputTable.of(key, "key")
        faults = faults_of_key(table, person)
        if faults:
            raise DataError(faults)
        cells += [table.cells(name) for name in sorted(table.names(), key=lambda n: n != person)]
    cells = same_notation([own.cast(pa.string()) for own in cells])
    if key is not None:
        places = len(sides)
        faults = faults_of_pairs(table, person, cells[:places], [cells[places]], cells[-2:])
        if faults:
            raise DataError(faults)
    chunks = [chunk for own in cells for chunk in own.chunks]
    numbers = number_units(pa.chunked_array(chunks, pa.string()))
    parts = np.split(numbers, np.cumsum([len(own) for own in cells])[:-1])
    people, pseudonyms = np.concatenate(parts[: len(sides)]), parts[len(sides)]
    control = parts[1] if len(sides) > 1 else None
    pairs = (parts[-2], parts[-1]) if key is not None else kept_ids(parts[0], control, pseudonyms)
    return None if pairs is None else (people, pseudonyms, pairs)


def _texts(keys: Array) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(keys.astype(np.str_), pa.string())])


# --- what is in the rows ---


def _read_tables(
    plan: _Plan,
    sides: Mapping[str, Tables],
    as_written: Collection[str] | bool,
    rng: np.random.Generator | None,
) -> tuple[dict[str, AuditInputs], list[NotComputed]]:
    """The tables that can be compared, and what is left out; raises with the faults of all."""
    _require_plain(plan, sides["original"], as_written)
    read: dict[str, AuditInputs] = {}
    left_out = [_no_table(name, why) for name, why in plan.left_out.items()]
    faults: list[Fault] = []
    for table in plan.shown.tables:
        tables = {
            role: replace(own[table.name], role=role).hide(plan.ids[table.name])
            for role, own in sides.items()
        }
        stated = Schema(columns=table.columns) if plan.stated and table.columns else None
        if not tables["original"].names() or (plan.stated and stated is None):
            left_out.append(_no_table(table.name, "it has no columns but keys and references"))
            continue
        try:
            plain = _plain_columns(table.name, as_written)
            read[table.name], _ = read_sides(
                tables, schema=stated, as_written=plain, words=plan.words[table.name], rng=rng
            )
        except NothingToCompare as error:
            left_out.append(_no_table(table.name, str(error)))
        except DataError as error:
            faults += error.faults
    if not faults and not read:
        faults = [Fault(f"{left.what}: {left.reason}") for left in left_out]
    if faults:
        raise DataError(faults)
    return read, left_out


def _without_ids(plan: _Plan, tables: Tables) -> list[InputTable]:
    """The tables without columns that name rows or people; those that have others."""
    hidden = [own.hide(plan.ids.get(name, ())) for name, own in sorted(tables.items())]
    return [table for table in hidden if table.names()]


def _read_notes(
    plan: _Plan, sides: Mapping[str, Tables], owners: Mapping[str, RowOwners]
) -> dict[str, tuple[Notes, Units | None]]:
    """The free texts of each table of people, whether attacks compare the table or not."""
    shown = [
        cells
        for table in sides["release"].values()
        for cells in text_columns(table, table.names()).values()
    ]
    if not shown:
        return {}
    everywhere = pa.chunked_array([chunk for cells in shown for chunk in cells.chunks], pa.string())
    inside = len(owners["original"].keys)
    out = {}
    for name, table in sides["original"].items():
        texts = text_columns(table, [n for n in table.names() if n not in plan.ids.get(name, ())])
        other = sides["control"].get(name) if "control" in sides else None
        control = None if other is None else cells_of(other, texts)
        notes = Notes.read(texts, [everywhere], control)
        if notes is not None:
            out[name] = notes, _units_of(name, owners, inside)
    return out


def _search_identities(
    sides: Mapping[str, Tables], tables: Mapping[str, AuditInputs]
) -> IdentitySearch:
    """Look for the people of each table in all columns of all released ones."""
    release, compared = {}, []
    for name, table in sides["release"].items():
        for column, cells in readable_columns(table).items():
            release[f"{name}.{column}"] = cells
            if name in tables and column in tables[name].release.schema:
                compared.append(f"{name}.{column}")
    searches = []
    for name, table in sides["original"].items():
        other = sides["control"].get(name) if "control" in sides else None
        control = None if other is None else _columns_with_labels(name, other)
        known = _columns_with_labels(name, table)
        searches.append(search_identities(known, release, control, compared=compared))
    return join_identities(searches)


def _columns_with_labels(name: str, table: InputTable) -> dict[str, pa.ChunkedArray]:
    """The columns of a table, under names with that of the table."""
    return {f"{name}.{column}": own for column, own in readable_columns(table).items()}


def _units_of(name: str, owners: Mapping[str, RowOwners], inside: int) -> Units | None:
    """Whose each row of a table is; those of the control are numbered last."""
    if name not in owners["original"].persons:
        return None
    control = None
    if "control" in owners:
        person = owners["control"].persons[name]
        control = np.where(person >= 0, person + inside, person)
    return Units(
        owners["original"].persons[name], control, release=owners["release"].persons.get(name)
    )


def _require_plain(plan: _Plan, original: Tables, as_written: Collection[str] | bool) -> None:
    """Raise with the columns to be compared as written that no table has."""
    names = () if isinstance(as_written, bool) else as_written
    known = [n for t in plan.schema.tables for c in original[t.name].names() for n in _both(t, c)]
    unknown = [
        f"as_written: the original has no column {name!r}{suggestion(name, known)}"
        for name in names
        if name not in known
    ]
    if unknown:
        raise KnowledgeError("\n".join(unknown))


def _both(table: TableSchema, column: str) -> tuple[str, str]:
    return column, f"{table.name}.{column}"


def _plain_columns(table: str, as_written: Collection[str] | bool) -> Collection[str] | bool:
    if isinstance(as_written, bool):
        return as_written
    return tuple(name.removeprefix(f"{table}.") for name in as_written)


def _no_table(name: str, reason: str) -> NotComputed:
    return NotComputed(what=f"the table {name!r}", reason=reason)


def _people(plan: _Plan, own: RowOwners, tables: Mapping[str, AuditInputs], role: str) -> People:
    """The people of one side with the rows of all tables, each of which belongs to a person."""
    schemas, branches = [], {}
    for table in plan.shown.tables:
        if table.name not in tables:
            continue
        rows = getattr(tables[table.name], role)
        columns = rows.schema.columns
        order = tuple(name for name in table.order if name in rows.schema)
        schemas.append(table.model_copy(update={"columns": columns, "parent": "", "order": order}))
        branch = own.branch(table.name, rows, order)
        branches[table.name] = replace(branch, parent=branch.person)
    return People(PeopleSchema(tables=tuple(schemas)), len(own.keys), own.keys, branches)


def _join(
    plan: _Plan,
    owners: Mapping[str, RowOwners],
    right: Rows | None,
    tables: Mapping[str, AuditInputs],
    left_out: Sequence[NotComputed],
    beside: Sequence[str],
    notes: Mapping[str, tuple[Notes, Units | None]],
    identities: IdentitySearch,
) -> AuditInputs:
    """One row for each person, and all rows beside it.

    Parameters
    ----------
    beside : what the reader should know about the release beside its tables.
    notes : the free texts of all tables.
    identities : what all of the release says about who people are.
    """
    people = {role: _people(plan, own, tables, role) for role, own in owners.items()}
    inside = people["original"].size
    known = people["original"]
    if "control" in people:
        known = known.concat(people["control"])
    many = max(known.size, people["release"].size) > _MANY
    rows, shown = aggregate(known, people["release"], most=MOST // 2 if many else MOST)
    sides = {"original": rows.take(np.arange(inside)), "release": shown}
    if "control" in people:
        sides["control"] = rows.take(np.arange(inside, len(rows)))
    kept, constant, _ = comparable(sides)
    coverage = _join_coverage(tables, plan, notes, identities)
    matched = tuple(
        match.model_copy(update={"column": f"{name}.{match.column}"})
        for name, own in tables.items()
        for match in own.matched
    )
    matched = (*map(describe_match, plan.matched), *matched)
    return AuditInputs(
        sides["original"].select(kept),
        sides["release"].select(kept),
        sides["control"].select(kept) if "control" in sides else None,
        tuple(
            entry
            for role in owners
            for own in tables.values()
            for entry in own.described
            if entry.role == role
        ),
        (*left_out, *_tell_columns(tables), *constant),
        (*tell_matches(matched), *coverage.limits(), *beside, *_limits(tables, owners, people)),
        coverage,
        tuple(kept),
        simplified=True,
        matched=matched,
        sides=PeopleSides(
            known, people["release"], inside, right, _sides(tables, owners, inside), notes
        ),
    )


def _sides(
    tables: Mapping[str, AuditInputs], owners: Mapping[str, RowOwners], inside: int
) -> dict[str, TableSides]:
    """The rows of each table with their people; those of the control are numbered last."""
    sides = {}
    for name, own in tables.items():
        units = _units_of(name, owners, inside)
        assert units is not None  # only tables with owners are compared
        sides[name] = TableSides(own.original, own.release, own.control, units)
    return sides


def _join_coverage(
    tables: Mapping[str, AuditInputs],
    plan: _Plan,
    notes: Mapping[str, tuple[Notes, Units | None]],
    identities: IdentitySearch,
) -> Coverage:
    """What of all tables of the release is compared, with the names of the tables."""

    def columns_of(part: str) -> tuple[str, ...]:
        return tuple(
            f"{name}.{column}"
            for name, own in tables.items()
            for column in getattr(own.coverage, part)
        )

    unseen = [f"all of {name}" for name in plan.unseen]
    return Coverage(
        sum(own.coverage.compared for own in tables.values()),
        (*columns_of("uncompared"), *unseen),
        (*(proof for own in tables.values() for proof in own.coverage.proofs), *identities.proofs),
        tuple(note for own in tables.values() for note in own.coverage.notes),
        tuple(f"{name}.{column}" for name, (own, _) in notes.items() for column in own.columns),
        (*columns_of("unseen"), *unseen),
        looked=identities.limits(),
        constant=columns_of("constant"),
        finer=columns_of("finer"),
    )


def _tell_columns(tables: Mapping[str, AuditInputs]) -> Iterator[NotComputed]:
    """The columns that are left out, with the names of their tables."""
    for name, own in tables.items():
        for left in own.not_computed:
            yield left.model_copy(update={"what": f"{left.what} of {name}"})


def _limits(
    tables: Mapping[str, AuditInputs],
    owners: Mapping[str, RowOwners],
    people: Mapping[str, People],
) -> Iterator[str]:
    """What the reader should know about single tables."""
    for name, own in tables.items():
        repeated = own.coverage.limits()
        yield from (f"In {name}: {limit}" for limit in own.limits if limit not in repeated)
        for role, rows in owners.items():
            nobody = int((rows.persons[name] < 0).sum())
            if nobody:
                yield (
                    f"{nobody:,} rows of {name} in the {role} belong to nobody: their reference is "
                    "empty. No attack looks at them."
                )
            yield from _tell_branch(name, role, people[role].tables[name])


def _tell_branch(name: str, role: str, branch: Branch) -> Iterator[str]:
    """Who has no row in a table, and rows that are not in the order of their times."""
    lengths = branch.lengths()
    without = int((lengths == 0).sum())
    if without:
        who = "pseudonyms" if role == "release" else "people"
        yield (
            f"{without:,} of {branch.people:,} {who} of the {role} have no row in {name}: "
            "that table alone says nothing of them."
        )
    late = branch.out_of_order()
    if len(late) and role != "release":  # there, somebody may have mixed the rows on purpose
        yield (
            f"In {name}, {len(late):,} rows of the {role} have an earlier {branch.order[0]} than "
            f"the row above of the same person, the first is row {int(late[0]) + 1:,}. Times "
            f"between rows are taken in the order of {branch.order[0]}."
        )
