"""The order of the released rows: told if it follows the original, and no attack lives on it."""

import numpy as np
import pytest

from quintain.audits.checks.order import row_order, sorted_strata
from quintain.audits.release import audit_release
from quintain.audits.report import notebook_view, release_page
from quintain.data import Table
from tests.audits.audit_tables import people, three


def noisy(table, rng):
    """Every number moved a little, row by row."""
    age = np.clip(table.columns["age"] + rng.integers(-3, 4, len(table)), 0, 99)
    return Table(table.schema, {**table.columns, "age": age})


@pytest.mark.parametrize("seed", range(3))
def test_rows_that_stay_in_place_are_seen(seed):
    table, rng = people(200, seed), np.random.default_rng(seed)
    found = row_order(table, noisy(table, rng), rng=rng)
    assert found.alarm
    assert found.p == 0.001
    assert found.correlation.low > 0.5
    assert "shuffle before you publish" in found.says
    backwards = noisy(table, rng).take(np.arange(200)[::-1])
    assert row_order(table, backwards, rng=rng).correlation.high < -0.5
    half = noisy(table, rng).take(np.flatnonzero(rng.random(200) < 0.5))
    assert row_order(table, half, rng=rng).alarm


def test_shuffled_rows_and_strangers_raise_no_alarm():
    rng = np.random.default_rng(0)
    for seed in range(10):
        table = people(200, seed)
        for release in (table.take(rng.permutation(200)), people(200, seed + 100)):
            found = row_order(table, release, rng=rng)
            assert not found.alarm
            assert "shuffle" not in found.says


def test_rows_that_are_sorted_by_their_own_values_tell_nothing():
    """Original and release are sorted alike; the order follows from what the rows say."""
    rng = np.random.default_rng(1)
    table = people(300, seed=3)
    table = table.take(np.argsort(table.columns["age"], kind="stable"))
    moved = noisy(table, rng)
    by_age = moved.take(np.lexsort((rng.random(300), moved.columns["age"])))
    assert not row_order(table, by_age, rng=rng).alarm
    town = table.columns["town"]
    blocks = table.take(np.lexsort((rng.random(300), (town * 7 + 3) % 10)))
    assert not row_order(table, blocks, rng=rng).alarm
    assert row_order(table, table.take(table.order()), rng=rng) is None
    # Within an age, the rows of the original stand in their order: that tells.
    assert row_order(table, table, rng=rng).alarm


def test_the_columns_that_sort_a_table_are_found_one_after_the_other():
    table = people(100)
    order = np.lexsort((table.columns["town"], table.columns["sex"]))
    strata = sorted_strata(table.take(order))
    pairs = table.columns["sex"] * 10 + table.columns["town"]
    assert strata.max() + 1 == len(np.unique(pairs))
    assert not sorted_strata(table).any()


def test_few_rows_say_nothing():
    table = people(10)
    assert row_order(table, table, rng=np.random.default_rng(0)) is None


@pytest.mark.slow
def test_the_report_says_so():
    original, _, control = three(60)
    release = noisy(original, np.random.default_rng(0))
    audit = audit_release(original, release, control, permutations=19)
    assert audit.order.alarm
    page = release_page(audit)
    front = page.split('<section class="front"')[1].split("</section>")[0]
    assert "The order of the rows tells who is who: shuffle before you publish." in front
    assert audit.order.says in page
    assert "shuffle before you publish" in notebook_view(audit)
    quiet = audit_release(original, people(60, seed=7), control, permutations=19)
    assert "No sign of it was found." in release_page(quiet)


@pytest.mark.slow
def test_equally_near_records_are_not_chosen_by_their_place():
    """Copies of original and control: whose rows come first must not matter to any attack."""
    original, _, control = (table.drop("income") for table in three(80, seed=3))
    for first, second in ((original, control), (control, original)):
        audit = audit_release(original, first.concat(second), control, permutations=99)
        assert audit.p > 0.05
