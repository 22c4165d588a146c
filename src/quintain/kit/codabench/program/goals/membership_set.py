"""Membership set: rows of the population that were in the private data, and how many are right."""

from __future__ import annotations

from random import Random
from typing import Any

from quintain.kit.codabench.program.faults import OrganisersFault
from quintain.kit.codabench.program.table import Rows
from quintain.kit.codabench.program.targets import Question, Values, rows_in_words


def check(rows: Rows, question: Question) -> None:
    """Check that the rows are as many as required, inside the population and all different."""
    given = rows.values["row"]
    if len(given) != question["guesses"]:
        rows.faults.add(
            rows.file, f"has {rows_in_words(len(given))}; expected {question['guesses']}"
        )
    for at, number in enumerate(given):
        if number >= question["population"]:
            rows.note(f"the population has rows 0..{question['population'] - 1}", at, "row")
    rows.note_repeated("row", "named before")


def blind(question: Question, plan: dict[str, Any], dice: Random) -> list[list[str]]:
    """Random rows of the population, all different."""
    return [[str(row)] for row in dice.sample(range(question["population"]), question["guesses"])]


def measure(cases: list[tuple[Values, Values]], rule: dict[str, Any]) -> list[float]:
    """The share of the named rows that were in the private data, over all repetitions."""
    named = [set(guess["row"]) for _, guess in cases]
    hits = [len(rows.intersection(truth["row"])) for rows, (truth, _) in zip(named, cases)]
    if not any(named):
        raise OrganisersFault("the plan asks for no rows")
    return [sum(hits) / sum(map(len, named))]
