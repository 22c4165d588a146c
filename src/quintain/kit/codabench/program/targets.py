"""Targets: answers with one row per target, as several goals ask for them."""

from __future__ import annotations

from random import Random
from typing import Any, Dict, List

from quintain.kit.codabench.program.cells import Column
from quintain.kit.codabench.program.table import Rows

Question = Dict[str, Any]
"""What a guess is checked against; each goal has its own keys."""
Values = Dict[str, List[Any]]
"""The columns of a truth or of a guess."""


def check_targets(rows: Rows, question: Question) -> None:
    """Note targets that are unknown, missing or answered more than once."""
    given, targets = rows.values["target"], question["targets"]
    known = set(targets)
    for row, target in enumerate(given):
        if target not in known:
            rows.note("no such target was asked about", row, "target")
    rows.note_repeated("target", "answered before")
    missing = [target for target in targets if target not in set(given)]
    if missing:
        names = ", ".join(missing[:5]) + (" ..." if len(missing) > 5 else "")
        rows.faults.add(
            rows.file,
            f"has {rows_in_words(len(given))}; expected {len(targets)}, one per target "
            f"({len(missing)} not answered: {names})",
        )


def rows_in_words(n: int) -> str:
    """A number of rows, with the right form of the noun."""
    return "1 row" if n == 1 else f"{n} rows"


def answers(truth: Values, guess: Values, column: str) -> list[tuple[bool, Any, Any]]:
    """For each target of the truth: whether it is a member, its row of the truth, its answer."""
    answer = dict(zip(guess["target"], guess[column]))
    members = [member == 1 for member in truth["member"]]
    values = truth.get(column, members)
    return [(m, v, answer[t]) for m, v, t in zip(members, values, truth["target"])]


def random_value(column: Column, dice: Random) -> str:
    """A random value of a column with a finite domain or with bounds, as a file writes it."""
    if column["kind"] == "category":
        return str(dice.choice(column["values"]))
    if column["kind"] == "integer":
        return str(dice.randint(int(column["low"]), int(column["high"])))
    return repr(dice.uniform(column["low"], column["high"]))
