"""Costs: what the differences between the true values of two runs cost, in the words of a claim.

Both runs got the same answers, so the loss of an answer follows from the difference d of its true
values. All of them are added up in several ways, each of which is an upper bound, and the least
counts:

- In epsilon: Laplace noise of scale b costs |d| / b, and a choice the largest ratio of its
  probabilities, which are known exactly.
- In zCDP: Gaussian noise costs d**2 / (2 sigma**2), a choice r**2 / 8, where r is how far apart its
  losses are, and Laplace noise (d / b)**2 / 2. The sum is converted with the delta of the claim.
- Both: Laplace noise and choices in epsilon, Gaussian noise in zCDP.
- Laplace noise exactly, as randomised response with epsilon |d| / b
  (:mod:`quintain.accounting.pate`).
- Where a coin of probability q decides whether a record takes part in the answers that follow, by
  the Rényi divergence of the subsampled Gaussian (:mod:`quintain.accounting.subsampled_gaussian`).

References
----------
Cesar and Rogers (2021), Bounding, Concentrating, and Truncating: Unifying Privacy Loss Composition
for Data Analytics.
Mironov, Talwar and Zhang (2019), Rényi differential privacy of the sampled Gaussian mechanism.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from quintain.accounting.pate import delta_of
from quintain.accounting.subsampled_gaussian import ORDERS, step_divergence
from quintain.accounting.zcdp import epsilon_for
from quintain.audits.accounting.followed import Coins, HiddenAnswers, NoisyChoice, Tape
from quintain.data.arrays import Floats

_WHOLE = 1e-6
"""Differences of true values this near to a multiple of the noise's unit count as one."""
_HALVINGS = 60


