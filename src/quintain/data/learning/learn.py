"""Learn: one schema for files, data frames and data, with the reason of every decision.

A domain that is learned from private data reveals something about the people in them: the largest
age is somebody's age. :class:`Learned` names the columns whose domain was learned.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import ValidationError

from quintain.data.column import Column
from quintain.data.kinds import as_table
from quintain.data.learning.agreement import Agreed, agree
from quintain.data.learning.decisions import FEWEST_IDS, ID_NAME, Decision, shape_decisions
from quintain.data.learning.input_table import STATED, DescribedTable, InputTable
from quintain.data.learning.matching.match import Match
from quintain.data.metadata import ForeignColumn, column_of, foreign_columns
from quintain.data.own_files.spelling import MISSING
from quintain.data.schema import Schema
from quintain.data.shape import Data, find_shape
from quintain.data.table import Table
from quintain.errors import DataError, Fault, Faults
from quintain.registry import parameter_faults
from quintain.wording.display import html_table

CAUTION = (
    "The domains were learned from the file: its smallest and largest numbers, its first and last "
    "times and every value that occurs. If the data are private, this schema and every release "
    "made with it reveal them, and no privacy claim covers that. Replace them by what is public, "
    'and delete "learned" from the column.'
)


_OTHERWISE = (
    "to use such a column, give schema=Schema(...) in which it is a category, a number or a time"
)


_UNSTATED = "the schema does not have it"
OTHERS_LEARNED = "learned"
"""What a schema file says of ``others`` if columns that it does not have are learned."""


class LearnedSchema(UserWarning):
    """A schema was learned: from data that may be private, or without some of their columns."""


@dataclass(frozen=True, slots=True)
class Learned:
    """The schema of one table, or the common schema of several, with the reasons.

    Parameters
    ----------
    tables : what was looked at.
    decisions : what becomes of each column, and why.
    agreed : of several tables, the columns that can be compared, as each of them writes them.
    columns : of several tables, the columns of each by its role.
    stated : the whole schema, if somebody stated it.
    """

    tables: tuple[DescribedTable, ...]
    shape: str
    decisions: tuple[Decision, ...]
    agreed: tuple[Agreed, ...] = ()
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stated: Schema | None = None

    @property
    def schema(self) -> Schema:
        """The schema of all columns that are not left out."""
        if self.stated is not None:
            return self.stated
        columns = tuple(made.column for made in self.decisions if made.column is not None)
        if not columns:
            reasons = "; ".join(f"{made.name}: {made.why}" for made in self.decisions[:20])
            message = f"no column can be used. {reasons}"
            raise DataError([Fault(message, self.tables[0].name)])
        return Schema(shape=self.shape, columns=columns)

    @property
    def learned(self) -> tuple[str, ...]:
        """The columns whose domain was learned."""
        return tuple(made.name for made in self.decisions if made.learned and made.column)

    @property
    def unstated(self) -> tuple[str, ...]:
        """The columns whose domain nobody stated, so that it comes from the cells.

        Other than in :attr:`learned`, texts such as yes and no are among them: that a column has
        both is learned, too.
        """
        return tuple(
            made.name
            for made in self.decisions
            if not made.left_out and (made.learned or made.reason != STATED)
        )

    @property
    def kinds_stated(self) -> bool:
        """Whether somebody stated columns and kinds, so that no cell decided on them.

        Metadata of another tool leave something to the cells, such as where values may be missing.
        """
        return self.stated is not None and not self.unstated

    @property
    def matches(self) -> tuple[Match, ...]:
        """What a release among several tables writes otherwise than the others."""
        return tuple(column.match for column in self.agreed if column.match is not None)

    @property
    def left_out(self) -> dict[str, str]:
        """The ids of a plain table and the columns of no use, each with the reason."""
        unused = [made for made in self.decisions if made.left_out and made.reason != STATED]
        if find_shape(self.shape).keeps_ids:
            unused = [made for made in unused if made.column is None]
        return {made.name: made.why for made in unused}

    @property
    def warning(self) -> str:
        """What to consider before you publish anything made with this schema; may be empty."""
        left_out = self.tell_left_out("published", _OTHERWISE)
        return ". ".join(filter(None, [self.tell_learned(), left_out]))

    def tell_learned(self) -> str:
        """A sentence with the columns whose domains were learned; empty if there are none."""
        if not self.learned:
            return ""
        return (
            f"the domains of {', '.join(self.learned)} were learned from the data; if the data "
            "are private, a release shows which values occur in them, including the smallest "
            "and the largest, and no privacy claim covers that: give schema=Schema(...) with "
            "public domains"
        )

    def tell_left_out(self, what: str, otherwise: str = "", but: str | None = None) -> str:
        """A sentence with the columns that are not published or not used, why, and a way out.

        The column ``but`` is not told: who names it knows.
        """
        left_out = {name: why for name, why in self.left_out.items() if name != but}
        if not left_out:
            return ""
        named = ", ".join(f"{name} ({why})" for name, why in left_out.items())
        return f"not {what}: {named}; {otherwise or _OTHERWISE}"

    def read(self, given: InputTable) -> Data:
        """The records of one of the tables; of several, in those common columns that it has."""
        if not self.agreed:
            return given.read(self.schema)
        agreed = [column for column in self.agreed if given.role in column.written]
        written = Schema(columns=tuple(column.written[given.role] for column in agreed))
        read = as_table(given.read(written))
        contents = {column.column.name: column.contents(read, given.role) for column in agreed}
        return Table(Schema(columns=tuple(column.column for column in agreed)), contents)

    def to_json(self) -> str:
        """The schema file, with a note for every column."""
        head = {"format": self.schema.format, "shape": self.shape, "caution": CAUTION}
        columns = [plain_column(made, made.column) for made in self.decisions if made.column]
        left = [
            {"name": made.name, "note": made.reason} for made in self.decisions if not made.column
        ]
        lines = [json.dumps(item, ensure_ascii=False) for item in columns]
        rows = ",\n    ".join(lines)
        text = json.dumps(head, indent=2, ensure_ascii=False).removesuffix("\n}")
        more = json.dumps(left, indent=2, ensure_ascii=False).replace("\n", "\n  ")
        return f'{text},\n  "columns": [\n    {rows}\n  ],\n  "left_out": {more}\n}}\n'

    def __repr__(self) -> str:
        """The columns and their kinds; their domains have cells of the tables."""
        kinds = {made.name: made.column.kind if made.column else "-" for made in self.decisions}
        named = ", ".join(f"{name} {kind}" for name, kind in kinds.items())
        return f"<learned schema of {self.shape}: {named}>"

    def _repr_html_(self) -> str:
        kinds = {made.name: made.column.kind if made.column else "-" for made in self.decisions}
        rows = [(made.name, kinds[made.name], made.reason) for made in self.decisions]
        reasons = html_table(("column", "kind", "reason"), rows)
        return f"{self.schema._repr_html_()}<p>{escape(self.warning)}</p>{reasons}"


def plain_column(decision: Decision, column: Column) -> dict[str, Any]:
    """A column as a schema file has it, with the reason as a note."""
    table = column.model_dump(mode="json", exclude_defaults=True)
    for bound in ("low", "high"):
        if column.whole and bound in table:
            table[bound] = int(table[bound])
    mark = {"learned": True} if decision.learned else {}
    return {"name": column.name, "kind": column.kind, "note": decision.reason} | table | mark


def learn(
    *sources: Any,
    stated: Schema | Learned | Path | None = None,
    shape: str = "table",
    unit: str | None = None,
    roles: Mapping[str, str] | None = None,
    words: Collection[str] = (),
    as_written: Collection[str] | bool = False,
    others: bool = False,
) -> Learned:
    """Learn the schema of files, data frames and data from all of their cells.

    Texts become categories, or ids if no text appears twice. Whole numbers become bounded
    integers, or ids if they number the rows; other numbers become bounded reals, and dates times.
    Several tables get one schema, with the columns of the first. It decides what is an id.

    Parameters
    ----------
    sources : paths of CSV, Parquet or Excel files, data frames of pandas, polars or pyarrow, data
        with a schema, or :class:`InputTable`, which gives a table its role.
    stated : the columns, if somebody says what they are: a schema, or a file with our schema or
        with metadata of another tool, which the cells complete. What was learned when the schema
        was made, and is still marked so, is still learned.
    shape : what the rows of a single table are; the cells do not say it.
    unit : the column that says whose row it is: an id.
    roles : columns of a single table with a role, such as ``{"patient": "person"}``.
    words : columns whose cells are words, also if they look like numbers.
    as_written : of several tables, one of which is a release: whether, or in which columns, cells
        that the release writes otherwise are not matched with those of the other tables.
    others : whether columns that a stated schema does not have are learned rather than left out. A
        schema file asks for it with ``"others": "learned"``.

    >>> import pyarrow as pa
    >>> learned = learn(pa.table({"age": [40, 17], "sex": ["f", None]}))
    >>> [(c.name, c.kind, c.nullable) for c in learned.schema.columns], learned.learned
    ([('age', 'integer', False), ('sex', 'category', True)], ('age', 'sex'))
    """
    tables = [InputTable.of(given, _role(place, sources)) for place, given in enumerate(sources)]
    if not tables:
        raise DataError([Fault("give at least one file or data frame")])
    if stated is None and unit is None and (common := _common_schema(tables)) is not None:
        described = tuple(table.learn()[0] for table in tables)
        decisions = [Decision(column.name, column, STATED) for column in common.columns]
        return Learned(described, common.shape, tuple(decisions), stated=common)
    schema = _read_stated(stated)
    others = others or (isinstance(stated, Path) and is_ours(stated) and _leaves_others(stated))
    described, each = _learn_each(tables, schema, words, others=others)
    if unit is not None:
        first = tables[0]
        each[first.role] = each[first.role] | _ids_of_people(first, each[first.role], unit)
        each = {role: made | _as_id(made, unit) for role, made in each.items()}
    if len(tables) > 1:
        return _learn_together(tables, described, each, as_written)
    decisions = list(each[tables[0].role].values())
    if schema is None:
        decisions = shape_decisions(tables[0].name, decisions, shape, roles or {})
    marked = _marked_columns(stated)
    decisions = [replace(made, learned=made.learned or made.name in marked) for made in decisions]
    if isinstance(schema, Schema) and not others:
        schema = schema if unit is None else schema.with_id(unit)
        return Learned(described, schema.shape, tuple(decisions), stated=schema)
    shape = schema.shape if isinstance(schema, Schema) else shape
    return Learned(described, shape, tuple(decisions))


def _marked_columns(stated: Schema | Learned | Path | None) -> tuple[str, ...]:
    """The columns of a schema whose domain was learned when the schema was made."""
    if isinstance(stated, Learned):
        return stated.unstated
    return marked_columns(stated) if isinstance(stated, Path) and is_ours(stated) else ()


def _role(place: int, sources: Sequence[Any]) -> str:
    return "data frame" if len(sources) == 1 else f"data frame {place + 1}"


def _common_schema(tables: Sequence[InputTable]) -> Schema | None:
    """The schema, if all are data with the same one."""
    schemas = {None if table.data is None else table.data.schema for table in tables}
    return schemas.pop() if len(schemas) == 1 else None


def _read_stated(stated: Schema | Learned | Path | None) -> Schema | Path | None:
    if isinstance(stated, Path):
        return read_schema_file(stated, partly=True) if is_ours(stated) else stated
    return stated.schema if isinstance(stated, Learned) else stated


def _learn_each(
    tables: Sequence[InputTable],
    schema: Schema | Path | None,
    words: Collection[str],
    *,
    others: bool,
) -> tuple[tuple[DescribedTable, ...], dict[str, dict[str, Decision]]]:
    """What each table suggests, or is stated to be; raises with the faults of all of them."""
    described: list[DescribedTable] = []
    each: dict[str, dict[str, Decision]] = {}
    faults: dict[Fault, None] = {}
    for table in tables:
        try:
            facts = DescribedTable(table.role, table.name)
            stated: list[Decision] = []
            if schema is not None:
                stated = stated_decisions(table, schema, partly=len(tables) > 1)
            if schema is None or others:
                facts, decisions = table.learn(words)
                known = {made.name: made for made in stated if made.reason == STATED}
                decisions = [known.pop(made.name, made) for made in decisions] + [*known.values()]
            else:
                decisions = stated
            described.append(facts)
            each[table.role] = {decision.name: decision for decision in decisions}
        except DataError as error:
            faults |= dict.fromkeys(error.faults)
    if faults:
        raise DataError(faults)
    return tuple(described), each


def _as_id(decisions: Mapping[str, Decision], unit: str) -> dict[str, Decision]:
    """The column that says whose row it is, as a column of ids, if the table has it."""
    column = Column(name=unit, kind="id", nullable=True)
    return {unit: Decision(unit, column, "it says whose row it is")} if unit in decisions else {}


def _ids_of_people(
    table: InputTable, decisions: Mapping[str, Decision], unit: str
) -> dict[str, Decision]:
    """Columns that number people, as their names say, and that repeat over the rows of a person."""
    named = [
        name
        for name, made in decisions.items()
        if name != unit and not made.left_out and ID_NAME.fullmatch(name)
    ]
    if unit not in decisions or not named:
        return {}
    cells = pa.table(table.columns([unit, *named]))
    numbers = [name for name in named if _names_each(cells.select([unit, name]))]
    reason = "an id: its name says so, and each person has one of their own"
    return {
        name: Decision(name, Column(name=name, kind="id", nullable=True), reason)
        for name in numbers
    }


def _names_each(pairs: pa.Table) -> bool:
    """Whether nobody has two values of the second column, and nobody shares one."""
    owner, value = pairs.column_names
    filled = pairs.filter(pc.invert(pc.is_in(pairs[value], pa.array(MISSING)))).drop_null()
    both = filled.group_by([owner, value]).aggregate([]).num_rows
    each = {pc.count_distinct(filled[name]).as_py() for name in (owner, value)}
    return both >= FEWEST_IDS and each == {both}


def _learn_together(
    tables: Sequence[InputTable],
    described: tuple[DescribedTable, ...],
    each: Mapping[str, Mapping[str, Decision]],
    as_written: Collection[str] | bool,
) -> Learned:
    """One schema for several tables, with the columns of the first."""
    decisions, agreed = [], []
    for name, first in each[tables[0].role].items():
        having = [table for table in tables if name in each[table.role]]
        known = {table.role: each[table.role][name] for table in having}
        plain = as_written if isinstance(as_written, bool) else name in as_written
        made = agree(name, known, having, as_written=plain)
        if isinstance(made, Decision):
            decisions.append(made)
            continue
        agreed.append(made)
        learned = any(decision.learned for decision in known.values())
        decisions.append(Decision(name, made.column, first.reason, learned))
    columns = {role: tuple(known) for role, known in each.items()}
    return Learned(described, "table", tuple(decisions), tuple(agreed), columns)


# --- schema files of our own format and of other tools ---


def read_schema_file(path: Path, *, partly: bool = False) -> Schema:
    """The schema in a file of our own format; raises with every fault in it.

    Parameters
    ----------
    partly : whether the file may say that columns which it does not have are learned.
    """
    faults = Faults(path.name)
    try:
        content = path.read_bytes()
        if partly and _leaves_others(path):
            whole = json.loads(content)
            del whole["others"]
            content = json.dumps(whole).encode()
        return Schema.model_validate_json(content)
    except ValidationError as problem:
        for fault in parameter_faults(Schema, problem):
            faults.add(fault.message, column=fault.column, got=fault.got)
    except OSError as problem:
        faults.add(f"cannot be read: {problem.strerror}")
    raise DataError(faults.findings, faults.total)


def _leaves_others(path: Path) -> bool:
    """Whether a schema file of ours leaves columns that it does not have to be learned."""
    return bool(json.loads(path.read_bytes()).get("others") == OTHERS_LEARNED)


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
        return _foreign_decisions(table, stated, partly=partly)
    names = table.names()
    known = {column.name: Decision(column.name, column, STATED) for column in stated.columns}
    if partly:
        return [known.get(name, Decision(name, None, _UNSTATED)) for name in names]
    others = [Decision(name, None, _UNSTATED) for name in names if name not in stated]
    return [*known.values(), *others]


def _foreign_decisions(table: InputTable, path: Path, *, partly: bool) -> list[Decision]:
    """The columns as another tool describes them, completed from the cells."""
    if table.path is None:
        message = "metadata of other tools describe files; give files, or schema=Schema(...)"
        raise DataError([Fault(message, path.name)])
    faults = Faults(path.name)
    foreign = foreign_columns(path, faults)
    words = {column.name for column in foreign if column.its_kind.listed and not column.values}
    observed = {decision.name: decision for decision in table.learn(words)[1]}
    decisions = []
    for column in foreign:
        if partly and column.name not in observed:
            continue
        complete, learned = _complete_column(column, observed.get(column.name), faults)
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


def _complete_column(
    foreign: ForeignColumn, seen: Decision | None, faults: Faults
) -> tuple[Column | None, bool]:
    """The column with what the cells show, and whether its domain comes from the cells."""
    if seen is None:
        faults.add("the data file has no such column", column=foreign.name)
        return None, False
    facts = _observed_facts(foreign, seen.column)
    if foreign.its_kind.listed and not (foreign.values or facts.get("values")):
        message = f"its values are not listed, and cannot be learned: {seen.reason}"
        faults.add(message, column=foreign.name)
        return None, False
    learned = facts.keys() & {"low", "high", "earliest", "latest"} or facts.get("values") != (
        foreign.values or None
    )
    return column_of(foreign, faults, **facts), bool(learned)


def _observed_facts(foreign: ForeignColumn, column: Column | None) -> dict[str, Any]:
    """The facts that a description leaves open and the cells show."""
    facts: dict[str, Any] = {"values": foreign.values} if foreign.values else {}
    if column is None:
        return facts
    if column.nullable and not foreign.required:
        facts |= {"nullable": True, "missing": column.missing}
    if foreign.its_kind.listed and column.listed and not foreign.values:
        facts["values"] = column.values
    elif foreign.its_kind.numeric and column.numeric:
        bounds = {"low": column.low, "high": column.high}
        facts |= {key: value for key, value in bounds.items() if getattr(foreign, key) is None}
        if foreign.low is None and foreign.high is None:
            facts["kind"] = column.kind
    elif not (foreign.its_kind.temporal and column.temporal):
        return facts
    elif foreign.time_format in ("", column.time_format):
        facts["time_format"] = column.time_format
        facts |= {"earliest": column.earliest, "latest": column.latest}
    return facts
