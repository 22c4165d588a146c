"""Belief propagation: compute the marginal of every clique of a junction tree in two passes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quintain.sanitizers.synthetic.pgm.factor import Factor
from quintain.sanitizers.synthetic.pgm.junction_tree import JunctionTree


def propagate(tree: JunctionTree, potentials: Sequence[Factor]) -> tuple[list[Factor], float]:
    """Compute the probabilities of every clique, as logarithms, and the log normaliser.

    Parameters
    ----------
    tree : the junction tree.
    potentials : one factor over the columns of each clique; their product is the model.
    """
    beliefs = list(potentials)
    sent: list[Factor] = [beliefs[0]] * len(beliefs)
    for child in range(len(beliefs) - 1, 0, -1):
        sent[child] = beliefs[child].sum_to(tree.separators[child])
        beliefs[tree.parents[child]] = beliefs[tree.parents[child]] + sent[child]
    log_total = float(beliefs[0].sum_to(()).log)
    beliefs[0] = beliefs[0].shifted(-log_total)
    for child in range(1, len(beliefs)):
        # The parent's belief contains the child's own message, so that is divided out.
        known = beliefs[tree.parents[child]].sum_to(tree.separators[child])
        beliefs[child] = beliefs[child] + (known - sent[child])
    return beliefs, log_total


def conditionals(tree: JunctionTree, tables: Sequence[Factor]) -> list[Factor]:
    """Turn clique tables into potentials: each table given the columns shared with its parent.

    If the tables agree where they overlap, they are the marginals of the model. A row without mass
    gives a uniform conditional distribution, so the model stays a distribution if the tables agree
    only approximately.
    """
    potentials = []
    for table, separator in zip(tables, tree.separators, strict=True):
        given = table.sum_to(separator)
        empty = Factor(separator, np.where(given.log == -np.inf, 0.0, -np.inf))
        cells = table.log.size // max(1, given.log.size)
        flat = (Factor(table.columns, np.zeros_like(table.log)) + empty).shifted(-np.log(cells))
        ratio = table - given
        potentials.append(Factor(table.columns, np.maximum(ratio.log, flat.log)))
    return potentials
