"""Annealed synthetic data: bounds are kept, counts are close, and no record is copied."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.data.sources.adult import Adult
from quintain.errors import PartError
from quintain.kernels.dummies import moments
from quintain.measures import reading_rng
from quintain.measures.utility.table.covariance import Correlation, Covariance
from quintain.measures.utility.table.decision_tree import DecisionTree
from quintain.measures.utility.table.marginals import Histogram
from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.synthetic.annealed import (
    AnnealedSynthetic,
    KeptTree,
    arrange,
    error,
    redrawn_counts,
    teach_splits,
)
from quintain.sanitizers.synthetic.annealed_moments import MomentGoal, SwapCloseness, _gains, settle
from quintain.testing import example_table
from quintain.testing.strategies import schemas, tables

TREES = (
    KeptTree(target="relationship", positive="Husband", depth=3, at_least=0.95),
    KeptTree(target="income", positive="<=50K", depth=5, at_least=0.95),
)

quick = settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])


def adults(rows, seed):
    return Adult(rows=rows).generate(np.random.default_rng(seed))


def release_of(part, table, seed=1):
    return sanitize(
        part, table, rng=np.random.default_rng(seed), noise=Noise.for_test(seed)
    ).release


def counts_of(table, name):
    return np.bincount(table.columns[name], minlength=table.schema[name].size)


def read(measure, original, release, test=None):
    (reading,) = measure.measure(original, release, test, rng=reading_rng()).values()
    return reading.value


@pytest.fixture(scope="module")
def people():
    return adults(6000, 1)


@pytest.fixture(scope="module")
def release(people):
    return release_of(AnnealedSynthetic(trees=TREES), people)


# --- the whole ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_bound_is_kept_as_the_measures_read_it(people, release):
    test = adults(4000, 2)
    assert release.methods[0].detail.endswith("kept within bounds")
    assert read(Histogram(), people, release.data) >= 0.99
    assert read(Histogram(each=True), people, release.data) >= 0.97
    assert read(Covariance(), people, release.data) >= 0.4
    assert read(Correlation(), people, release.data) <= 0.1
    for kept in TREES:
        tree = DecisionTree(target=kept.target, positive=kept.positive, depth=kept.depth)
        assert read(tree, people, release.data, test) >= 0.95


def test_members_are_published_no_more_often_than_others(people, release):
    # A record appears in the release by chance only, for members and others alike.
    others = adults(6000, 3)
    keys = people.concat(others, release.data).row_keys()
    published = np.isin(keys[:12_000], keys[12_000:])
    member, other = published[:6000].mean(), published[6000:].mean()
    assert abs(member - other) < 4 * math.sqrt((member + other) / 6000)


def test_bounds_that_cannot_be_kept_are_named():
    table = example_table(rows=60).drop("home")
    part = AnnealedSynthetic(histogram=1.0, histogram_worst=None, covariance=1e6, tries=2)
    detail = release_of(part, table).methods[0].detail
    assert detail.endswith("not within: covariances")


def test_without_bounds_columns_stay_independent():
    table = example_table(rows=500).drop("home")
    free = AnnealedSynthetic(
        histogram=None, histogram_worst=None, covariance=None, correlation=None
    )
    data = release_of(free, table).data
    # Columns are then independent, and counts only roughly right.
    assert read(Correlation(), table, data) > 0.3
    assert 0.85 < read(Histogram(each=True), table, data) < 1


def test_missing_values_count_as_one_more_value():
    columns = (
        Column(name="x", kind="integer", low=0, high=5, nullable=True),
        Column(name="pay", kind="real", low=0, high=100, bins=4, nullable=True),
    )
    values = {"x": [1, None, 3, 3] * 50, "pay": [10.5, None, 80.0, 90.0] * 50}
    release = release_of(AnnealedSynthetic(), Table.of(Schema(columns=columns), values)).data
    assert release.schema.columns == columns
    for name in ("x", "pay"):
        assert np.isnan(release.numbers(name)).mean() == pytest.approx(0.25, abs=0.02)
    assert np.histogram(release.columns["pay"], 4, (0, 100))[0][1:3].sum() <= 4


def test_single_records_are_refused():
    schema = Schema(columns=(Column(name="x", kind="integer", low=0, high=5, nullable=True),))
    assert len(release_of(AnnealedSynthetic(), Table.of(schema, {"x": [1, 2, 3]})).data) == 3
    with pytest.raises(PartError, match="at least two records"):
        release_of(AnnealedSynthetic(), Table.of(schema, {"x": [1]}))
    with pytest.raises(PartError, match="'flag' has no value 'perhaps'"):
        tree = KeptTree(target="flag", positive="perhaps")
        release_of(AnnealedSynthetic(trees=(tree,)), example_table(rows=30).drop("home"))


# --- counts ---------------------------------------------------------------------------------------


@st.composite
def discrete_tables(draw):
    schema = draw(schemas(max_columns=4, discrete=True, nullable=False))
    return draw(tables(schema, min_rows=2, max_rows=30))


@quick
@given(discrete_tables(), st.sampled_from([0.0, 0.05, 0.3]), st.integers(0, 5))
def test_counts_keep_their_sum_their_error_and_their_categories(table, worst, seed):
    total = worst * len(table.schema.names) / 2
    counts = redrawn_counts(table, worst, total, Noise.for_test(seed))
    errors = []
    for column in table.schema.columns:
        true, new = counts_of(table, column.name), counts[column.name]
        assert new.sum() == len(table)
        assert new.min() >= 0
        if column.kind == "category":
            assert ((new > 0) == (true > 0)).all()
        errors.append(error(true, new))
        values = arrange(column, new, np.arange(len(table)))
        assert np.array_equal(np.bincount(values, minlength=column.size), new)
    assert max(errors) <= worst + 1e-12
    assert sum(errors) <= total + 1e-12


def test_smoothing_keeps_mean_and_variance_and_hides_rare_values(people):
    counts = redrawn_counts(people, 0.05, math.inf, Noise.for_test(1))
    true, new = counts_of(people, "age"), counts["age"]
    at = np.arange(len(true))
    for power in (1, 2):
        assert (at**power * new).sum() == pytest.approx((at**power * true).sum(), rel=0.01)
    rare = true < 20
    # The exact counts of rare ages are not repeated.
    rough = [np.abs(np.diff(c[rare], 2)).sum() for c in (true, new)]
    assert rough[1] < 0.7 * rough[0]


# --- swaps ----------------------------------------------------------------------------------------


def shuffled(table, seed):
    rng = np.random.default_rng(seed)
    return table.replace({n: rng.permutation(values) for n, values in table.columns.items()})


def test_gains_are_the_derivative_of_the_loss():
    table = example_table(rows=400).drop("home")
    goal = MomentGoal(table, SwapCloseness(0.05, 0.2))
    start = shuffled(table, 1)
    loss, slope = goal.loss(moments(start))
    for name in start.schema.names:
        one, other = np.arange(0, 60), np.arange(60, 120)
        gain = _gains(start, name, goal.places, slope, one, other) / len(table)
        for a, b, expected in zip(one, other, gain, strict=True):
            values = start.columns[name].copy()
            values[[a, b]] = values[[b, a]]
            after = goal.loss(moments(start.replace({name: values})))[0]
            # One swap in 400 records is small, but not infinitely small.
            assert after - loss == pytest.approx(expected, abs=0.1 * abs(expected) + 2e-3 * loss)


def test_swaps_settle_and_change_no_count():
    table = example_table(rows=1000).drop("home")
    goal = MomentGoal(table, SwapCloseness(0.03, 0.1))
    start = shuffled(table, 2)
    assert goal.excess(moments(start)) > 0
    end = settle(start, goal, {"flag"}, Noise.for_test(1))
    assert goal.excess(moments(end)) <= 0
    assert np.array_equal(end.columns["flag"], start.columns["flag"])
    for name in table.schema.names:
        assert np.array_equal(counts_of(end, name), counts_of(start, name))


# --- trees ----------------------------------------------------------------------------------------


def test_leaves_get_the_shares_of_the_private_data(people):
    kept = TREES[1]
    tree = kept.learn(people)
    start = shuffled(people, 3)
    end = kept.relabel(start, people, tree, Noise.for_test(1))
    assert np.array_equal(counts_of(end, "income"), counts_of(start, "income"))
    code = people.schema["income"].values.index("<=50K")
    shares = []
    for table in (people, end):
        leaves, size = tree.leaves(table), tree.fitted.tree_.node_count
        positive = np.bincount(leaves[table.columns["income"] == code], minlength=size)
        shares.append((positive, np.bincount(leaves, minlength=size)))
    (old, old_all), (new, new_all) = shares
    large = (new_all > 50) & (old_all > 50)
    ratio = (new / np.maximum(new_all, 1))[large] - (old / np.maximum(old_all, 1))[large]
    # All shares are off by the same factor, since the number of positives is given.
    assert np.ptp(ratio) < 0.15
    # The majority of each leaf stays the same.
    assert np.array_equal((new > new_all / 2)[large], (old > old_all / 2)[large])
    assert kept.agreement(tree, end, people) > kept.agreement(tree, start, people)


def test_swaps_teach_a_tree_its_splits(people):
    kept = TREES[1]
    tree = kept.learn(people)
    start = kept.relabel(shuffled(people, 4), people, tree, Noise.for_test(1))
    end = teach_splits(start, kept, tree, Noise.for_test(2))
    assert np.array_equal(counts_of(end, "income"), counts_of(start, "income"))
    assert kept.agreement(tree, end, people) >= kept.agreement(tree, start, people)
    root, *_ = kept.learn(end).branches(people)
    expected, *_ = tree.branches(people)
    assert np.array_equal(root[1], expected[1]), "the first split is the same"


def test_branches_follow_the_tree(people):
    kept = TREES[0]
    tree = kept.learn(people)
    fitted, code = tree.fitted.tree_, people.schema["relationship"].values.index("Husband")
    positive = people.columns["relationship"] == code
    branches = list(tree.branches(people))
    assert len(branches) == (fitted.children_left >= 0).sum()
    assert len(branches[0][0]) == len(people)
    for rows, likelier in branches:
        assert 0 < likelier.sum() < len(rows)
        assert positive[rows[likelier]].mean() > positive[rows[~likelier]].mean()
