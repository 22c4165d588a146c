"""Refit: estimates with a warm start agree with those without, and so do crossing marginals."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quintain.sanitizers.synthetic.pgm import Domain, Factor, JunctionTree, Measurement, estimate
from quintain.sanitizers.synthetic.pgm.propagation import propagate
from quintain.sanitizers.synthetic.pgm.refit import Calibration, Crossing, Nest, Refit
from tests.sanitizers.synthetic.pgm.pgm_cases import QUICK, SEEDS, joint_of, shapes, summed


def potentials(domain, tree, rng, spread):
    return [spread * rng.normal(size=domain.shape(clique)) for clique in tree.cliques]


@QUICK
@given(shapes(), SEEDS, st.sampled_from([1.0, 20.0]))
def test_calibration_is_propagation(shape, seed, spread):
    domain, cliques = shape
    tree = JunctionTree.build(domain, cliques)
    logs = potentials(domain, tree, np.random.default_rng(seed), spread)
    tables, log_total = Calibration(domain, tree).tables(logs)
    beliefs, wanted = propagate(tree, [Factor(*x) for x in zip(tree.cliques, logs, strict=True)])
    assert np.isclose(log_total, wanted, atol=1e-6)
    for table, belief in zip(tables, beliefs, strict=True):
        assert np.allclose(table, belief.exp(), atol=1e-9)


@QUICK
@given(shapes(max_columns=7, max_size=3), SEEDS)
def test_crossing_marginals_are_those_of_the_joint_table(shape, seed):
    domain, cliques = shape
    tree = JunctionTree.build(domain, cliques)
    calibration = Calibration(domain, tree)
    logs = potentials(domain, tree, np.random.default_rng(seed), 2.0)
    tables = calibration.tables(logs)[0]
    log = np.zeros(domain.sizes)
    for clique, part in zip(tree.cliques, logs, strict=True):
        log = log + part.reshape([domain.size(n) if n in clique else 1 for n in domain.names])
    joint = np.exp(log - log.max())
    joint /= joint.sum()
    wanted = [c for width in (1, 2, 3) for c in combinations(domain.names, width)]
    crossing = Crossing(calibration, tables)
    meetings = crossing.meetings(wanted)
    assert (meetings >= 0).all()
    for columns, meeting in zip(wanted, meetings.tolist(), strict=True):
        assert np.allclose(crossing.counts(columns, meeting), summed(joint, domain, columns))


def test_a_warm_start_leads_to_the_best_fit():
    rng = np.random.default_rng(0)
    domain = Domain.of({"a": 4, "b": 5, "c": 3, "d": 4})
    joint = rng.dirichlet(np.full(240, 0.5)).reshape(domain.sizes) * 5000
    names = [("a",), ("b",), ("c",), ("d",), ("a", "b"), ("b", "c"), ("a", "c", "d"), ("a", "b")]
    measured = [
        Measurement.of(c, summed(joint, domain, c) + rng.normal(0, 4, domain.shape(c)), 16.0)
        for c in names
    ]
    refit = Refit(domain, measured[:4])
    for new in measured[4:]:
        refit.fit(tolerance=0.2, steps=15)
        refit.add(new, refit.model().marginal(new.columns))
    refit.fit(tolerance=1e-3, steps=500)
    best = joint_of(estimate(measured, domain, total=refit.total, tolerance=0.001))
    mine = joint_of(refit.model())
    losses = [
        sum(
            ((summed(j, domain, m.columns) - m.counts) ** 2 / m.variance).sum() / 2
            for m in measured
        )
        for j in (best, mine)
    ]
    # The pull towards uniform costs a little of the fit.
    assert losses[0] - 0.1 <= losses[1] <= losses[0] + 3
    assert np.abs(best - mine).sum() / 5000 < 0.03
    assert np.allclose(refit.counts(("a", "c")), summed(mine, domain, ("a", "c")))


def test_a_nest_sums_and_adds_like_plain_tables():
    domain, columns = Domain.of({"a": 2, "b": 5, "c": 3}), ("a", "b", "c")
    marginals = dict(enumerate([("a",), ("a", "c"), ("b", "c"), columns, ("c",), ("a", "c")]))
    nest = Nest.of(domain, columns, marginals)
    table = np.random.default_rng(0).random(domain.sizes)
    sums = [np.empty(0)] * len(marginals)
    nest.sums(table, sums)
    wanted = [summed(table, domain, names).ravel() for names in marginals.values()]
    assert all(np.allclose(one, other) for one, other in zip(sums, wanted, strict=True))
    shapes = [[domain.size(n) if n in m else 1 for n in columns] for m in marginals.values()]
    plain = sum(part.reshape(shape) for part, shape in zip(wanted, shapes, strict=True))
    assert np.allclose(nest.total(wanted), plain)
