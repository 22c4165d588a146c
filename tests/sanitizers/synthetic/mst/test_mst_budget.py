"""MST: what it spends and claims, and the tree it chooses."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.accounting.budget import Budget
from quintain.accounting.zcdp import rho_for
from quintain.errors import Rejected
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.releases import FocalPoint
from quintain.sanitizers.synthetic import mst
from quintain.sanitizers.synthetic.mst import Mst
from quintain.testing import example_table, people
from tests.sanitizers.synthetic.model_cases import Recorder
from tests.sanitizers.synthetic.mst.mst_cases import preserved, released, table

# --- what it spends and claims --------------------------------------------------------------------


def test_the_claim_is_epsilon_and_delta_for_one_record_more_or_less():
    claim = released(table(3, 3, 3), epsilon=0.7, delta=1e-6).claim
    assert (claim.epsilon, claim.delta, claim.neighbours) == (0.7, 1e-6, "add-remove")
    assert Mst().delta == 1e-9


@pytest.mark.parametrize("columns", [1, 2, 3, 8])
def test_the_costs_of_the_steps_add_up_to_the_budget(columns):
    noise = Recorder()
    released(table(*[3] * columns), noise=noise, epsilon=2.0, delta=1e-6)
    # One record changes one cell of each table by one: 1 / (2 sigma**2) each. A private choice
    # costs epsilon**2 / 8.
    spent = sum(1 / (2 * sigma**2) for sigma, _ in noise.gaussians)
    spent += sum(epsilon**2 / 8 for _, epsilon, _ in noise.choices)
    assert spent == pytest.approx(rho_for(2.0, 1e-6))
    assert len(noise.gaussians) == 2 * columns - 1
    assert all(sensitivity == 1.0 for *_, sensitivity in noise.choices)


def test_each_step_gets_a_third():
    noise = Recorder()
    released(table(4, 4, 4, 4), noise=noise, epsilon=1000.0)
    third = rho_for(1000.0, 1e-9) / 3
    one, two = math.sqrt(4 / (2 * third)), math.sqrt(3 / (2 * third))
    assert [sigma for sigma, _ in noise.gaussians] == pytest.approx([one] * 4 + [two] * 3)
    assert [size for _, size in noise.gaussians] == [4] * 4 + [16] * 3
    # Six pairs to begin with; then five, then three or four, without those that close a cycle.
    assert [count for count, *_ in noise.choices][:2] == [6, 5]
    assert [e for _, e, _ in noise.choices] == pytest.approx([math.sqrt(8 * third / 3)] * 3)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6))
def test_one_record_moves_a_score_by_at_most_one(seed):
    # The scores are functions of the private counts and of what was published before.
    data = table(4, 3, 5, rows=30, seed=seed)
    full = Mst()._count(data, Budget(1.0), Noise.for_test(seed))
    fewer = replace(full, codes={name: codes[1:] for name, codes in full.codes.items()})
    pairs = [("c0", "c1"), ("c0", "c2"), ("c1", "c2")]
    with_, without = (mst._scores(columns, pairs) for columns in (full, fewer))
    assert np.abs(with_ - without).max() <= 1 + 1e-9


@pytest.mark.parametrize(
    ("epsilon", "words"),
    [
        (0, "greater than 0"),
        (-1, "greater than 0"),
        (math.inf, "finite number"),
        (math.nan, "finite number"),
        (1e6, "less than 1000000"),
    ],
)
def test_an_invalid_epsilon_is_refused(epsilon, words):
    with pytest.raises(Rejected, match=f"epsilon=.*{words}"):
        build("sanitizer", {"use": "mst", "epsilon": epsilon})


@pytest.mark.parametrize("delta", [0, 1, -1e-9, math.nan])
def test_an_invalid_delta_is_refused(delta):
    with pytest.raises(Rejected, match="delta="):
        build("sanitizer", {"use": "mst", "delta": delta})


def test_the_number_of_records_is_not_the_secret_one():
    data = people(example_table())
    sizes = {len(released(data, epsilon=0.5, seed=seed).data) for seed in range(10)}
    assert len(sizes) > 5
    assert abs(len(released(data, epsilon=1000.0).data) - len(data)) <= 1


# --- the tree -------------------------------------------------------------------------------------


def test_the_tree_joins_the_columns_that_depend():
    points = preserved(table(4, 4, 4, 4, 4, rows=3000), epsilon=10.0)
    assert points == tuple(FocalPoint((f"c{i}", f"c{i + 1}")) for i in range(4))


def test_the_tree_spans_all_columns_and_its_edges_are_sorted():
    points = preserved(table(*[3] * 9, rows=100), epsilon=0.01)
    assert len(points) == 8
    assert all(point.columns == tuple(sorted(point.columns)) for point in points)
    group = {f"c{i}": {f"c{i}"} for i in range(9)}
    for point in points:
        one, other = (group[name] for name in point.columns)
        assert one is not other, "a cycle"
        one |= other
        group.update(dict.fromkeys(one, one))
    assert set().union(*group.values()) == {f"c{i}" for i in range(9)}


def test_the_structure_alone_is_that_of_the_release():
    data = table(3, 4, 5, 6)
    data = data.take(data.order())
    for seed in range(5):
        alone = Mst(epsilon=1.0).structure(data, noise=Noise.for_test(seed))
        assert alone == preserved(data, epsilon=1.0, seed=seed)


def test_with_much_noise_every_tree_is_possible():
    data = table(3, 3, 3)
    seen = {Mst(epsilon=1e-3).structure(data, noise=Noise.for_test(s)) for s in range(40)}
    assert len(seen) == 3
