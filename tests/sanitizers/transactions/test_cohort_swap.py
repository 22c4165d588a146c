"""Cohorts: members differ only in what they bought, and cohorts are chosen at little cost."""

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.kernels.purchases import DAY, Purchases, months_of
from quintain.releases.pseudonyms import pseudonym_table
from quintain.sanitizers.transactions.cohort_swap import choose, fit_content, profile
from quintain.sanitizers.transactions.cohorts import Bill, CohortCells, _close, _costs, cohorts
from tests.sanitizers.transactions.shopping_cases import both, sanitized, shop, stand_in

BILL = Bill(row=0.3, date=0.3, price=0.4, cohort=5.0, kept=0.0, smallest=1)


def changed(bill, **fields):
    return Bill(**{name: fields.get(name, getattr(bill, name)) for name in bill.__slots__})


# --- choosing cohorts -----------------------------------------------------------------------------


@pytest.mark.parametrize("fee", [0.1, 1.0, 3.0, 10.0])
@pytest.mark.parametrize("count", [1, 2, 4, 7])
def test_closing_is_close_to_the_cheapest_choice_of_leaders(count, fee):
    ratios = []
    for seed in range(20):
        following = random_costs(count, seed)
        leader = _close(following, changed(BILL, cohort=fee))
        assert (leader[leader] == leader).all()  # a leader leads itself
        got = following[np.arange(count), leader].sum() + fee * len(set(leader.tolist()))
        best = min(
            following[:, leaders].min(axis=1).sum() + fee * len(leaders)
            for number in range(1, count + 1)
            for leaders in map(list, combinations(range(count), number))
        )
        ratios.append(got / best)
    assert min(ratios) >= 1 - 1e-9
    assert np.mean(ratios) <= 1.1  # one choice alone may cost more than half as much again


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 12), st.integers(0, 999), st.floats(0.1, 10))
def test_leaders_are_closed_as_in_the_plain_procedure(count, seed, fee):
    following = random_costs(count, seed)
    leaders = list(range(count))
    while len(leaders) > 1:
        now = following[:, leaders].min(axis=1).sum()
        extra = {
            leader: following[:, [o for o in leaders if o != leader]].min(axis=1).sum() - now
            for leader in leaders
        }
        cheapest = min(leaders, key=lambda leader: extra[leader])
        if not extra[cheapest] < fee:
            break
        leaders.remove(cheapest)
    got = _close(following, changed(BILL, cohort=fee))
    assert got.tolist() == [leaders[i] for i in following[:, leaders].argmin(axis=1)]


def random_costs(count, seed):
    """Following costs nothing for the leader and something for everybody else."""
    following = np.random.default_rng(seed).random((count, count)) * 10
    np.fill_diagonal(following, 0)
    return following


def test_the_cost_of_following_is_rows_dates_and_prices():
    size, day = np.array([4, 2]), np.array([0.0, 15.5])
    price = np.log([[1.0, 4.0], [2.0, 2.0]])
    costs = _costs(size, day, price, BILL)
    # Two rows go; two rows move by half a month, and both prices change by a half.
    assert costs[0, 1] == pytest.approx(2 * 0.3 + 2 * (0.5 * 0.3 + 0.5 * 0.4))
    assert costs[1, 0] == np.inf  # there are no rows to follow with
    assert costs[0, 0] == costs[1, 1] == 0


def test_cohorts_are_within_a_month_and_large_enough():
    bought = Purchases.of(stand_in(customers=80, rows=4000))
    cells = CohortCells.of(bought)
    for smallest in (1, 2, 5):
        cohort = cohorts(bought, cells, changed(BILL, smallest=smallest))
        assert len({*zip(cohort.tolist(), cells.month.tolist(), strict=True)}) == cohort.max() + 1
        assert np.bincount(cohort).min() >= smallest
    dear, cheap = (cohorts(bought, cells, changed(BILL, cohort=fee)).max() for fee in (50, 0.1))
    assert dear < cheap


# --- profiles -------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=4), st.integers(0, 999))
def test_rows_are_chosen_that_have_to_change_least(sizes, seed):
    rng = np.random.default_rng(seed)
    prices = [np.sort(rng.integers(1, 9, size) / 4) for size in sizes]
    times = [DAY * rng.integers(28, size=size) for size in sizes]
    price, when = np.sort(rng.integers(1, 9, min(sizes)) / 4), 10 * DAY
    chosen = choose(prices, times, price, when, BILL)
    for member_prices, time, rows in zip(prices, times, chosen, strict=True):
        assert (np.diff(rows) > 0).all()
        least = min(
            loss(member_prices, time, list(subset), price, when)
            for subset in combinations(range(len(member_prices)), len(price))
        )
        assert loss(member_prices, time, rows, price, when) == pytest.approx(least)


def loss(member_prices, time, rows, price, when):
    low, high = np.minimum(member_prices[rows], price), np.maximum(member_prices[rows], price)
    away = np.abs(time[rows] - when) / DAY / 31
    return float((BILL.price * (1 - low / high) + BILL.date * away).sum())


def test_a_profile_is_the_median_of_what_is_chosen():
    prices = [np.array([1.0, 2.0]), np.array([1.5, 2.0, 9.0]), np.array([1.2, 2.5])]
    times = [np.full(len(row), DAY * day) for row, day in zip(prices, (3, 4, 20), strict=True)]
    common = profile(prices, times, BILL)
    assert common.price.tolist() == [1.2, 2.0]
    assert common.when == 4 * DAY
    assert common.chosen.tolist() == [[0, 1], [0, 1], [0, 1]]


