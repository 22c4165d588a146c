"""Value tracing: what the histograms of a release tell of members, and what they cannot tell."""

import numpy as np

from quintain.attacks.membership.traced_moments import Statistics, Variables
from quintain.attacks.membership.tracing import Tracing
from quintain.attacks.membership.value_tracing import CommonValues, ValueTracing
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


def test_counts_say_what_written_out_variables_say():
    """The reference writes down all variables of every record, the zeros as well."""
    schema = Schema(
        columns=(
            *SCHEMA.columns,
            Column(name="kind", kind="category", values=("p", "q"), nullable=True),
            Column(name="same", kind="category", values=("always",)),
        )
    )
    numbers, rng = people(400, 4), np.random.default_rng(4)
    kinds = {"kind": rng.integers(-1, 2, 400), "same": np.zeros(400, np.int64)}
    pool = Table(schema, {**numbers.columns, **kinds})
    release, weights = pool.take(range(100)), rng.normal(size=2000)
    for most in (30, 100, 2000):
        values = CommonValues.of(pool, most)
        shares = values.means(pool)
        plain = Variables(values.codes, {}, shares, {}, {})
        ours, slow = (Statistics.of(pool, v, 100, rng=rng) for v in (values, plain))
        assert len(ours.mean) <= most
        np.testing.assert_allclose(ours.mean, slow.mean, atol=1e-12)
        np.testing.assert_allclose(ours.spread, slow.spread, rtol=1e-9)
        np.testing.assert_allclose(ours.correlation, slow.correlation, atol=1e-9)
        both = (one.deviation(release) for one in (ours, slow))
        np.testing.assert_allclose(*both, atol=1e-9)
        both = (one.scores(pool, weights[: len(shares)]) for one in (ours, slow))
        np.testing.assert_allclose(*both, rtol=1e-9, atol=1e-9)
