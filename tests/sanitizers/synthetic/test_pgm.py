"""Graphical models from noisy marginals, compared with joint tables computed in full."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from quintain.errors import PartError
from quintain.sanitizers.synthetic.pgm import (
    Domain,
    Factor,
    GraphicalModel,
    JunctionTree,
    Levels,
    Measurement,
    estimate,
    estimate_total,
    nearest_counts,
)
from quintain.sanitizers.synthetic.pgm.measurement import fuse
from quintain.sanitizers.synthetic.pgm.minimise import minimise
from quintain.sanitizers.synthetic.pgm.propagation import propagate
from quintain.sanitizers.synthetic.pgm.reconcile import reconcile
from quintain.sanitizers.synthetic.pgm.rounding import draw_given, round_rows

SEEDS = st.integers(0, 2**32 - 1)
QUICK = settings(max_examples=40, deadline=None)


@st.composite
def domains(draw, max_columns=5, max_size=4):
    sizes = draw(st.lists(st.integers(1, max_size), min_size=1, max_size=max_columns))
    return Domain.of({f"c{i}": size for i, size in enumerate(sizes)})


@st.composite
def shapes(draw, **limits):
    """Draw a domain and some sets of its columns."""
    domain = draw(domains(**limits))
    names = st.lists(st.sampled_from(domain.names), min_size=1, max_size=3, unique=True)
    cliques = draw(st.lists(names.map(domain.sort), min_size=1, max_size=6, unique=True))
    return domain, cliques


@st.composite
def forests(draw):
    """Draw a domain, with all its columns and pairs that form no cycle."""
    domain = draw(domains(max_columns=6))
    pairs = []
    for place, name in enumerate(domain.names[1:], start=1):
        if draw(st.booleans()) or place == 1:
            pairs.append((domain.names[draw(st.integers(0, place - 1))], name))
    return domain, [*((name,) for name in domain.names), *pairs]


def summed(joint, domain, columns):
    """Compute a marginal of a joint table; axes have the order of the columns."""
    kept = [domain.place(name) for name in columns]
    table = joint.sum(axis=tuple(a for a in range(joint.ndim) if a not in kept))
    order = sorted(kept)
    return np.transpose(table, [order.index(place) for place in kept])


def random_joint(domain, seed, zeros=False):
    rng = np.random.default_rng(seed)
    joint = rng.gamma(0.5, size=domain.sizes) + 0.01
    if zeros:
        joint *= rng.random(domain.sizes) < 0.7
        joint.flat[0] += 0.1
    return 1000 * joint / joint.sum()


def exact(joint, domain, cliques, variance=1.0):
    return [Measurement.of(c, summed(joint, domain, c), variance) for c in cliques]


def noisy(domain, cliques, seed):
    """Compute marginals of a random joint table, with noise of different strengths."""
    rng = np.random.default_rng(seed)
    joint = random_joint(domain, seed)
    out = []
    for c in cliques:
        sigma = rng.uniform(5, 40)
        counts = summed(joint, domain, c)
        out.append(Measurement.of(c, counts + rng.normal(0, sigma, counts.shape), sigma**2))
    return out


def joint_of(model):
    """Compute the joint table of a model by multiplying its potentials."""
    log = np.zeros(model.domain.sizes)
    for potential in model.potentials:
        index = [slice(None) if n in potential.columns else None for n in model.domain.names]
        axes = [potential.columns.index(n) for n in model.domain.names if n in potential.columns]
        log = log + np.transpose(potential.log, axes)[tuple(index)]
    joint = np.exp(log - log.max())
    return model.total * joint / joint.sum()


def loss(tables, measured):
    return sum(
        float(((table - m.counts) ** 2 / m.variance).sum()) / 2
        for table, m in zip(tables, measured, strict=True)
    )


def model_loss(model, measured):
    return loss([model.marginal(m.columns) for m in measured], measured)


def least_loss(measured, domain, total):
    """Find the smallest loss of any joint table, by non-negative least squares on all cells."""
    cells = int(np.prod(domain.sizes))
    rows, right = [1e4 * np.ones(cells) / total], [1e4]
    for m in measured:
        unit = np.eye(cells).reshape(cells, *domain.sizes)
        for cell, count, variance in zip(
            np.array([summed(u, domain, m.columns).ravel() for u in unit]).T,
            m.counts.ravel(),
            m.variance.ravel(),
            strict=True,
        ):
            rows.append(cell / np.sqrt(variance))
            right.append(count / np.sqrt(variance))
    _, distance = nnls(np.array(rows), np.array(right))
    return distance**2 / 2


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


# --- measurements ---------------------------------------------------------------------------------


def test_measurements_are_checked():
    with pytest.raises(ValueError, match="variance of a measurement must be a positive number"):
        Measurement.of(("a",), [1.0], 0.0)
    with pytest.raises(ValueError, match="counts of a measurement must be finite"):
        Measurement.of(("a",), [np.nan], 1.0)
    with pytest.raises(ValueError, match=r"counts of a have the shape \(2,\); the domain expects"):
        estimate([Measurement.of(("a",), [1.0, 2.0], 1.0)], Domain.of({"a": 3}))
    with pytest.raises(ValueError, match="no marginal was measured"):
        estimate_total([])


def test_repeated_measurements_are_averaged_by_precision():
    domain = Domain.of({"a": 2, "b": 1})
    one = Measurement.of(("a", "b"), [[1.0], [2.0]], 1.0)
    other = Measurement.of(("b", "a"), [[5.0, 6.0]], 3.0)
    (both,) = fuse([one, other], domain)
    # Precisions 1 and 1/3: weights 3/4 and 1/4.
    np.testing.assert_allclose(both.counts, [[2.0], [3.0]])
    np.testing.assert_allclose(both.variance, 0.75)


def test_the_total_is_averaged_by_precision_and_never_below_one():
    # Sums 90 with variance 2 and 120 with variance 4: (90/2 + 120/4) / (1/2 + 1/4) = 100.
    one = Measurement.of(("a",), [40.0, 50.0], 1.0)
    other = Measurement.of(("b",), [30.0, 30.0, 30.0, 30.0], 1.0)
    assert estimate_total([one, other]) == pytest.approx(100.0)
    assert estimate_total([Measurement.of(("a",), [-7.0], 1.0)]) == 1.0


@QUICK
@given(SEEDS)
def test_the_nearest_counts_are_the_nearest(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 8))
    counts, variance = rng.normal(3, 10, size), rng.uniform(0.5, 4, size)
    total = float(rng.uniform(1, 30))
    nearest = nearest_counts(counts, variance, total)
    assert nearest.sum() == pytest.approx(total)
    assert nearest.min() >= 0
    m = Measurement.of(("a",), counts, variance)
    best = least_loss([m], Domain.of({"a": size}), total)
    assert loss([nearest], [m]) == pytest.approx(best, rel=1e-4, abs=1e-4)


# --- estimation -----------------------------------------------------------------------------------


@QUICK
@given(SEEDS)
def test_the_minimum_of_a_quadratic_is_found(seed):
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(8, 8))
    matrix, vector = half @ half.T + np.eye(8), rng.normal(size=8)
    lowest = minimise(
        lambda x: (float(x @ matrix @ x / 2 - vector @ x), matrix @ x - vector),
        np.zeros(8),
        scale=np.diag(matrix).copy(),
        done=lambda slope: bool(np.abs(slope).max() < 1e-8),
        limit=500,
    )
    np.testing.assert_allclose(lowest, np.linalg.solve(matrix, vector), atol=1e-5)


@QUICK
@given(shapes(), SEEDS)
def test_adjusted_counts_can_replace_the_measured_ones(shape, seed):
    domain, cliques = shape
    measured = fuse(noisy(domain, cliques, seed), domain)
    agreed = reconcile(measured, domain, 1000.0, tolerance=0.1)
    gaps = []
    for number in range(3):
        joint = random_joint(domain, seed + number)
        given_, adjusted = (
            loss([summed(joint, domain, m.columns) for m in ms], ms)
            for ms in (measured, agreed.adjusted)
        )
        assert adjusted >= agreed.least - 1e-6
        gaps.append(given_ - adjusted)
    assert max(gaps) - min(gaps) <= 1e-6 * max(1.0, *np.abs(gaps))


@QUICK
@given(shapes(max_columns=4, max_size=3), SEEDS, st.booleans())
def test_no_distribution_fits_noisy_marginals_better(shape, seed, direct):
    domain, cliques = shape
    measured = noisy(domain, cliques, seed)
    model = estimate(measured, domain, total=1000.0, tolerance=1e-3, direct=direct)
    best = least_loss(measured, domain, 1000.0)
    assert model_loss(model, measured) <= best + 1e-2 + 1e-3 * best


@QUICK
@given(shapes(), SEEDS)
def test_without_noise_the_marginals_are_kept_and_nothing_else_is_assumed(shape, seed):
    domain, cliques = shape
    joint = random_joint(domain, seed)
    model = estimate(exact(joint, domain, cliques), domain, tolerance=1e-4)
    assert model.total == pytest.approx(1000.0)
    # The distribution of largest entropy with these marginals, by fitting the joint to each.
    entropic = np.full(domain.sizes, 1000.0 / domain.cells(domain.names))
    for _ in range(2000):
        before = entropic
        for clique in cliques:
            axes = tuple(a for a, name in enumerate(domain.names) if name not in clique)
            have, want = (t.sum(axis=axes, keepdims=True) for t in (entropic, joint))
            entropic = entropic * want / have
        if np.abs(entropic - before).max() < 1e-9:
            break
    np.testing.assert_allclose(joint_of(model), entropic, atol=0.1)
    np.testing.assert_allclose(model.marginal(domain.names), entropic, atol=0.1)


@QUICK
@given(shapes(max_columns=4), SEEDS)
def test_marginals_with_zeros_are_kept(shape, seed):
    domain, cliques = shape
    joint = random_joint(domain, seed, zeros=True)
    model = estimate(exact(joint, domain, cliques), domain, tolerance=1e-2)
    for clique in cliques:
        np.testing.assert_allclose(model.marginal(clique), summed(joint, domain, clique), atol=1.0)


@QUICK
@given(forests(), SEEDS)
def test_the_direct_and_the_general_fit_of_a_tree_agree(forest, seed):
    domain, cliques = forest
    measured = noisy(domain, cliques, seed)
    fast, general = (
        estimate(measured, domain, tolerance=1e-3, direct=direct) for direct in (True, False)
    )
    assert fast.total == general.total
    # Noise has standard deviations of 5 to 40.
    for clique in cliques:
        np.testing.assert_allclose(fast.marginal(clique), general.marginal(clique), atol=0.5)


@QUICK
@given(shapes(), SEEDS)
def test_marginals_of_a_model_agree_with_each_other(shape, seed):
    domain, cliques = shape
    model = estimate(noisy(domain, cliques, seed), domain)
    for clique in model.tree.cliques:
        table = model.marginal(clique)
        assert table.min() >= 0
        assert table.sum() == pytest.approx(model.total)
        for axis, name in enumerate(clique):
            others = tuple(a for a in range(len(clique)) if a != axis)
            np.testing.assert_allclose(
                table.sum(axis=others), model.marginal((name,)), atol=1e-6 * model.total
            )


def test_columns_that_were_not_measured_are_uniform_and_independent():
    domain = Domain.of({"a": 2, "b": 4})
    model = estimate([Measurement.of(("a",), [30.0, 70.0], 1.0)], domain)
    np.testing.assert_allclose(model.marginal(("b", "a")), np.outer(np.ones(4), [7.5, 17.5]))
    blank = estimate([], domain, total=8.0)
    np.testing.assert_allclose(blank.marginal(("a", "b")), np.ones((2, 4)))


def test_negative_counts_become_zero():
    domain = Domain.of({"a": 3, "b": 2})
    counts = np.array([[50.0, -4.0], [-3.0, 50.0], [-6.0, -5.0]])
    measured = [
        Measurement.of(("a", "b"), counts, 1.0),
        Measurement.of(("a",), [50.0, 50.0, -9.0], 1.0),
        Measurement.of(("b",), [50.0, 50.0], 1.0),
    ]
    table = estimate(measured, domain, total=100.0).marginal(("a", "b"))
    np.testing.assert_allclose(table, [[50, 0], [0, 50], [0, 0]], atol=1e-3)


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
