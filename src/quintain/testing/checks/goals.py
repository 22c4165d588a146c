"""Checks of goals: their questions, and which answers they accept."""

from __future__ import annotations

import numpy as np

from quintain.data import Schema, Table, as_table
from quintain.data.files import read_bytes, to_bytes
from quintain.errors import Faults
from quintain.guesses import Goal, Guess
from quintain.testing.examples import Exercise, exercise


def check_goal(part: Goal) -> None:
    """Question, truth and guess are equal after writing and reading; a blind guess is valid."""
    for shape in part.shapes:
        _check_goal(part, exercise(part, shape))


def _check_goal(part: Goal, example: Exercise) -> None:
    question, truth, sample, _ = example
    schema = sample.population.schema
    read_back = _through_file(question.table, part.question_schema(schema))
    known = part.question(read_back, schema)
    assert isinstance(known, part.asks)
    _through_file(truth.table, part.truth_schema(schema))
    blind = known.blind(rng=np.random.default_rng(4))
    _through_file(blind.table, part.guess_schema(schema))
    faults = Faults("guess.csv")
    part.check(blind, known, faults)
    assert not faults, f"{part.id} refuses a blind guess: {faults.findings[:3]}"
    if part.asks_nothing:  # half of nothing is all of it
        return
    part.check(Guess(blind.table.take(np.arange(len(blind.table) // 2))), known, faults)
    assert faults, f"{part.id} accepts half of a guess"


def _through_file(table: Table, schema: Schema) -> Table:
    faults = Faults("file.csv")
    data = read_bytes(to_bytes(table, ".csv"), "file.csv", schema, faults=faults)
    assert data is not None and not faults, faults.findings[:3]
    return as_table(data)
