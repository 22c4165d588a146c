"""Generators without privacy: mixed columns, what each keeps, and their models as files."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from quintain.data import Column, Schema, Table, to_pandas
from quintain.errors import PartError
from quintain.kernels.observed import Ranks
from quintain.sanitizers.synthetic.generators.adversarial_forest import (
    AdversarialForest,
    Leaves,
    _ends,
)
from quintain.sanitizers.synthetic.generators.cart import CartSynthesis
from quintain.sanitizers.synthetic.generators.gaussian_copula import GaussianCopula

from ..mixed_tables import MIXED, mixed, nominal, released
from ..model_cases import assert_survives_its_file, oddly_named

GENERATORS = [GaussianCopula(), CartSynthesis(), AdversarialForest(trees=5)]
EACH = pytest.mark.parametrize("generator", GENERATORS, ids=lambda part: part.id)


@EACH
def test_all_kinds_of_columns_with_missing_values(generator):
    data = mixed()
    made = released(generator, data)
    before, after = (to_pandas(table) for table in (data, made))
    assert len(after) == len(before)
    for name in ("town", "age", "pay", "day"):
        assert abs(after[name].isna().mean() - before[name].isna().mean()) < 0.1
    assert after["empty"].isna().all()
    assert set(after["same"]) == {"y"}
    for name in ("age", "visits", "pay", "day"):
        assert after[name].min() >= before[name].min()
        assert after[name].max() <= before[name].max()
    pay = after["pay"].dropna()
    assert np.array_equal(pay.round(2), pay)
    assert abs((pay == 0).mean() - (before["pay"].dropna() == 0).mean()) < 0.1


@EACH
def test_the_same_seed_gives_the_same_release(generator):
    data = mixed(100)
    assert released(generator, data).equals(released(generator, data))
    assert not released(generator, data).equals(released(generator, data, seed=2))


@EACH
@pytest.mark.parametrize("rows", [1, 2])
def test_one_or_two_people_are_enough(generator, rows):
    assert len(released(generator, mixed(rows))) == rows


@EACH
def test_a_model_survives_its_file(generator):
    model = generator.fit(oddly_named(50), rng=np.random.default_rng(1))
    assert_survives_its_file(model)


@EACH
def test_ids_are_refused_in_words(generator):
    schema = Schema(columns=(Column(name="who", kind="id"), MIXED["same"]))
    with pytest.raises(PartError, match="draws no ids: leave out who"):
        generator.require(schema)


@pytest.mark.parametrize("generator", [*GENERATORS[:2], AdversarialForest()], ids=str)
def test_dependence_of_two_columns_is_kept(generator):
    rng = np.random.default_rng(5)
    first = rng.normal(size=1500)
    second = 0.7 * first + np.sqrt(1 - 0.7**2) * rng.normal(size=1500)
    schema = Schema(columns=tuple(Column(name=name, kind="real") for name in "ab"))
    made = released(generator, Table(schema, {"a": first, "b": second}))
    before = spearmanr(first, second).statistic
    after = spearmanr(made.columns["a"], made.columns["b"]).statistic
    assert after == pytest.approx(before, abs=0.12)


@pytest.mark.parametrize(("generator", "least"), [(CartSynthesis(), 1.0), (GENERATORS[2], 0.95)])
def test_trees_keep_categories_together_whatever_their_order(generator, least):
    made = to_pandas(released(generator, nominal()))
    assert (made["x"].astype(str) == made["y"].astype(str)).mean() >= least


def test_a_leaf_of_everybody_keeps_no_dependence():
    made = to_pandas(released(CartSynthesis(leaf=600), nominal()))
    assert (made["x"].astype(str) == made["y"].astype(str)).mean() < 0.4


def test_donors_are_in_the_leaf_that_a_slow_walk_finds():
    data = mixed()
    ranks = Ranks.of(data).ranks
    model = CartSynthesis(leaf=20).fit(data, rng=np.random.default_rng(1))
    for number, tree in enumerate(model.trees):
        drawn = tree.draw(ranks[:number], rng=np.random.default_rng(4))
        for person, donor in enumerate(drawn):
            node = 0
            while tree.left[node] >= 0:
                feature = tree.feature[node]
                place = tree.places[tree.offsets[feature] + ranks[feature, person] + 1]
                node = (tree.left if place <= tree.threshold[node] else tree.right)[node]
            leaf = tree.donors[tree.begin[node] : tree.begin[node] + tree.count[node]]
            assert donor in leaf
            assert ranks[number, person] in leaf, "a private record is in its own leaf"
            assert len(leaf) >= 20


def test_leaves_of_a_forest_have_enough_records_within_their_ends():
    data = mixed()
    ranked = Ranks.of(data)
    part = AdversarialForest(trees=4, leaf=7)
    rng = np.random.default_rng(8)
    made = np.stack([rng.permutation(row) for row in ranked.ranks])
    forest = part._grow(ranked.ranks, made, rng=rng)
    leaves = Leaves.of(forest, ranked.ranks, 7)
    assert leaves.count.min() >= 7
    for tree in range(4):
        records = [
            leaves.records[leaves.begin[i] : leaves.begin[i] + leaves.count[i]]
            for i in np.flatnonzero(leaves.tree == tree)
        ]
        assert sorted(np.concatenate(records)) == list(range(len(data)))
    age = ranked.ranks[1]
    low, high = _ends(leaves, forest, 1, len(ranked.values["age"]))
    for leaf, (begin, count) in enumerate(zip(leaves.begin, leaves.count, strict=True)):
        held = age[leaves.records[begin : begin + count]]
        assert (held[held >= 0] >= low[leaf]).all()
        assert (held <= high[leaf]).all()


def test_no_record_of_a_forest_s_model_is_a_person():
    """Each column is sorted within its leaf, so rows of the model are not rows of people."""
    model = AdversarialForest(trees=2, leaf=20).fit(mixed(), rng=np.random.default_rng(1))
    for begin, count in zip(model.begin, model.count, strict=True):
        held = model.donors[:, begin : begin + count]
        assert (np.diff(held, axis=1) >= 0).all()