@dataclass(slots=True)
class Cost:
    """What a replay cost.

    Parameters
    ----------
    laplace : for each answer with Laplace noise how many scales its true values differ.
    rho : the zCDP of Gaussian noise.
    choice_rho, choice_epsilon : what choices cost, in zCDP and in epsilon.
    steps : for answers after coins of a probability, that probability and their zCDP.
    faults : why the cost is not finite, in words with a line of code.
    """

    laplace: list[float] = field(default_factory=list)
    rho: float = 0.0
    choice_rho: float = 0.0
    choice_epsilon: float = 0.0
    steps: list[tuple[float, float]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def epsilon(self, delta: float) -> float:
        """The least epsilon that covers all answers, with this delta."""
        if self.faults:
            return math.inf
        pure = sum(self.laplace) + self.choice_epsilon
        sampled = sum(rho for _, rho in self.steps)
        rho = self.rho + sampled
        if rho == 0 and pure == 0:
            return 0.0
        if delta == 0:
            return pure if rho == 0 else math.inf
        ways = [pure + _convert(rho, delta)]
        squares = sum(loss**2 for loss in self.laplace) / 2
        ways.append(_convert(rho + squares + self.choice_rho, delta))
        if self.steps:
            other = self.rho + squares + self.choice_rho
            ways.append(_sampled_epsilon(self.steps, other, delta))
        if self.laplace and rho == 0:
            ways.append(self.choice_epsilon + _laplace_epsilon(self.laplace, delta, min(ways)))
        return min(ways)


def _convert(rho: float, delta: float) -> float:
    return epsilon_for(rho, delta) if rho > 0 else 0.0


def _sampled_epsilon(steps: list[tuple[float, float]], other: float, delta: float) -> float:
    """The best of all orders of Rényi divergence."""
    counted: dict[tuple[float, float], int] = {}
    for rate, rho in steps:
        if rho > 0:
            # Rounded up to the digits that matter, so that equal steps are computed once.
            key = (rate, float(f"{rho * (1 + 1e-6):.6e}"))
            counted[key] = counted.get(key, 0) + 1
    if len(counted) > 1:  # steps differ by how long a gradient is: all count as the longest
        rates = {rate for rate, _ in counted}
        tops = {rate: max(rho for own, rho in counted if own == rate) for rate in rates}
        counted = {
            (rate, tops[rate]): sum(n for (own, _), n in counted.items() if own == rate)
            for rate in rates
        }
    best = math.inf
    for order in ORDERS:
        total = order * other
        for (rate, rho), count in counted.items():
            total += count * step_divergence(rate, 1 / math.sqrt(2 * rho), order)
        tail = math.log1p(-1 / order) - math.log(delta * order) / (order - 1)
        best = min(best, max(0.0, total + tail))
    return best


def _laplace_epsilon(losses: list[float], delta: float, most: float) -> float:
    """The exact epsilon of answers that are randomised responses, at most ``most``."""
    answers: dict[float, int] = {}
    for loss in losses:
        if loss > 0:
            scale = float(f"{1 / loss:.9e}")
            answers[scale] = answers.get(scale, 0) + 1
    if not answers:
        return 0.0
    low, high = 0.0, most
    if delta_of(high, answers) > delta:
        return most
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if delta_of(middle, answers) > delta else (low, middle)
        if high - low < 1e-7 * high:
            break
    return high


def cost_of(first: Tape, second: Tape, *, sampled: bool) -> Cost:
    """Add up what all answers of two runs cost.

    Parameters
    ----------
    sampled : whether it was seen that a record shows nothing where its coins leave it out, so that
        the answers after coins of one probability are steps with random records.
    """
    cost, rate, step = Cost(), None, 0.0
    extra = {(answer.event, answer.place) for answer in second.extra}
    for place, (one, other) in enumerate(zip(first.events, second.events, strict=False)):
        if isinstance(one, Coins):
            assert isinstance(other, Coins)  # the replay compared them
            if sampled and place in first.together and one.rate is not None:
                if rate is not None:
                    cost.steps.append((rate, step))
                rate, step = one.rate, 0.0
        elif isinstance(one, NoisyChoice):
            assert isinstance(other, NoisyChoice)  # the replay compared them
            _add_choice(cost, one, other)
        else:
            assert isinstance(other, HiddenAnswers)  # the replay compared them
            losses = _losses(cost, place, one, other, extra)
            if one.kind == "laplace":
                cost.laplace.extend(float(loss) for loss in losses if loss)
            elif rate is None:
                cost.rho += float((losses**2).sum()) / 2
            else:
                step += float((losses**2).sum()) / 2
    if rate is not None:
        cost.steps.append((rate, step))
    return cost


def _losses(
    cost: Cost, event: int, one: HiddenAnswers, other: HiddenAnswers, extra: set[tuple[int, int]]
) -> Floats:
    """How many scales the true values of each answer differ; notes what no noise hides."""
    before, after, factor = one.truth, other.truth, one.factor
    if len(before) != len(after):
        longer = before if len(before) > len(after) else after
        mask = [place for place in range(len(longer)) if (event, place) not in extra]
        if len(before) > len(after):
            before, factor = before[mask], factor[mask]
        else:
            after = after[mask]
    used = np.isnan(before)
    if (used != np.isnan(after)).any():
        cost.faults.append(f"{one.line}: noise was added to true values on one table only")
        return np.zeros(0)
    before, after, factor = before[~used], after[~used], factor[~used]
    gaps = np.abs(after - before)
    if not np.isfinite(gaps).all() or (factor == 0).any():
        bad = bool((gaps[factor == 0] > 0).any()) or not np.isfinite(gaps).all()
        if bad:
            cost.faults.append(f"{one.line}: noise of no size was added to a true value")
            return np.zeros(0)
    unit = np.where(factor == 0, 1.0, np.abs(factor))
    whole = gaps / unit
    scale = np.maximum(1.0, np.abs(before) / unit)
    if (np.abs(whole - np.rint(whole)) > _WHOLE + 1e-12 * scale).any():
        worst = float(whole[np.argmax(np.abs(whole - np.rint(whole)))])
        cost.faults.append(
            f"{one.line}: the noise is whole numbers, but true values differ by {worst:.6g} of "
            "them, so that the fraction of an answer shows the true value"
        )
        return np.zeros(0)
    return np.asarray(np.rint(whole) / one.scale, np.float64)


def _add_choice(cost: Cost, one: NoisyChoice, other: NoisyChoice) -> None:
    """What a choice costs: its probabilities are known exactly."""
    scale = one.epsilon / (2 * one.sensitivity)
    before, after = one.scores * scale, other.scores * scale
    possible = np.isfinite(before)
    if (possible != np.isfinite(after)).any():
        cost.faults.append(f"{one.line}: an option can be chosen on one table only")
        return
    before, after = before[possible], after[possible]
    gaps = after - before
    spread = float(gaps.max() - gaps.min())
    cost.choice_rho += spread**2 / 8
    cost.choice_epsilon += float(np.abs(_log_shares(after) - _log_shares(before)).max())


def _log_shares(scores: Floats) -> Floats:
    top = scores.max()
    shares: Floats = scores - top - math.log(float(np.exp(scores - top).sum()))
    return shares
