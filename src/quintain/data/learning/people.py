"""Learning people: which tables belong together, who the people are, and why.

Every table of a data set about people gets one place: it has one row per person, its rows belong to
rows of another table, or it is left out with a reason. Each key, reference and order has a reason,
as each column has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from quintain.data.learning.decisions import ID_NAME, Decision
from quintain.data.learning.input_table import DescribedTable, InputTable
from quintain.data.learning.learn import CAUTION, plain_column
from quintain.data.learning.links import (
    PEOPLE_WORDS,
    LinkColumn,
    Reference,
    find_links,
    link_columns,
    stated_columns,
    thing_named,
)
from quintain.data.people_schema import PeopleSchema, TableSchema
from quintain.errors import DataError, Fault
from quintain.wording.suggestion import suggestion

_ORDER_NAME = re.compile(
    r"(?i:(?:.*[_ -])?"
    r"(?:time|date|day|hour|minute|second|month|year|week|timestamp|step|sequence|seq|position))"
)
"""Names of columns whose whole numbers order rows."""
_FEWEST_PEOPLE = 3
"""A column with fewer names than this, such as yes and no, does not name people."""
_Suggested = tuple[DescribedTable, Sequence[Decision]]
"""How a table is written, and what its cells suggest for each column."""


@dataclass(frozen=True, slots=True)
class LearnedTable:
    """One table about people, with the reason of every decision.

    Parameters
    ----------
    place : why the table is where it is.
    order : what orders its rows, and why.
    decisions : what becomes of each column, and why; a link is a column of ids.
    ids : the columns that name rows of a table, or people.
    """

    described: DescribedTable
    schema: TableSchema = field(repr=False)  # a learned domain has cells in it
    place: str
    order: str
    decisions: tuple[Decision, ...]
    ids: tuple[str, ...] = ()

    def to_json(self) -> str:
        """The table in a schema file: its links, then a line for each column with a note."""
        chosen = {column.name for column in self.schema.columns}
        links = self.schema.model_dump(mode="json", exclude={"columns"}, exclude_defaults=True)
        head = {**links, "note": f"{self.place}; {self.order}"}
        lines = [
            json.dumps(plain_column(made, made.column), ensure_ascii=False)
            for made in self.decisions
            if made.column is not None and made.name in chosen
        ]
        left = [
            json.dumps({"name": made.name, "note": made.reason}, ensure_ascii=False)
            for made in self.decisions
            if made.name not in chosen
        ]
        text = json.dumps(head, indent=2, ensure_ascii=False).removesuffix("\n}")
        for title, items in (("columns", lines), ("left_out", left)):
            text += f',\n  "{title}": [' + ",".join(f"\n    {item}" for item in items) + "\n  ]"
        return text + "\n}"


@dataclass(frozen=True, slots=True)
class LearnedPeople:
    """The schema of several tables about the same people, with the reasons.

    Parameters
    ----------
    who : who the people are, and why.
    tables : the tables, each after the one to which its rows belong.
    left_out : the tables that are not used, each with the reason.
    unread : those of them whose rows belong to somebody all the same.
    """

    who: str
    tables: tuple[LearnedTable, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    unread: tuple[str, ...] = ()

    @property
    def schema(self) -> PeopleSchema:
        """The schema of all tables that are not left out."""
        return PeopleSchema(tables=tuple(table.schema for table in self.tables))

    @property
    def warning(self) -> str:
        """A sentence with the tables that are left out, and why; empty if there are none."""
        named = "; ".join(f"{name} ({why})" for name, why in self.left_out.items())
        return f"tables that are not used: {named}" if named else ""

    def to_json(self) -> str:
        """The schema file (quintain.schema/2), with a note for every table and every column."""
        head = {"format": self.schema.format, "caution": CAUTION, "who": self.who}
        text = json.dumps(head, indent=2, ensure_ascii=False).removesuffix("\n}")
        tables = ",\n".join(table.to_json() for table in self.tables).replace("\n", "\n    ")
        left = [{"name": name, "note": why} for name, why in self.left_out.items()]
        more = json.dumps(left, indent=2, ensure_ascii=False).replace("\n", "\n  ")
        return f'{text},\n  "tables": [\n    {tables}\n  ],\n  "left_out": {more}\n}}\n'


def learn_people(tables: Mapping[str, Any], person: str | None = None) -> LearnedPeople:
    """Learn the schema of several tables about the same people.

    A column that names each row of a table once is its key. A column of another table that is named
    after it, or whose values are all keys there, is a reference. Names such as ``patient_id`` say
    who the people are; without them, the people are the rows to which most tables lead. Of several
    references of a table, the one that leads through the most tables is taken. The first time of a
    table orders its rows.

    Parameters
    ----------
    tables : files, data frames or tables, by name.
    person : the column that names people, as ``column`` or ``table.column``; where tables call it
        otherwise, these columns with commas between them.

    >>> import pyarrow as pa
    >>> invoices = pa.table({"who": ["a", "a", "b"], "no": ["i", "j", "k"], "sum": [5, 7, 7]})
    >>> lines = pa.table({"no": ["i", "i", "k"], "item": ["tea", "jam", "tea"]})
    >>> learned = learn_people({"lines": lines, "invoices": invoices}, "who")
    >>> [(t.name, t.parent, t.key, t.reference) for t in learned.schema.tables]
    [('invoices', '', 'no', 'who'), ('lines', 'invoices', None, 'no')]
    >>> learned.tables[1].place
    'its rows belong to rows of invoices by no: all of its values are keys there'
    """
    given = {name: InputTable.of(table, name) for name, table in tables.items()}
    facts, empty = _learn_each(given)
    stated = stated_columns(given)
    columns = {
        name: link_columns(given[name], made, stated[name]) for name, (_, made) in facts.items()
    }
    links = find_links(columns, given)
    try:
        people = _find_people(columns, links, person)
        tree = _Places(people, columns, links)
        if faults := tree.faults(empty):
            raise DataError(faults)
    except DataError as error:
        files = {name: table.name for name, table in given.items()}
        faults = [replace(fault, file=files.get(fault.file, fault.file)) for fault in error.faults]
        raise DataError(faults) from None
    kept = [_learn_table(given[name], facts[name], tree) for name in tree.order]
    left_out = {name: tree.lookup_reason(name) for name in columns if name not in tree.places}
    return LearnedPeople(people.reason, tuple(kept), left_out | empty, tree.unread())


def _learn_each(
    given: Mapping[str, InputTable],
) -> tuple[dict[str, _Suggested], dict[str, str]]:
    """What the cells of each table suggest; also the tables without rows, with a sentence."""
    facts: dict[str, _Suggested] = {}
    empty: dict[str, str] = {}
    faults: list[Fault] = []
    for name, table in given.items():
        try:
            facts[name] = table.learn()
        except DataError as error:
            if table.is_empty():
                reason = "it has no rows, so its columns cannot be learned; a schema can state them"
                empty[name] = reason
            else:
                faults += error.faults
    if not facts and not faults:
        faults = [Fault("has no records", name) for name in given] or [Fault("there is no table")]
    if faults:
        raise DataError(faults)
    return facts, empty


# --- who the people are ---


@dataclass(frozen=True, slots=True)
class _Who:
    """The column that names people, the table with one row per person if any, and why."""

    column: str
    root: str | None
    reason: str
    mentions: Mapping[str, str]
    """For each other table that names people the column in which it does."""


def _find_people(
    columns: Mapping[str, Sequence[LinkColumn]], links: Sequence[Reference], person: str | None
) -> _Who:
    every = [column for own in columns.values() for column in own]
    if person is not None:
        return _stated_people(columns, links, person)
    likely = [c for c in every if c.thing and c.thing[-1] in PEOPLE_WORDS and _may_name_people(c)]
    roots = [column for column in likely if column.is_key and column.names_its_table]
    roots = roots or [column for column in likely if column.is_key]
    if roots:
        best = max(roots, key=lambda column: _count_below(column.table, links))
        return _who_of(best, every, links, f"{_where(best)} names people, as its name says")
    if likely:
        best = max(likely, key=lambda column: sum(c.name == column.name for c in likely))
        return _who_of(best, every, links, f"{_where(best)} names people, as its name says")
    above = {link.column.table for link in links}
    tops = [link.key for link in links if link.key.table not in above]
    if not tops:
        raise DataError(_cycle_faults(links) or [_nobody_fault(columns)])
    best = max(tops, key=lambda key: _count_below(key.table, links))
    reason = f"no name says who the people are; most tables lead to {_where(best)}"
    return _who_of(best, every, links, reason)


def _stated_people(
    columns: Mapping[str, Sequence[LinkColumn]], links: Sequence[Reference], person: str
) -> _Who:
    every = [column for own in columns.values() for column in own]
    chosen: list[LinkColumn] = []
    faults = []
    for wanted in [person] if _find_columns(person, every) else person.split(","):
        named = _find_columns(wanted.strip(), every)
        chosen += named
        if not named:
            message = f"has no column {wanted.strip()!r} that could name people"
            known = [column.name for column in every]
            faults.append(Fault(message + suggestion(wanted.strip(), known), ", ".join(columns)))
    if faults:
        raise DataError(faults)
    keys = [column for column in chosen if column.is_key]
    best = max(keys or chosen, key=lambda column: (column.names_its_table, column.rows))
    who = _who_of(best, every, links, f"{_where(best)} names people, as you say")
    stated = {column.table: column.name for column in chosen if column.table != who.root}
    return replace(who, mentions={**who.mentions, **stated})


def _find_columns(wanted: str, every: Sequence[LinkColumn]) -> list[LinkColumn]:
    return [column for column in every if wanted in (column.name, f"{column.table}.{column.name}")]


def _who_of(
    best: LinkColumn, every: Sequence[LinkColumn], links: Sequence[Reference], reason: str
) -> _Who:
    """The people by the column that names them, with all other tables that mention them."""
    root = best.table if best.is_key else None
    if root is not None:
        mentions = {
            link.column.table: link.column.name
            for link in reversed(links)
            if (link.key.table, link.key.name) == (best.table, best.name)
        }
        others = {c.table: c.name for c in every if c.name == best.name and thing_named(c.name)}
        mentions = {**others, **mentions}
        mentions.pop(root, None)
        return _Who(best.name, root, f"{reason}, one in each row of {root}", mentions)
    mentions = {column.table: column.name for column in every if column.name == best.name}
    return _Who(best.name, None, f"{reason}; no table has one row for each of them", mentions)


def _may_name_people(column: LinkColumn) -> bool:
    return bool(ID_NAME.fullmatch(column.name)) or len(column.names) >= _FEWEST_PEOPLE


def _where(column: LinkColumn) -> str:
    return f"the column {column.name} of {column.table}"


def _count_below(table: str, links: Sequence[Reference]) -> int:
    """How many tables lead to a table."""
    below, before = {table}, 0
    while len(below) > before:
        before = len(below)
        below |= {link.column.table for link in links if link.key.table in below}
    return len(below)


def say_person(column: str) -> str:
    """How to say which column names people, for commands and notebooks."""
    return (
        f"--unit {column} for audits, --person {column} for schema learn; in a notebook unit= "
        "and person="
    )


def _nobody_fault(columns: Mapping[str, Sequence[LinkColumn]]) -> Fault:
    message = (
        "no column says whose row it is; expected a name such as person_id, or say the column: "
        + say_person("COLUMN")
    )
    return Fault(message, ", ".join(columns))


def _cycle_faults(links: Sequence[Reference]) -> list[Fault]:
    """A fault for each of the links that lead around in a circle."""
    up = {(link.column.table, link.key.table) for link in links}
    reach = set(up)
    while more := {(a, d) for a, b in reach for c, d in up if b == c} - reach:
        reach |= more
    return [
        Fault(
            f"refers to {link.key.table}, which leads back to it; expected that one of these "
            "tables belongs to people and not to the other",
            link.column.table,
            column=link.column.name,
        )
        for link in links
        if (link.key.table, link.column.table) in reach
    ]


# --- where each table belongs ---


class _Places:
    """The place of each table: the link to the table above, or the column that names people."""

    def __init__(
        self, who: _Who, columns: Mapping[str, Sequence[LinkColumn]], links: Sequence[Reference]
    ) -> None:
        self.who, self.columns, self.links = who, columns, links
        self.places: dict[str, Reference | None] = {} if who.root is None else {who.root: None}
        self.keys: dict[str, str] = {} if who.root is None else {who.root: who.column}
        self._place_all()

    @property
    def order(self) -> list[str]:
        """The tables with a place, each after the one to which its rows belong."""
        return list(self.places)

    def _place_all(self) -> None:
        """Place each table as soon as all tables that it could belong to have a place.

        If tables wait for each other, those that can belong to a table with a place begin.
        """
        waiting = self._waiting()
        while waiting:
            ready = [n for n in waiting if n in self.who.mentions or self._open_links(n)]
            if not ready:
                return
            sure = [n for n in ready if not {ln.key.table for ln in self._up(n)} & {*waiting}]
            # The first table decides which column is the key of the table above.
            self._place(min(sure or ready, key=self._has_foreign_keys))
            waiting = self._waiting()

    def _waiting(self) -> list[str]:
        """The tables without a place that lead to people."""
        lead = {*self.places, *self.who.mentions}
        before = 0
        while len(lead) > before:
            before = len(lead)
            lead |= {link.column.table for link in self.links if link.key.table in lead}
        return [name for name in self.columns if name in lead and name not in self.places]

    def _up(self, name: str) -> list[Reference]:
        """The links of a table to others, but for those that name people."""
        return [
            link
            for link in self.links
            if link.column.table == name and link.column.name != self.who.mentions.get(name)
        ]

    def _open_links(self, name: str) -> list[Reference]:
        """The links of a table to tables with a place whose rows have this key, or none yet."""
        return [
            link
            for link in self._up(name)
            if link.key.table in self.places
            and self.keys.get(link.key.table, link.key.name) == link.key.name
        ]

    def _has_foreign_keys(self, name: str) -> bool:
        """Whether a table refers to columns alone that are not named after their table."""
        return not any(link.key.names_its_table for link in self._open_links(name))

    def _place(self, name: str) -> None:
        options = self._open_links(name)
        if name in self.who.mentions:
            # Rows without a row above would be nobody's, and they name their person themselves.
            options = [link for link in options if not link.column.empty]
        if not options:
            self.places[name] = None
            return
        best = max(options, key=lambda link: (self._depth(link.key.table), link.by_name))
        self.places[name] = best
        self.keys[best.key.table] = best.key.name

    def _depth(self, name: str) -> int:
        link = self.places[name]
        return (name != self.who.root) + (0 if link is None else self._depth(link.key.table))

    def parent(self, name: str) -> tuple[str, str | None, str]:
        """The table above, the column that refers to it or to people, and why."""
        if name == self.who.root:
            return "", None, "it has one row per person"
        link = self.places[name]
        if link is not None:
            above, column = link.key.table, link.column.name
            why = f"its rows belong to rows of {above} by {column}: {link.reason}"
            return ("" if above == self.who.root else above), column, why
        column = self.who.mentions[name]
        why = f"its rows belong to people by {column}"
        known = [ln for ln in self.links if (ln.column.table, ln.column.name) == (name, column)]
        return "", column, f"{why}: {known[0].reason}" if known else why

    def faults(self, empty: Collection[str]) -> list[Fault]:
        """What is wrong with tables that have no place, and that no table with a place mentions.

        ``empty`` are the tables without rows: what should refer to one of them has no place.
        """
        lost = [n for n in self.columns if n not in self.places and not self.lookup_reason(n)]
        links = [link for link in self.links if {link.column.table, link.key.table} <= {*lost}]
        faults = _cycle_faults(links)
        # What leads to a table without a place is in its place as soon as that table is.
        accounted = {fault.file for fault in faults} | {link.column.table for link in links}
        faults += [self._lost_fault(name, empty) for name in lost if name not in accounted]
        return faults if self.places else [_nobody_fault(self.columns)]

    def _lost_fault(self, name: str, empty: Collection[str]) -> Fault:
        """Why a table has no place; a column with the name of a key, but not its values, is named.

        Such a column is mostly a reference to a table that is cut off or spelled differently.
        """
        for own in self.columns[name]:
            if own.is_key and own.names_its_table:
                continue
            below = {link.column.table for link in self.links if link.key.table == name}
            for table, others in self.columns.items():
                if table in below or table == name:
                    continue
                key = next((c for c in others if c.name == own.name), None)
                if key is not None and len(missed := own.missed_in(key)):
                    return Fault(
                        f"{len(missed):,} of its {len(own.names):,} values are not in the column "
                        f"{own.name} of {table}, which has {len(key.names):,}; expected keys of "
                        f"{table}, to say whose row it is",
                        name,
                        column=own.name,
                        got=str(missed[0]),
                    )
        message = (
            f"has no column {self.who.column!r}, and no column that names rows of another table; "
            "expected one that says whose row it is"
        )
        without = f" ({', '.join(empty)} without any row cannot be it)" if empty else ""
        return Fault(message + without + self._possible_owner(name), name)

    def _possible_owner(self, name: str) -> str:
        """How to say that a column of a table names people, if all of its values do."""
        root = self.who.root
        if root is None:
            return ""
        key = next(column for column in self.columns[root] if column.name == self.who.column)
        full = [own for own in self.columns[name] if len(own.names) > 1 and own.share_in(key) == 1]
        if not full:
            return ""
        best = max(full, key=lambda own: len(own.names))
        stated = f"{root}.{key.name},{name}.{best.name}"
        return (
            f"; all values of its column {best.name!r} are in {key.name!r} of {root}: if it names "
            f"people, say so: {say_person(stated)}"
        )

    def unread(self) -> tuple[str, ...]:
        """The tables without a place whose rows belong to somebody all the same."""
        shared = {link.key.table for link in self.links if link.column.table in self.places}
        owned = {link.column.table for link in self.links if link.key.table in self.places}
        return tuple(name for name in self.columns if name in owned - shared - {*self.places})

    def lookup_reason(self, name: str, before: tuple[str, ...] = ()) -> str:
        """Why a table without a place is left out; empty if no table with a place mentions it.

        ``before`` has the tables from which the question came.
        """
        for link in self.links:
            if link.key.table == name and link.column.table in self.places:
                return (
                    f"rows of {link.column.table} refer to it ({link.words}), so that a row can "
                    f"belong to several people; to make its rows the people, say so: "
                    f"{say_person(link.key.name)}"
                )
        for link in self.links:
            above = link.key.table
            if link.column.table == name and above in self.places:
                return (
                    f"it refers to {above} by {link.key.name}, but the key of {above} is "
                    f"{self.keys[above]}, and a table has one key"
                )
        for link in self.links:
            above = link.key.table
            asks = link.column.table == name and name not in before
            if asks and self.lookup_reason(above, (*before, name)):
                return f"its rows belong to rows of {above}, which is left out, too"
        return ""


# --- the columns of a table ---


def _learn_table(table: InputTable, suggested: _Suggested, tree: _Places) -> LearnedTable:
    """The schema of one table: its links, its order, and its columns without other ids."""
    name = table.role
    parent, reference, place = tree.parent(name)
    key = tree.keys.get(name)
    codes = [
        link.column.name
        for link in tree.links
        if link.column.table == name and link.key.table not in tree.places
    ]
    named = {link.column.name for link in tree.links if link.column.table == name}
    named |= {str(key), str(tree.who.mentions.get(name))}
    alone = [made.name for made in suggested[1] if made.name not in named and _is_code(made)]
    described, decisions = table.learn([*codes, *alone]) if codes or alone else suggested
    names_rows = {
        link.column.name: link.key.table
        for link in tree.links
        if link.column.table == name and link.column.name not in codes
    }
    people = tree.who.mentions.get(name)
    made: list[Decision] = []
    for decision in decisions:
        if decision.name == key:
            whom = "people" if reference is None else "its rows"
            made.append(Decision(key, None, f"the key: it names {whom}"))
        elif decision.name == reference:
            made.append(Decision(decision.name, None, f"the reference to {parent or 'people'}"))
        elif decision.name == people:
            reason = "left out: it names people, and the table above says whose row it is"
            made.append(Decision(decision.name, None, reason))
        elif decision.name in names_rows:
            reason = f"left out: it names rows of {names_rows[decision.name]}"
            made.append(Decision(decision.name, None, reason))
        elif decision.name in codes and decision.column is not None:
            made.append(
                replace(decision, reason=f"codes of a table that is left out; {decision.why}")
            )
        elif decision.name in alone and decision.column is not None:
            made.append(replace(decision, reason=f"codes, as its name says; {decision.why}"))
        else:
            made.append(decision)
    columns = tuple(m.column for m in made if m.column is not None and not m.column.identifying)
    order, why = _find_order(made, is_root=reference is None)
    schema = TableSchema(
        name=name, columns=columns, parent=parent, key=key, reference=reference, order=order
    )
    ids = tuple(d.name for d in decisions if d.name in {key, reference, people, *names_rows})
    return LearnedTable(described, schema, place, why, tuple(made), ids)


def _is_code(decision: Decision) -> bool:
    """Whether whole numbers are names of something, by the name of their column."""
    whole = decision.column is not None and decision.column.whole
    return whole and bool(ID_NAME.fullmatch(decision.name))


def _find_order(decisions: Sequence[Decision], *, is_root: bool) -> tuple[tuple[str, ...], str]:
    """The column that orders the rows of a person, and why."""
    if is_root:
        return (), "one row per person needs no order"
    columns = [made.column for made in decisions if made.column is not None]
    times = [column.name for column in columns if column.temporal]
    if times:
        more = f", the first of {len(times)}" if len(times) > 1 else ""
        return (times[0],), f"ordered by {times[0]}: it is a time{more}"
    for column in columns:
        if column.whole and _ORDER_NAME.fullmatch(column.name):
            return (column.name,), f"ordered by {column.name}: its name says so"
    return (), "in the order of the file: it has no time"
