"""Releases: the table of a submission, checked as far as that is possible without private data.

The site has no private data, so it measures nothing: it says whether the table is readable, has
values of the schema, and keeps the rules that need no original, or one that everybody knows.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict

from quintain.kit.codabench.program.faults import Faults
from quintain.kit.codabench.program.kept_rows import check_kept
from quintain.kit.codabench.program.table import Rows, read_table

Plan = Dict[str, Any]
CARD = "card.json"


def read(files: dict[str, bytes], plan: Plan, faults: Faults) -> Rows | None:
    """The rows of the release; adds everything that is wrong to the faults."""
    names = sorted(name for name in files if name != CARD)
    if len(names) != 1:
        faults.add(
            "",
            f"a release is one file, with {CARD} beside it if you like; this has {len(names)}: "
            + (", ".join(names[:5]) or "none"),
        )
        return None
    if CARD in files:
        check_card(files[CARD], plan, faults)
    check_sample(names[0], plan, faults)
    rows = read_table(names[0], files[names[0]], plan["release"], plan["form"], faults)
    if rows is not None:
        for rule in plan["rules"]:
            RULES[rule["use"]](rows, rule)
    return rows


def check_sample(name: str, plan: Plan, faults: Faults) -> None:
    """Check that the name says which sample the release is made from, if there are several."""
    if plan["samples"] and name not in plan["samples"]:
        choices = ", ".join(plan["samples"])
        faults.add(name, f"call it after the sample that it is made from: {choices}")


def check_card(content: bytes, plan: Plan, faults: Faults) -> None:
    """Check that a card is a small JSON object; its fields are checked later."""
    if len(content) > plan["card_bytes"]:
        faults.add(CARD, f"{len(content)} bytes; the limit is {plan['card_bytes']}")
        return
    try:
        table = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError):
        table = None
    if not isinstance(table, dict):
        faults.add(CARD, "is not a JSON object")


def check_number(rows: Rows, rule: dict[str, Any]) -> None:
    """Note a fault if the number of records is out of bounds."""
    number = len(rows)
    if rule["same"]:
        if number != rule["original"]:
            wanted = rule["original"]
            message = f"has {number} records; expected {wanted}, as many as the original"
            rows.faults.add(rows.file, message)
    elif number < rule["least"]:
        rows.faults.add(rows.file, f"has {number} records; at least {rule['least']} are required")
    elif rule["most"] is not None and number > rule["most"]:
        rows.faults.add(rows.file, f"has {number} records; the limit is {rule['most']}")


def check_distinct(rows: Rows, rule: dict[str, Any]) -> None:
    """Note every record that is equal to an earlier one."""
    first: dict[Any, int] = {}
    columns = [values for name, values in rows.values.items() if name != rule["without"]]
    for row, record in enumerate(zip(*columns)):
        before = first.setdefault(record, row)
        if before != row:
            rows.note(f"repeats the record on line {rows.lines[before]}", row)


def check_origins(rows: Rows, rule: dict[str, Any]) -> None:
    """Note every number that names no private record, or one that another row names already."""
    first: dict[int, int] = {}
    column, private = rule["column"], rule["original"]
    for row, origin in enumerate(rows.values[column]):
        if origin < 0:
            continue
        if private is not None and origin >= private:
            known = f"the rows of the private data are 0..{private - 1}"
            rows.note(f"unknown private record; {known}", row, column)
        elif first.setdefault(origin, row) != row:
            line = rows.lines[first[origin]]
            rows.note(f"line {line} was made from this private record already", row, column)


RULES = {
    "rows": check_number,
    "distinct-rows": check_distinct,
    "private-rows": check_origins,
    "kept-rows": check_kept,
}


def described(rows: Rows) -> str:
    """The size of the release, in words."""
    return f"a release of {len(rows)} records"


def score(rows: Rows, plan: Plan, root: Path) -> dict[str, float]:
    """What the leaderboard shows: that the release is valid, and how many records it has."""
    return {"valid": 1, "records": len(rows)}
