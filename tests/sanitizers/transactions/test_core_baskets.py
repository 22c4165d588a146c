"""Core baskets: how much is kept together, what is added up, and what the pool gives away."""

import numpy as np
import pytest

from quintain.kernels.purchases import Purchases, months_of
from quintain.measures import reading_rng
from quintain.measures.privacy.content_link import ContentLink
from quintain.sanitizers.transactions.core_baskets import BasketPairs, choose_core
from tests.sanitizers.transactions.shopping_cases import both, shop, stand_in


def units(purchases):
    """How many units of each item are published."""
    live = purchases.live_rows()
    sold = np.bincount(live.item, live.quantity, len(live.items))
    return sold.astype(int).tolist()


def test_each_item_is_sold_as_often_as_before():
    before, after = both("core-baskets", stand_in())
    assert units(before) == units(after)
    assert np.array_equal(before.day[after.live], after.day[after.live])
    assert np.array_equal(before.price[after.live], after.price[after.live])


def test_the_core_of_a_person_has_one_name_and_added_quantities():
    rows = [("ann", "2011-01-03", "a", 1.0, 9), ("ann", "2011-01-04", "b", 1.0, 8)]
    rows += [("ann", "2011-02-03", "a", 1.0, 5), ("bob", "2011-02-04", "c", 1.0, 7)]
    before, after = both("core-baskets", shop(*rows), rows=0.5, people=0.5)
    core = after.person == after.person[0]
    assert core.tolist() == [True, True, False, False]
    places = zip(after.item[:2], after.quantity[:2], strict=True)
    items = {after.items[item]: int(quantity) for item, quantity in places}
    assert items == {"a": 14, "b": 8}
    assert after.live.tolist() == [True, True, False, True]
    assert units(before) == units(after)


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_few_rows_and_people_are_in_the_core(share):
    before, after = both(
        "core-baskets", stand_in(customers=200, rows=15_000), rows=share, people=share
    )
    live = after.live_rows()
    cell = np.unique(live.person.astype(np.int64) * 10_000 + months_of(live.day))
    lasting = np.bincount(cell // 10_000, minlength=len(after.persons)) > 1
    assert lasting[live.person].mean() < 1.5 * share
    assert lasting.sum() <= share * len(before.persons)


def test_a_small_core_holds_much_of_the_similarity():
    bought = Purchases.of(stand_in(customers=200, rows=15_000))
    pairs = BasketPairs.of(bought, 6)
    chosen, worth = choose_core(pairs, len(pairs.person) // 5, 40)
    assert chosen.sum() <= len(pairs.person) // 5
    assert len(np.unique(pairs.person[chosen])) <= 40
    kept, every = (
        (pairs.influence(mask)[0] ** 2).sum() for mask in (chosen, np.ones(len(worth), bool))
    )
    assert kept > 0.25 * every  # of pairs drawn at random, a fifth holds a twenty-fifth


def test_only_the_core_can_be_recognised():
    data = stand_in(customers=400, rows=30_000)
    part = ContentLink(by="whole", counted=("rows", "persons"))
    shares = []
    for rows in (0.0, 0.2):
        before, after = both("core-baskets", data, rows=rows, people=0.2)
        readings = part.compare(before, after, rng=reading_rng())
        shares.append([reading.value for reading in readings.values()])
    assert max(shares[0]) < 0.15
    assert 0.15 < shares[1][0] < 0.4
