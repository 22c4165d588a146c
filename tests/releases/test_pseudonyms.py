"""The pseudonym table: read off a release beside its original, or refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from quintain.errors import SubmissionError
from quintain.kernels.purchases import Purchases
from quintain.releases.pseudonyms import pseudonym_table
from tests.measures.shopping_cases import (
    real_pseudonyms,
    real_transactions,
    record,
    releases,
    table,
    true_pseudonyms,
)


def table_of(original, release):
    return pseudonym_table(Purchases.of(table(original)), Purchases.of(table(release)))


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(releases())
def test_the_table_agrees_with_the_rows(case):
    original, release = case
    names = table_of(original, release)
    expected = true_pseudonyms(original, release)
    cells = {
        (str(names.persons[i]), str(np.datetime64(names.first_month + j, "M"))): str(
            names.pseudonyms[names.cells[i, j]]
        )
        for i, j in np.argwhere(names.live).tolist()
    }
    assert cells == expected


def test_a_month_without_rows_or_with_deleted_rows_holds_nothing():
    original = [record("a", "2010-12-01", "30"), record("a", "2011-02-01", "30")]
    names = table_of(original, [record("p", "2010-12-01", "30"), {"who": "DEL"}])
    assert names.cells.tolist() == [[0, -1, -1]]
    assert names.months == 3
    assert names.until(0).cells.tolist() == [[-1, -1, -1]]


def test_two_pseudonyms_in_one_month_are_refused_with_the_row():
    original = [record("a", "2010-12-01", "30"), record("a", "2010-12-09", "30")]
    release = [record("p", "2010-12-01", "30"), record("q", "2010-12-09", "30")]
    with pytest.raises(SubmissionError, match="a is also q in 2010-12") as refused:
        table_of(original, release)
    assert [(fault.line, fault.got) for fault in refused.value.faults] == [(1, "p")]


@pytest.mark.real_data
def test_the_real_table_has_11946_cells():
    names = pseudonym_table(Purchases.of(real_transactions()), Purchases.of(real_pseudonyms()))
    assert names.cells.shape == (4034, 13)
    assert names.live.sum(axis=0).tolist() == [
        798, 661, 686, 888, 780, 965, 912, 861, 854, 1176, 1272, 1544, 549,
    ]  # fmt: skip
