"""Names, noise and deletion in transactions: what moves, how far, and what stays."""

from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.kernels.purchases import Purchases, months_of
from quintain.sanitizers.transactions.value_noise import _reflect
from tests.sanitizers.transactions.shopping_cases import (
    both,
    cells_of,
    sanitized,
    shop,
    stand_in,
    unchanged,
)

# --- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("period", ["month", "year", "whole"])
def test_a_name_stands_for_one_person_in_one_period_and_back(period):
    before, after = both("pseudonyms", stand_in(), period=period)
    length = {"month": 1, "year": 12, "whole": 10_000}[period]
    when = months_of(before.day) // length
    pairs = {*zip(before.person.tolist(), when.tolist(), after.person.tolist(), strict=True)}
    assert len({pair[:2] for pair in pairs}) == len({pair[2] for pair in pairs}) == len(pairs)
    assert unchanged(before, after, "day", "item", "price", "quantity")


def test_names_do_not_follow_the_order_of_persons():
    before, after = both("pseudonyms", stand_in(customers=200), period="whole")
    name = dict(zip(before.person.tolist(), after.person.tolist(), strict=True))
    ranks = [name[person] for person in sorted(name)]
    # 200 ranks in random order: the correlation has a standard deviation of 0.07.
    assert abs(np.corrcoef(ranks, np.arange(len(ranks)))[0, 1]) < 0.3


def test_other_noise_gives_other_names():
    one, other = (both("pseudonyms", stand_in(), seed)[1] for seed in (1, 2))
    assert (one.person == other.person).mean() < 0.05


def test_deleted_rows_stay_deleted_and_nameless():
    shortened = sanitized("suppression", stand_in(), share=0.3).data
    after = sanitized("pseudonyms", shortened).data
    assert (after.deleted_rows() == shortened.deleted_rows()).all()
    for use in ("date-noise", "price-noise", "quantity-noise", "item-swap", "customer-swap"):
        again = sanitized(use, shortened).data
        assert (again.deleted_rows() >= shortened.deleted_rows()).all()
        assert set(again.columns["qty"][shortened.deleted_rows()].tolist()) == {-1}


# --- dates ----------------------------------------------------------------------------------------


@given(st.integers(0, 20_000), st.integers(-500, 500))
def test_a_shifted_day_is_reflected_step_by_step_at_the_ends_of_its_month(day, shift):
    place, step = np.datetime64(day, "D"), np.timedelta64(1 if shift > 0 else -1, "D")
    month = place.astype("datetime64[M]")
    for _ in range(abs(shift)):
        if (place + step).astype("datetime64[M]") == month:
            place += step
        else:
            step = -step  # the wall takes a step: the last day is there twice
    got = _reflect(np.array([day], np.int32), np.array([shift]))[0]
    assert np.datetime64(int(got), "D") == place


def test_dates_move_by_the_noise_and_stay_in_their_month():
    before, after = both("date-noise", stand_in(), scale=2.0)
    assert (months_of(before.day) == months_of(after.day)).all()
    moved = np.abs(before.day.astype(int) - after.day)
    # Discrete Laplace noise of scale 2 has a mean absolute value of 1.92, less at the ends.
    assert 1.5 < moved.mean() < 2.0
    assert unchanged(before, after, "person", "item", "price", "quantity")


def test_dates_stay_between_the_earliest_and_the_latest():
    data = stand_in()
    days = data.columns["date"]
    first, last = (
        np.datetime64(int(bound), "s").astype("datetime64[D]") for bound in (days.min(), days.max())
    )
    texts = {"earliest": str(first).replace("-", "/"), "latest": str(last).replace("-", "/")}
    columns = tuple(
        column.model_copy(update=texts if column.kind == "time" else {})
        for column in data.schema.columns
    )
    schema = data.schema.model_copy(update={"columns": columns})
    moved = sanitized("date-noise", replace(data, schema=schema), scale=10.0).data.columns["date"]
    assert days.min() <= moved.min() < moved.max() <= days.max()
    free = sanitized("date-noise", data, scale=10.0).data.columns["date"]
    assert free.min() < days.min() or free.max() > days.max()


def test_a_visit_moves_as_a_whole():
    before, after = both("date-noise", stand_in(), scale=5.0, by="visit")
    visits = defaultdict(set)
    for person, old, new in zip(before.person, before.day, after.day, strict=True):
        visits[person, old].add(new)
    assert {len(days) for days in visits.values()} == {1}
    assert (before.day != after.day).mean() > 0.5


# --- prices and quantities ------------------------------------------------------------------------


