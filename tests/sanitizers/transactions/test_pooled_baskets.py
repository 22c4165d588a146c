"""Pooled baskets: who is pooled, what happens to baskets, and what stays."""

from collections import Counter

import numpy as np
import pytest

from quintain.kernels.purchases import Purchases, months_of
from quintain.measures import reading_rng
from quintain.measures.privacy.content_link import ContentLink
from quintain.sanitizers.transactions.pooled_baskets import similarity_shares
from tests.sanitizers.transactions.shopping_cases import (
    both,
    cells_of,
    sanitized,
    shop,
    stand_in,
    unchanged,
)


def slow_similarity_shares(bought, small):
    """The share of every person in the sum of cosines of items, twice."""
    matrix = np.zeros((len(bought.items), len(bought.persons)))
    np.add.at(matrix, (bought.item, bought.person), bought.quantity)
    total = np.zeros(len(bought.persons))
    for quantities in (matrix, np.where(matrix < small, matrix, 0)):
        length = np.linalg.norm(quantities, axis=1)
        unit = quantities / np.where(length == 0, 1, length)[:, None]
        together = np.einsum("ix,jx->x", unit, unit)
        total += together / together.sum()
    return total


def test_shares_in_the_similarity_of_items_match_the_slow_sum():
    bought = Purchases.of(stand_in(customers=20, rows=500))
    np.testing.assert_allclose(similarity_shares(bought, 6), slow_similarity_shares(bought, 6))
    assert similarity_shares(bought, 6).sum() == pytest.approx(2)


def test_the_sales_of_a_month_stay_if_everybody_is_pooled():
    before, after = both("pooled-baskets", stand_in(), pooled=1)
    sales = [
        Counter(zip(months_of(p.day).tolist(), p.item.tolist(), p.quantity.tolist(), strict=True))
        for p in (before, after)
    ]
    assert sales[0] == sales[1]
    assert unchanged(before, after, "day", "price")
    assert len(after.persons) == len(set(cells_of(before)))


def test_those_who_are_not_pooled_keep_their_baskets_in_other_months():
    before, after = both("pooled-baskets", stand_in(), pooled=0)
    assert len(after.persons) == len(before.persons)
    for person in range(len(before.persons)):
        own_rows = before.person == person
        assert len(set(after.person[own_rows].tolist())) == 1
        baskets = [
            Counter(zip(p.item[own_rows], p.quantity[own_rows], strict=True))
            for p in (before, after)
        ]
        assert baskets[0] == baskets[1]


def test_content_moves_half_of_the_rows_further():
    rows = [("ann", f"2011-0{1 + i // 2}-03", item, 1.0, i + 1) for i, item in enumerate("abcdef")]
    before, after = both("pooled-baskets", shop(*rows), pooled=0)
    month = {int(q): m for q, m in zip(before.quantity, months_of(before.day), strict=True)}
    moved = [m - month[int(q)] for q, m in zip(after.quantity, months_of(after.day), strict=True)]
    assert 0 not in moved[:2] + moved[4:]


def test_the_customers_with_the_least_influence_are_pooled():
    data = stand_in(customers=50)
    before, after = both("pooled-baskets", data, pooled=0.6)
    names = [len(set(after.person[before.person == person].tolist())) for person in range(50)]
    months = [len({m for p, m in cells_of(before) if p == person}) for person in range(50)]
    shares = similarity_shares(before, 6)
    least = set(np.argsort(shares, kind="stable")[:30].tolist())
    for person in range(50):
        assert names[person] == (months[person] if person in least else 1)


def test_those_who_are_pooled_cannot_be_recognised():
    data = stand_in(customers=100, rows=6000)
    link = ContentLink(by="whole")
    shares = [
        link.measure(
            data, sanitized("pooled-baskets", data, pooled=pooled).data, None, rng=reading_rng()
        )
        for pooled in (0, 1)
    ]
    assert shares[0]["content_link_whole"].value > 0.95
    assert shares[1]["content_link_whole"].value < 0.1
