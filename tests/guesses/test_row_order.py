"""A guess may have its rows in any order: no reading moves."""

import numpy as np
import pytest

from quintain import registry
from quintain.guesses import Guess
from quintain.measures import Case, GuessMeasure
from quintain.measures.measure import reading_rng
from quintain.testing.examples import exercise

WITHOUT_TARGETS = {"none", "singling-out"}
GOALS = {
    f"{part.name()} {number}": goal
    for part in registry.parts("goal")
    if part.name() not in WITHOUT_TARGETS
    for number, goal in enumerate(part.examples(), start=1)
}


def half_right(truth, guess):
    """The guess, with the right answer for every second target where each has one row."""
    given, true = guess.table.columns, truth.table.columns
    names = [name for name in given if name in true and name != "target"]
    if "target" not in given or len(set(given["target"])) < len(guess.table):
        return guess
    rows = np.argsort(given["target"].astype(str))[
        np.searchsorted(np.sort(given["target"].astype(str)), true["target"].astype(str))
    ][::2]
    columns = {name: given[name].copy() for name in names}
    for name, column in columns.items():
        column[rows] = true[name][::2]
    return Guess(guess.table.replace(columns))


@pytest.mark.parametrize("name", GOALS)
def test_the_rows_of_a_guess_may_stand_in_any_order(name):
    goal = GOALS[name]
    question, truth, *_ = exercise(goal, goal.shapes[0])
    guess = half_right(truth, question.blind(rng=np.random.default_rng(7)))
    order = np.random.default_rng(8).permutation(len(guess.table))
    assert len(order) < 3 or (order[order] != np.arange(len(order))).any()  # no mirror of itself
    turned = Guess(guess.table.take(order))
    measures = [
        part()
        for part in registry.parts("measure")
        if issubclass(part, GuessMeasure) and issubclass(type(goal), part.reads_goal)
    ]
    assert measures
    for measure in measures:
        plain, other = (
            measure.measure([Case(truth, answer, question)], rng=reading_rng())
            for answer in (guess, turned)
        )
        assert plain.keys() == other.keys()
        for key, reading in plain.items():
            assert str(reading) == str(other[key])
