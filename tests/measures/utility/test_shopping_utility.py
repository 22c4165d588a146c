"""Shopping utility: against plain loops, by hand, and the published figures of the real data."""

from __future__ import annotations

import math
from collections import defaultdict
from datetime import date

import pytest
from hypothesis import given, settings

from quintain.errors import PartError, SubmissionError
from quintain.measures import reading_rng
from quintain.measures.utility import shopping as item_similarity
from quintain.measures.utility.shopping import ShoppingUtility
from quintain.testing import example_table
from tests.measures.shopping_cases import (
    ITEMS,
    live,
    readings,
    real_pseudonyms,
    real_transactions,
    record,
    releases,
)

# --- the plain way ------------------------------------------------------------------------------


def quantities(records):
    """For each item, how many of it each person bought."""
    bought = {item: defaultdict(int) for item in ITEMS}
    for r in live(records):
        bought[r["item"]][r["who"]] += r["count"]
    return bought


def similarity(one, other, norm):
    both = set(one) & set(other)
    if norm == "all_buyers":
        lengths = [math.sqrt(sum(q * q for q in some.values())) for some in (one, other)]
    else:
        lengths = [math.sqrt(sum(some[x] ** 2 for x in both)) for some in (one, other)]
    return sum(one[x] * other[x] for x in both) / math.prod(lengths) if both else 0.0


def distance(one, other, norm):
    pairs = [(i, j) for i in ITEMS for j in ITEMS]
    similar = {p: similarity(one[p[0]], one[p[1]], norm) for p in pairs}
    released = {p: similarity(other[p[0]], other[p[1]], norm) for p in pairs}
    difference, total = sum(abs(similar[p] - released[p]) for p in pairs), sum(similar.values())
    if total == 0:
        return 0.0 if difference == 0 else 1.0
    return min(1.0, difference / total)


def best_selling(records, share):
    rows = defaultdict(int)
    for r in live(records):
        rows[r["item"]] += 1
    ranked = sorted(rows, key=lambda item: (-rows[item], item))
    return set(ranked[: max(1, int(share * len(ranked)))]) if ranked else {min(ITEMS)}


def plain(part, original, release):
    one, other = quantities(original), quantities(release)

    def keep(bought, test):
        return {i: {x: q for x, q in person.items() if test(i, q)} for i, person in bought.items()}

    best = best_selling(original, part.top)
    released_best = best_selling(release, part.top) if part.lists == "each" else best
    top = [keep(one, lambda i, _: i in best), keep(other, lambda i, _: i in released_best)]
    few = [keep(bought, lambda _, q: q < (part.small or 0)) for bought in (one, other)]
    rows = [(o, r) for o, r in zip(original, release, strict=True) if r["who"] != "DEL"]
    days = [[date.fromisoformat(r["day"]) for r in pair] for pair in rows]
    losses = {
        "E1": distance(one, other, part.norm),
        "E2": 0.0 if part.small is None else distance(*few, part.norm),
        "E3": max(
            distance(*top, part.norm), 1 - len(best & released_best) / len(best | released_best)
        ),
        "E4": sum(abs((a - b).days) for a, b in days) / (31 * len(original)),
        "E5": sum(1 - min(o["price"], r["price"]) / max(o["price"], r["price"]) for o, r in rows)
        / len(original),
        "E6": 1 - len(rows) / len(original),
    }
    return {**losses, "U": max(losses.values())}


@pytest.mark.slow
@pytest.mark.parametrize("norm", ["all_buyers", "co_buyers"])
@pytest.mark.parametrize("lists", ["original", "each"])
@settings(max_examples=30, deadline=None)
@given(case=releases())
def test_agrees_with_plain_loops(norm, lists, case):
    part = ShoppingUtility(norm=norm, lists=lists, top=0.4)
    assert readings(part, *case) == pytest.approx(plain(part, *case), abs=1e-9)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(case=releases())
def test_the_size_of_blocks_does_not_matter(case):
    part, rules = ShoppingUtility(), ShoppingUtility(norm="co_buyers")
    whole = [readings(part, *case), readings(rules, *case)]
    before = item_similarity.BLOCK
    item_similarity.BLOCK = 2
    try:
        small = [readings(part, *case), readings(rules, *case)]
    finally:
        item_similarity.BLOCK = before
    for one, other in zip(whole, small, strict=True):
        assert one == pytest.approx(other, abs=1e-9)


