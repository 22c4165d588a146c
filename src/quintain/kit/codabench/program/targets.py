"""Targets: answers with one row per target, as several goals ask for them."""

from __future__ import annotations

import math
from bisect import bisect_right
from random import Random
from typing import Any, Callable, Dict, List, Tuple

from quintain.kit.codabench.program.cells import Column
from quintain.kit.codabench.program.faults import OrganisersFault
from quintain.kit.codabench.program.table import Rows

Question = Dict[str, Any]
"""What a guess is checked against; each goal has its own keys."""
Values = Dict[str, List[Any]]
"""The columns of a truth or of a guess."""

Judge = Tuple[Callable[[Any, Any], bool], Any]
"""When a guess is right, and the best guess without the data."""


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


def check_published(rows: Rows, question: Question, column: str, known: str) -> None:
    """Note wrong targets, and numbers beyond what the release has, which ``known`` names."""
    check_targets(rows, question)
    for row, number in enumerate(rows.values[column]):
        if number >= question["published"]:
            rows.note(f"{known} 0..{question['published'] - 1}", row, column)


def random_published(question: Question, dice: Random) -> list[list[str]]:
    """A random number of what the release has for each target."""
    return [[target, str(dice.randrange(question["published"]))] for target in question["targets"]]


def rows_in_words(n: int) -> str:
    """A number of rows, with the right form of the noun."""
    return "1 row" if n == 1 else f"{n} rows"


def answers(truth: Values, guess: Values, column: str) -> list[tuple[bool, Any, Any]]:
    """For each target of the truth: whether it is a member, its row of the truth, its answer."""
    answer = dict(zip(guess["target"], guess[column]))
    members = [member == 1 for member in truth["member"]]
    values = truth.get(column, members)
    return [(m, v, answer[t]) for m, v, t in zip(members, values, truth["target"])]


def found_share(
    cases: list[tuple[Values, Values]], column: str, there: Callable[[Any], bool], nobody: str
) -> list[float]:
    """The share of the targets whose true cell is there that is named, over all repetitions."""
    hits = targets = 0
    for truth, guess in cases:
        named = dict(zip(guess["target"], guess[column]))
        pairs = [(t, named[name]) for name, t in zip(truth["target"], truth[column]) if there(t)]
        hits += sum(true == answer for true, answer in pairs)
        targets += len(pairs)
    if not targets:
        raise OrganisersFault(nobody)
    return [hits / targets]


def random_value(column: Column, dice: Random) -> str:
    """A random value of a column with a finite domain or with bounds, as a file writes it."""
    if column["kind"] == "category":
        return str(dice.choice(column["values"]))
    if column["kind"] == "integer":
        return str(dice.randint(int(column["low"]), int(column["high"])))
    return repr(dice.uniform(column["low"], column["high"]))


def random_answers(question: Question, plan: dict[str, Any], dice: Random) -> list[list[str]]:
    """Random values of every hidden column for each target."""
    columns = plan["guess"][1:]
    return [
        [target, *(random_value(column, dice) for column in columns)]
        for target in question["targets"]
    ]


def nearly_equal(controls: list[float], tolerance: float) -> Judge:
    """A guess is right within the tolerance; the best blind one is right for most controls."""
    slack = tolerance * (1 + 1e-9)  # the last bit of a difference must not decide
    arranged = sorted(controls)
    ends = [low + 2 * tolerance * (1 + 1e-9) for low in arranged]
    within = [bisect_right(arranged, end) - i for i, end in enumerate(ends)]
    best = arranged[within.index(max(within))] + tolerance
    return (lambda value, guess: value == guess or abs(value - guess) <= slack), best


def number(value: float, kind: str) -> float:
    """A value as a number; a missing one is minus infinity."""
    absent = value != value if kind == "real" else value < 0
    return -math.inf if absent else float(value)
