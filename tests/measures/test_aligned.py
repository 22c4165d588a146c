"""Aligned data: several measures share one pair, which is gone with the data it was made from."""

import gc
import weakref

from quintain.data import Column, Schema, Transactions
from quintain.measures.aligned import align

SCHEMA = Schema(
    shape="transactions",
    columns=(
        Column(name="who", kind="id", role="customer"),
        Column(name="day", kind="time", role="time"),
        Column(name="item", kind="category", values=("tea", "milk")),
        Column(name="price", kind="real", low=0, high=10),
        Column(name="count", kind="integer", low=0, high=9),
    ),
)


def bought(who):
    cells = {"day": "2011-01-02", "item": "tea", "price": 1.5, "count": 2}
    return Transactions.of(SCHEMA, {"who": who, **{k: [v] * len(who) for k, v in cells.items()}})


def test_a_pair_is_made_once():
    original, release = bought([9, 4]), bought([1, 2])
    assert align(original, release) is align(original, release)
    assert align(original, bought([2, 1])) is not align(original, release)


def test_no_pair_outlives_its_data():
    original, release = bought([9, 4]), bought([1, 2])
    one, other = map(weakref.ref, (original, release))
    align(original, release)
    del original, release
    gc.collect()
    assert (one(), other()) == (None, None)
