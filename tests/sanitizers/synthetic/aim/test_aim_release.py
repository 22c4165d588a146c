"""The records of AIM: those of odd inputs too."""

import numpy as np
import pytest

from quintain.accounting.zcdp import rho_for
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.releases import FocalPoint
from quintain.sanitizers.sanitizer import Shadow
from quintain.sanitizers.synthetic.aim import Aim, fitting_ways
from tests.sanitizers.synthetic.aim.aim_cases import fitted, released
from tests.sanitizers.synthetic.model_cases import Recorder, assert_survives_its_file, oddly_named
from tests.sanitizers.synthetic.mst.mst_cases import table


def distance(data, release, names):
    """The total variation distance between the marginals of two tables."""
    sizes = [column.size for column in data.schema.columns if column.name in names]
    shares = []
    for one in (data, release):
        cells = np.ravel_multi_index([one.columns[name] for name in names], sizes)
        shares.append(np.bincount(cells, minlength=int(np.prod(sizes))) / len(one))
    return np.abs(shares[0] - shares[1]).sum() / 2


def parity(rows=4000):
    """Three columns, of which any two are independent and all three are not."""
    data = table(2, 2, 2, 2, rows=rows)
    rng = np.random.default_rng(3)
    codes = {name: rng.integers(0, 2, rows) for name in ("c0", "c1", "c3")}
    return data.replace({**codes, "c2": codes["c0"] ^ codes["c1"]})


def test_what_only_three_columns_show_is_kept():
    data = parity()
    names = ("c0", "c1", "c2")
    assert distance(data, released(data, epsilon=10.0, ways=3).data, names) < 0.03
    assert distance(data, released(data, epsilon=10.0, ways=2).data, names) > 0.4


def test_a_workload_decides_what_is_counted():
    data = table(4, 4, 4, 4, rows=2000)
    model = fitted(data, epsilon=5.0, workload=(("c0", "c3"),))
    assert model.focal_points() == (
        FocalPoint(("c0", "c3")),
        FocalPoint(("c1",)),
        FocalPoint(("c2",)),
    )
    assert (
        released(data, epsilon=50.0, workload=(("c0", "c3"),))
        .methods[-1]
        .detail.endswith("has 1 marginals")
    )


def test_weights_decide_what_comes_first():
    data = table(4, 4, 4, 4, rows=2000)
    pairs = (("c0", "c1"), ("c2", "c3"))
    for weights, first in (((100.0, 1.0), pairs[0]), ((1.0, 100.0), pairs[1])):
        aim = Aim(epsilon=5.0, workload=pairs, weights=weights)
        assert aim.play(data, noise=Noise.for_test(1)).chosen[0] == first


def test_a_workload_with_an_unknown_column_is_refused():
    with pytest.raises(PartError, match=r"unknown columns: age; available: c0, c1"):
        released(table(3, 3), workload=(("c0", "age"),))


def test_a_saved_model_is_the_same_model():
    assert_survives_its_file(fitted(table(3, 40, 5, 1, nullable=True), epsilon=3.0))
    assert_survives_its_file(fitted(oddly_named(high=400), epsilon=3.0))


def test_the_same_noise_and_seed_give_the_same_records():
    data = table(3, 4, 5)
    assert released(data).data.equals(released(data).data)
    assert not released(data).data.equals(released(data, seed=2).data)


@pytest.mark.parametrize("epsilon", [1e-3, 9e5])
@pytest.mark.parametrize("sizes", [(1,), (5,), (1, 1), (2, 300)])
def test_odd_tables_and_extreme_noise(sizes, epsilon):
    data = table(*sizes, rows=60)
    release = released(data, epsilon=epsilon, rows=60, edges="equal").data
    assert len(release) == 60
    if epsilon > 1:
        assert distance(data, release, data.schema.names) < 0.1


def test_missing_values_are_one_more_value():
    data = table(4, 4, rows=2000, nullable=True)
    codes = np.where(data.columns["c0"] == 2, -1, data.columns["c1"])
    release = released(data.replace({"c1": codes}), epsilon=100.0, rows=2000).data
    missing = release.columns["c1"] == -1
    assert (release.columns["c0"][missing] == 2).mean() > 0.95


def test_many_columns_have_a_smaller_workload_and_the_release_says_so():
    assert [fitting_ways(columns, 3) for columns in (5, 49, 50, 100)] == [3, 3, 2, 2]
    schema = table(*[2] * 60, rows=1).schema
    said = Aim(ways=3).detail(schema)
    assert said.endswith(
        "all marginals of 2 columns, because 3 would give more than 20,000 candidates"
    )


def test_the_structure_without_noise_is_the_chain():
    data = table(4, 4, 4, 4, rows=5000)
    chain = tuple(FocalPoint((f"c{i}", f"c{i + 1}")) for i in range(3))
    assert set(chain) <= set(Shadow(Aim(epsilon=1.0, ways=2)).structure(data))


def test_where_only_single_columns_matter_all_of_the_budget_goes_to_them():
    data, noise = table(4, 3, 5, rows=500), Recorder()
    rounds = Aim(epsilon=2.0, ways=1).play(data, noise=noise)
    assert rounds.chosen == [] and not noise.choices
    assert sum(1 / (2 * sigma**2) for sigma, _ in noise.gaussians) == pytest.approx(
        rho_for(2.0, 1e-9)
    )
    release = released(data, epsilon=1e4, ways=1)
    assert all(distance(data, release.data, (name,)) < 0.01 for name in data.schema.names)
