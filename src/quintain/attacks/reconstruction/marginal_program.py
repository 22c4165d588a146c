"""Marginal program: hidden values of all targets that agree with the marginals of a release."""

from __future__ import annotations

from itertools import combinations
from typing import Annotated, Self

import numpy as np
from pydantic import Field

from quintain.attacks.attribute.linear_reconstruction import Equations, encode_numbers
from quintain.attacks.reconstruction.belief_propagation import pair_beliefs
from quintain.attacks.reconstruction.rebuilding import HiddenClasses, Rebuilding, RebuildingAttack
from quintain.data.arrays import Floats, Rows
from quintain.errors import PartError
from quintain.registry import register

_TOGETHER = 200  # targets that are rebuilt by one program
_TRIED = 1_000  # released records on which the strength of pairs is chosen


@register("marginal-program-v1")
class MarginalProgram(RebuildingAttack):
    r"""Solves a linear program: hidden values of all targets that fit the marginals of the release.

    A query q is a combination of values of one or two known columns. The release says which share
    $p_{qv}$ of its records there has the hidden value v, and about as many of the targets there
    should have it. With $y_{iv}$ the share of value v in target i, and $b_{iv}$ what the pairs of a
    known and a hidden column say of i alone:

    $$ \min_y \sum_{q,v} \frac{(|\sum_{i \in T_q} y_{iv} - |T_q| p_{qv}| - s_{qv})_+}
       {1 + s_{qv}} + d \sum_{i,v} (1 - b_{iv}) y_{iv} $$

    with $y \ge 0$ and $\sum_v y_{iv} = 1$. Here s is how far the targets of a query are from the
    release by chance (one standard deviation): no nearer agreement is asked for. The attack
    ``linear-reconstruction`` solves such equations by least squares, one value against the rest.

    Parameters
    ----------
    queries : how many queries are asked, those about most targets first.
    pull : d in the formula.

    References
    ----------
    Dinur and Nissim, Revealing information while preserving privacy, PODS 2003. Dwork, McSherry and
    Talwar, The price of privacy and the limits of LP decoding, STOC 2007.

    >>> import pyarrow as pa
    >>> import quintain as q
    >>> release = pa.table({"sex": ["f", "f", "m", "m"], "ill": ["yes", "yes", "no", "no"]})
    >>> targets = pa.table({"sex": ["m", "f"]})
    >>> guess = q.attack("marginal-program", release, targets=targets, secret="ill", seed=0)
    >>> [record["ill"] for record in guess.table.records()]
    ['no', 'yes']
    """

    queries: Annotated[int, Field(ge=1, le=10_000)] = 60
    pull: Annotated[float, Field(gt=0)] = 1.0

    @classmethod
    def examples(cls) -> list[Self]:
        """The usual program, and one with few queries."""
        return [cls(), cls(queries=10, rarity=1.0)]

    def believe(self, task: Rebuilding, *, rng: np.random.Generator) -> list[Floats]:
        """One program per hidden column and group of targets."""
        alone, _ = pair_beliefs(task, rng.permutation(len(task.shown))[:_TRIED])
        out = [shares.copy() for shares in alone]
        names = task.known.schema.names
        sets = [[name] for name in names] + [list(pair) for pair in combinations(names, 2)]
        known, shown = encode_numbers(task.known, task.shown)
        order = rng.permutation(len(task.known))
        groups = max(1, -(-len(order) // _TOGETHER))
        for rows in np.array_split(order, groups):
            equations = Equations.of(known.take(rows), shown, sets)
            for column, shares in zip(task.hidden, out, strict=True):
                shares[rows] = self._solve(equations, column, shares[rows])
        return out

    def _solve(self, equations: Equations, hidden: HiddenClasses, alone: Floats) -> Floats:
        from scipy.optimize import linprog
        from scipy.sparse import csr_array, eye_array, hstack, kron, vstack

        people, size = alone.shape
        sizes = np.asarray(equations.targets.sum(axis=1))
        chosen: Rows = np.argsort(-sizes, kind="stable")[: self.queries]
        if not len(chosen):  # no released record is like a target in anything
            return alone
        targets, records = equations.targets[chosen], equations.records[chosen]
        counts, released = sizes[chosen], np.asarray(records.sum(axis=1))
        shares = (records @ np.eye(size)[hidden.codes]) / released[:, None]
        chance = counts[:, None] * shares * (1 - shares) * (1 + counts / released)[:, None]
        deviation = np.sqrt(chance).ravel()
        weight = 1 / (1 + deviation)
        # Unknowns: the shares of person after person; then what is too little, too much, and free.
        sums = kron(targets, eye_array(size))
        slack = eye_array(sums.shape[0])
        ones = kron(eye_array(people), np.ones((1, size)))
        empty = csr_array((people, 3 * sums.shape[0]))
        left = vstack([hstack([sums, slack, -slack, slack]), hstack([ones, empty])]).tocsr()
        right = np.concatenate([(counts[:, None] * shares).ravel(), np.ones(people)])
        alone_cost = self.pull * (1 - alone).ravel()
        costs = np.concatenate([alone_cost, weight, weight, np.zeros(len(weight))])
        bounds = np.zeros((len(costs), 2))
        bounds[:, 1] = np.inf
        bounds[-len(weight) :] = np.column_stack([-deviation, deviation])
        solved = linprog(costs, A_eq=left, b_eq=right, bounds=bounds, method="highs")
        if solved.x is None:
            raise PartError(f"{self.id}: the linear program has no solution: {solved.message}")
        solution = np.clip(solved.x[: people * size].reshape(people, size), 0, 1)
        return np.asarray((solution + 0.01 * alone) / 1.01)  # ties go to what pairs say
