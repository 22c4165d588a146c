"""The budget of PrivBayes and the sizes of its tables."""

import math

import numpy as np
import pytest

from quintain.data import Table
from quintain.sanitizers.synthetic import privbayes
from quintain.testing import example_table, people
from tests.sanitizers.synthetic.privbayes.privbayes_cases import (
    Recorder,
    fitted,
    integers,
    known_network,
    released,
)


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 3.0, 1000.0])
@pytest.mark.parametrize("share", [0.1, 0.5])
def test_all_costs_add_up_to_epsilon(epsilon, share):
    noise = Recorder()
    fitted(known_network(500), noise=noise, epsilon=epsilon, network_share=share)
    (first, one), *tables = noise.counts
    assert one == 1
    assert 1 / first == pytest.approx(0.01 * epsilon)
    assert len(tables) == 4
    spent = 1 / first + sum(1 / scale for scale, _ in tables) + sum(noise.choices)
    assert spent == pytest.approx(epsilon, rel=1e-12)
    if noise.choices:
        assert len(noise.choices) == 3
        assert sum(noise.choices) == pytest.approx(share * epsilon)


def test_tables_share_epsilon_by_the_roots_of_their_cells():
    noise = Recorder()
    fitted(known_network(500), noise=noise, epsilon=100.0)
    spent = [1 / (scale * math.sqrt(cells)) for scale, cells in noise.counts[1:]]
    assert spent == pytest.approx([spent[0]] * 4)


def test_without_a_choice_the_tables_get_the_whole_budget():
    noise = Recorder()
    model = fitted(known_network(20), noise=noise, epsilon=0.5, theta=100.0)
    assert noise.choices == []
    assert sum(1 / scale for scale, _ in noise.counts) == pytest.approx(0.5)
    assert all(not point.given for point in model.focal_points())


def test_the_claim_is_pure_and_for_a_record_more_or_less():
    claim = released(people(example_table()), epsilon=0.7).claim
    assert (claim.epsilon, claim.delta, claim.neighbours) == (0.7, 0.0, "add-remove")


@pytest.mark.parametrize("theta", [1.0, 4.0, 20.0])
@pytest.mark.parametrize("epsilon", [1.0, 30.0])
def test_an_average_count_is_at_least_theta_times_the_noise(theta, epsilon):
    rng = np.random.default_rng(0)
    schema = integers(**{f"c{i}": 2 + i % 4 for i in range(8)})
    data = Table(schema, {c.name: rng.integers(c.size, size=2000) for c in schema.columns})
    noise = Recorder()
    model = fitted(data, noise=noise, epsilon=epsilon, theta=theta)
    # The noisy number of records is not public, but it is within 20 scales of the true one.
    records = 2000 + 20 * noise.counts[0][0]
    bound = records * 0.89 * epsilon / (8 * theta)
    for (point,), parents in ((p.columns, p.given) for p in model.focal_points()):
        if parents:
            assert math.prod(schema[name].size for name in (point, *parents)) <= bound


def test_degree_grows_with_epsilon_and_falls_with_theta():
    data = known_network(3000)

    def degree(**parameters):
        return sum(len(point.given) for point in fitted(data, **parameters).focal_points())

    assert degree(epsilon=0.01) == 0
    assert 0 < degree(epsilon=0.1) < degree(epsilon=1.0)
    assert degree(epsilon=1.0, theta=100) < degree(epsilon=1.0)


def test_tables_stay_small_however_large_epsilon_is(monkeypatch):
    monkeypatch.setattr(privbayes, "MOST_CELLS", 4 * 8)
    noise = Recorder()
    fitted(known_network(3000), noise=noise, epsilon=1e5)
    assert max(cells for _, cells in noise.counts) <= 8
