"""Links: which column names the rows of a table, and which column of another table refers to it.

Files do not say it. Names speak for a link, such as ``customer_id`` in a table of invoices beside
a table of customers, and so do contents: a column that has only keys of another table.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from quintain.data.learning.decisions import FEWEST_IDS, ID_NAME, Decision
from quintain.data.learning.input_table import InputTable
from quintain.data.own_files.spelling import MISSING, without_points

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_ID_WORDS = {"id", "ids", "uuid", "guid", "nr", "no", "number", "num", "key", "code"}
PEOPLE_WORDS = frozenset(
    {
        "person",
        "patient",
        "client",
        "customer",
        "user",
        "member",
        "individual",
        "subject",
        "participant",
        "employee",
        "student",
        "citizen",
        "resident",
        "passenger",
        "respondent",
        "player",
        "applicant",
        "insured",
        "donor",
        "cardholder",
        "subscriber",
        "visitor",
        "guest",
        "owner",
        "pupil",
        "traveller",
        "worker",
        "buyer",
        "beneficiary",
        "pseudonym",
    }
)
"""Words for people in the names of tables and columns."""
_MOST_KEYS_TWICE = 0.2
"""A column that is named after its table is its key, even if this share of rows repeats one."""
_FEWEST_KEYS_MET = 0.5
"""A column that is named after a key refers to it if at least this share of its values is there."""


def thing_named(name: str) -> tuple[str, ...]:
    """The words for the thing that a column or a table is about, in the singular.

    >>> thing_named("CustomerID"), thing_named("customers"), thing_named("id")
    (('customer',), ('customer',), ())
    """
    words = [word.lower() for word in _WORD.findall(name)]
    while words and words[-1] in _ID_WORDS:
        words.pop()
    return (*words[:-1], _singular(words[-1])) if words else ()


def _singular(word: str) -> str:
    if word == "people":
        return "person"
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


@dataclass(frozen=True, slots=True, eq=False)
class LinkColumn:
    """A column that may name rows: of its own table, or of another one.

    Parameters
    ----------
    rows, empty : how many cells there are, and how many of them have no value.
    names : the different texts.
    texts : whether the cells are texts rather than numbers.
    stated : whether somebody states that it is the key of its table.
    """

    table: str
    name: str
    rows: int
    empty: int
    names: pa.Array
    texts: bool
    stated: bool = False

    @classmethod
    def of(
        cls, table: str, decision: Decision, cells: pa.ChunkedArray, *, stated: bool = False
    ) -> LinkColumn:
        """The column of a table, from its decision and its cells."""
        filled = cells.filter(pc.invert(pc.is_in(cells, pa.array(MISSING)))).drop_null()
        names = without_points(pc.unique(filled))
        numbers = decision.column is not None and decision.column.whole
        numbers |= decision.otherwise is not None and decision.otherwise.whole
        empty = len(cells) - len(filled)
        return cls(table, decision.name, len(cells), empty, names, not numbers, stated)

    @property
    def thing(self) -> tuple[str, ...]:
        """What the column names; a plain ``id`` names what its table is about."""
        return thing_named(self.name) or thing_named(self.table)

    @property
    def names_its_table(self) -> bool:
        """Whether the name says that the column is the key of its table."""
        return self.thing == thing_named(self.table)

    @property
    def is_key(self) -> bool:
        """Whether each row has another text; few may appear twice if the name says it is a key."""
        if self.stated or (not self.empty and len(self.names) == self.rows):
            return True
        return self.names_its_table and self.missed_keys <= _MOST_KEYS_TWICE * self.rows

    @property
    def missed_keys(self) -> int:
        """How many rows do not have a text of their own."""
        return self.rows - len(self.names)

    def refers_by_name(self, key: LinkColumn) -> bool:
        """Whether the column is named after a key or its table."""
        own = thing_named(self.name)
        return any(
            bool(other) and own[-len(other) :] == other
            for other in (key.thing, thing_named(key.table))
        )

    def share_in(self, key: LinkColumn) -> float:
        """Which share of its different texts are keys."""
        if not len(self.names):
            return 0.0
        return (len(self.names) - len(self.missed_in(key))) / len(self.names)

    def missed_in(self, key: LinkColumn) -> pa.Array:
        """Its different texts that are no keys."""
        return self.names.filter(pc.invert(pc.is_in(self.names, key.names)))


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """A column whose texts are keys of another table, and why it is taken for one."""

    column: LinkColumn
    key: LinkColumn
    reason: str
    by_name: bool

    @property
    def words(self) -> str:
        """Both columns with their tables."""
        return f"{self.column.table}.{self.column.name} -> {self.key.table}.{self.key.name}"


def link_columns(
    table: InputTable, decisions: Sequence[Decision], stated: Collection[str] = ()
) -> list[LinkColumn]:
    """The columns of a table that may name rows; real numbers, times and sentences do not.

    Parameters
    ----------
    stated : columns of which somebody states that they name rows of this or of another table.
    """
    possible = [
        decision
        for decision in decisions
        if decision.name in stated
        or ((c := decision.column) is not None and (c.identifying or c.listed or c.whole))
    ]
    cells = table.columns([decision.name for decision in possible])
    key = None if table.links is None else table.links.key
    return [
        LinkColumn.of(table.role, made, cells[made.name], stated=made.name == key)
        for made in possible
    ]


def stated_columns(tables: Mapping[str, InputTable]) -> dict[str, set[str]]:
    """For each table the columns of which somebody states that they name rows."""
    stated: dict[str, set[str]] = {name: set() for name in tables}
    for name, table in tables.items():
        for column, (above, key) in ({} if table.links is None else table.links.references).items():
            stated[name].add(column)
            stated.get(above, set()).add(key)
        if table.links is not None and table.links.key is not None:
            stated[name].add(table.links.key)
    return stated


def _stated_links(
    columns: Mapping[str, Sequence[LinkColumn]], tables: Mapping[str, InputTable]
) -> list[Reference]:
    """The references that somebody states, between tables that are there."""
    places = {(c.table, c.name): c for own in columns.values() for c in own}
    links = []
    for name, table in tables.items():
        for column, key in ({} if table.links is None else table.links.references).items():
            ends = places.get((name, column)), places.get(key)
            if ends[0] is not None and ends[1] is not None and table.links is not None:
                stated = replace(ends[1], stated=True)
                reason = f"{table.links.source} says so"
                links.append(Reference(ends[0], stated, reason, True))
    return links


def find_links(
    columns: Mapping[str, Sequence[LinkColumn]], tables: Mapping[str, InputTable] | None = None
) -> list[Reference]:
    """The links between tables, at most one for each column.

    Parameters
    ----------
    tables : what somebody states about tables counts. Links of the others are looked for.
    """
    links = _stated_links(columns, tables or {})
    settled = {link.column.table for link in links}
    keys = [column for own in columns.values() for column in own if column.is_key]
    for name, own in columns.items():
        for column in () if name in settled else own:
            options = sorted(_options(column, keys), key=_weight, reverse=True)
            named = [link for link in options if link.by_name]
            if named or len(options) == 1:
                links.append((named or options)[0])
    return links


def _weight(link: Reference) -> tuple[bool, float, int]:
    """The better of two links of a column leads to the table that the key is named after."""
    return link.key.names_its_table, link.column.share_in(link.key), link.key.rows


def _options(column: LinkColumn, keys: Sequence[LinkColumn]) -> Iterator[Reference]:
    for key in keys:
        if key.table == column.table or (column.is_key and column.names_its_table):
            continue
        share = column.share_in(key)
        met = f"{share:.0%}" if share == 1 else f"{min(share, 0.999):.1%}"
        if column.refers_by_name(key) and share >= _FEWEST_KEYS_MET:
            if column.is_key and not key.names_its_table and not _is_first(column, key):
                continue
            reason = f"its name says so, and {met} of its values are keys there"
            yield Reference(column, key, reason, True)
        elif share == 1 and not column.is_key and _tells_much(column, key):
            yield Reference(column, key, "all of its values are keys there", False)


def _is_first(column: LinkColumn, key: LinkColumn) -> bool:
    """Of two columns that could be the key of each other, the one with more rows is the key."""
    return (key.rows, column.table) > (column.rows, key.table)


def _tells_much(column: LinkColumn, key: LinkColumn) -> bool:
    """Whether it cannot well be chance that all values are keys."""
    if not column.texts or not key.texts:
        return bool(ID_NAME.fullmatch(column.name) and ID_NAME.fullmatch(key.name))
    many = len(column.names) >= FEWEST_IDS or 2 * len(column.names) > len(key.names)
    return many and len(column.names) > 1
