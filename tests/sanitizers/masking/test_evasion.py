"""Evasion: every number moves a little, utility hardly changes, and nobody is protected."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from quintain.attacks.membership.record_linkage import RecordLinkage
from quintain.data import Column, Schema, Table
from quintain.data.sources.adult import Adult
from quintain.errors import PartError
from quintain.kernels.neighbours import nearest
from quintain.measures import reading_rng
from quintain.measures.utility.table.marginals import Histogram
from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.masking.evasion import Evasion
from quintain.testing import example_table


def evaded(table, seed=1, **parameters):
    part = Evasion(**parameters)
    rng = np.random.default_rng(seed)
    return sanitize(part, table, rng=rng, noise=Noise.for_test(seed)).release.data


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.integers(0, 20), min_size=1, max_size=60),
    st.integers(1, 4),
    st.integers(0, 3),
    st.integers(0, 3),
)
def test_every_number_moves_between_least_and_most(ages, least, more, seed):
    column = Column(name="age", kind="integer", low=0, high=20)
    values = np.array(ages)
    moved = Evasion(least=least, most=least + more)._move(column, values, Noise.for_test(seed))
    gap = np.abs(moved - values)
    assert gap.min() >= least
    assert gap.max() <= least + more
    assert moved.min() >= 0
    assert moved.max() <= 20


def test_counts_hardly_change_and_other_columns_not_at_all():
    table = Adult(rows=5000).generate(np.random.default_rng(1))
    release = evaded(table, columns=("age",))
    assert (
        Histogram(each=True)
        .measure(table, release, None, rng=reading_rng())["histogram_worst"]
        .value
        > 0.97
    )
    for name in set(table.schema.names) - {"age"}:
        assert np.array_equal(np.sort(table.columns[name]), np.sort(release.columns[name]))


def test_the_nearest_are_others_and_linkage_finds_everybody_all_the_same():
    rng = np.random.default_rng(2)
    people = Adult(rows=40_000).generate(rng)
    _, first = np.unique(people.row_keys(), return_index=True)
    base = people.take(rng.permutation(first)[:20_000])
    members = np.arange(20_000) < 2_000
    release = evaded(base.take(members), columns=("age",))
    away, rows = nearest(release, base)
    near = dict.fromkeys(rows[np.argsort(away, kind="stable")].tolist())
    assert members[list(near)[:100]].sum() < 30
    scores = RecordLinkage(differ=1).scores(release, base, base, rng=rng)
    assert members[np.argsort(-scores, kind="stable")[:100]].sum() > 90


def test_bounds_in_the_wrong_order_are_refused():
    with pytest.raises(ValidationError, match="least 4 is above most 3"):
        Evasion(least=4)


def test_columns_without_bounds_are_refused():
    schema = Schema(columns=(Column(name="pay", kind="real"),))
    with pytest.raises(PartError, match="needs an integer with bounds"):
        evaded(Table.of(schema, {"pay": [1.0, 2.0]}))
    with pytest.raises(PartError, match="'flag' has none"):
        evaded(example_table(rows=10).drop("home"), columns=("flag",))
