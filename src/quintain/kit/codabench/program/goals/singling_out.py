"""Singling out: predicates that should fit one private record each, and how many do beyond luck."""

from __future__ import annotations

from random import Random
from typing import Any

from quintain.kit.codabench.program.cells import Column, missing, parser
from quintain.kit.codabench.program.sums import pairwise_sum
from quintain.kit.codabench.program.table import Rows
from quintain.kit.codabench.program.targets import Question, Values, random_value


def check(rows: Rows, question: Question) -> None:
    """Check that all predicates are there, and that each condition can be met."""
    columns, predicates = question["columns"], question["predicates"]
    seen: dict[tuple[int, int], int] = {}
    for row, place in enumerate(zip(rows.values["predicate"], rows.values["column"])):
        column = columns[place[1]] if place[1] >= 0 else None
        if place[0] >= predicates:
            rows.note(f"predicates are numbered 0..{predicates - 1}", row, "predicate")
        if place in seen:
            words = f"line {rows.lines[seen[place]]} has a condition on this column already"
            rows.note_cell(words, row, "column", column["name"] if column else "")
        seen.setdefault(place, row)
        if column is not None:
            _check_ends(rows, row, column)
    given = set(rows.values["predicate"])
    absent = [number for number in range(predicates) if number not in given]
    if absent:
        first = ", ".join(map(str, absent[:5])) + (" ..." if len(absent) > 5 else "")
        rows.faults.add(rows.file, f"{len(absent)} of {predicates} predicates are missing: {first}")


def _check_ends(rows: Rows, row: int, column: Column) -> None:
    ends = (rows.values["from"][row], rows.values["to"][row])
    stored = [parser(column)(text) for text in ends]
    for name, text, value in zip(("from", "to"), ends, stored):
        if value is None and text:
            rows.note(column["expected"], row, name)
    if not any(ends) and not column["nullable"]:
        rows.note(f"{column['name']} is never missing: give from, to or both", row)
    ordered = column["kind"] != "category" or column["ordered"]
    if ordered and all(ends) and None not in stored and stored[0] > stored[1]:
        rows.note_cell(f"no value is from {ends[0]} to {ends[1]}", row, "from", None)
    if any(ends) and ends[0] != ends[1] and not ordered:
        name = column["name"]
        words = f"the values of {name} have no order: write one value as from and as to"
        rows.note(words, row, "to")


def blind(question: Question, plan: dict[str, Any], dice: Random) -> list[list[str]]:
    """A random value of a random column for each predicate."""
    columns = [c for c in question["columns"] if c["kind"] == "category" or c["low"] is not None]
    rows = []
    for number in range(question["predicates"]):
        column = dice.choice([c for c in columns if c["kind"] != "time"])
        value = random_value(column, dice)
        rows.append([str(number), column["name"], value, value])
    return rows


def measure(cases: list[tuple[Values, Values]], rule: dict[str, Any]) -> list[float]:
    """The share of predicates that fit one private record, less the share by luck."""
    hits, luck = 0, []
    for truth, guess in cases:
        inside = [member == 1 for member in truth["member"]]
        chances = rule["luck"][f"{sum(inside)}/{len(inside) - sum(inside)}"]
        isolated = set()
        for fitting in _matches(truth, guess, rule["columns"]):
            rows = [row for row in fitting if inside[row]]
            luck.append(chances[len(fitting) - len(rows)])
            if len(rows) == 1:
                isolated.add(rows[0])
        hits += len(isolated)
    expected = pairwise_sum(luck) / len(luck)
    return [hits / len(luck) - expected, hits / len(luck), expected]


def _matches(truth: Values, guess: Values, columns: list[Column]) -> list[list[int]]:
    """For each predicate the records of the population that meet all its conditions."""
    conditions: dict[int, list[Any]] = {}
    for row, number in enumerate(guess["predicate"]):
        condition = (columns[guess["column"][row]], guess["from"][row], guess["to"][row])
        conditions.setdefault(number, []).append(condition)
    out = []
    for _, several in sorted(conditions.items()):
        rows = list(range(len(truth["member"])))
        for column, low, high in several:
            fits, values = _test(column, low, high), truth[column["name"]]
            rows = [row for row in rows if fits(values[row])]
        out.append(rows)
    return out


def _test(column: Column, low: str, high: str) -> Any:
    """A function that says whether a value of a column meets a condition."""
    ends = [parser(column)(text or column["missing"]) for text in (low, high)]
    first, last = (missing(column) if end is None else end for end in ends)
    if (not low and not high) or (_is_missing(first, column) and _is_missing(last, column)):
        return lambda value: _is_missing(value, column)
    return lambda value: (
        not _is_missing(value, column)
        and (not low or value >= first)
        and (not high or value <= last)
    )


def _is_missing(value: Any, column: Column) -> bool:
    if column["kind"] == "integer" and not column["discrete"]:
        return False  # -1 is a number like any other
    return bool(value != value or value == missing(column))
