"""Small guesses with their truths, to show what a measure reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quintain.data import Table
from quintain.guesses import Goal, Guess, Truth
from quintain.guesses.membership import Membership
from quintain.measures import Case
from quintain.testing.examples import example


def membership_guess(probabilities: Sequence[float]) -> Guess:
    """A guess with one probability per target, for targets named t0, t1 and so on.

    >>> membership_guess([0.9, 0.1]).table.records()[0]
    {'target': 't0', 'probability': 0.9}
    """
    names = [f"t{number}" for number in range(len(probabilities))]
    schema = Membership().guess_schema(example("table").schema)
    return Guess(Table.of(schema, {"target": names, "probability": list(probabilities)}))


def case_of(
    goal: Goal, truth: Mapping[str, Sequence[Any]], guess: Mapping[str, Sequence[Any]]
) -> Case:
    """Pair a truth and a guess, each given as columns of plain values.

    The goal is about the example data of the first kind that it is for.

    >>> from quintain.guesses.membership_set import MembershipSet
    >>> case = case_of(MembershipSet(guesses=2), {"row": [2, 3, 5]}, {"row": [1, 2]})
    >>> case.guess.table.columns["row"].tolist()
    [1, 2]
    """
    data = example(goal.shapes[0]).schema
    return Case(
        Truth(Table.of(goal.truth_schema(data), dict(truth))),
        Guess(Table.of(goal.guess_schema(data), dict(guess))),
    )
