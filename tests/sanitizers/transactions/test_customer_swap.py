"""Customer swap: unchanged purchases in the rows of another person."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.data.sources.retail import PREPARED, Retail
from quintain.kernels.purchases import Purchases
from quintain.measures import reading_rng
from quintain.measures.privacy.content_link import ContentLink
from quintain.measures.utility.shopping import ShoppingUtility
from quintain.randomness.noise import Noise
from quintain.releases.pseudonyms import pseudonym_table
from quintain.sanitizers.transactions.cohorts import CohortCells
from quintain.sanitizers.transactions.customer_swap import blocks, circles
from tests.sanitizers.transactions.shopping_cases import both, sanitized, stand_in


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=40), st.integers(2, 9), st.integers(0, 99))
def test_blocks_are_stretches_of_a_month_ordered_by_size(sizes, size, seed):
    rng = np.random.default_rng(seed)
    month = np.sort(rng.integers(3, size=len(sizes)))
    person, start = np.arange(len(sizes)), np.zeros(len(sizes), np.int64)
    cells = CohortCells(person, month, person, start, np.array(sizes))
    block = blocks(cells, size, Noise.for_test(seed))
    for number in set(block.tolist()):
        members = np.flatnonzero(block == number)
        assert len(set(month[members].tolist())) == 1
        assert len(members) < 2 * size
        same = np.flatnonzero(month == month[members[0]])
        assert len(members) >= min(size, len(same))
        low, high = cells.size[members].min(), cells.size[members].max()
        others = np.setdiff1d(same, members)
        assert not ((cells.size[others] > low) & (cells.size[others] < high)).any()


def test_circles_visit_everybody_of_a_block():
    block = np.array([0, 1, 0, 0, 2, 1, 0])
    for seed in range(20):
        giver = circles(block, Noise.for_test(seed))
        assert (block[giver] == block).all()
        place, visited = 0, []
        for _ in range(4):
            visited.append(place)
            place = int(giver[place])
        assert sorted(visited) == [0, 2, 3, 6]
        assert (giver[1], giver[5], giver[4]) == (5, 1, 4)


def test_cells_spread_their_rows_over_prices():
    bought = Purchases.of(stand_in())
    cells = CohortCells.of(bought)
    for cell in range(0, len(cells), 7):
        rows = cells.rows[cells.start[cell] : cells.start[cell] + cells.size[cell]]
        assert (np.diff(bought.price[rows]) >= 0).all()
        for count in range(1, len(rows) + 1):
            got = cells.spread(np.array([cell]), np.array([count]))
            wanted = [rows[int((place + 0.5) * len(rows) / count)] for place in range(count)]
            assert got.tolist() == wanted


def test_rows_hold_verbatim_purchases_of_one_person_under_a_lasting_name():
    before, after = both("customer-swap", stand_in(), block=4)
    live = np.flatnonzero(after.live)
    known = Counter(_purchase(before, row) for row in range(len(before)))
    assert not Counter(_purchase(after, row) for row in live) - known
    assert all(_owners(before, after).values())


def test_nobody_keeps_their_own_purchases_if_there_is_somebody_to_swap_with():
    before, after = both("customer-swap", stand_in())
    table, owners = pseudonym_table(before, after), _owners(before, after)
    swapped = 0
    for month in range(table.months):
        active = np.flatnonzero(table.cells[:, month] >= 0)
        for person in active if len(active) > 1 else ():
            possible = owners[int(table.cells[person, month])]
            if len(possible) == 1:
                swapped += 1
                assert possible != {int(person)}
    assert swapped > 100


def test_the_content_link_sees_through_it():
    data = stand_in(customers=60, rows=4000)
    release = sanitized("customer-swap", data).data
    whole = ContentLink(by="whole").measure(data, release, None, rng=reading_rng())
    assert whole["content_link_whole"].value > 0.95
    assert ContentLink().measure(data, release, None, rng=reading_rng())["verbatim"].value > 0.95


def test_on_the_data_of_darc_utility_is_as_published(real_data):
    if not (real_data / PREPARED).is_file():
        pytest.skip(f"no {PREPARED}")
    data = Retail(real=True).load()
    readings = ShoppingUtility().measure(
        data, sanitized("customer-swap", data).data, None, rng=reading_rng()
    )
    # An independent swap of neighbours by size in blocks of 8 had E4 0.2998 and E5 0.3454.
    assert readings["E4"].value == pytest.approx(0.2998, abs=0.01)
    assert readings["E5"].value == pytest.approx(0.3454, abs=0.005)
    assert readings["E6"].value < 0.02
    assert max(readings[name].value for name in ("E1", "E2", "E3")) < 0.1


def _owners(before, after):
    """For every name the persons who made all the purchases under it."""
    buyers = {}
    for row in range(len(before)):
        buyers.setdefault(_purchase(before, row), set()).add(int(before.person[row]))
    owners = {}
    for row in np.flatnonzero(after.live):
        name, persons = int(after.person[row]), buyers[_purchase(after, row)]
        owners[name] = owners.get(name, persons) & persons
    return owners


def _purchase(bought, row):
    return tuple(getattr(bought, name)[row].item() for name in ("item", "day", "price", "quantity"))
