"""Calibration: the probabilities of every clique, fast, for fits that need them very often.

:func:`~quintain.sanitizers.synthetic.pgm.propagation.propagate` works with logarithms, so it is
exact for any numbers. A fit that evaluates hundreds of models one after another spends most of its
time on those logarithms. Here messages are plain numbers, rescaled to a largest value of one at
each step, and a cell below e**-200 of the largest in its clique is raised to that. No sum can
underflow then, and no probability changes by an amount that matters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats
from quintain.sanitizers.synthetic.pgm.domain import Domain
from quintain.sanitizers.synthetic.pgm.junction_tree import JunctionTree

_LEAST_LOG = -200.0


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a small table lies in a larger one: the axes it lacks, and its shape beside it."""

    home: int
    axes: tuple[int, ...]
    shape: tuple[int, ...]

    @classmethod
    def of(cls, domain: Domain, columns: Sequence[str], home: int, larger: Sequence[str]) -> Spot:
        """Find the spot of a table in a larger one; the columns of both are in domain order."""
        axes = tuple(axis for axis, name in enumerate(larger) if name not in columns)
        shape = tuple(domain.size(name) if name in columns else 1 for name in larger)
        return cls(home, axes, shape)


class Calibration:
    """Computes the clique tables of one junction tree from potentials, again and again."""

    def __init__(self, domain: Domain, tree: JunctionTree) -> None:
        self.domain, self.tree = domain, tree
        self._links = [
            (
                Spot.of(domain, separator, child, tree.cliques[child]),
                Spot.of(domain, separator, parent, tree.cliques[parent]),
            )
            for child, (separator, parent) in enumerate(
                zip(tree.separators, tree.parents, strict=True)
            )
            if child
        ]

    def spot(self, columns: Sequence[str]) -> Spot:
        """Find the smallest clique that contains some columns."""
        wanted = set(columns)
        homes = [n for n, clique in enumerate(self.tree.cliques) if wanted.issubset(clique)]
        home = min(homes, key=lambda n: self.domain.cells(self.tree.cliques[n]))
        return Spot.of(self.domain, columns, home, self.tree.cliques[home])

    def tables(self, logs: Sequence[Floats]) -> tuple[list[Floats], float]:
        """Compute the probabilities of every clique, and the log normaliser.

        Parameters
        ----------
        logs : the logarithm of the potential of each clique.
        """
        tables, log_total = [], 0.0
        for log in logs:
            top = float(log.max())
            table = np.maximum(log - top, _LEAST_LOG)
            tables.append(np.exp(table, out=table))
            log_total += top
        messages = []
        for child, parent in reversed(self._links):
            message = tables[child.home].sum(axis=child.axes, keepdims=True)
            top = float(message.max())
            tables[child.home] /= top
            message /= top
            messages.append(message)
            tables[parent.home] *= message.reshape(parent.shape)
            log_total += float(np.log(top))
        whole = float(tables[0].sum())
        tables[0] /= whole
        for (child, parent), message in zip(self._links, reversed(messages), strict=True):
            known = tables[parent.home].sum(axis=parent.axes).reshape(child.shape)
            tables[child.home] *= known / message
        return tables, log_total + float(np.log(whole))