def test_prices_change_by_the_noise_in_cents():
    before, after = both("price-noise", stand_in(), scale=0.1)
    dear = before.price > 2  # rounding to cents matters little
    change = np.abs(np.log(after.price[dear] / before.price[dear]))
    assert change.mean() == pytest.approx(0.1, rel=0.15)
    assert np.median(change) == pytest.approx(0.1 * np.log(2), rel=0.15)
    np.testing.assert_allclose(after.price * 100, np.round(after.price * 100), atol=1e-9)
    assert after.price.min() >= 0.01
    assert unchanged(before, after, "person", "day", "item", "quantity")


def test_quantities_change_by_whole_pieces_and_stay_positive():
    before, after = both("quantity-noise", stand_in(), scale=3.0)
    many = before.quantity > 40
    assert np.abs(after.quantity - before.quantity)[many].mean() == pytest.approx(3, rel=0.25)
    assert after.quantity.min() >= 1
    assert unchanged(before, after, "person", "day", "item", "price")


# --- deletion -------------------------------------------------------------------------------------


@settings(max_examples=15, deadline=None)
@given(st.floats(0, 0.45), st.sampled_from(["rarest", "random"]), st.integers(0, 99))
def test_the_share_is_deleted_and_everybody_keeps_a_row(share, choose, seed):
    data = stand_in()
    before, after = both("suppression", data, seed, share=share, choose=choose)
    assert int((~after.live).sum()) == round(share * len(data))
    assert set(before.person[after.live].tolist()) == set(before.person.tolist())


def test_the_rarest_items_go_first_if_their_buyers_keep_something():
    rows = [("ann", "2011-01-03", item, 1.0, 1) for item in "aab"]
    rows += [("bob", "2011-01-04", item, 1.0, 1) for item in "aabc"]
    rows += [("eve", "2011-01-05", "d", 1.0, 1)]  # rarer than b, but all that eve has
    rows += [("zoe", "2011-01-05", "a", 1.0, 1)] * 2
    release = sanitized("suppression", shop(*rows), share=0.1).data
    assert release.deleted_rows().tolist() == [False] * 6 + [True] + [False] * 3
    release = sanitized("suppression", shop(*rows), share=0.3).data
    assert release.deleted_rows().tolist() == [row in (2, 5, 6) for row in range(10)]
    assert release.records()[2] == {
        "who": None,
        "day": None,
        "till": None,
        "item": None,
        "price": None,
        "number": None,
    }
    assert release.records()[0]["who"] == "ann"


def test_methods_are_listed_with_the_number_of_rows():
    (method,) = sanitized("suppression", stand_in(), share=0.1).methods
    assert (method.name, method.rows) == ("record deletion", 200)
    (method,) = sanitized("price-noise", stand_in(), scale=0.001).methods
    assert method.columns == ("price",)
    assert 0 < method.rows < 2000
    (method,) = sanitized("pseudonyms", stand_in()).methods
    assert method.rows == 2000


def test_a_swap_lists_all_its_methods():
    release = sanitized("cohort-swap", stand_in(customers=80, rows=4000))
    alike, dealt, named, deletion = release.methods
    assert (alike.name, alike.columns) == ("microaggregation", ("date", "hours", "price"))
    assert (dealt.name, dealt.columns) == ("swapping", ("id_item", "qty"))
    assert (named.name, named.columns) == ("pseudonymisation", ("id_user",))
    deleted = int(release.data.deleted_rows().sum())
    assert (deletion.name, deletion.rows) == ("record deletion", deleted)
    assert named.rows == 4000 - deleted
    assert 0 < alike.rows <= named.rows


def test_a_person_with_a_number_for_a_name_is_counted_as_unchanged():
    data = stand_in()
    assert data.columns["id_user"].dtype.kind == "i"
    release = sanitized("suppression", data, share=0.1)
    assert release.data.columns["id_user"].dtype.kind == "U"
    kept = ~release.data.deleted_rows()
    assert (
        release.data.columns["id_user"][kept] == data.columns["id_user"][kept].astype(str)
    ).all()


def test_a_chain_of_steps_keeps_rows_in_place():
    steps = [{"use": "date-noise"}, {"use": "suppression"}, {"use": "pseudonyms"}]
    release = sanitized("pipeline", stand_in(), steps=steps)
    before, after = Purchases.of(stand_in()), Purchases.of(release.data)
    assert (before.item == after.item)[after.live].all()
    assert [method.name for method in release.methods] == [
        "noise addition",
        "record deletion",
        "pseudonymisation",
    ]
    named = Counter(zip(cells_of(before), after.person.tolist(), strict=True))
    named = [cell for cell, name in named if name >= 0]
    assert len(named) == len(set(named))
