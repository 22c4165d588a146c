"""Tests of a few people, beside all orders, all urns and all labellings of small ones."""

from itertools import combinations, permutations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.measures.pooled.tail_tests import (
    leading_members,
    repetition_chance,
    run_chance,
    shortest_run,
)


@pytest.mark.parametrize(("n", "m"), [(3, 3), (4, 2), (1, 5)])
def test_a_run_is_as_probable_as_among_all_labellings(n, m):
    scores = np.arange(n + m, 0, -1.0)
    runs = []
    for inside in combinations(range(n + m), n):
        members = np.isin(np.arange(n + m), inside)
        runs.append(leading_members(scores, members))
        slow = next((place for place in range(n + m) if not members[place]), n + m)
        assert runs[-1] == slow
    for run in range(n + 2):
        assert run_chance(run, n, m) == pytest.approx(np.mean(np.array(runs) >= run))


@given(st.lists(st.integers(0, 3), min_size=2, max_size=8), st.integers(1, 7))
def test_equal_scores_never_lengthen_a_run(values, n):
    scores = np.array(values, float)
    members = np.arange(len(scores)) < min(n, len(scores) - 1)
    slow = (
        min(
            next(place for place, person in enumerate(order) if not members[person])
            for order in permutations(range(len(scores)))
            if all(
                a >= b for a, b in zip(scores[list(order)], scores[list(order)][1:], strict=False)
            )
        )
        if len(scores) <= 6
        else None
    )
    assert slow is None or leading_members(scores, members) == slow
    assert leading_members(scores + 7, members) == leading_members(scores, members)


@given(st.integers(1, 60), st.integers(0, 60), st.floats(1e-4, 0.5))
def test_the_shortest_run_is_the_first_that_is_rare_enough(n, m, level):
    rare = [run for run in range(1, n + 1) if run_chance(run, n, m) <= level]
    assert shortest_run(n, m, level) == (rare[0] if rare else None)


@given(st.integers(1, 5), st.integers(0, 5), st.integers(0, 4), st.integers(0, 4))
def test_a_repetition_is_as_probable_as_among_all_urns(copies, near, more_people, more_records):
    people, released = near + more_people, copies + more_records
    alike = near + copies
    ways = [comb(released, x) * comb(people, alike - x) for x in range(alike + 1)]
    slow = sum(ways[copies:]) / sum(ways[1:])
    assert repetition_chance(copies, near, people, released) == pytest.approx(slow)


@given(st.integers(1, 40), st.integers(1, 20), st.integers(100, 900), st.integers(100, 900))
def test_more_copies_are_rarer_and_more_neighbours_explain_more(copies, near, people, released):
    p = repetition_chance(copies, near, people, released)
    assert 0 <= p <= 1
    assert repetition_chance(copies + 1, near, people, released) <= p + 1e-12
    assert repetition_chance(copies, near + 1, people, released) >= p - 1e-12
    assert repetition_chance(0, near, people, released) == 1.0
