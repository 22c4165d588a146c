"""Neighbours: tables that differ in one person, of the kinds that mechanisms get wrong.

The table is made up, or the user's own. Its neighbour has one more person: an ordinary one, one
with the largest numbers, with a value that nobody else has, with odd cells, with more rows than all
others. An audit goes from each table to its neighbour and back, so a person is added and removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from quintain.data import Column, Schema
from quintain.data.learning.input_table import InputTable
from quintain.data.people_schema import PeopleSchema, TableSchema

Cells = dict[str, list[Any]]
"""The columns of a table as plain values, None where missing."""
Row = dict[str, Any]

UNIT = "pid"
"""The column of made-up tables that says whose row it is."""
MANY = 60
"""How many rows somebody with very many of them has."""


@dataclass(frozen=True, slots=True)
class TablePair:
    """Two tables that differ in one person.

    Parameters
    ----------
    name : what is special about the person.
    first, second : the tables, as a user gives them; the second has one more person.
    """

    name: str
    first: Any
    second: Any


SCHEMA = Schema(
    title="people",
    columns=(
        Column(name="colour", kind="category", values=("red", "green", "blue", "never seen")),
        Column(name="size", kind="integer", low=-2, high=9),
        Column(name="flag", kind="category", values=("no", "yes")),
        Column(name="grade", kind="category", values=("a", "b", "c", "d"), ordered=True),
        Column(name="dose", kind="real", low=0, high=100, nullable=True),
        Column(name="test", kind="category", values=("negative", "positive"), nullable=True),
    ),
)
"""The columns of the made-up table, as somebody who knows what is public states them."""


def made_up_rows(rows: int, rng: np.random.Generator) -> Cells:
    """A table with categories, an order, whole and real numbers, gaps, and an empty column.

    Nobody has grade b, and grade c is rare.

    >>> made_up_rows(2, np.random.default_rng(0))["test"]
    [None, None]
    """
    colour = rng.choice(3, rows, p=[0.6, 0.3, 0.1])
    size = np.clip(rng.normal(1 + 2 * colour, 2).round(), -2, 9).astype(int)
    dose = rng.gamma(2.0, 10.0, rows).clip(0, 100).round(1)
    return {
        "colour": [("red", "green", "blue")[code] for code in colour],
        "size": size.tolist(),
        "flag": np.where(rng.random(rows) < 0.2 + 0.3 * colour, "yes", "no").tolist(),
        "grade": rng.choice(["a", "c", "d"], rows, p=[0.46, 0.08, 0.46]).tolist(),
        "dose": [None if gap else float(x) for x, gap in zip(dose, dose < 5, strict=True)],
        "test": [None] * rows,
    }


def extra_rows(cells: Cells, rng: np.random.Generator) -> Iterator[tuple[str, Row]]:
    """Rows that a neighbour has more, each with what is special about it."""
    size = len(next(iter(cells.values()))) if cells else 0
    if not size:
        return
    names = list(cells)
    ordinary = {name: cells[name][int(rng.integers(size))] for name in names}
    yield "an ordinary person", ordinary
    yield "somebody like another person", {name: cells[name][0] for name in names}
    numbers = {n: _numbers(cells[n]) for n in names}
    numeric = [name for name in names if numbers[name]]
    for word, pick in (("smallest", min), ("largest", max)):
        row = {n: pick(numbers[n]) if n in numeric else _at_end(cells[n], pick) for n in names}
        yield f"somebody with the {word} of everything", row
    yield "somebody of whom nothing is known", dict.fromkeys(names)
    for name in names:
        if name in numeric:
            far = 1000 * (1 + max(abs(x) for x in numbers[name]))
            whole = all(isinstance(x, int) for x in numbers[name])
            far = int(far) if whole else float(far)
            yield f"somebody beyond all others in {name!r}", {**ordinary, name: far}
            if whole:
                yield f"somebody with a fraction in {name!r}", {**ordinary, name: 2.5}
            yield f"somebody with words in {name!r}", {**ordinary, name: "refused to say"}
        elif all(value is None for value in cells[name]):
            yield f"the only one with a value of {name!r}", {**ordinary, name: "positive"}
        else:
            unseen = _between(cells[name])
            yield f"the only one with a value of {name!r}", {**ordinary, name: unseen}


def stated_rows(
    cells: Cells, schema: Schema, rng: np.random.Generator
) -> Iterator[tuple[str, Row]]:
    """Rows that a neighbour has more, under a schema that somebody stated."""
    size = len(next(iter(cells.values())))
    names = [name for name in cells if name in schema]
    ordinary = {name: cells[name][int(rng.integers(size))] for name in names}
    yield "an ordinary person", ordinary
    yield "somebody like another person", {name: cells[name][0] for name in names}
    for word, last in (("smallest", False), ("largest", True)):
        row = {name: _bound_of(schema[name], ordinary[name], last) for name in names}
        yield f"somebody with the {word} of everything", row
    gaps = {n: None if schema[n].nullable else ordinary[n] for n in names}
    yield "somebody with every gap that is allowed", gaps
    for name in names:
        column = schema[name]
        if column.listed:
            used = set(cells[name])
            unseen = next((value for value in column.values if value not in used), None)
            if unseen is not None:
                yield f"the only one with a value of {name!r}", {**ordinary, name: unseen}
        elif column.numeric and column.high is not None:
            far = column.high + 1000
            far = int(far) if column.whole else far
            yield f"somebody beyond the stated bounds of {name!r}", {**ordinary, name: far}


def row_neighbours(
    cells: Cells,
    rng: np.random.Generator,
    *,
    schema: Schema | None = None,
    ordered: Sequence[str] = (),
    replace: bool = False,
) -> list[TablePair]:
    """Tables that differ in one row.

    Parameters
    ----------
    schema : the schema that somebody stated; without it, odd cells are tried, too.
    ordered : the categories whose values are in order.
    replace : whether the neighbour has another row in the place of the last one.
    """
    extras = extra_rows(cells, rng) if schema is None else stated_rows(cells, schema, rng)
    out = []
    rows = list(extras)
    for name, row in rows:
        before = _head(cells, _size(cells) - 1) if replace else cells
        out.append(TablePair(name, to_arrow(cells, ordered), to_arrow(_with(before, row), ordered)))
    for few in (40, 3, 1, 0):
        if few < _size(cells) and not (replace and few == 0):
            head = _head(cells, few)
            rest = _head(cells, few - 1) if replace else head
            name = f"one more of {few} people" if few else "the only person"
            out.append(
                TablePair(name, to_arrow(head, ordered), to_arrow(_with(rest, rows[0][1]), ordered))
            )
    return out


def unit_neighbours(
    cells: Cells,
    rng: np.random.Generator,
    *,
    rows: int,
    unit: str = UNIT,
    schema: Schema | None = None,
    ordered: Sequence[str] = (),
) -> list[TablePair]:
    """Tables that differ in one person with several rows; people have one to four rows.

    Cells that decide on kinds are tried row by row, and not again.

    Parameters
    ----------
    rows : how many rows of a person count.
    """
    if unit not in cells:
        cells = {unit: _owners(_size(cells), rng), **cells}
    others = {name: values for name, values in cells.items() if name != unit}
    extras = extra_rows(others, rng) if schema is None else stated_rows(others, schema, rng)
    out, first = [], to_arrow(cells, ordered)
    kept = [extra for extra in extras if extra[0].startswith(_OF_UNITS)]
    for number, (name, row) in enumerate(kept):
        many = MANY if number == 1 else rows
        words = f"{name}, with {many} rows"
        rows_of_one = [{unit: "nobody else", **row} for _ in range(many)]
        out.append(TablePair(words, first, to_arrow(_with(cells, *rows_of_one), ordered)))
    ordinary = {name: values[0] for name, values in others.items()}
    for few in (3, 1, 0):
        head = _head(cells, few)
        rows_of_one = [{unit: "nobody else", **ordinary} for _ in range(rows)]
        name = f"{rows} rows of one person more beside {few}"
        out.append(
            TablePair(name, to_arrow(head, ordered), to_arrow(_with(head, *rows_of_one), ordered))
        )
    return out


_OF_UNITS = (
    "an ordinary",
    "somebody like",
    "somebody with the largest",
    "the only one",
    "somebody beyond the stated",
)
"""How the names of people begin who are tried with several rows."""


def _owners(rows: int, rng: np.random.Generator) -> list[str]:
    lengths = rng.integers(1, 5, rows)
    return [f"p{person:05}" for person in np.repeat(np.arange(rows), lengths)[:rows].tolist()]


# --- people in several tables ---

PEOPLE = PeopleSchema(
    tables=(
        TableSchema(
            name="patients",
            columns=(
                Column(name="sex", kind="category", values=("f", "m", "x")),
                Column(name="born", kind="integer", low=1900, high=2030),
            ),
            key="patient",
        ),
        TableSchema(
            name="visits",
            columns=(
                Column(name="ward", kind="category", values=("a", "b", "c", "d"), ordered=True),
                Column(name="cost", kind="real", low=0, high=5000),
            ),
            key="visit",
            reference="patient",
        ),
        TableSchema(
            name="drugs",
            columns=(
                Column(name="drug", kind="category", values=("aspirin", "statin", "rare")),
                Column(name="days", kind="integer", low=1, high=90),
            ),
            parent="visits",
            reference="visit",
        ),
    )
)
"""The tables of made-up people, as somebody who knows what is public states them."""


@dataclass(slots=True)
class _Clinic:
    """People in three tables, and a fourth that is empty unless somebody is in it."""

    patients: list[Row]
    visits: list[Row]
    drugs: list[Row]
    transplants: list[Row]

    def copy(self) -> _Clinic:
        return _Clinic(
            *(list(rows) for rows in (self.patients, self.visits, self.drugs, self.transplants))
        )

    def add(self, name: str, person: Row, visits: Sequence[Row], drugs: Sequence[Row]) -> None:
        """One person; ``drugs`` belong to each of the visits."""
        self.patients.append({"patient": name, **person})
        for visit in visits:
            key = f"v{len(self.visits):06}"
            self.visits.append({"visit": key, "patient": name, **visit})
            self.drugs.extend({"visit": key, **drug} for drug in drugs)

    def tables(self, *, stated: bool) -> dict[str, pa.Table]:
        """The tables as a user gives them; a stated schema does not know the fourth."""
        made = {
            "patients": rows_to_arrow(self.patients, ("patient", "sex", "born")),
            "visits": rows_to_arrow(self.visits, ("visit", "patient", "ward", "cost"), ("ward",)),
            "drugs": rows_to_arrow(self.drugs, ("visit", "drug", "days")),
        }
        if not stated:
            made["transplants"] = rows_to_arrow(self.transplants, ("patient", "organ"))
        return made


def _clinic(people: int, rng: np.random.Generator) -> _Clinic:
    clinic = _Clinic([], [], [], [])
    for number in range(people):
        person = {"sex": str(rng.choice(["f", "m"])), "born": int(rng.integers(1930, 2010))}
        visits = [_visit(rng) for _ in range(int(rng.integers(0, 4)))]
        clinic.add(f"p{number:05}", person, visits, [_drug(rng)])
    return clinic


def _visit(rng: np.random.Generator) -> Row:
    ward = str(rng.choice(["a", "c", "d"], p=[0.45, 0.1, 0.45]))
    return {"ward": ward, "cost": round(float(rng.gamma(2.0, 100.0)), 1)}


def _drug(rng: np.random.Generator) -> Row:
    return {"drug": str(rng.choice(["aspirin", "statin"])), "days": int(rng.integers(1, 31))}


def people_neighbours(size: int, rng: np.random.Generator, *, stated: bool) -> list[TablePair]:
    """Made-up people in three tables, less and more one of them."""
    base, out = _clinic(size, rng), []

    def more(
        name: str, person: Row, visits: Sequence[Row], drugs: Sequence[Row], organ: str = ""
    ) -> None:
        second = base.copy()
        second.add("p99999", person, visits, drugs)
        if organ:
            second.transplants.append({"patient": "p99999", "organ": organ})
        out.append(TablePair(name, base.tables(stated=stated), second.tables(stated=stated)))

    usual, visit, drug = {"sex": "f", "born": 1980}, _visit(rng), _drug(rng)
    more("an ordinary person", usual, [visit, _visit(rng)], [drug])
    more("somebody without rows below", usual, [], [])
    more(f"somebody with {MANY} visits and {3 * MANY} drugs", usual, [visit] * MANY, [drug] * 3)
    high = {"ward": "d", "cost": 5000.0}
    more(
        "somebody with the largest of everything",
        {"sex": "m", "born": 2030},
        [high] * 3,
        [{"drug": "statin", "days": 90}],
    )
    more("the only one with a value of 'sex'", {**usual, "sex": "x"}, [visit], [drug])
    more("the only one with a value of 'ward'", usual, [{**visit, "ward": "b"}] * 3, [drug])
    more("the only one with a value of 'drug'", usual, [visit], [{**drug, "drug": "rare"}])
    if stated:
        beyond = {**usual, "born": 9000}
        more("somebody beyond the stated bounds of 'born'", beyond, [visit], [drug])
    else:
        more("somebody with a fraction in 'born'", {**usual, "born": 1980.5}, [visit], [drug])
        more("somebody with words in 'born'", {**usual, "born": "unknown"}, [visit], [drug])
        more("the only one in the table 'transplants'", usual, [visit], [drug], "kidney")
    full = base
    for few in (3, 1, 0):
        base = _clinic(few, np.random.default_rng(few + 5))
        words = f"one more of {few} people" if few else "the only person"
        more(words, usual, [visit], [drug])
    base = full
    return out


# --- trajectories ---


def trajectory_neighbours(data: Any, rng: np.random.Generator) -> list[TablePair]:
    """Trajectories less and more one person: the last one, who moves oddly."""
    rows = data.to_rows()
    kind = type(data)
    person, time = (_role(rows.schema, role) for role in ("person", "time"))
    people = len(data)

    def second(change: Callable[[dict[str, Any]], Mapping[str, Any]]) -> Any:
        last = data.take([people - 1]).to_rows()
        changed = last.replace(dict(change(dict(last.columns))))
        return kind.from_rows(data.take(np.arange(people - 1)).to_rows().concat(changed))

    first = data.take(np.arange(people - 1))
    out = [TablePair("an ordinary person", first, data)]

    def one_odd_point(columns: dict[str, Any]) -> dict[str, Any]:
        moved = columns[time].copy()
        moved[-1] += 17 * 60 + 1
        return {time: moved}

    out.append(TablePair("the only one with a point at some time", first, second(one_odd_point)))
    one = data.take([people - 1]).to_rows()
    single = kind.from_rows(first.to_rows().concat(one.take([0])))
    out.append(TablePair("somebody with a single point", first, single))
    short = first.take(np.arange(min(3, people - 1)))
    more = kind.from_rows(short.to_rows().concat(one))
    out.append(TablePair("one more of 3 people", short, more))
    alone = first.take([0])
    out.append(
        TablePair("one more of 1 people", alone, kind.from_rows(alone.to_rows().concat(one)))
    )
    del person, rng
    return out


def _role(schema: Schema, role: str) -> str:
    column = schema.role(role)
    assert column is not None  # trajectories have a person and a time
    return column.name


# --- tables of plain values ---


def to_arrow(cells: Mapping[str, Sequence[Any]], ordered: Sequence[str] = ()) -> pa.Table:
    """Columns of plain values as a table; categories in order know the values that occur.

    >>> to_arrow({"size": [1, 2.5], "grade": ["c", "a"]}, ["grade"]).schema.field("size").type
    DataType(double)
    """
    return pa.table({name: _array(list(values), name in ordered) for name, values in cells.items()})


def rows_to_arrow(
    rows: Sequence[Row], names: Sequence[str], ordered: Sequence[str] = ()
) -> pa.Table:
    """Rows of plain values as a table."""
    return to_arrow({name: [row[name] for row in rows] for name in names}, ordered)


def plain_cells(data: Any) -> tuple[Cells, tuple[str, ...]]:
    """The columns of a user's table as plain values, and the categories whose values are in order.

    >>> plain_cells(pa.table({"age": ["30", None], "sex": ["f", "m"]}))
    ({'age': [30, None], 'sex': ['f', 'm']}, ())
    """
    table = InputTable.of(data).arrow()
    kinds = zip(table.column_names, table.schema.types, strict=True)
    ordered = tuple(n for n, kind in kinds if pa.types.is_dictionary(kind) and kind.ordered)
    cells = {name: _plain(table[name].to_pylist()) for name in table.column_names}
    return cells, ordered


def _plain(values: list[Any]) -> list[Any]:
    """Texts that are all numbers, as numbers; empty texts are missing."""
    values = [None if value == "" else value for value in values]
    texts = [value for value in values if value is not None]
    if texts and all(isinstance(value, str) for value in texts):
        for kind in (int, float):
            try:
                return [None if value is None else kind(value) for value in values]
            except ValueError:
                continue
    return values


def _array(values: list[Any], ordered: bool) -> pa.Array:
    kinds = {type(value) for value in values if value is not None}
    if ordered:
        known = sorted({value for value in values if value is not None})
        codes = [None if value is None else known.index(value) for value in values]
        return pa.DictionaryArray.from_arrays(
            pa.array(codes, pa.int32()), pa.array(known, pa.string()), ordered=True
        )
    if str in kinds and len(kinds) > 1:
        values = [None if value is None else str(value) for value in values]
    elif kinds == {int, float}:
        values = [None if value is None else float(value) for value in values]
    return pa.array(values) if kinds else pa.array(values, pa.string())


def _size(cells: Cells) -> int:
    return len(next(iter(cells.values()))) if cells else 0


def _head(cells: Cells, rows: int) -> Cells:
    return {name: values[:rows] for name, values in cells.items()}


def _with(cells: Cells, *rows: Row) -> Cells:
    return {name: [*values, *(row.get(name) for row in rows)] for name, values in cells.items()}


def _numbers(values: Sequence[Any]) -> list[Any]:
    """The numbers of a column; nothing if it has something else."""
    known = [value for value in values if value is not None]
    plain = all(isinstance(v, int | float) and not isinstance(v, bool) for v in known)
    return known if plain else []


def _at_end(values: Sequence[Any], pick: Callable[[Any], Any]) -> Any:
    known = [value for value in values if value is not None]
    return pick(sorted({str(value) for value in known})) if known else None


def _between(values: Sequence[Any]) -> str:
    """A text that nobody has, right after the smallest that somebody has."""
    known = sorted({str(value) for value in values if value is not None})
    for text in ("b", *(f"{value} " for value in known)):
        if text not in known and known[0] < text:
            return text.strip() if text.strip() not in known else f"{known[0]}~"
    return f"{known[0]}~"


def _bound_of(column: Column, ordinary: Any, last: bool) -> Any:
    """The smallest or the largest value that a column states."""
    if column.listed:
        return column.values[-1 if last else 0]
    if column.numeric and column.high is not None and column.low is not None:
        value = column.high if last else column.low
        return int(value) if column.whole else float(value)
    return ordinary
