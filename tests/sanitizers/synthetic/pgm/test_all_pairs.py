"""All pairs at once: the same counts, and the same choices of AIM, as one marginal at a time."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.randomness.noise import Noise
from quintain.sanitizers.synthetic import aim
from quintain.sanitizers.synthetic.aim import Aim
from quintain.sanitizers.synthetic.pgm import Domain
from quintain.sanitizers.synthetic.pgm.all_pairs import AllPairs
from quintain.sanitizers.synthetic.pgm.junction_tree import JunctionTree
from quintain.sanitizers.synthetic.pgm.refit import Calibration, Crossing
from tests.sanitizers.synthetic.mst.mst_cases import table


def some_domain(rng, most=9):
    count = int(rng.integers(1, most))
    return Domain.of({f"c{n}": int(rng.integers(1, 6)) for n in range(count)})


def one_or_two(domain):
    return [*((name,) for name in domain.names), *combinations(domain.names, 2)]


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6))
def test_a_model_has_the_pairs_that_are_computed_one_by_one(seed):
    rng = np.random.default_rng(seed)
    domain = some_domain(rng)
    most = min(4, len(domain.names))
    cliques = [
        domain.sort(rng.choice(domain.names, int(rng.integers(1, most + 1)), replace=False))
        for _ in range(int(rng.integers(0, 8)))
    ]
    tree = JunctionTree.build(domain, cliques)
    calibration = Calibration(domain, tree)
    logs = [2 * rng.normal(size=domain.shape(clique)) for clique in tree.cliques]
    tables = [50 * shares for shares in calibration.tables(logs)[0]]
    pairs, slow = AllPairs.of_model(domain, tree, tables), Crossing(calibration, tables)
    sets = one_or_two(domain)
    for names, meeting in zip(sets, slow.meetings(sets), strict=True):
        np.testing.assert_allclose(
            pairs.counts(names), slow.counts(names, int(meeting)), rtol=1e-9, atol=1e-12
        )
    assert np.array_equal(pairs.table, pairs.table.T)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(0, 50))
def test_records_are_counted_as_pair_by_pair(seed, rows):
    rng = np.random.default_rng(seed)
    domain = some_domain(rng, most=14)
    codes = {name: rng.integers(0, domain.size(name), rows) for name in domain.names}
    pairs = AllPairs.count(domain, codes)
    other = AllPairs.count(domain, {name: rng.permutation(code) for name, code in codes.items()})
    gaps = pairs.gaps(other)
    for names in one_or_two(domain):
        edges = [np.arange(domain.size(name) + 1) - 0.5 for name in names]
        counts, _ = np.histogramdd(np.column_stack([codes[name] for name in names]), bins=edges)
        assert np.array_equal(pairs.counts(names), counts)
        places = [domain.place(name) for name in names]
        expected = np.abs(pairs.counts(names) - other.counts(names)).sum()
        assert gaps[places[0], places[-1]] == expected


@pytest.mark.slow
def test_aim_chooses_the_same_pairs_as_one_by_one(monkeypatch):
    data = table(4, 3, 5, 2, 6, 3, 4, 2, rows=2000)
    for epsilon in (0.5, 20.0):
        fast = Aim(epsilon=epsilon).play(data, noise=Noise.for_test(4))
        assert fast.offers._pairs is not None
        with monkeypatch.context() as patch:
            patch.setattr(aim, "_many_pairs", lambda *_: False)
            slow = Aim(epsilon=epsilon).play(data, noise=Noise.for_test(4))
        assert fast.chosen == slow.chosen
        for one, other in zip(fast.fit.measured, slow.fit.measured, strict=True):
            assert np.array_equal(one.counts, other.counts)


def test_few_pairs_of_many_columns_are_counted_one_by_one():
    data = table(*[9] * 30, rows=300)
    rounds = Aim(workload=(("c0", "c7"),)).play(data, noise=Noise.for_test(1))
    assert rounds.offers._pairs is None
