"""Estimation: find the model of the whole table that fits noisy marginals best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quintain.data.arrays import Floats
from quintain.sanitizers.synthetic.pgm.domain import Domain
from quintain.sanitizers.synthetic.pgm.factor import Factor
from quintain.sanitizers.synthetic.pgm.general import fit_potentials
from quintain.sanitizers.synthetic.pgm.junction_tree import MOST_CELLS, JunctionTree
from quintain.sanitizers.synthetic.pgm.measurement import Measurement, estimate_total, fuse
from quintain.sanitizers.synthetic.pgm.model import GraphicalModel
from quintain.sanitizers.synthetic.pgm.propagation import conditionals
from quintain.sanitizers.synthetic.pgm.reconcile import reconcile


def estimate(
    measurements: Sequence[Measurement],
    domain: Domain,
    *,
    total: float | None = None,
    tolerance: float = 0.05,
    most_cells: int = MOST_CELLS,
    direct: bool = True,
) -> GraphicalModel:
    """Find the model whose marginals fit noisy ones best, and that assumes nothing else.

    The fit minimises squared differences divided by variances. Among equally good distributions it
    takes the one of largest entropy. Columns that were not measured are uniform and independent.

    >>> noisy = Measurement.of(("a",), [6.0, 3.0, -5.0], 1.0)
    >>> model = estimate([noisy], Domain.of({"a": 3, "b": 2}), total=7.0)
    >>> model.marginal(("a", "b")).round(6).tolist()
    [[2.5, 2.5], [1.0, 1.0], [0.0, 0.0]]

    Parameters
    ----------
    measurements : the noisy marginals.
    domain : all columns of the model.
    total : how many records there are; estimated from the measurements if not given.
    tolerance : how far the fit may be from the best, in standard deviations of the noise.
    most_cells : the most cells of all tables of the model; larger models are refused.
    direct : take the potentials from the reconciled tables, without iterating, where the measured
        marginals are the cliques themselves, as in every tree.

    Returns
    -------
    GraphicalModel
        Its cliques form a junction tree over the measured marginals.
    """
    measured = fuse(measurements, domain)
    if total is None:
        total = estimate_total(measured)
    tree = JunctionTree.build(domain, [m.columns for m in measured], most_cells=most_cells)
    if not measured:
        return GraphicalModel(domain, total, tree, tuple(_direct(domain, tree, {})))
    agreed = reconcile(measured, domain, total, tolerance=0.1 * tolerance)
    if direct and all(clique in agreed.tables or len(clique) == 1 for clique in tree.cliques):
        potentials = _direct(domain, tree, agreed.tables)
    else:
        potentials = fit_potentials(
            agreed.adjusted, domain, tree, total, least=agreed.least, tolerance=tolerance
        )
    return GraphicalModel(domain, total, tree, tuple(potentials))


def _direct(
    domain: Domain, tree: JunctionTree, tables: dict[tuple[str, ...], Floats]
) -> list[Factor]:
    """Give the potentials of the model with these marginals; uniform where there is no table."""
    with np.errstate(divide="ignore"):
        factors = [
            Factor(c, np.log(tables[c]) if c in tables else np.zeros(domain.shape(c)))
            for c in tree.cliques
        ]
    return conditionals(tree, factors)
