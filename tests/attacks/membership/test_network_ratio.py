"""Network ratio: the structure that it reads from a release, and what it finds with it."""

import numpy as np
import pytest

from quintain.attacks.membership.network_ratio import NetworkRatio, dependence_network
from quintain.attacks.membership.tree_ratio import TreeRatio
from quintain.data import Column, Schema, Table
from quintain.measures.privacy.roc_curve import auc
from quintain.randomness.noise import Noise
from quintain.releases import FocalPoint
from quintain.sanitizers import sanitize
from quintain.sanitizers.synthetic.privbayes import PrivBayes

SIZES = {"a": 12, "b": 10, "c": 8, "d": 4, "e": 30}
SCHEMA = Schema(
    columns=tuple(
        Column(name=name, kind="integer", low=0, high=size - 1) for name, size in SIZES.items()
    )
)


def people(rows, seed):
    """c depends on a and b together, d on c; e is alone."""
    rng = np.random.default_rng(seed)
    a, b, e = (rng.integers(SIZES[name], size=rows) for name in "abe")
    c = np.where(rng.random(rows) < 0.5, (a + b) % 8, rng.integers(8, size=rows))
    d = np.where(rng.random(rows) < 0.7, c % 4, rng.integers(4, size=rows))
    return Table(SCHEMA, {"a": a, "b": b, "c": c, "d": d, "e": e})


def network(table, parents=3):
    points = dependence_network(table, parents=parents, candidates=8, rng=np.random.default_rng(0))
    return {point.columns[0]: set(point.given) for point in points}


def area(part, release, pool, members):
    scores = part.scores(release, pool, pool, rng=np.random.default_rng(1))
    return auc(members, scores).value


def test_the_network_has_the_dependences_of_three_columns_and_no_other():
    found = network(people(4000, 0))
    tables = [{child, *given} for child, given in found.items()]
    assert {"a", "b", "c"} in tables
    assert {"c", "d"} in tables
    assert max(map(len, tables)) == 3
    assert sum("e" in table for table in tables) == 1  # every column is somewhere


def test_one_parent_each_makes_a_tree():
    found = network(people(2000, 0), parents=1)
    assert sorted(len(given) for given in found.values()) == [0, 1, 1, 1, 1]


def test_a_column_with_a_single_value_and_an_empty_release_are_no_trouble():
    one = Table(SCHEMA.select(["a"]), {"a": np.zeros(5, np.int64)})
    rng = np.random.default_rng(0)
    assert dependence_network(one, parents=4, candidates=8, rng=rng) == (FocalPoint(("a",)),)
    everybody = people(30, 0)
    scores = NetworkRatio().scores(everybody.take([]), everybody, everybody, rng=rng)
    assert (scores == 0).all()


@pytest.mark.parametrize("seed", [0, 1])
def test_it_finds_members_in_tables_of_several_columns_better_than_a_tree(seed):
    attacks = NetworkRatio(), TreeRatio()
    pool, rng = people(3000, seed), np.random.default_rng(seed)
    members = np.arange(3000) < 1500
    made = sanitize(
        PrivBayes(epsilon=1000.0), pool.take(np.flatnonzero(members)),
        rng=rng, noise=Noise.for_test(seed),
    )  # fmt: skip
    ours, tree = (area(part, made.release.data, pool, members) for part in attacks)
    assert ours > 0.7
    assert ours > tree + 0.02


def test_it_finds_nobody_in_a_release_of_strangers():
    pool, members = people(3000, 5), np.arange(3000) < 1500
    areas = [area(NetworkRatio(), people(1500, seed), pool, members) for seed in range(10, 14)]
    assert abs(np.mean(areas) - 0.5) < 0.025


def test_numbers_with_many_values_are_cut_into_bins():
    wide = Schema(columns=(*SCHEMA.columns, Column(name="f", kind="integer", low=0, high=10**6)))
    rng, table = np.random.default_rng(0), people(400, 0)
    table = Table(wide, {**table.columns, "f": rng.integers(10**6, size=400)})
    members = np.arange(400) < 200
    release = table.take(np.flatnonzero(members))
    moved = release.replace(
        {"f": np.clip(release.columns["f"] + rng.integers(-9, 9, 200), 0, None)}
    )
    assert area(NetworkRatio(), moved, table, members) > 0.9
