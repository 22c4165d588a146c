"""Linkage: the pseudonym of each person in each month, and for how many it is named."""

from __future__ import annotations

from random import Random
from typing import Any

from quintain.kit.codabench.program.faults import OrganisersFault
from quintain.kit.codabench.program.sums import pairwise_sum
from quintain.kit.codabench.program.table import Rows
from quintain.kit.codabench.program.targets import Question, Values

SEPARATOR = ":"


def check(rows: Rows, question: Question) -> None:
    """Check that each person has one line, and each cell no more pseudonyms than allowed."""
    person, *months = rows.values
    given, known = rows.values[person], set(question["persons"])
    first: dict[str, int] = {}
    for row, name in enumerate(given):
        before = first.setdefault(name, row)
        if name not in known:
            rows.note("the original has no such person", row, person)
        elif before != row:
            rows.note(f"answered before, on line {rows.lines[before]}", row, person)
    missing = [name for name in question["persons"] if name not in first]
    if missing:
        names, verb = ", ".join(missing[:5]), "is" if len(missing) == 1 else "are"
        rows.faults.add(
            rows.file,
            f"{len(missing)} of {len(question['persons'])} persons {verb} missing: {names}",
        )
    for month in months:
        _check_cells(rows, month, question["guesses"])


def _check_cells(rows: Rows, month: str, guesses: int) -> None:
    allowed = "1 pseudonym" if guesses == 1 else f"{guesses} pseudonyms"
    for row, cell in enumerate(rows.values[month]):
        if cell.count(SEPARATOR) >= guesses:
            rows.note(f"the limit is {allowed} per cell", row, month)


def blind(question: Question, plan: dict[str, Any], dice: Random) -> list[list[str]]:
    """No pseudonym for anybody: without the release nobody knows one."""
    absent = [column["missing"] for column in plan["guess"][1:]]
    return [[person, *absent] for person in question["persons"]]


def measure(cases: list[tuple[Values, Values]], rule: dict[str, Any]) -> list[float]:
    """The mean credit over the person-months of all repetitions that count."""
    earned: list[float] = []
    all_count = rule.get("out_of") == "pairs"
    for truth, guess in cases:
        person, *months = truth
        row_of = {name: row for row, name in enumerate(guess[person])}
        for month in months:
            named = guess[month]
            live = [(name, right) for name, right in zip(truth[person], truth[month]) if right]
            earned += [credit(right, named[row_of[name]], rule) for name, right in live]
            if all_count:  # last in their month, as the judge adds them: sums depend on the order
                earned += [0.0] * (len(truth[month]) - len(live))
    if not earned:
        raise OrganisersFault("the release has no pseudonym")
    if rule["credit"] == "first":
        return [round(sum(earned)) / len(earned)]
    return [pairwise_sum(earned) / len(earned)]


def credit(right: str, text: str, rule: dict[str, Any]) -> float:
    """What the names in a cell are worth if one of them is right."""
    names = text.split(SEPARATOR)
    if text == right:
        return 1.0
    if right not in names:
        return 0.0
    place = names.index(right)
    if rule["credit"] == "shared":
        return 1 / len(names)
    if rule["credit"] == "falling":
        most = int(rule["names"])
        return max(0, most - place) / most
    return float(place == 0)
