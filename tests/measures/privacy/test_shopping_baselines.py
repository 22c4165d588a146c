"""Shopping baselines: against every order of publication, and the published figures."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given, settings

from quintain.kernels import purchases
from quintain.measures import reading_rng
from quintain.measures.privacy.row_baselines import ATTACKS, WEIGHTS, ShoppingBaselines
from quintain.measures.utility.shopping import ShoppingUtility
from tests.measures.shopping_cases import (
    live,
    readings,
    real_pseudonyms,
    real_transactions,
    record,
    releases,
    table,
    true_pseudonyms,
)

FIELDS = {"item": "item", "day": "day", "price": "price", "quantity": "count"}


def key(row, attributes, prefix):
    return tuple(
        row["item"][:prefix] if name == "item" else row[FIELDS[name]] for name in attributes
    )


def dictionary_attack(original, published, attributes, prefix):
    """The attack as it was played: later rows overwrite earlier ones, twice."""
    known = {key(row, attributes, prefix): row["who"] for row in published}
    guess = {}
    for row in original:
        if key(row, attributes, prefix) in known:
            guess[row["who"], row["day"][:7]] = known[key(row, attributes, prefix)]
    return guess


def share_of(guess, truth):
    return sum(guess.get(cell) == name for cell, name in truth.items()) / len(truth)


@pytest.mark.parametrize("prefix", [2, None])
@settings(max_examples=30, deadline=None)
@given(case=releases(max_rows=5))
def test_row_links_are_the_mean_over_all_orders(prefix, case):
    original, release = case
    truth = true_pseudonyms(original, release)
    part = ShoppingBaselines(item_prefix=prefix or 0, sixth="price", basket="left_out")
    if not truth:
        assert not part.measure(table(original), table(release), None, rng=reading_rng())[
            "reid"
        ].measured
        return
    measured = readings(part, original, release)
    orders = list(itertools.permutations(live(release)))
    attacks = {**ATTACKS, "F6": ("item", "day", "price")}
    for name, attributes in attacks.items():
        shares = [
            share_of(dictionary_attack(original, order, attributes, prefix), truth)
            for order in orders
        ]
        assert measured[name] == pytest.approx(sum(shares) / len(shares)), name
    assert measured["reid"] == max(measured[name] for name in attacks)


def basket_attack(original, release, truth):
    """The mean worth over all orders of pseudonyms, which decide between equals."""
    names = sorted({row["who"] for row in live(release)})
    orders = list(itertools.permutations(names))
    total = 0.0
    for (person, month), right in truth.items():
        basket = {r["item"] for r in original if r["who"] == person and r["day"][:7] == month}
        shared = {
            name: len(
                basket
                & {r["item"] for r in live(release) if (r["who"], r["day"][:7]) == (name, month)}
            )
            for name in names
        }
        for order in orders:
            ranked = sorted((n for n in order if shared[n]), key=lambda n: -shared[n])
            guesses = ranked[: len(WEIGHTS)]
            total += WEIGHTS[guesses.index(right)] / len(orders) if right in guesses else 0.0
    return total / len(truth)


@settings(max_examples=30, deadline=None)
@given(case=releases())
def test_basket_links_are_the_mean_over_all_orders(case):
    original, release = case
    truth = true_pseudonyms(original, release)
    if truth:
        measured = readings(ShoppingBaselines(basket="counted"), original, release)
        assert measured["S7"] == pytest.approx(basket_attack(original, release, truth))
        assert measured["reid"] == max(share for name, share in measured.items() if name != "reid")


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(case=releases())
def test_the_size_of_blocks_does_not_matter(case):
    whole = readings(ShoppingBaselines(), *case)
    before = purchases.PAIRS
    purchases.PAIRS = 2
    try:
        small = readings(ShoppingBaselines(), *case)
    finally:
        purchases.PAIRS = before
    assert small == pytest.approx(whole, nan_ok=True)


def test_a_row_that_is_not_deleted_gives_its_person_away():
    original = [record("a", "2010-12-01", "30", 1.0, 1), record("b", "2010-12-31", "22", 2.5, 4)]
    release = [{**original[0], "who": "p"}, {**original[1], "who": "q"}]
    assert set(readings(ShoppingBaselines(), original, release).values()) == {1.0}
    deleted = [release[0], {"who": "DEL"}]
    assert (
        ShoppingBaselines()
        .measure(table(original), table(deleted), None, rng=reading_rng())["F1"]
        .n
        == 1
    )


def test_only_the_first_months_are_scored_if_so_many_are_asked_for():
    original = [record("a", "2010-12-01", "30"), record("a", "2011-01-01", "22")]
    release = [{**original[0], "who": "p"}, record("q", "2011-01-05", "21X", 2.5, 7)]
    part = ShoppingBaselines(basket="left_out")
    assert readings(part, original, release)["reid"] == 0.5
    assert readings(part.model_copy(update={"months": 1}), original, release)["reid"] == 1


# --- the real data ------------------------------------------------------------------------------

FULL = {"F1": 0.1117, "F2": 0.0337, "F3": 0.1102, "F4": 0.5888, "F5": 0.1292}
TWO = {"F1": 0.1117, "F2": 0.0115, "F3": 0.0150, "F4": 0.0777, "F5": 0.0602}


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("prefix", "sixth", "expected"),
    [
        (None, "quantity", {**FULL, "F6": 0.8278}),
        (None, "price", {**FULL, "F6": 0.6536}),
        (2, "quantity", {**TWO, "F6": 0.2931}),
        (2, "price", {**TWO, "F6": 0.3117}),
    ],
)
def test_monthly_pseudonyms_are_found_as_often_as_was_found_for_darc(prefix, sixth, expected):
    part = ShoppingBaselines(item_prefix=prefix or 0, sixth=sixth, basket="counted")
    measured = part.measure(real_transactions(), real_pseudonyms(), None, rng=reading_rng())
    assert {name: round(measured[name].value, 4) for name in expected} == expected
    assert measured["S7"].value == pytest.approx(0.971, abs=5e-4)
    assert measured["reid"].value == measured["S7"].value
    assert measured["F1"].n == 11_946


@pytest.mark.real_data
def test_a_submission_is_measured_in_three_seconds():
    original, release = real_transactions(), real_pseudonyms()
    start = time.process_time()
    ShoppingUtility().measure(original, release, None, rng=reading_rng())
    ShoppingBaselines().measure(original, release, None, rng=reading_rng())
    assert time.process_time() - start < 60  # far from what any machine needs
