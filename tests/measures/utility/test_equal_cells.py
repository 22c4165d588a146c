"""Equal cells: pairs of records by number or by place, deleted and invented records."""

import numpy as np
import pytest

from quintain.data import Column, Schema, Table
from quintain.errors import PartError
from quintain.measures import EqualCells
from quintain.releases import NumberedRelease
from quintain.testing import example_table, people

ORIGINAL = people(example_table(rows=40))


def equal_cells(release, original=ORIGINAL):
    readings = EqualCells().measure(original, release, None, rng=np.random.default_rng(0))
    return readings["equal_cells"].value


def test_a_copy_repeats_every_cell_in_whatever_order_its_rows_name_their_records():
    order = np.random.default_rng(1).permutation(40)
    shuffled = NumberedRelease(ORIGINAL.take(order), order).with_numbers()
    assert equal_cells(ORIGINAL) == equal_cells(shuffled) == 1.0


def test_cells_of_deleted_records_are_lost_and_invented_records_do_not_count():
    rows = np.arange(30)
    half = NumberedRelease(ORIGINAL.take(rows), np.where(rows < 20, rows, -1)).with_numbers()
    assert equal_cells(half) == 0.5


def test_missing_values_are_equal_to_missing_values_alone():
    schema = Schema(columns=(Column(name="bmi", kind="real", low=10, high=60, nullable=True),))
    before = Table.of(schema, {"bmi": [20.5, None, None, 31.0]})
    after = Table.of(schema, {"bmi": [20.5, None, 25.0, None]})
    assert equal_cells(after, before) == 0.5


def test_a_release_whose_rows_name_nobody_is_refused():
    with pytest.raises(PartError, match="9 rows, and the original 40"):
        equal_cells(ORIGINAL.take(np.arange(9)))
    invented = NumberedRelease(ORIGINAL, np.full(40, -1)).with_numbers()
    with pytest.raises(PartError, match="no released record was made from a private one"):
        equal_cells(invented)
