"""Kept rows: row i of a release stands for row i of an original that everybody knows.

The plan has the months, the persons and the items of the original. A release that is a row short,
or moves a purchase to another month, is refused here, and not weeks later at the import.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Dict

from quintain.kit.codabench.program.cells import missing
from quintain.kit.codabench.program.table import Rows

Rule = Dict[str, Any]
LONGEST = 64
PSEUDONYM = f"a pseudonym has 1 to {LONGEST} printable characters, without spaces or ':'"


def check_kept(rows: Rows, rule: Rule) -> None:
    """Note everything that breaks the rule, in the words of quintain itself."""
    original = rule["original"]
    wanted = len(original["months"])
    if len(rows) != wanted:
        message = f"has {len(rows)} rows; expected {wanted}, as many as the original"
        rows.faults.add(rows.file, message)
        return
    names = rows.values[rule["person"]["name"]]
    live = [row for row, name in enumerate(names) if name != ""]
    if len(live) <= rule["kept"] * wanted:
        share = f"more than {rule['kept']:.0%} must be kept"
        rows.faults.add(rows.file, f"keeps {len(live)} of {wanted} rows; {share}")
    for column in rule["columns"]:
        if column["kind"] != "id":
            _check_empty(rows, live, column)
    _check_months(rows, live, rule["time"], original["months"])
    _check_pseudonyms(rows, live, rule["person"]["name"], original)
    if rule["own_items"]:
        _check_items(rows, live, rule["item"], set(original["items"]))
    absent = sorted(set(original["persons"]) - {original["persons"][row] for row in live})
    if rule["everybody"] and absent:
        people = original["names"]
        examples = ", ".join(people[at] for at in absent[:5]) + (" ..." if len(absent) > 5 else "")
        message = f"{len(absent)} of {len(people)} persons have no row left: {examples}"
        rows.faults.add(rows.file, f"{message}; each person must keep at least one row")


def _check_empty(rows: Rows, live: list[int], column: dict[str, Any]) -> None:
    name = column["name"]
    for row in live:
        if _is_missing(column, rows.values[name][row]):
            message = "is empty in a row that is not deleted"
            rows.note_cell(message, row, name, column["missing"])


def _check_months(rows: Rows, live: list[int], column: dict[str, Any], months: list[int]) -> None:
    name = column["name"]
    for row in live:
        seconds = rows.values[name][row]
        if _is_missing(column, seconds):
            continue
        moment = datetime.fromtimestamp(seconds, timezone.utc)
        if (moment.year - 1970) * 12 + moment.month - 1 != months[row]:
            message = "is in another month than in the original; the month must stay the same"
            rows.note_cell(message, row, name, moment.strftime(column["time_format"]))


def _check_pseudonyms(rows: Rows, live: list[int], name: str, original: dict[str, Any]) -> None:
    names: list[str] = rows.values[name]
    first: dict[tuple[int, int], int] = {}
    for row in live:
        text = names[row]
        if not (len(text) <= LONGEST and text.isprintable() and not set(text) & set(" :,\"'")):
            rows.note_cell(PSEUDONYM, row, name, text)
        before = first.setdefault((original["persons"][row], original["months"][row]), row)
        if names[before] != text:
            message = (
                f"the same customer is {names[before]} on line {rows.lines[before]}, in the same "
                "month; a customer has one pseudonym per month"
            )
            rows.note_cell(message, row, name, text)


def _check_items(rows: Rows, live: list[int], column: dict[str, Any], sold: set[int]) -> None:
    name = column["name"]
    for row in live:
        item = rows.values[name][row]
        if item >= 0 and item not in sold:
            message = (
                "is not an item of the original; only items that somebody bought there may appear"
            )
            rows.note_cell(message, row, name, column["values"][item])


def _is_missing(column: dict[str, Any], value: Any) -> bool:
    return bool(value == missing(column) or value != value)
