"""Sample designs: who is in the private data, and that nothing else reveals it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.data import Column, Schema, Series, Table, Transactions
from quintain.errors import PartError, Rejected
from quintain.registry import build
from quintain.samples.sample import Subset, Whole
from quintain.samples.targets import Targets
from quintain.testing import example

SCHEMA = Schema(
    columns=(
        Column(name="home", kind="id", role="household"),
        Column(name="number", kind="integer", low=0, high=9999),
    )
)


def population(homes):
    """People with a unique number, which is also their row."""
    columns = {"home": np.asarray(homes), "number": np.arange(len(homes))}
    return Table(SCHEMA, columns)


def everyone(size):
    return population(np.arange(size))


def draw(design, data, seed=1):
    return design.draw(data, rng=np.random.default_rng(seed))


def inside(sample):
    """The rows of the population that are in the private data."""
    return sample.private.columns["number"].tolist()


designs = st.one_of(
    st.just(Whole()),
    st.builds(Subset, rows=st.integers(1, 40)),
    st.builds(Subset, fraction=st.floats(0.1, 1)),
    st.builds(
        Targets,
        targets=st.integers(2, 20),
        background=st.integers(0, 20),
        members=st.sampled_from(["coins", "half"]),
    ),
)


@settings(deadline=None, max_examples=60)
@given(designs, st.integers(0, 1000))
def test_exactly_the_members_among_the_targets_are_inside(design, seed):
    sample = draw(design, everyone(40), seed)
    assert len(inside(sample)) == len(set(inside(sample)))
    for row, target in zip(sample.target_rows, sample.target_of, strict=True):
        assert (row in inside(sample)) == sample.members[target]


@settings(deadline=None, max_examples=60)
@given(designs, st.integers(0, 1000))
def test_the_same_seed_gives_the_same_sample(design, seed):
    once, again = draw(design, everyone(40), seed), draw(design, everyone(40), seed)
    assert once.private.equals(again.private)
    assert once.members.tolist() == again.members.tolist()
    assert once.target_rows.tolist() == again.target_rows.tolist()


@pytest.mark.parametrize("design", [Whole(), Subset(rows=30), Targets(targets=10, background=20)])
def test_ids_of_a_table_are_left_out(design):
    sample = draw(design, everyone(40))
    assert sample.private.schema.names == ("number",)
    assert sample.population.schema.names == ("home", "number")


def test_transactions_and_series_keep_their_persons():
    rows = example("transactions", rows=50)
    assert type(draw(Subset(rows=20), rows).private) is Transactions
    series = example("series", rows=200)
    private = draw(Subset(rows=5), series).private
    assert type(private) is Series
    assert len(private) == 5


# --- whole ----------------------------------------------------------------------------------------


def test_in_the_whole_everybody_is_a_target_and_a_member():
    sample = draw(Whole(), everyone(5))
    assert inside(sample) == [0, 1, 2, 3, 4]
    assert sample.target_rows.tolist() == sample.target_of.tolist() == [0, 1, 2, 3, 4]
    assert sample.members.all()


# --- subset ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("design", "size"),
    [(Subset(rows=7), 7), (Subset(fraction=0.25), 10), (Subset(fraction=1), 40)],
)
def test_a_subset_has_the_size_of_its_design(design, size):
    sample = draw(design, everyone(40))
    assert len(sample.private) == sample.members.sum() == size
    assert len(sample.members) == 40


def test_a_subset_is_uniform():
    # Each of 20 records is in with probability 1/4; 400 draws, standard error 8.7.
    hits = sum(draw(Subset(rows=5), everyone(20), seed).members.astype(int) for seed in range(400))
    assert abs(hits - 100).max() < 4 * 8.7


def test_a_subset_is_not_in_the_order_of_the_population():
    rows = inside(draw(Subset(fraction=0.5), everyone(100)))
    assert rows != sorted(rows)


def test_a_subset_larger_than_the_population_is_refused():
    with pytest.raises(PartError, match="cannot draw 6 records from a population of 5"):
        draw(Subset(rows=6), everyone(5))


@pytest.mark.parametrize("spec", [{}, {"rows": 5, "fraction": 0.5}])
def test_a_subset_has_rows_or_a_fraction(spec):
    with pytest.raises(Rejected, match="give either rows or fraction"):
        build("sample", {"use": "subset", **spec})


# --- targets --------------------------------------------------------------------------------------


def test_targets_and_background_do_not_overlap():
    sample = draw(Targets(targets=10, background=25), everyone(40))
    background = set(inside(sample)) - set(sample.target_rows.tolist())
    assert len(background) == 25
    assert len(inside(sample)) == 25 + sample.members.sum()
    assert len(set(sample.target_rows.tolist())) == 10


def test_half_is_exactly_half():
    for targets, members in ((10, 5), (11, 5)):
        design = Targets(targets=targets, members="half", background=0)
        counts = {int(draw(design, everyone(40), seed).members.sum()) for seed in range(20)}
        assert counts == {members}


def test_coins_are_fair_and_independent():
    # 300 samples of 20 coins: 3000 members expected, standard deviation sqrt(6000 / 4) = 39. The
    # number of members varies as a binomial does, with variance 20 / 4 = 5.
    design = Targets(targets=20, background=0)
    counts = np.array([draw(design, everyone(30), seed).members.sum() for seed in range(300)])
    assert abs(counts.sum() - 3000) < 4 * 39
    assert 3.5 < counts.var() < 6.7


def test_every_target_has_the_same_chance_with_half():
    design = Targets(targets=10, members="half", background=0)
    hits = sum(draw(design, everyone(30), seed).members.astype(int) for seed in range(400))
    assert abs(hits - 200).max() < 4 * 10  # standard deviation sqrt(400 / 4)


def test_a_household_is_in_or_out_as_a_whole():
    homes = np.repeat(np.arange(20), 3)
    design = Targets(targets=8, unit="household", background=10)
    sample = draw(design, population(homes))
    for target in range(8):
        rows = sample.target_rows[sample.target_of == target]
        assert len(rows) == 3
        assert len(set(homes[rows])) == 1
        assert {row in inside(sample) for row in rows} == {bool(sample.members[target])}


def test_rows_stand_target_after_target():
    sample = draw(Targets(targets=8, unit="household", background=0), population([*range(10)] * 3))
    assert sample.target_of.tolist() == np.repeat(np.arange(8), 3).tolist()


def test_small_households_are_no_targets():
    homes = [0, 1, 1, 2, 2, 2, 3, 4, 4, 4, 4]
    design = Targets(targets=2, unit="household", min_unit_size=3, background=0)
    sample = draw(design, population(homes))
    assert {homes[row] for row in sample.target_rows} == {2, 4}


def test_background_may_come_from_small_households():
    homes = [0, 1, 1, 2, 2, 2, 3, 4, 4, 4, 4]
    design = Targets(targets=2, unit="household", min_unit_size=3, background=4)
    sample = draw(design, population(homes))
    assert {homes[row] for row in inside(sample)} >= {0, 1, 3}


def test_members_are_hidden_among_the_background():
    # Were members written first, their positions would give them away.
    firsts = 0
    for seed in range(60):
        sample = draw(Targets(targets=20, background=20), everyone(40), seed)
        targets = set(sample.target_rows.tolist())
        firsts += inside(sample)[0] in targets
    assert 5 < firsts < 40  # about one in three


def test_too_few_targets_are_refused():
    with pytest.raises(PartError) as caught:
        draw(Targets(targets=9, unit="household", min_unit_size=2), population([0, 0, 1, 2, 2]))
    assert str(caught.value) == (
        "the data have 2 possible targets of 2 or more records; the sample design needs 9"
    )


def test_too_few_records_for_the_background_are_refused():
    words = "needs 6 background records; available: 5 records that belong to no target"
    with pytest.raises(PartError, match=words):
        draw(Targets(targets=10, background=6), everyone(15))
    assert len(inside(draw(Targets(targets=10, background=5), everyone(15)))) >= 5


def test_filling_up_counts_all_targets_whether_members_or_not():
    # So the private data have fewer records than that: the targets that are not in are missing.
    for seed in range(5):
        sample = draw(Targets(targets=10, fill_to=25), everyone(40), seed)
        assert len(inside(sample)) == 25 - 10 + sample.members.sum()


def test_filling_up_to_less_than_the_targets_is_refused():
    with pytest.raises(PartError, match="fill_to is 8; the targets alone have 10 records"):
        draw(Targets(targets=10, fill_to=8), everyone(40))


def test_a_unit_nothing_in_the_data_stands_for_is_refused():
    with pytest.raises(PartError, match="no column of the data has the role 'family'"):
        draw(Targets(targets=2, unit="family", background=0), everyone(10))
