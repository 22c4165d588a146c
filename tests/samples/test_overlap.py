"""Samples that overlap: any two have the same number of rows in common."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.errors import PartError
from quintain.samples import Subset
from quintain.samples.overlap import draw_rows, seats_for
from quintain.testing.examples import example_table


def drawn(population, rows, overlap, seat, seed=1):
    shared, rng = np.random.default_rng(seed), np.random.default_rng([seed, seat])
    return draw_rows(population, rows, overlap, seat, shared=shared, rng=rng)


@given(
    rows=st.integers(1, 30), seats=st.integers(2, 6), share=st.floats(0, 1), seed=st.integers(0, 99)
)
def test_any_two_samples_have_the_stated_rows_in_common(rows, seats, share, seed):
    overlap = round(share * rows)
    population = overlap + seats * (rows - overlap)
    samples = [set(drawn(population, rows, overlap, s, seed).tolist()) for s in range(seats)]
    assert {len(sample) for sample in samples} == {rows}
    assert {len(one & other) for one, other in combinations(samples, 2)} == {overlap}


def test_no_place_in_a_sample_tells_that_a_row_is_common():
    places = np.zeros(6)
    for seed in range(400):
        first, other = (drawn(40, 6, 2, seat, seed) for seat in (0, 1))
        places += np.isin(first, other)
    assert places.sum() == 800
    assert abs(places - 400 / 3).max() < 50  # five standard deviations


def test_a_population_that_is_too_small_is_refused_with_the_numbers():
    assert seats_for(100, rows=30, overlap=10) == 4
    message = "5 samples of 30 records with 10 in common need 110 records; the population has 100"
    with pytest.raises(PartError, match=message):
        drawn(100, 30, 10, 4)
    with pytest.raises(PartError, match="cannot have 40 in common"):
        drawn(100, 30, 40, 0)


def test_the_design_draws_members_from_both_parts():
    table = example_table(rows=200)
    design = Subset(rows=40, overlap=15)
    samples = [
        design.draw_seat(
            table, seat, shared=np.random.default_rng(5), rng=np.random.default_rng(seat)
        )
        for seat in (0, 1)
    ]
    both = samples[0].members & samples[1].members
    assert both.sum() == design.common == 15
    assert design.seats(200) == 7 and Subset(rows=40).seats(200) is None
    for sample in samples:
        assert set(np.flatnonzero(sample.members)) == set(sample.private_rows)


def test_more_in_common_than_rows_is_a_fault():
    with pytest.raises(ValueError, match="overlap is 41, more than a sample of 40 rows has"):
        Subset(rows=40, overlap=41)


def test_designs_without_it_keep_their_bytes():
    assert "overlap" not in Subset(rows=3).spec()
