"""Data of every shape are people: the four contests' data, seen as trees of rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import quintain as q
from quintain.attacks import Knowledge
from quintain.attacks.linkage.profile_assignment import item_similarity
from quintain.attacks.linkage.view import LinkageView
from quintain.data import as_series, as_transactions, people_of
from quintain.errors import PartError
from quintain.kernels.purchases import unit_rows
from quintain.testing import example, example_table, small_shop
from quintain.testing.examples import experiment


def test_a_table_is_people_with_one_row_each():
    table = example_table(rows=9)
    people = people_of(table)
    assert people.size == 9 and people.schema.root is not None
    rows = people.tables["people"].rows
    assert rows.schema.names == tuple(column.name for column in table.schema.attributes)
    assert all((rows.columns[name] == table.columns[name]).all() for name in rows.schema.names)


def test_households_own_the_rows_of_their_members():
    table = example_table(rows=9)
    homes = people_of(table, unit="household")
    column = table.schema.role("household").name
    names = homes.keys[homes.tables["rows"].person]
    assert names.tolist() == table.columns[column].astype(str).tolist()
    with pytest.raises(PartError, match="no column has the role household"):
        people_of(small_shop(), unit="household")


def test_stays_are_people_whose_rows_follow_time():
    stays = as_series(example("series"))
    people = people_of(stays)
    branch = people.tables["rows"]
    assert people.size == len(stays) and branch.lengths().tolist() == stays.lengths.tolist()
    assert branch.order == (stays.schema.role("time").name,)
    for person in range(people.size):
        rows = branch.index().rows(person)
        assert rows.tolist() == list(range(stays.offsets[person], stays.offsets[person + 1]))


def test_trees_are_people_as_they_are():
    trees = example("people")
    assert people_of(trees) is trees.people


def test_deleted_rows_belong_to_nobody():
    shop = small_shop()
    column = shop.person_column.name
    names = shop.columns[column].astype("U8")
    names[1] = ""
    people = people_of(type(shop)(shop.schema, {**shop.columns, column: names}))
    assert people.tables["rows"].person.tolist() == [0, -1, 0, 1]


def test_profiles_of_shoppers_are_the_same_on_people():
    sample, release = experiment("transactions")
    goal = q.part("goal/linkage", first="2011-01", months=3)
    question, _ = goal.ask(sample, release)
    view = LinkageView.of(Knowledge(question, sample.population), release)
    base, shown = as_transactions(sample.population), as_transactions(release.data)
    for month in view.months():
        label = question.months[month.number]
        known_count, shown_count = (_items(data, label) for data in (base, shown))
        buyers = np.bincount(known_count.indices, minlength=known_count.shape[1])
        rarity = np.log((known_count.shape[0] + 1) / np.maximum(buyers, 1))
        left, right = (unit_rows((c * rarity).tocsr()) for c in (shown_count, known_count))
        # Processors add products in different ways: the last bits are theirs.
        assert_allclose((left @ right.T).toarray(), item_similarity(month), rtol=1e-12)


def _items(data, label):
    """Those who bought something in a month x items, in the order of the ids."""
    when = data.columns[data.time_column.name].astype("datetime64[s]").astype("datetime64[M]")
    month = data.take(np.flatnonzero((when == np.datetime64(label)) & ~data.deleted_rows()))
    people = people_of(month)
    branch = people.tables["rows"]
    (item,) = (column for column in branch.rows.schema.columns if column.kind == "category")
    counts = branch.counts(branch.rows.columns[item.name], item.size).astype(np.float64)
    place = {key: number for number, key in enumerate(people.keys.tolist())}
    counts = counts[[place[name] for name in month.persons().astype(np.str_).tolist()]]
    counts.sum_duplicates()
    return counts
