"""Files: the schema of a file, learned from all of its cells, with the reason of every decision."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from quintain.data.learning.decisions import Decision, decide
from quintain.data.learning.shaping import shape_decisions
from quintain.data.learning.text_facts import TextFacts
from quintain.data.learning.typed_facts import typed_facts
from quintain.data.own_files.csv_batches import text_batches
from quintain.data.own_files.dialect import Dialect, read_dialect
from quintain.data.own_files.typed import is_typed, read_typed
from quintain.data.schema import Column, Schema, Shape
from quintain.errors import DataError, Fault, Faults

CAUTION = (
    "The domains were learned from the file: its smallest and largest numbers, its first and last "
    "times and every value that occurs. If the data are private, this schema and every release "
    "made with it reveal them, and no privacy claim covers that. Replace them by what is public, "
    'and delete "learned" from the column.'
)


@dataclass(frozen=True, slots=True)
class LearnedFile:
    """The schema of a file, with the reasons.

    Parameters
    ----------
    file, form : the name of the file, and how it is written.
    rows : how many records the file has.
    """

    file: str
    form: str
    rows: int
    shape: Shape
    decisions: tuple[Decision, ...]

    @property
    def schema(self) -> Schema:
        """The schema of all columns that are not left out."""
        columns = tuple(one.column for one in self.decisions if one.column is not None)
        if not columns:
            raise DataError([Fault("no column can be used; see the reasons", self.file)])
        return Schema(shape=self.shape, columns=columns)

    @property
    def learned(self) -> tuple[str, ...]:
        """The columns whose domain was learned."""
        return tuple(one.name for one in self.decisions if one.learned and one.column is not None)

    def to_json(self) -> str:
        """The schema file, with a note for every column."""
        head = {"format": self.schema.format, "shape": self.shape, "caution": CAUTION}
        columns = [_plain(one, one.column) for one in self.decisions if one.column]
        left = [{"name": one.name, "note": one.reason} for one in self.decisions if not one.column]
        lines = [json.dumps(item, ensure_ascii=False) for item in columns]
        rows = ",\n    ".join(lines)
        text = json.dumps(head, indent=2, ensure_ascii=False).removesuffix("\n}")
        more = json.dumps(left, indent=2, ensure_ascii=False).replace("\n", "\n  ")
        return f'{text},\n  "columns": [\n    {rows}\n  ],\n  "left_out": {more}\n}}\n'


def _plain(decision: Decision, column: Column) -> dict[str, Any]:
    table = column.model_dump(mode="json", exclude_defaults=True)
    for bound in ("low", "high"):
        if column.kind == "integer" and bound in table:
            table[bound] = int(table[bound])
    mark = {"learned": True} if decision.learned else {}
    return {"name": column.name, "kind": column.kind, "note": decision.reason} | table | mark


def learn_file(
    path: Path,
    *,
    shape: Shape = "table",
    roles: Mapping[str, str] | None = None,
    words: Collection[str] = (),
) -> LearnedFile:
    """Learn the schema of a CSV, Parquet or Excel file from all of its cells.

    Parameters
    ----------
    shape : what the rows are; the file does not say it.
    roles : columns with a role, such as ``{"patient": "person"}``.
    words : columns whose cells are words, also if they look like numbers.
    """
    learn = _learn_typed if is_typed(path) else _learn_texts
    form, rows, decisions = learn(path, words)
    if not rows:
        raise DataError([Fault("has a header and no records", path.name)])
    decisions = shape_decisions(path.name, decisions, shape, roles or {})
    return LearnedFile(path.name, form, rows, shape, tuple(decisions))


def _learn_texts(path: Path, words: Collection[str]) -> tuple[str, int, list[Decision]]:
    dialect = read_dialect(path)
    new = (_new(name, dialect, numbers=name not in words) for name in dialect.names)
    gathered = _gather(path, dialect, new)
    stale = [facts for facts in gathered.values() if facts.stale]
    if stale:
        again = [_new(facts.name, dialect, numbers=False) for facts in stale]
        for fresh, old in zip(again, stale, strict=True):
            fresh.spoiler = old.spoiler
        gathered |= _gather(path, dialect, again)
    rows = max(facts.rows for facts in gathered.values())
    return str(dialect), rows, [decide(facts.facts()) for facts in gathered.values()]


def _new(name: str, dialect: Dialect, *, numbers: bool) -> TextFacts:
    return TextFacts(name, decimal_comma=dialect.decimal_comma, numbers=numbers)


def _gather(path: Path, dialect: Dialect, columns: Iterable[TextFacts]) -> dict[str, TextFacts]:
    gathered = {facts.name: facts for facts in columns}
    for batch in text_batches(path, dialect, list(gathered)):
        for name, facts in gathered.items():
            facts.add(batch.column(name))
    return gathered


def _learn_typed(path: Path, words: Collection[str]) -> tuple[str, int, list[Decision]]:
    table = read_typed(path)
    form = "Parquet" if path.suffix.lower() == ".parquet" else "Excel, the first sheet"
    return form, table.num_rows, typed_decisions(table, path.name, words)


def typed_decisions(table: pa.Table, name: str, words: Collection[str] = ()) -> list[Decision]:
    """What becomes of the columns of a table with types; ``name`` stands in faults."""
    faults, decisions = Faults(name), []
    for column in table.column_names:
        try:
            facts = typed_facts(column, table.column(column), words=column in words)
            decisions.append(decide(facts))
        except ValueError as problem:
            faults.add(str(problem), column=column)
    faults.raise_if_any(DataError)
    return decisions
