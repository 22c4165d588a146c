"""Nearest value: the hidden value of the nearest released record."""

import numpy as np

from quintain.attacks import Knowledge, Nearest
from quintain.data import Column, Schema, Table
from quintain.guesses.attribute import Attribute
from quintain.releases import Release

SCHEMA = Schema(
    columns=(
        Column(name="age", kind="integer", low=0, high=99),
        Column(name="ill", kind="category", values=("no", "yes")),
    )
)


def test_each_target_gets_the_value_of_the_record_nearest_in_what_is_known():
    goal = Attribute(column="ill")
    release = Table.of(SCHEMA, {"age": [20, 50, 80], "ill": ["no", "yes", "no"]})
    targets = Table.of(goal.question_schema(SCHEMA), {"target": [0, 1, 2], "age": [34, 36, 99]})
    knowledge = Knowledge(goal.question(targets, SCHEMA))
    attack = Nearest(distance="manhattan")
    guess = attack.infer(knowledge, Release(release), rng=np.random.default_rng(0))
    assert guess.table.columns["ill"].tolist() == [0, 1, 0]
