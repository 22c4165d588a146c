"""Queries: what the judge asks a model for attackers who never see its weights.

A program that answers in place of a model is asked once, about everybody: the population, in which
its private sample lies, and the test records. Their order is drawn, so a program cannot tell who is
who. Attackers get a part of the answers: first those about the records that their question names,
then those about people drawn from the population, until the budget of the edition is spent. A model
with weights is asked the same. So nobody's code runs for an attacker, all attackers have the same
answers, and anybody who has the keys can list them again. They get them rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from quintain.contests import Track
from quintain.data import Data, Table, as_model, as_table
from quintain.data.models import distinct_records
from quintain.errors import PartError
from quintain.guesses import Question
from quintain.kernels.classifiers import answers_about
from quintain.programs.contract import Queries
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import Task


def queries_of_program(folder: Folder, track: Track, task: Task) -> Queries:
    """Everything that the program of a team is asked."""
    assert track.model is not None  # the loader asks for it
    schema = folder.private_schema(track)
    form, test = track.model.form(schema), folder.test_data(track.id)
    records = _records(folder.base(track.id), schema.names)
    if test is not None:
        records = records.concat(_records(test, schema.names))
    records = distinct_records(form, records)
    rng = folder.secrets().seeds(track.id, "queries", *task.stream).rng("program")
    return Queries(form, records.take(rng.permutation(len(records))))


def shown_to_attackers(
    folder: Folder,
    track: Track,
    task: Task,
    model: Data,
    questions: Sequence[Question],
    *,
    trained_on: int,
) -> Data:
    """A release as attackers get it: the model itself, or its answers to the queries.

    ``trained_on`` is the number of private records.
    Raises if the questions name more records than the budget allows.
    """
    if track.model is None or track.model.queries is None:
        return model
    names = folder.private_schema(track).names
    form, budget = track.model.form(folder.private_schema(track)), track.model.queries
    named = reduce(Table.concat, (question.candidates().select(names) for question in questions))
    chosen = distinct_records(form, named)
    if len(chosen) > budget:
        raise PartError(
            f"model.queries is {budget}, and the question names {len(chosen)} different records: "
            "raise it, or ask about fewer targets"
        )
    if "base" in track.gives:
        rng = folder.secrets().seeds(track.id, "queries", *task.stream).rng(task.repeat)
        everybody = _records(folder.base(track.id), names)
        drawn = everybody.take(rng.permutation(len(everybody)))
        chosen = distinct_records(form, chosen.concat(drawn))
        chosen = chosen.take(np.arange(min(budget, len(chosen))))
    return answers_about(as_model(model), chosen, trained_on=trained_on)


def _records(data: Data, names: Sequence[str]) -> Table:
    return as_table(data).select(names)
