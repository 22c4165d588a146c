"""The searches: global recoding finds the least loss, and local classes are as small as can be."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.sanitizers.masking.generalisation.classes import number_rows
from quintain.sanitizers.masking.generalisation.generaliser import KAnonymity, LDiversity
from quintain.sanitizers.masking.generalisation.lattice import Search
from quintain.sanitizers.masking.generalisation.mondrian import mondrian
from quintain.testing.strategies import schemas, tables

MIXED = schemas(min_columns=2, max_columns=3, kinds=("category", "integer", "real", "time"))
TABLES = MIXED.flatmap(lambda schema: tables(schema, min_rows=4, max_rows=14))


def every_loss(search):
    """The losses of all nodes that satisfy the models, by trying each of them."""
    tops = [range(hierarchy.top + 1) for hierarchy in search.task.hierarchies]
    losses = (search.loss(node) for node in product(*tops))
    return [loss for loss in losses if loss is not None]


@pytest.mark.slow
@given(TABLES, st.integers(1, 4), st.sampled_from([0.0, 0.2, 0.5]), st.booleans())
def test_the_search_loses_as_little_as_trying_every_node(table, k, suppress, diverse):
    parameters = {"method": "global", "suppress": suppress, "k": k}
    part = KAnonymity(**parameters)
    if diverse and len(set(table.select(table.schema.names[:1]).row_keys().tolist())) > 1:
        part = LDiversity(sensitive=table.schema.names[0], **parameters)
    task = part.task(table)
    found = Search(task).loss(Search(task).best())
    assert found == pytest.approx(min(every_loss(Search(task))))


@pytest.mark.slow
@given(TABLES, st.integers(2, 4))
def test_what_satisfies_the_models_still_does_one_level_up(table, k):
    search = Search(KAnonymity(method="global", suppress=0.3, k=k).task(table))
    tops = [hierarchy.top for hierarchy in search.task.hierarchies]
    for node in product(*(range(top + 1) for top in tops)):
        for at, level in enumerate(node):
            above = (*node[:at], min(tops[at], level + 1), *node[at + 1 :])
            assert search.loss(node) is None or search.loss(above) is not None


@given(st.lists(st.integers(0, 50), min_size=1, max_size=60, unique=True), st.integers(1, 6))
def test_classes_of_different_numbers_have_at_most_2k_minus_1_records(numbers, k):
    if len(numbers) < k:
        return
    schema = Schema(columns=(Column(name="x", kind="integer", low=0, high=50),))
    task = KAnonymity(k=k).task(Table.of(schema, {"x": numbers}))
    label, count = mondrian(task)
    sizes = np.bincount(label, minlength=count)
    assert (sizes >= k).all()
    assert (sizes < 2 * k).all()
    order = np.argsort(numbers)
    assert (np.diff(label[order]) != 0).sum() == count - 1  # every class is an interval


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=30))
def test_rows_get_equal_numbers_if_and_only_if_they_are_equal(rows):
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    for sizes in ([5] * 3, [2**40] * 3):  # counted, and renumbered on the way
        label, count = number_rows(columns, sizes)
        pairs = set(zip(rows, label.tolist(), strict=True))
        assert len(pairs) == len(set(rows)) == count
        assert set(label.tolist()) == set(range(count))
