"""Value tracing: what the histograms of a release tell of members, and what they cannot tell."""

import numpy as np

from quintain.attacks.membership.tracing import Tracing, ValueTracing
from quintain.data import Column, Schema, Table
from quintain.measures.privacy.roc_curve import auc

SCHEMA = Schema(
    columns=tuple(Column(name=name, kind="integer", low=0, high=29) for name in "abcdefgh")
)


def people(rows, seed):
    rng = np.random.default_rng(seed)
    return Table(SCHEMA, {name: rng.integers(30, size=rows) for name in SCHEMA.names})


def shuffled(table, rng):
    """The same histograms, and nothing else of the records."""
    return table.replace({n: rng.permutation(values) for n, values in table.columns.items()})


def area(part, release, pool, members):
    return auc(members, part.scores(release, pool, pool, rng=np.random.default_rng(1))).value


def test_histograms_alone_give_members_away_if_numbers_are_read_value_by_value():
    pool, members = people(2000, 0), np.arange(2000) < 1000
    release = shuffled(pool.take(np.flatnonzero(members)), np.random.default_rng(0))
    ours, means = (area(part, release, pool, members) for part in (ValueTracing(), Tracing()))
    assert ours > 0.6
    assert ours > means + 0.04


def test_strangers_with_the_same_distribution_tell_nothing():
    pool, members = people(2000, 0), np.arange(2000) < 1000
    areas = [area(ValueTracing(), people(1000, seed), pool, members) for seed in range(5, 11)]
    assert abs(np.mean(areas) - 0.5) < 0.02


def test_rare_values_are_dropped_if_there_are_too_many():
    pool = people(500, 3)
    some = ValueTracing(most=20).scores(
        pool.take(range(250)), pool, pool, rng=np.random.default_rng(0)
    )
    assert np.isfinite(some).all()
    assert np.ptp(some) > 0
