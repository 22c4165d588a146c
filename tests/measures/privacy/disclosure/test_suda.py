"""SUDA beside published examples, and beside a search of all sets of columns."""

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quintain as q
from quintain.kernels.minimal_uniques import count_sets, minimal_uniques
from quintain.measures.privacy.disclosure.suda import affordable, dis, dis_suda, suda_scores

# Templ, Statistical Disclosure Control for Microdata (2017), the example of SUDA, whose scores the
# tests of sdcMicro repeat: (4, 2, 6, 8) for the last four rows.
BOOK = {
    "age": [*["20s"] * 7, "60s"],
    "sex": [*["male"] * 4, *["female"] * 3, "male"],
    "income": [*["50k+"] * 2, *["50k-"] * 6],
    "education": [*["highschool"] * 4, "university", "highschool", "middleschool", "university"],
}
# World Bank, SDC Practice Guide, "Measuring risk", the table of SUDA and DIS-SUDA scores.
GUIDE = {
    "residence": [*["Urban"] * 4, "Rural", *["Urban"] * 5],
    "gender": ["F", "F", "F", "M", "F", "M", "F", "M", "F", "F"],
    "education": ["si", "si", "pi", "sc", "sc", "sc", "pc", "ps", "si", "si"],
    "labor": ["E", "E", "N", "E", "U", "E", "N", "U", "N", "N"],
}
GUIDE_SCORES = [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]
GUIDE_DIS_SUDA = [0, 0, 0.0051, 0, 0.0107, 0, 0.0051, 0.0088, 0, 0]


def codes(columns):
    return np.column_stack([pd.factorize(np.array(column))[0] for column in columns.values()])


def test_the_scores_of_the_book_come_out():
    found = minimal_uniques(codes(BOOK), 3)
    assert suda_scores(found, 4).tolist()[4:] == [4, 2, 6, 8]


def test_the_scores_of_the_practice_guide_come_out():
    assert suda_scores(minimal_uniques(codes(GUIDE), 3), 4).tolist() == GUIDE_SCORES


def test_the_dis_suda_scores_of_the_practice_guide_come_out():
    # The guide deals DIS out by the scores of an older sdcMicro, which weighs a set of k of n
    # columns by (2^(n-k) - 1) k! (n-k)! / n!.
    found = minimal_uniques(codes(GUIDE), 3)
    weights = [
        (2 ** (4 - k) - 1) * math.factorial(k) * math.factorial(4 - k) / math.factorial(4)
        for k in (1, 2, 3)
    ]
    shares = dis_suda(found @ np.array(weights), dis(4, 3, 0.01), 4, 4)
    assert shares.round(4).tolist() == GUIDE_DIS_SUDA


def test_the_measure_reads_the_highest_scores_of_the_file():
    release = pd.DataFrame(GUIDE)
    readings = q.measure("suda", release, release, fraction=0.01)
    assert readings["special_uniques"].value == 0.4
    assert readings["suda_highest"].value == 12
    assert readings["dis"].value == pytest.approx(0.04 / 5.98)
    assert readings["dis_suda_highest"].value > readings["dis"].value
    assert readings["special_uniques"].n == 10


def test_without_a_population_dis_is_not_measured():
    release = pd.DataFrame(GUIDE)
    assert "how large the population is" in q.measure("suda", release, release)["dis"].note


def test_a_file_without_pairs_is_matched_with_certainty():
    # So many rows that are alone and no pair: by this estimate, everybody is in the sample.
    assert dis(5, 0, 0.01) == 1
    assert dis_suda(np.array([6.0, 0.0, 2.0]), 1.0, 5, 4).tolist() == [1, 0, 1]


def search_all(rows, most):
    """Minimal uniques by their definition, row by row."""
    width = len(rows[0])
    out = []
    for row in rows:
        alone = []
        for size in range(1, most + 1):
            for chosen in combinations(range(width), size):
                if any(set(part) <= set(chosen) for part in alone):
                    continue
                values = Counter(tuple(other[i] for i in chosen) for other in rows)
                if values[tuple(row[i] for i in chosen)] == 1:
                    alone.append(chosen)
        out.append([sum(len(part) == size for part in alone) for size in range(1, most + 1)])
    return out


@given(
    st.integers(1, 5).flatmap(
        lambda width: st.lists(
            st.lists(st.integers(0, 2), min_size=width, max_size=width), min_size=1, max_size=12
        )
    ),
    st.integers(1, 4),
)
def test_minimal_uniques_are_those_of_a_search_of_all_sets(rows, most):
    assert minimal_uniques(np.array(rows), most).tolist() == search_all(rows, most)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.integers(1, 3))
def test_a_row_that_repeats_is_no_special_unique(values, most):
    doubled = np.array([[v, v % 3, v % 2] for v in (*values, *values)])
    assert not minimal_uniques(doubled, most).any()


def test_wide_rows_are_compared_whole():
    # Six columns of 1,500 values have more combinations than a number of 64 bits can count.
    rng = np.random.default_rng(0)
    half = np.column_stack([rng.permutation(1500) for _ in range(6)])
    twice = np.concatenate([half, half])
    assert not minimal_uniques(twice, 6).any()
    twice[-1, 5] = 1500
    found = minimal_uniques(twice, 6)
    assert found[[1499, 2999], 0].tolist() == [1, 1]
    assert found.sum() == 2


def test_large_tables_are_searched_in_smaller_sets_and_the_reading_says_so(monkeypatch):
    assert affordable(10_000, 12, 3) == 3
    assert affordable(10**9, 12, 3) == 0
    assert count_sets(4, 2) == 10
    monkeypatch.setattr("quintain.measures.privacy.disclosure.suda._CELLS", 100)
    release = pd.DataFrame(GUIDE)
    reading = q.measure("suda", release, release)["special_uniques"]
    assert reading.note == "sets of at most 2 columns, to save time"
    monkeypatch.setattr("quintain.measures.privacy.disclosure.suda._CELLS", 10)
    assert "too large" in q.measure("suda", release, release)["special_uniques"].note
