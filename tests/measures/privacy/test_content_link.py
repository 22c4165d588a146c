"""Content link: against plain loops, and on the releases it was made for."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.strategies import sampled_from

from quintain.data import Transactions
from quintain.data.sources.retail import Retail
from quintain.kernels.purchases import WIDE, Purchases, months_of
from quintain.measures import reading_rng
from quintain.measures.privacy.content_link import ContentLink
from quintain.measures.privacy.row_baselines import ShoppingBaselines
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.sanitizers import sanitize
from tests.measures.shopping_cases import (
    ITEMS,
    live,
    readings,
    real_pseudonyms,
    real_transactions,
    record,
    releases,
    table,
)


def chain(spec, data):
    part = build("sanitizer", spec)
    rng = np.random.default_rng(0)
    return sanitize(part, data, rng=rng, noise=Noise.for_test(0)).release.data


# --- the plain way ------------------------------------------------------------------------------


def baskets(records, by):
    bought = defaultdict(set)
    for r in live(records):
        bought[r["who"], r["day"][:7] if by == "month" else ""].add(r["item"])
    return bought


def cosine(one, other, weight):
    def length(items):
        return math.sqrt(sum(weight[i] ** 2 for i in items))

    return sum(weight[i] ** 2 for i in one & other) / (length(one) * length(other))


def plain_links(part, original, release):
    known, published = baskets(original, part.by), baskets(release, part.by)
    linked = []
    for (_, month), basket in published.items():
        of_month = [items for (_, when), items in known.items() if when == month]
        buyers = Counter(item for items in of_month for item in items)

        weight = {i: math.log((len(of_month) + 1) / max(buyers[i], 1)) for i in ITEMS}
        similar = sorted((cosine(basket, items, weight) for items in of_month), reverse=True)
        best, second = [*similar, 0.0, 0.0][:2]
        linked.append(best >= part.similar - 1e-9 and second * part.clear <= best + 1e-9)
    return sum(linked) / len(linked)


def plain_verbatim(original, release):
    def key(r):
        return tuple(r[name] for name in ("item", "day", "price", "count"))

    owners = defaultdict(set)
    for r in original:
        owners[key(r)].add(r["who"])
    votes = defaultdict(Counter)
    for r in live(release):
        if len(owners[key(r)]) == 1:
            votes[r["who"]][min(owners[key(r)])] += 1
    most = {name: max(v, key=lambda person: (v[person], person)) for name, v in votes.items()}
    rows = live(release)
    return sum(most.get(r["who"]) in owners[key(r)] for r in rows) / len(rows)


@pytest.mark.slow
@pytest.mark.parametrize("by", ["month", "whole"])
@settings(max_examples=40, deadline=None)
@given(case=releases(), wide=sampled_from([1, 2, WIDE]))
def test_agrees_with_plain_loops(by, case, wide):
    with patch("quintain.kernels.purchases.WIDE", wide):
        check_against_plain_loops(by, case)


def check_against_plain_loops(by, case):
    original, release = case
    part = ContentLink(by=by)
    if not live(release):
        measured = part.measure(table(original), table(release), None, rng=reading_rng())
        assert not any(reading.measured for reading in measured.values())
        return
    link, *verbatim = readings(part, original, release).values()
    assert link == pytest.approx(plain_links(part, original, release))
    if part.by == "month":
        assert verbatim == pytest.approx([plain_verbatim(original, release)])


# --- by hand ------------------------------------------------------------------------------------

ORIGINAL = [
    *(record("a", "2010-12-01", item) for item in ("30", "22")),
    *(record("b", "2010-12-31", item) for item in ("10A", "21X")),
]


def renamed(names, rows=ORIGINAL):
    return [{**row, "who": names[row["who"]]} for row in rows]


def test_a_basket_is_linked_to_its_person_under_any_name():
    honest = renamed({"a": "p", "b": "q"})
    swapped = [*honest[2:], *honest[:2]]  # rows of a publish what b bought, and the reverse
    for release in (honest, swapped):
        assert set(readings(ContentLink(), ORIGINAL, release).values()) == {1.0}
    assert readings(ShoppingBaselines(), ORIGINAL, honest)["reid"] == 1
    assert readings(ShoppingBaselines(), ORIGINAL, swapped)["reid"] == 0


def test_equal_baskets_cannot_be_told_apart():
    original = [record(person, "2010-12-01", "30") for person in "ab"]
    release = renamed({"a": "p", "b": "q"}, original)
    assert readings(ContentLink(), original, release) == {"content_link": 0.0, "verbatim": 0.0}


def test_purchases_moved_to_another_month_are_found_over_the_whole_time():
    later = [{**row, "day": "2011-01-05"} for row in ORIGINAL]
    original = [*ORIGINAL, *(record("c", "2011-01-05", "22B") for _ in later)]
    release = [*({"who": "DEL"} for _ in ORIGINAL), *renamed({"a": "p", "b": "q"}, later)]
    assert readings(ContentLink(), original, release)["content_link"] == 0
    assert readings(ContentLink(by="whole"), original, release)["content_link_whole"] == 1


@pytest.mark.parametrize("by", ["month", "whole"])
def test_a_name_with_most_rows_counts_by_its_rows(by):
    original = [
        *(record("a", "2010-12-01", item) for item in ("30", "22", "10A")),
        record("b", "2010-12-02", "21X"),
        record("c", "2010-12-03", "21X"),
    ]
    part = ContentLink(by=by, counted=("names", "rows", "persons"))
    read = list(
        readings(part, original, renamed({"a": "p", "b": "q", "c": "r"}, original)).values()
    )
    assert read[:3] == pytest.approx([1 / 3, 3 / 5, 1 / 3])  # b and c bought the same


@pytest.mark.parametrize("by", ["month", "whole"])
def test_a_draw_agrees_with_everything(by):
    original = Retail(rows=8_000).generate(np.random.default_rng(1000))
    ways = ("names", "rows", "persons")
    release = chain({"use": "pooled-baskets", "pooled": 0.5}, original)
    every, drawn = (
        ContentLink(by=by, counted=ways, most=most).measure(
            original, release, None, rng=reading_rng()
        )
        for most in (None, 140)
    )
    for name in list(every)[:3]:
        assert drawn[name].n == 14
        assert drawn[name].low <= every[name].value <= drawn[name].high


# --- like the real thing ------------------------------------------------------------------------


def swapped(original: Transactions) -> Transactions:
    """Within a month, everybody publishes the purchases of the next larger customer; a few rows
    that do not fit are deleted. Row by row every name is wrong."""
    purchases = Purchases.of(original)
    month = months_of(purchases.day)
    cell = (month - month.min()) * len(purchases.persons) + purchases.person
    order = np.argsort(cell, kind="stable")
    cells, start, count = np.unique(cell[order], return_index=True, return_counts=True)
    by_size = np.lexsort((count, cells // len(purchases.persons)))
    source, names = np.arange(len(original)), np.char.add("p", cell.astype(str))
    for i, mine in enumerate(by_size.tolist()):
        near = by_size[min(i + 1, len(by_size) - 1)]
        if cells[near] // len(purchases.persons) != cells[mine] // len(purchases.persons):
            near = by_size[i - 1]
        fit = min(count[mine], count[near])
        rows = order[start[mine] : start[mine] + count[mine]]
        source[rows[:fit]] = order[start[near] : start[near] + fit]
        names[rows[fit:]] = ""
    return original.take(source).replace({"id_user": names})


def noisy(original: Transactions, share: float) -> Transactions:
    """So many items are exchanged at random, and all prices are changed."""
    rng = np.random.default_rng(1)
    item, price = original.columns["id_item"], original.columns["price"]
    mixed = np.where(rng.random(len(item)) < share, rng.permutation(item), item)
    return original.replace({"id_item": mixed, "price": price + 0.007})


def values(part, original, release):
    return [
        reading.value
        for reading in part.measure(original, release, None, rng=reading_rng()).values()
    ]


def check_tells_swaps_from_noise(original: Transactions, names: Transactions) -> None:
    swap = swapped(original)
    assert ShoppingBaselines().measure(original, swap, None, rng=reading_rng())["reid"].value < 0.02
    for release in (names, swap):
        link, verbatim = values(ContentLink(), original, release)
        assert link > 0.99
        assert verbatim > 0.99
    links = [values(ContentLink(), original, noisy(names, share))[0] for share in (0.3, 0.7, 1.0)]
    assert 0.9 < links[0] < 0.99
    assert 0.2 < links[1] < 0.6
    assert links[2] < 0.05


def test_tells_swaps_from_noise_in_the_stand_in():
    original = Retail(rows=76_000).generate(np.random.default_rng(0))
    month = months_of((original.columns["date"] // 86_400).astype(np.int32))
    names = original.columns["id_user"] * 13 + month - month.min()
    check_tells_swaps_from_noise(original, original.replace({"id_user": names}))


@pytest.mark.real_data
def test_tells_swaps_from_noise_in_the_real_data():
    check_tells_swaps_from_noise(real_transactions(), real_pseudonyms())


@pytest.mark.parametrize(("most", "looked_at"), [(None, 12), (12, 12), (11, 1)])
def test_all_baskets_are_looked_at_up_to_the_most(most, looked_at):
    data = table([record(f"p{n}", "2010-12-02", ITEMS[n % len(ITEMS)]) for n in range(12)])
    part = ContentLink(most=most)
    read = part.measure(data, data, None, rng=reading_rng())["content_link"]
    assert read.n == looked_at