# --- content --------------------------------------------------------------------------------------


def test_an_item_bought_twice_gives_way_and_keeps_its_quantity():
    data = shop(
        ("ann", "2011-01-03", "a", 1.0, 5),
        ("ann", "2011-01-03", "b", 2.0, 1),
        ("ann", "2011-02-03", "a", 3.0, 7),
        ("ann", "2011-02-03", "c", 4.0, 1),
    )
    bought = Purchases.of(data)
    content = fit_content(bought, CohortCells.of(bought), np.array([1, 2]))
    assert content.rows.tolist() == [1, 2, 3]
    assert content.quantity[content.rows].tolist() == [1, 12, 1]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 999))
def test_what_fits_loses_no_quantity_of_what_stays(seed):
    bought = Purchases.of(stand_in(customers=15, rows=600))
    cells = CohortCells.of(bought)
    room = np.random.default_rng(seed).integers(1, cells.size + 1)
    content = fit_content(bought, cells, room)
    assert len(content.rows) == room.sum() == len(set(content.rows.tolist()))
    total = Counter()
    for person, item, quantity in zip(bought.person, bought.item, bought.quantity, strict=True):
        total[person, item] += int(quantity)
    kept = Counter()
    for row in content.rows:
        kept[bought.person[row], bought.item[row]] += int(content.quantity[row])
    assert all(total[pair] == quantity for pair, quantity in kept.items())
    for cell, start in enumerate(content.start):
        rows_of_cell = content.rows[start : start + room[cell]]
        assert set(bought.person[rows_of_cell].tolist()) == {int(cells.person[cell])}
        assert (np.diff(bought.price[rows_of_cell]) >= 0).all()


# --- the whole ------------------------------------------------------------------------------------


def signatures(after, original):
    """For each cell of the original its released dates and prices."""
    shown = {}
    cells = zip(original.person.tolist(), months_of(original.day).tolist(), strict=True)
    for row, cell in enumerate(cells):
        if after.live[row]:
            shown.setdefault(cell, []).append((int(after.day[row]), float(after.price[row])))
    return {cell: tuple(sorted(rows)) for cell, rows in shown.items()}


def test_members_of_a_cohort_show_the_same_dates_and_prices():
    data = stand_in(customers=80, rows=4000)
    before, after = both("cohort-swap", data, smallest=3, rule=0.5)
    alike = Counter(signatures(after, before).values())
    assert min(alike.values()) >= 3
    for signature in alike:
        assert len({day for day, _ in signature}) == 1


def test_other_columns_do_not_tell_members_apart_either():
    data = stand_in(customers=80, rows=4000)
    release = sanitized("cohort-swap", data).data
    before, after = Purchases.of(data), Purchases.of(release)
    hours = {}
    for cell, signature in signatures(after, before).items():
        rows = np.flatnonzero((before.person == cell[0]) & (months_of(before.day) == cell[1]))
        shown = {release.columns["hours"][row].item() for row in rows if after.live[row]}
        hours.setdefault(signature, set()).update(shown)
    assert {len(shown) for shown in hours.values()} == {1}


def test_baskets_are_dealt_out_in_the_cohort_at_random():
    rows = [(f"p{i}", "2011-01-03", item, 1.0, i + 1) for i in range(4) for item in "abc"]
    data, orders = shop(*rows), Counter()
    for seed in range(200):
        _, after = both("cohort-swap", data, seed, fee=100)
        orders[tuple(int(after.quantity[3 * person]) - 1 for person in range(4))] += 1
    assert len(orders) == 24  # every order of four baskets
    assert max(orders.values()) < 25  # 8 are expected


def test_a_name_publishes_what_one_person_bought():
    data = stand_in(customers=80, rows=4000)
    before, after = both("cohort-swap", data)
    known = {person: set(before.item[before.person == person].tolist()) for person in range(80)}
    for name in range(len(after.persons)):
        items = set(after.item[after.person == name].tolist())
        assert any(items <= bought for bought in known.values())


@pytest.mark.slow
def test_a_guess_that_people_kept_their_baskets_is_right_about_once_per_cohort():
    data = stand_in(customers=30, rows=1500)
    before = Purchases.of(data)
    baskets = [set(before.item[before.person == person].tolist()) for person in range(30)]
    right = bound = 0
    for seed in range(30):
        _, after = both("cohort-swap", data, seed)
        table = pseudonym_table(before, after)
        items = [set(after.item[after.person == name].tolist()) for name in range(30)]
        own = [{n for n, basket in enumerate(items) if basket <= bought} for bought in baskets]
        cells = product(range(30), range(table.months))
        right += sum(table.cells[p, m] in own[p] for p, m in cells if table.cells[p, m] >= 0)
        bound += len(set(signatures(after, before).values()))
    # About 700 are expected, with a standard deviation of at most their root.
    assert abs(right - bound) < 4 * np.sqrt(bound)


def test_weights_trade_one_loss_for_another():
    data = stand_in(customers=80, rows=4000)
    losses = []
    for weights in ({"rows": 1.0, "prices": 0.05}, {"rows": 0.05, "prices": 1.0}):
        before, after = both("cohort-swap", data, dates=0.05, **weights)
        live = after.live
        low, high = np.minimum(before.price, after.price), np.maximum(before.price, after.price)
        losses.append((float((~live).mean()), float((1 - low / high)[live].mean())))
    assert losses[0][0] < losses[1][0]
    assert losses[0][1] > losses[1][1]
