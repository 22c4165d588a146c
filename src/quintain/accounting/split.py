"""Split: one budget for two steps, what is measured beforehand and the sanitizer, counted per row.

Neighbours differ in one unit: a row, or a person with at most m rows. A step that is private for
one row is private for m rows with a larger loss, so each step gets a budget per row that is smaller
by as much:

- rho-zCDP for one row is m^2 rho-zCDP for m rows.
- (epsilon, delta) for one row is (m epsilon, delta (e^(m epsilon) - 1) / (e^epsilon - 1)) for m.

If the sanitizer adds up its costs in zCDP, the first step gets a share of the whole rho. Otherwise
it gets a share of epsilon, and the losses of both steps are added.

References
----------
Bun and Steinke (2016), Concentrated Differential Privacy, proposition 1.9. Vadhan (2017), The
Complexity of Differential Privacy, lemma 2.2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from quintain.accounting.zcdp import delta_for, epsilon_for, rho_for

Account = Literal["zcdp", "approximate", "pure"]
"""How a sanitizer adds up its costs: in zCDP, in epsilon and delta, or in epsilon alone."""

ADDED_DELTA = 1e-9
"""The delta of what is measured beforehand, if the sanitizer has none itself."""


SHARES: dict[Account, float] = {"zcdp": 0.1, "approximate": 0.2, "pure": 0.2}
"""The part of the budget for what is measured beforehand. Where epsilons are added, a small part
buys less than in zCDP: on the Adult data, 0.1 of epsilon 1 makes the error of PrivBayes larger."""


@dataclass(frozen=True, slots=True)
class Split:
    """What two steps may spend together, and each of them per row.

    Parameters
    ----------
    share : the part of the budget for what is measured beforehand.
    total_delta : the delta of both steps, for one unit; their epsilon is the whole budget.
    rho : the zCDP of what is measured beforehand, per row.
    threshold : the probability with which it may show a value that only one unit has.
    epsilon, delta : what is left for the sanitizer, per row.
    """

    share: float
    total_delta: float
    rho: float
    threshold: float
    epsilon: float
    delta: float


def split_budget(
    epsilon: float, delta: float, *, share: float, rows: int = 1, account: Account
) -> Split:
    """Divide a budget: a share for what is measured beforehand, the rest for the sanitizer.

    >>> split = split_budget(1.0, 1e-9, share=0.1, account="zcdp")
    >>> f"{split.rho:.4f} {split.threshold:.1e} {split.epsilon:.3f} {split.delta:.1e}"
    '0.0014 5.0e-10 0.947 5.0e-10'
    >>> split_budget(1.0, 0.0, share=0, rows=5, account="pure").epsilon
    0.2

    Parameters
    ----------
    epsilon, delta : the whole budget, for one unit.
    share : the part for what is measured beforehand; 0 if nothing is.
    rows : the most rows of a unit.
    account : how the sanitizer adds up its costs.
    """
    if account == "zcdp":
        threshold = delta / 2 if share else 0.0
        left = delta - threshold
        rho = rho_for(epsilon, left) / rows**2
        if not share and rows == 1:
            return Split(share, delta, 0.0, 0.0, epsilon, delta)
        rest = _as_epsilon((1 - share) * rho, left)
        return Split(share, delta, share * rho, threshold, *rest)
    total = delta or (ADDED_DELTA if share else 0.0)
    before = total / 2 if account == "approximate" and delta else total
    before = before if share else 0.0
    kept = (1 - share) * epsilon
    rho = rho_for(share * epsilon, before / 2) / rows**2 if share else 0.0
    own = (total - before) * _group_factor(kept, rows)
    return Split(share, total, rho, before / 2, kept / rows, own)


def split_for_answers(
    epsilon: float, delta: float, *, share: float, answers: int, account: Account
) -> tuple[float, float, float]:
    """Divide a budget: a share for pure answers, and epsilon and delta of what is left.

    Gives the epsilon of each of the answers first. In zCDP, an answer that is epsilon-private costs
    epsilon^2 / 2.

    >>> split_for_answers(2.0, 0.0, share=0.5, answers=4, account="pure")
    (0.25, 1.0, 0.0)
    """
    if account != "zcdp":
        spent = share * epsilon
        return spent / answers, epsilon - spent, delta
    rho = rho_for(epsilon, delta)
    each = math.sqrt(2 * share * rho / answers)
    return each, *_as_epsilon((1 - share) * rho, delta)


def _as_epsilon(rho: float, delta: float) -> tuple[float, float]:
    """Give epsilon and delta that mean at most this rho to a sanitizer."""
    while delta_for(rho, 0.0) <= delta:  # a sanitizer wants an epsilon above 0
        delta /= 10
    return epsilon_for(rho, delta), delta


def _group_factor(epsilon: float, rows: int) -> float:
    """How much smaller delta is for one row than for all rows of a unit."""
    single = epsilon / rows
    return math.exp(single - epsilon) * math.expm1(-single) / math.expm1(-epsilon)
