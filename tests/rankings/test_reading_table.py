"""The table of readings: the same cells as a plain mapping, as arrays."""

import math

import pytest
from hypothesis import given, settings

from quintain.measures import Reading
from quintain.rankings.reading_table import ReadingTable
from quintain.testing.strategies import results

HIGH = Reading(value=0.5, low=0.25, high=0.75, n=8, better="lower", method="exact")
LOW = Reading.exact(0.125, 4, "lower")
UNKNOWN = Reading.missing("lower", "all targets are of one class")


def plain(cells):
    return {pair: {name: repr(r) for name, r in cell.items()} for pair, cell in cells.items()}


@pytest.mark.slow
@settings(deadline=None)
@given(results(measures=("auc", "hit_rate")))
def test_a_table_holds_the_cells_it_was_made_from(held):
    table = ReadingTable.of(held.cells)
    assert plain(table) == plain(held.cells)
    assert len(table) == len(held.cells)
    assert set(table) == set(held.cells)


def test_a_cell_that_is_replaced_leaves_the_others_as_they_are():
    table = ReadingTable.of({("e", "a"): {"auc": HIGH}, ("f", "a"): {"auc": LOW}})
    after = table.change(("f", "e"), ("a", "b"), {("e", "b"): {"auc": LOW, "hit_rate": HIGH}})
    assert dict(after["e", "a"]) == {"auc": HIGH}
    assert dict(after["f", "a"]) == {"auc": LOW}
    assert dict(after["e", "b"]) == {"auc": LOW, "hit_rate": HIGH}
    assert ("f", "b") not in after
    assert after.reading("e", "nobody", "auc") is None


def test_words_that_no_reading_uses_are_dropped():
    table = ReadingTable.of({("e", "a"): {"auc": UNKNOWN}})
    after = table.change(("e",), ("a",), {("e", "a"): {"auc": LOW}})
    assert [words.method for words in after.words] == ["exact"]
    assert after.reading("e", "a", "auc") == LOW


def test_a_grid_has_a_row_per_entry_and_a_column_per_contestant():
    cells = {("e", "a"): {"auc": HIGH}, ("f", "a"): {"auc": UNKNOWN}, ("f", "b"): {"auc": LOW}}
    grid = ReadingTable.of(cells).grid("auc", ("f", "e"), ("b", "a", "nobody"))
    assert grid.n.tolist() == [[4, 0, 0], [0, 8, 0]]
    assert grid.attacked.tolist() == [[True, True, False], [False, True, False]]
    assert grid.measured.tolist() == [[True, False, False], [False, True, False]]
    assert (grid.low[1, 1], grid.high[1, 1]) == (0.25, 0.75)
    assert math.isnan(grid.value[0, 1])
