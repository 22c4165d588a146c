"""Unicity: against plain sets, by hand, and how unique the real customers are."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.errors import Rejected
from quintain.kernels.purchases import Purchases
from quintain.measures import reading_rng
from quintain.measures.privacy.unicity import Unicity, draw_purchases, pinned_down
from quintain.registry import build
from tests.measures.shopping_cases import (
    real_transactions,
    record,
    releases,
    table,
)


@st.composite
def lookups(draw):
    points, sets = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    keys = st.integers(0, 5)
    known_keys = draw(st.lists(keys, min_size=points * sets, max_size=points * sets))
    owner = draw(st.lists(st.integers(0, 3), min_size=sets, max_size=sets))
    rows = draw(st.lists(st.tuples(keys, st.integers(0, 3))))
    return np.array(known_keys).reshape(sets, points), np.array(owner), rows


@settings(max_examples=60, deadline=None)
@given(lookups())
def test_pinned_down_people_agree_with_plain_sets(case):
    known_keys, owner, rows = case
    published = defaultdict(set)
    for key, name in rows:
        published[name].add(key)
    expected = [
        [name for name, keys in published.items() if keys >= set(known)] == [who]
        for known, who in zip(known_keys.tolist(), owner.tolist(), strict=True)
    ]
    keys, names = np.array(rows, np.int64).reshape(-1, 2).T
    assert pinned_down(known_keys, owner, keys, names).tolist() == expected


@settings(max_examples=30, deadline=None)
@given(releases(), st.integers(1, 3), st.integers(1, 4))
def test_known_purchases_are_published_rows_of_one_person_under_one_pseudonym(case, points, people):
    original, release = (Purchases.of(table(rows)) for rows in case)
    rows = draw_purchases(original, release, points, people, rng=np.random.default_rng(0))
    pairs = [
        (int(original.person[row]), int(release.person[row]))
        for row in range(len(original))
        if release.live[row]
    ]
    enough = {pair for pair in pairs if pairs.count(pair) >= points}
    assert len(rows) == min(people, len(enough))
    for known in rows.tolist():
        assert len(set(known)) == points
        assert {(int(original.person[r]), int(release.person[r])) for r in known} <= enough
        assert len({(original.person[r], release.person[r]) for r in known}) == 1


def test_what_only_one_pseudonym_has_pins_it_down():
    original = [
        record("a", "2010-12-01", "30"),
        record("a", "2010-12-31", "22"),
        record("b", "2010-12-01", "30"),
        record("b", "2010-12-01", "22"),
    ]
    part = Unicity(points=(2,), known=(("item",), ("item", "day")))
    measured = part.measure(table(original), table(original), None, rng=reading_rng())
    assert measured["unicity_item_2"].value == 0  # both have both items
    assert measured["unicity_item_day_2"].value == 1
    assert measured["unicity_item_day_2"].n == 2
    assert measured["unicity_item_day_2"].low < 1


def test_what_was_changed_is_not_found_and_the_wrong_one_does_not_count():
    original = [record("a", "2010-12-01", "30"), record("b", "2010-12-01", "22")]
    release = [record("p", "2010-12-01", "22"), record("q", "2010-12-01", "30")]
    part = Unicity(points=(1,), known=(("item",),))
    measured = part.measure(table(original), table(release), None, rng=reading_rng())
    assert measured["unicity_item_1"].value == 0


def test_nobody_with_enough_purchases_is_not_measured():
    one = table([record("a", "2010-12-01", "30")])
    measured = Unicity(points=(2,)).measure(one, one, None, rng=reading_rng())
    assert not measured["unicity_item_2"].measured


def test_an_unknown_attribute_is_refused():
    with pytest.raises(Rejected, match="known"):
        build("measure", {"use": "unicity", "known": [["colour"]]})


@pytest.mark.real_data
def test_four_purchases_with_their_days_single_out_nearly_everybody():
    original = real_transactions()
    measured = Unicity().measure(original, original, None, rng=reading_rng())
    assert 0.6 < measured["unicity_item_4"].value < 0.75
    assert measured["unicity_item_day_4"].value > 0.99
    assert (
        measured["unicity_item_day_price_quantity_4"].value >= measured["unicity_item_day_4"].value
    )
    other = Unicity().measure(original, original, None, rng=np.random.default_rng(1))
    again = other["unicity_item_4"]
    assert again.low <= measured["unicity_item_4"].high
    assert again.high >= measured["unicity_item_4"].low


def test_a_swap_is_seen_by_content_only():
    """Rows of a hold the purchases of b and the reverse, under names that stay with them."""
    days = [f"2010-12-0{day}" for day in range(1, 5)]
    a = [record("a", day, item) for day, item in zip(days, ["30", "22", "10A", "21X"], strict=True)]
    b = [record("b", day, item) for day, item in zip(days, ["22B", "10B", "30", "22"], strict=True)]
    swapped = [{**row, "who": "q"} for row in b] + [{**row, "who": "p"} for row in a]
    read = {
        right: Unicity(points=(2,), known=(("item", "day"),), right=right).measure(
            table(a + b), table(swapped), None, rng=reading_rng()
        )
        for right in ("row", "content")
    }
    assert read["row"]["unicity_item_day_2"].value == 0
    assert read["content"]["unicity_content_item_day_2"].value == 1