# --- by hand ------------------------------------------------------------------------------------


def test_nothing_is_lost_by_other_names():
    original = [record("a", "2010-12-01", "30", count=3), record("b", "2011-01-05", "22")]
    renamed = [{**r, "who": r["who"] * 2} for r in original]
    assert readings(ShoppingUtility(), original, renamed) == dict.fromkeys(
        ["E1", "E2", "E3", "E4", "E5", "E6", "U"], 0.0
    )


def test_dates_prices_and_deletions_count_over_all_rows():
    original = [record("a", "2011-01-01", "30", price=2.0) for _ in range(4)]
    release = [
        record("p", "2011-01-05", "30", price=2.0),  # 4 days
        record("p", "2011-01-01", "30", price=2.5),  # 1 - 2 / 2.5 = 0.2
        {"who": "DEL"},
        record("p", "2011-01-01", "30", price=0.5),  # 0.75
    ]
    measured = readings(ShoppingUtility(), original, release)
    assert measured["E4"] == pytest.approx(4 / (31 * 4))
    assert measured["E5"] == pytest.approx(0.95 / 4)
    assert measured["E6"] == 0.25


def test_quantities_of_six_or_more_count_in_e1_but_not_in_e2():
    # Two buyers of both items: (5, 5) and (6, 6). The second loses one item in the release.
    original = [
        record(person, "2010-12-01", item, count=count)
        for person, count in (("a", 5), ("b", 6))
        for item in ("30", "22")
    ]
    release = [*original[:3], {"who": "DEL"}]
    measured = readings(ShoppingUtility(), original, release)
    # Similarities were 1; now 25 / (sqrt(61) * 5). Total 4, two cells changed.
    assert measured["E1"] == pytest.approx(2 * (1 - 5 / math.sqrt(61)) / 4)
    assert measured["E2"] == 0
    assert readings(ShoppingUtility(small=7), original, release)["E2"] == measured["E1"]
    assert readings(ShoppingUtility(small=0), original, release)["E2"] == 0


def test_equal_sellers_are_ranked_by_name_and_lists_are_compared():
    rows = [record("a", "2010-12-01", item) for item in ("30", "22", "22B", "10A")]
    release = [*rows[:3], {"who": "DEL"}]
    # The best quarter is 10A, by name; in the release it is 22: nothing in common.
    measured = readings(ShoppingUtility(lists="each", top=0.25), rows, release)
    assert measured["E3"] == 1
    with_all = readings(ShoppingUtility(lists="each", top=1.0), rows, release)
    assert with_all["E3"] >= 0.25  # one of four is missing


# --- refusals -----------------------------------------------------------------------------------


def test_a_release_of_other_length_or_shape_is_refused():
    one = [record("a", "2010-12-01", "30")]
    with pytest.raises(SubmissionError, match="has 2 rows; expected 1"):
        readings(ShoppingUtility(), one, one * 2)
    with pytest.raises(PartError, match="expected transactions"):
        ShoppingUtility().measure(example_table(), example_table(), None, rng=reading_rng())
    with pytest.raises(PartError, match="no transactions"):
        readings(ShoppingUtility(), [], [])
    with pytest.raises(PartError, match="original has deleted rows"):
        readings(ShoppingUtility(), [{"who": "DEL"}], one)


# --- the real data ------------------------------------------------------------------------------


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (ShoppingUtility(), {"E1": 0.6499, "E2": 0.6364, "E3": 0.5008, "U": 0.6499}),
        (ShoppingUtility(norm="co_buyers"), {"E1": 0.4473}),
        (ShoppingUtility(small=0, lists="each"), {"E1": 0.6499, "E2": 0, "E3": 0.5008}),
    ],
    ids=["recommended", "rules", "deployed"],
)
def test_monthly_pseudonyms_cost_what_was_found_for_darc(part, expected):
    measured = part.measure(real_transactions(), real_pseudonyms(), None, rng=reading_rng())
    assert {name: round(measured[name].value, 4) for name in expected} == expected
    assert [measured[name].value for name in ("E4", "E5", "E6")] == [0, 0, 0]


@pytest.mark.real_data
def test_constant_pseudonyms_cost_nothing():
    original = real_transactions()
    measured = ShoppingUtility().measure(original, original, None, rng=reading_rng())
    assert measured["U"].value < 1e-9
