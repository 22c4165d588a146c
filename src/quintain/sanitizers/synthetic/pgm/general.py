"""Fit potentials to any set of marginals by entropic proximal steps, each smooth and convex.

Among the distributions that fit best, the wanted one assumes nothing else: it is a product of one
factor per marginal (McKenna, Sheldon and Miklau 2019). Each round moves from the last such
distribution q to

$$ argmin_p  sum_i (M_i p - y_i)^2 / (2 variance_i) + tau KL(p || q) $$

which is again such a product. With potentials theta for q and theta + phi for p, phi minimises

$$ n log Z(theta + phi) - phi y + tau / 2 sum_i variance_i phi_i^2 $$

This is mirror descent with implicit steps, so no step size has to be tuned. In a round the loss
comes within tau KL(best || q) of the best, and tau shrinks from round to round.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quintain.data.arrays import Floats
from quintain.jobs.progress import track
from quintain.sanitizers.synthetic.pgm.domain import Domain
from quintain.sanitizers.synthetic.pgm.factor import Factor
from quintain.sanitizers.synthetic.pgm.junction_tree import JunctionTree
from quintain.sanitizers.synthetic.pgm.measurement import Measurement
from quintain.sanitizers.synthetic.pgm.minimise import minimise
from quintain.sanitizers.synthetic.pgm.propagation import propagate

_ROUNDS = 20
_STEPS = 300
_START = 5.0
"""The first tau, in units of one over the variance; it acts like five records."""
_SHRINK = 0.2
_ACCURACY = 0.1
"""How exactly a round is solved, relative to the remaining distance."""


def fit_potentials(
    measured: Sequence[Measurement],
    domain: Domain,
    tree: JunctionTree,
    total: float,
    *,
    least: float,
    tolerance: float,
) -> list[Factor]:
    """Find the potentials of the best-fitting model, one per clique of the tree.

    Parameters
    ----------
    measured : reconciled measurements, each inside a clique of the tree.
    domain : the columns.
    tree : the junction tree.
    total : how many records the model describes.
    least : a lower bound of the loss.
    tolerance : stop when the loss per measured cell is this close to ``least``, or falls by less.
    """
    problem = _Problem(measured, domain, tree, total)
    theta = np.zeros(len(problem.counts))
    tau, floor = _START / float(np.median(problem.variance)), 0.0
    loss = problem.loss(theta)
    enough = tolerance**2 * len(theta) / 2
    for _ in track(range(_ROUNDS), "fitting marginals", _ROUNDS):
        if loss <= least + enough:
            break
        moved = problem.step(theta, tau, max(_ACCURACY**2 * (loss - least), _ACCURACY * enough))
        after = problem.loss(moved)
        if after >= loss:
            # The round needed more steps than the limit; a larger tau is easier.
            floor = tau = tau / _SHRINK
            continue
        gain = loss - after
        theta, loss = moved, after
        if gain < _ACCURACY * enough:
            break
        tau = max(floor, tau * _SHRINK)
    return problem.potentials(theta)


class _Problem:
    """The potentials of all measured marginals as one long vector, and their predictions."""

    def __init__(
        self, measured: Sequence[Measurement], domain: Domain, tree: JunctionTree, total: float
    ) -> None:
        self.columns = [m.columns for m in measured]
        self.shapes = [m.counts.shape for m in measured]
        self.counts = np.concatenate([m.counts.ravel() for m in measured])
        self.variance = np.concatenate([m.variance.ravel() for m in measured])
        self.ends = np.cumsum([m.counts.size for m in measured])
        self.homes = [tree.home(columns) for columns in self.columns]
        self.flat = [Factor(c, np.zeros(domain.shape(c))) for c in tree.cliques]
        self.tree, self.total = tree, total

    def potentials(self, theta: Floats) -> list[Factor]:
        """Add each potential to its home clique, and list the result by clique."""
        out = list(self.flat)
        parts = np.split(theta, self.ends[:-1])
        for columns, shape, home, part in zip(
            self.columns, self.shapes, self.homes, parts, strict=True
        ):
            out[home] = out[home] + Factor(columns, part.reshape(shape))
        return out

    def predict(self, theta: Floats) -> tuple[Floats, float]:
        """Compute the expected counts of every measured marginal, and the log normaliser."""
        beliefs, log_total = propagate(self.tree, self.potentials(theta))
        parts = [
            beliefs[home].sum_to(columns).exp().ravel()
            for columns, home in zip(self.columns, self.homes, strict=True)
        ]
        return self.total * np.concatenate(parts), log_total

    def loss(self, theta: Floats) -> float:
        """Compute half the squared distance to the measurements, divided by their variance."""
        gap = self.predict(theta)[0] - self.counts
        return float((gap**2 / self.variance).sum() / 2)

    def step(self, theta: Floats, tau: float, accuracy: float) -> Floats:
        """Compute the potentials after one proximal step."""

        def function(phi: Floats) -> tuple[float, Floats]:
            expected, log_total = self.predict(theta + phi)
            pull = tau * self.variance * phi
            value = self.total * log_total - phi @ self.counts + phi @ pull / 2
            return float(value), expected - self.counts + pull

        # The curvature along a potential is about its expected count, plus the pull back.
        scale = self.predict(theta)[0] + tau * self.variance
        phi = minimise(
            function,
            np.zeros_like(theta),
            scale=scale,
            done=lambda slope: float((slope**2 / self.variance).sum()) <= accuracy,
            limit=_STEPS,
        )
        return np.asarray(theta + phi)
