"""Estimation: from noisy marginals to a model of the whole table."""

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
    """The model whose marginals fit noisy ones best, and that assumes nothing else.

    The fit minimises squared differences over variances, and of equals takes the distribution of
    largest entropy. Columns that were not measured come out uniform and independent.

    Parameters
    ----------
    measurements : the noisy marginals.
    domain : all columns of the model.
    total : how many records there are; estimated from the measurements if not given.
    tolerance : how far the fit may be from the best, in standard deviations of the noise.
    most_cells : refuse a model whose tables would have more cells than this.
    direct : where the measured marginals are the cliques themselves, as in every tree, read the
        potentials off the reconciled tables, without iterating.

    Returns
    -------
    GraphicalModel
        Its cliques are those of a junction tree over the measured marginals.
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
    """Potentials of the model that has these tables as marginals; uniform where there is none."""
    with np.errstate(divide="ignore"):
        found = [
            Factor(c, np.log(tables[c]) if c in tables else np.zeros(domain.shape(c)))
            for c in tree.cliques
        ]
    return conditionals(tree, found)
