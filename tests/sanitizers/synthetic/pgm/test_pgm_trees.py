"""Domains, factors, junction trees and levels of graphical models."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

from quintain.errors import PartError
from quintain.sanitizers.synthetic.pgm import (
    Domain,
    Factor,
    JunctionTree,
    Levels,
    Measurement,
    estimate,
)
from quintain.sanitizers.synthetic.pgm.junction_tree import CliqueSearch
from tests.sanitizers.synthetic.pgm.pgm_cases import QUICK, SEEDS, shapes, slow_cliques

# --- domain, factor -------------------------------------------------------------------------------


def test_a_domain_is_checked():
    with pytest.raises(ValueError, match="no column may appear twice"):
        Domain(("a", "a"), (2, 2))
    with pytest.raises(ValueError, match="at least one value"):
        Domain.of({"a": 0})


@QUICK
@given(SEEDS)
def test_factors_multiply_and_sum_like_tables(seed):
    rng = np.random.default_rng(seed)
    one, other = rng.random((2, 3)), rng.random((4, 2))
    product = Factor(("a", "b"), np.log(one)) + Factor(("c", "a"), np.log(other))
    assert product.columns == ("a", "b", "c")
    np.testing.assert_allclose(product.exp(), np.einsum("ab,ca->abc", one, other))
    np.testing.assert_allclose(product.sum_to(("c", "b")).exp(), np.einsum("ab,ca->cb", one, other))
    back = product - Factor(("c", "a"), np.log(other))
    np.testing.assert_allclose(back.exp()[:, :, 0], one)


def test_zeros_stay_zeros():
    with np.errstate(divide="ignore"):
        factor = Factor(("a", "b"), np.log([[0.0, 0.0], [1.0, 0.0]]))
    assert factor.sum_to(("a",)).exp().tolist() == [0.0, 1.0]
    assert (factor - factor.sum_to(("a",))).exp().tolist() == [[0.0, 0.0], [1.0, 0.0]]


# --- junction tree --------------------------------------------------------------------------------


@QUICK
@given(shapes(max_columns=7))
def test_a_junction_tree_contains_every_clique_and_has_running_intersections(shape):
    domain, cliques = shape
    tree = JunctionTree.build(domain, cliques)
    assert all(tree.home(clique) >= 0 for clique in cliques)
    assert set().union(*tree.cliques) == set(domain.names)
    for one, other in combinations(tree.cliques, 2):
        assert not set(one) <= set(other)
        assert not set(other) <= set(one)
    assert tree.parents[0] == -1
    assert all(0 <= parent < number for number, parent in enumerate(tree.parents) if number)
    # Running intersection: the cliques with a column are connected, so all but one of them share
    # it with their parent.
    for name in domain.names:
        having = [i for i, clique in enumerate(tree.cliques) if name in clique]
        assert sum(name in tree.separators[i] for i in having) == len(having) - 1


@QUICK
@given(shapes(max_columns=25, most_cliques=40))
def test_cliques_are_found_as_if_every_cost_was_computed_again(shape):
    domain, cliques = shape
    search = CliqueSearch(domain, cliques[1:])
    before = search.cliques()
    assert before == slow_cliques(domain, cliques[1:])
    after = slow_cliques(domain, cliques)
    cells = sum(domain.cells(clique) for clique in after)
    assert search.cells_with(cliques[0], most_cells=cells) == cells
    assert search.cells_with(cliques[0], most_cells=cells - 1) == cells
    assert search.cliques() == before
    search.add(cliques[0])
    assert search.cliques() == after


def test_a_tree_is_not_filled_in_and_a_cycle_is_cut():
    domain = Domain.of(dict.fromkeys("abcde", 2))
    chain = JunctionTree.build(domain, [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")])
    assert sorted(chain.cliques) == [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")]
    square = JunctionTree.build(domain, [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")])
    assert sorted(len(clique) for clique in square.cliques) == [1, 3, 3]


def test_a_cycle_is_cut_where_tables_stay_smaller():
    domain = Domain.of({"a": 2, "b": 50, "c": 2, "d": 50})
    square = JunctionTree.build(domain, [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")])
    assert sorted(square.cliques) == [("a", "b", "c"), ("a", "c", "d")]


def test_a_model_that_does_not_fit_into_memory_is_refused():
    domain = Domain.of(dict.fromkeys("abcd", 1000))
    measured = [
        Measurement.of(pair, np.ones((1000, 1000)), 1.0) for pair in (("a", "b"), ("b", "c"))
    ]
    with pytest.raises(
        PartError, match=r"join a, b in one table, .* 1,001,000 cells.*the limit is 500,000;"
    ):
        estimate(measured, domain, most_cells=500_000)
    with pytest.raises(
        PartError, match=r"join a, b, c in one table, .* 1,000,001,000 cells or more"
    ):
        JunctionTree.build(domain, [("a", "b"), ("b", "c"), ("a", "c")])


# --- levels ---------------------------------------------------------------------------------------


@QUICK
@given(SEEDS)
def test_levels_merge_rare_values_and_separate_them_again(seed):
    rng = np.random.default_rng(seed)
    counts = rng.normal(10, 20, int(rng.integers(1, 12)))
    levels = Levels.of(counts, least=15.0)
    codes = rng.integers(len(counts), size=200)
    merged = levels.merge(codes)
    assert merged.max() < levels.count <= len(counts)
    parted = levels.expand(merged, rng)
    common = np.isin(codes, levels.kept)
    assert (parted[common] == codes[common]).all()
    assert np.isin(parted[~common], levels.rare).all()
    m = levels.merge_counts("a", counts, 2.0)
    assert m.counts.sum() == pytest.approx(counts.sum())
    assert m.variance.sum() == pytest.approx(2.0 * len(counts))


def test_rare_values_are_separated_by_their_noisy_counts():
    levels = Levels.of(np.array([100.0, 6.0, 2.0, -8.0]), least=10.0)
    assert levels.count == 2
    drawn = levels.expand(np.ones(700, np.int64), np.random.default_rng(0))
    # The nearest counts to 6, 2, -8 that are not negative and sum up to 1 are 1, 0, 0.
    assert np.bincount(drawn, minlength=4).tolist() == [0, 700, 0, 0]
    levels = Levels.of(np.array([100.0, 6.0, 2.0, 2.0]), least=10.0)
    drawn = levels.expand(np.ones(1000, np.int64), np.random.default_rng(0))
    assert np.bincount(drawn, minlength=4).tolist() == [0, 600, 200, 200]


def test_a_single_rare_value_keeps_its_level():
    assert Levels.of(np.array([100.0, 1.0]), least=10.0).count == 2
