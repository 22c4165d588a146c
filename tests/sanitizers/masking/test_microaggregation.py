"""Microaggregation: groups of at least k, by MDAV or column by column."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.sanitizers.masking.microaggregation import blocks_of, mdav
from tests.sanitizers.masking.masking_cases import masked, persons


def slow_mdav(points, k):
    """MDAV as the paper states it, with lists; among equal records the first wins."""
    left = list(range(len(points)))
    groups = []

    def distance(a, b):
        return sum((x - y) ** 2 for x, y in zip(a, b, strict=True))

    def farthest(rows, from_):
        return max(rows, key=lambda row: (distance(points[row], from_), -row))

    def nearest(rows, to):
        return sorted(rows, key=lambda row: (distance(points[row], to), row))[:k]

    def centre(rows):
        return np.array([points[row] for row in rows]).T.copy().mean(axis=1)

    while len(left) >= 3 * k:
        first = farthest(left, centre(left))
        near = nearest(left, points[first])
        others = [row for row in left if row not in near]
        second = farthest(others, points[first])
        groups += [near, nearest(others, points[second])]
        left = [row for row in others if row not in groups[-1]]
    if len(left) >= 2 * k:
        near = nearest(left, points[farthest(left, centre(left))])
        groups.append(near)
        left = [row for row in left if row not in near]
    return {frozenset(group) for group in [*groups, left]}


def as_sets(group):
    return {frozenset(np.flatnonzero(group == g).tolist()) for g in np.unique(group)}


@given(st.integers(1, 60), st.integers(1, 3), st.integers(2, 6), st.integers(0, 10**6))
def test_mdav_is_that_of_the_paper(rows, columns, k, seed):
    points = np.random.default_rng(seed).normal(size=(columns, rows))
    assert as_sets(mdav(points, k)) == slow_mdav(points.T.tolist(), k)


@given(st.integers(1, 60), st.integers(2, 6), st.integers(0, 10**6))
def test_groups_have_k_records_however_many_are_equal(rows, k, seed):
    points = np.random.default_rng(seed).integers(0, 3, size=(2, rows)).astype(float)
    for group in (mdav(points, k), blocks_of(points[0], k)):
        sizes = np.bincount(group)
        assert sizes.sum() == rows
        assert sizes.min() >= min(k, rows)
        assert sizes.max() <= 2 * k - 1


def test_records_get_the_mean_of_their_group():
    data = persons(200)
    after, release = masked("microaggregation", data, columns=["age", "weight"], k=5)
    points = np.stack([data.numbers("age"), data.columns["weight"]])
    group = mdav((points - points.mean(axis=1, keepdims=True)) / points.std(axis=1)[:, None], 5)
    for number in np.unique(group):
        inside = group == number
        mean = data.columns["weight"][inside].mean()
        assert after.columns["weight"][inside] == pytest.approx(np.full(inside.sum(), mean))
        ages = after.numbers("age")[inside]
        assert (ages == np.rint(data.numbers("age")[inside].mean())).all()
    assert release.claim is None
    assert release.methods[0].name == "microaggregation"


def test_together_a_combination_of_values_is_shared_by_k_records():
    after, _ = masked("microaggregation", persons(500), columns=["age", "weight"], k=7)
    assert np.bincount(after.select(["age", "weight"]).row_keys()).min() >= 7


def test_column_by_column_less_is_lost():
    data = persons(500)
    loss = {}
    for together in (True, False):
        after, _ = masked(
            "microaggregation", data, columns=["age", "weight"], k=7, together=together
        )
        loss[together] = ((after.columns["weight"] - data.columns["weight"]) ** 2).sum()
        assert after.columns["weight"].mean() == pytest.approx(data.columns["weight"].mean())
    assert loss[False] < loss[True] < data.columns["weight"].var() * 500


def test_the_mean_is_that_of_the_numbers_that_are_present():
    schema = Schema(columns=(Column(name="id", kind="real", nullable=True),))
    table = Table.of(schema, {"id": [1.0, 2.0, None, 8.0, None, None]})
    after, _ = masked("microaggregation", table, k=3, together=False)
    # Sorted with the missing numbers last: 1, 2 and 8, then nothing but missing numbers.
    numbers = after.columns["id"]
    assert np.sort(numbers)[:3].tolist() == [11 / 3] * 3
    assert np.isnan(numbers).sum() == 3


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("k", [2, 5])
def test_groups_with_missing_numbers_still_have_k_alike_records(k, together):
    data = persons(200).replace({"weight": np.where(np.arange(200) % 3, 70.0, np.nan)})
    data = data.select(["id", "left", "weight", "age"])
    schema = data.schema.model_copy(
        update={"columns": tuple(c.model_copy(update={"nullable": c.name != "id"})
                                 for c in data.schema.columns)}
    )  # fmt: skip
    table = Table(schema, data.columns)
    names = ["left", "weight", "age"]
    after, _ = masked("microaggregation", table, k=k, together=together, columns=names)
    for chosen in [names] if together else [[name] for name in names]:
        keys = after.select(chosen).row_keys()
        assert np.bincount(keys).min() >= k
