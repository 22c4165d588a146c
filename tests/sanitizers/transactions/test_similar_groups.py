"""Similar items and customers: how groups form, and what their members exchange."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from quintain.kernels.purchases import months_of
from quintain.sanitizers.transactions.item_swap import similar_groups
from tests.sanitizers.transactions.shopping_cases import both, shop, stand_in, unchanged


def slow_groups(vectors, size):
    """The longest vector chooses the most similar ones, group after group."""
    length = np.linalg.norm(vectors, axis=1)
    unit = vectors / np.where(length == 0, 1, length)[:, None]
    groups, free = [], sorted(range(len(vectors)), key=lambda row: -length[row])
    while free:
        leader = free[0]
        rest = sorted(free[1:])
        rest.sort(key=lambda row: -float(unit[row] @ unit[leader]))
        members = [leader, *rest[: size - 1]]
        free = [row for row in free if row not in members]
        if len(free) < size:
            members, free = members + free, []
        groups.append(members)
    return {frozenset(group) for group in groups}


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 25), st.integers(2, 6), st.integers(0, 999))
def test_groups_are_those_of_the_plain_procedure(count, size, seed):
    rng = np.random.default_rng(seed)
    vectors = rng.random((count, 5))
    vectors[rng.random(count) < 0.1] = 0
    group = similar_groups(csr_array(vectors), size)
    got = {frozenset(np.flatnonzero(group == g).tolist()) for g in set(group.tolist())}
    assert got == slow_groups(vectors, size)
    assert min(len(g) for g in got) >= min(size, count)


# --- items ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("alike", ["prefix", "buyers"])
def test_each_item_is_sold_as_often_as_before(alike):
    before, after = both("item-swap", stand_in(), alike=alike, share=0.7)
    assert Counter(before.item.tolist()) == Counter(after.item.tolist())
    assert unchanged(before, after, "person", "day", "price", "quantity")
    assert (before.item != after.item).any()


def test_items_are_exchanged_with_those_whose_names_begin_alike():
    before, after = both("item-swap", stand_in(), share=1, characters=2)
    old, new = ([p.items[i][:2] for i in p.item] for p in (before, after))
    assert old == new


def test_about_the_share_takes_part():
    before, after = both("item-swap", stand_in(), share=0.2, characters=1)
    # Most of the 400 rows that take part get another item.
    assert 0.1 < (before.item != after.item).mean() < 0.25


# --- customers ------------------------------------------------------------------------------------

PAIRS = shop(
    *(("ann", "2011-01-03", item, 1.0, 1) for item in "abc"),
    *(("bob", "2011-01-04", item, 2.0, 2) for item in "abd"),
    *(("eve", "2011-01-05", item, 3.0, 3) for item in "fgh"),
    *(("zoe", "2011-02-06", item, 4.0, 4) for item in "egh"),
)


def test_similar_customers_appear_as_one():
    before, after = both("similar-customers", PAIRS, k=2)
    assert after.persons[after.person].tolist() == ["ann"] * 6 + ["eve"] * 6
    assert unchanged(before, after, "day", "item", "price", "quantity")


def test_similar_customers_exchange_within_a_month():
    before, after = both("similar-customers", PAIRS, k=2, how="mixed", seed=3)
    assert unchanged(before, after, "person", "day", "price")
    baskets = [Counter(zip(p.item[:6], p.quantity[:6], strict=True)) for p in (before, after)]
    assert baskets[0] == baskets[1]
    assert (before.item[:6] != after.item[:6]).any()
    assert (before.item[6:9] == after.item[6:9]).sum() <= 3
    # Zoe is the only one of her group in February.
    assert sorted(after.item[9:]) == sorted(before.item[9:])


def test_mixed_customers_keep_the_sales_of_every_month():
    before, after = both("similar-customers", stand_in(), k=4, how="mixed")
    sales = [
        Counter(zip(months_of(p.day).tolist(), p.item.tolist(), p.quantity.tolist(), strict=True))
        for p in (before, after)
    ]
    assert sales[0] == sales[1]
    assert (before.item != after.item).mean() > 0.5


def test_nobody_is_alone():
    before, after = both("similar-customers", stand_in(), k=3)
    group = dict(zip(before.person.tolist(), after.person.tolist(), strict=True))
    assert set(Counter(group.values()).values()) <= {3, 4, 5}
