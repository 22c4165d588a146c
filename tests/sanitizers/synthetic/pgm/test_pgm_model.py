"""Graphical models: propagation, marginals, and records drawn by rounding, against joint tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.errors import PartError
from quintain.sanitizers.synthetic.pgm import (
    Domain,
    Factor,
    GraphicalModel,
    JunctionTree,
    Measurement,
    estimate,
)
from quintain.sanitizers.synthetic.pgm.propagation import propagate
from quintain.sanitizers.synthetic.pgm.rounding import draw_given, round_rows
from tests.sanitizers.synthetic.pgm.pgm_cases import QUICK, SEEDS, joint_of, shapes, summed

# --- propagation and the model --------------------------------------------------------------------


@st.composite
def models(draw):
    domain, cliques = draw(shapes())
    rng = np.random.default_rng(draw(SEEDS))
    tree = JunctionTree.build(domain, cliques)
    potentials = tuple(Factor(c, rng.normal(0, 2, domain.shape(c))) for c in tree.cliques)
    return GraphicalModel(domain, 100.0, tree, potentials)


@QUICK
@given(models())
def test_propagation_gives_the_marginals_of_the_joint(model):
    joint = joint_of(model)
    beliefs, log_total = propagate(model.tree, model.potentials)
    for clique, belief in zip(model.tree.cliques, beliefs, strict=True):
        np.testing.assert_allclose(
            100 * belief.exp(), summed(joint, model.domain, clique), atol=1e-9
        )
    scaled = GraphicalModel(
        model.domain,
        100.0,
        model.tree,
        (model.potentials[0].shifted(1.5), *model.potentials[1:]),
    )
    assert propagate(model.tree, scaled.potentials)[1] == pytest.approx(log_total + 1.5)


@QUICK
@given(models(), st.data())
def test_any_marginal_can_be_computed(model, data):
    names = st.lists(st.sampled_from(model.domain.names), unique=True)
    columns = tuple(data.draw(names))
    expected = summed(joint_of(model), model.domain, columns)
    np.testing.assert_allclose(model.marginal(columns), expected, atol=1e-9)


def test_a_marginal_that_is_too_large_or_unknown_is_refused():
    domain = Domain.of({"a": 100, "b": 100, "c": 100})
    model = estimate([Measurement.of((n,), np.ones(100), 1.0) for n in "abc"], domain)
    with pytest.raises(
        PartError, match="a marginal of a, b, c has 1,000,000 cells; the limit is 20,000"
    ):
        model.marginal("abc", most_cells=20_000)
    with pytest.raises(ValueError, match="unknown columns: z; available: a, b, c"):
        model.marginal("az")


@QUICK
@given(models())
def test_a_model_survives_its_arrays(model):
    again = GraphicalModel.from_arrays(model.domain, model.arrays())
    one, other = (m.sample(50, np.random.default_rng(1)) for m in (model, again))
    assert list(one) == list(model.domain.names)
    assert all(np.array_equal(one[name], other[name]) for name in one)


@QUICK
@given(models(), st.sampled_from([0, 1, 20_000]))
def test_records_follow_the_model(model, rows):
    drawn = model.sample(rows, np.random.default_rng(0))
    assert all(len(codes) == rows for codes in drawn.values())
    for clique in model.tree.cliques:
        counts = np.zeros(model.domain.shape(clique))
        np.add.at(counts, tuple(drawn[name] for name in clique), 1)
        # Rounding is off by less than one for each column drawn and each value it is drawn for;
        # independent draws would miss by a hundred or so.
        gap = np.abs(counts - rows / 100 * model.marginal(clique))
        assert gap.max(initial=0) <= 40


# --- rounding -------------------------------------------------------------------------------------


@QUICK
@given(SEEDS)
def test_rounded_counts_are_the_expected_ones_up_or_down(seed):
    rng = np.random.default_rng(seed)
    weights = rng.gamma(0.5, size=(rng.integers(1, 6), rng.integers(1, 6)))
    totals = rng.integers(0, 50, len(weights))
    counts = round_rows(weights, totals, rng)
    assert (counts.sum(axis=1) == totals).all()
    expected = totals[:, None] * weights / weights.sum(axis=1, keepdims=True)
    assert (np.abs(counts - expected) < 1 + 1e-9).all()


def test_rounding_is_right_on_average():
    weights, totals = np.array([[0.2, 0.5, 0.3], [0.0, 0.1, 0.9]]), np.array([3, 1])
    rng = np.random.default_rng(0)
    mean = np.mean([round_rows(weights, totals, rng) for _ in range(4000)], axis=0)
    # A fraction f varies by at most 1/2, so 0.04 is five standard errors.
    np.testing.assert_allclose(mean, totals[:, None] * weights, atol=0.04)


def test_rows_without_weight_are_drawn_evenly():
    assert round_rows(np.zeros((1, 4)), np.array([8]), np.random.default_rng(0)).tolist() == [
        [2, 2, 2, 2]
    ]


def test_values_drawn_for_the_same_given_value_are_mixed():
    given_ = np.repeat([0, 1], 500)
    drawn = draw_given(given_, np.array([[1.0, 1.0], [1.0, 0.0]]), np.random.default_rng(0))
    assert drawn[:500].sum() == 250
    assert drawn[500:].sum() == 0
    # 250 ones in the first 500; in the first half of those 125, give or take 5.6.
    assert abs(drawn[:250].sum() - 125) < 30
