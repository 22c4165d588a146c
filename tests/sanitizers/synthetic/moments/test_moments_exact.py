"""The moments generator: exact before records become discrete, as a plain implementation is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.kernels.dummies import dummies, moments
from quintain.randomness.noise import Noise
from quintain.sanitizers.synthetic.moments import BLOCK, MomentsGenerator, draw_start
from quintain.testing import example_table, people
from quintain.testing.strategies import tables
from tests.sanitizers.synthetic.moments.moments_cases import release_of, stand_in

VARIANTS = [("svd", True), ("svd", False), ("zca", True), ("zca", False)]

# --- exactness ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("variant", "int_kde"), VARIANTS)
@pytest.mark.parametrize("rows", [1000, 5000, 20_000])
def test_means_and_covariances_are_exact_before_records_are_discrete(variant, int_kde, rows):
    data = stand_in()
    part = MomentsGenerator(rows=rows, variant=variant, int_kde=int_kde)
    values, wanted = part.continuous(data, Noise.for_test(1)), moments(data)
    assert values.shape == (rows, len(dummies(data.schema)))
    assert np.abs(values.mean(axis=0) - wanted.mean).max() < 1e-9
    assert np.abs(np.cov(values.T) - wanted.covariance).max() < 1e-9


@pytest.mark.slow
@settings(max_examples=60)
@given(tables(discrete=True, min_rows=1), st.sampled_from(VARIANTS), st.integers(1, 40))
def test_any_table_gives_records_of_its_domain(table, kind, rows):
    release = release_of(table, rows=rows, variant=kind[0], int_kde=kind[1])
    assert len(release.data) == rows
    assert release.data.schema == table.schema
    for column in table.schema.columns:
        codes = release.data.columns[column.name]
        if column.kind == "category":  # a value that does not occur is never invented
            assert set(codes.tolist()) <= set(table.columns[column.name].tolist())


def test_missing_values_have_moments_of_their_own():
    rng = np.random.default_rng(0)
    schema = Schema(
        columns=(
            Column(name="colour", kind="category", values=("red", "green"), nullable=True),
            Column(name="size", kind="integer", low=0, high=9, nullable=True),
            Column(name="weight", kind="real", nullable=True),
        )
    )
    size = rng.integers(-1, 10, 2000)
    weight = np.where(rng.random(2000) < 0.2, np.nan, rng.normal(5, 1, 2000))
    data = Table(schema, {"colour": rng.integers(-1, 2, 2000), "size": size, "weight": weight})
    part, wanted = MomentsGenerator(), moments(data)
    values = part.continuous(data, Noise.for_test(1))
    assert np.abs(np.cov(values.T) - wanted.covariance).max() < 1e-9
    release = release_of(data, variant="zca").data
    assert abs((release.columns["colour"] == -1).mean() - 1 / 3) < 0.05
    assert abs((release.columns["size"] == -1).mean() - 1 / 11) < 0.05
    assert abs(np.isnan(release.columns["weight"]).mean() - 0.2) < 0.05


# --- the reference --------------------------------------------------------------------------------


def slow(data, rows, variant, noise):
    """Take the steps one by one, with whole matrices and a loop over the records."""
    wanted = moments(data)
    varies = ~wanted.constant
    begin = draw_start(data, wanted, rows, joint=variant == "zca", kde=True, noise=noise)
    y = np.concatenate([block for _, block in begin.blocks()], axis=1).T

    def root(covariance, power):
        values, axes = np.linalg.eigh(covariance)
        values, axes = values[::-1], axes[:, ::-1]
        for j in range(len(values)):
            if axes[np.abs(axes[:, j]).round(9).argmax(), j] < 0:
                axes[:, j] *= -1
        powers = [v**power if v > 1e-10 else 0.0 for v in values]
        return axes @ np.diag(powers), axes

    white, axes = root(np.cov(y.T), -0.5)
    colour, aims = root(wanted.covariance[varies][:, varies], 0.5)
    turned = (y - y.mean(axis=0)) @ white
    if variant == "zca":
        turned = turned @ axes.T @ aims
    z = np.tile(wanted.mean, (rows, 1))
    z[:, varies] = turned @ colour.T + wanted.mean[varies]
    names = dummies(data.schema)
    records = []
    for row in z:
        record = {}
        for column in data.schema.columns:
            own = [
                (value, v.value) for value, v in zip(row, names, strict=True) if v[0] == column.name
            ]
            if column.kind == "category":
                record[column.name] = max(own)[1]
            else:
                known = data.numbers(column.name)
                record[column.name] = round(min(max(own[0][0], known.min()), known.max()))
        records.append(record)
    return records


@pytest.mark.parametrize("variant", ["svd", "zca"])
@pytest.mark.parametrize("rows", [60, 400])
def test_the_result_agrees_with_a_plain_implementation(variant, rows):
    data = people(example_table())
    data = data.take(data.order())
    release = release_of(data, rows=rows, variant=variant, seed=4)
    expected = slow(data, rows, variant, Noise.for_test(4))
    assert sorted(release.data.records(), key=repr) == sorted(expected, key=repr)


def test_blocks_do_not_change_the_moments():
    data, rows = people(example_table()), 2 * BLOCK + 5
    wanted = moments(data)
    begin = draw_start(data, wanted, rows, joint=False, kde=True, noise=Noise.for_test(1))
    whole = np.concatenate([block for _, block in begin.blocks()], axis=1)
    assert whole.shape == ((~wanted.constant).sum(), rows)
    mean, covariance = begin.moments()
    assert mean == pytest.approx(whole.mean(axis=1))
    assert covariance == pytest.approx(np.cov(whole), abs=1e-9)


# --- where it starts ------------------------------------------------------------------------------


def start(rows, *, joint, data=None):
    data = data or people(example_table())
    begin = draw_start(data, moments(data), rows, joint=joint, kde=False, noise=Noise.for_test(2))
    return begin, np.concatenate([block for _, block in begin.blocks()], axis=1)


@pytest.mark.parametrize("joint", [True, False])
def test_with_as_many_records_every_column_is_permuted(joint):
    data = people(example_table())
    wanted = moments(data)
    begin, values = start(len(data), joint=joint)
    mean = np.where(begin.numeric, 0, wanted.mean[~wanted.constant])
    assert values.mean(axis=1) == pytest.approx(mean, abs=1e-12)


def test_values_of_a_category_are_drawn_independently_or_jointly():
    _, alone = start(5000, joint=False)
    _, joint = start(5000, joint=True)
    assert set(joint[:3].sum(axis=0)) == {1}  # red, green, blue: "never seen" does not vary
    assert set(alone[:3].sum(axis=0)) == {0, 1, 2, 3}
    for values in (alone, joint):
        assert values[:3].mean(axis=1) == pytest.approx(
            np.bincount(people(example_table()).columns["colour"]) / 200, abs=0.04
        )


@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("rows", [40, 1200])
def test_a_value_of_one_in_a_thousand_is_never_lost_at_the_start(joint, rows):
    schema = Schema(columns=(Column(name="x", kind="category", values=("a", "b", "c")),))
    data = Table(schema, {"x": np.r_[0, 1, np.full(998, 2)]})
    _, values = start(rows, joint=joint, data=data)
    assert (values.min(axis=1) == 0).all()
    assert (values.max(axis=1) == 1).all()


def test_integers_get_normal_noise_with_kde_and_stay_integers_without():
    data = people(example_table())
    wanted = moments(data)
    for kde in (True, False):
        begin = draw_start(data, wanted, 5000, joint=False, kde=kde, noise=Noise.for_test(1))
        value = begin.numbers[0] + wanted.mean[4]
        assert np.allclose(value, value.round(), atol=1e-9) is not kde
        assert begin.numbers[0].var() == pytest.approx(wanted.covariance[4, 4] + kde, rel=0.08)
