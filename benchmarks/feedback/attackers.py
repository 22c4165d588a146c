"""Attackers who have no release: they compute hidden labels from the scores that they are shown.

Everybody here knows that exactly half of the targets are members, and sees only what
:class:`Contest` shows, which is computed with the functions that score a live contest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from quintain.contests import Track
from quintain.data.arrays import Floats, Mask
from quintain.guesses import Guess, Truth
from quintain.kernels.ranks import average_ranks
from quintain.measures import Case
from quintain.runs.scores.feedback import Shown, shown_next
from quintain.runs.tasks.shown_targets import draw_shown
from quintain.testing import case_of, membership_guess

Values = Mapping[str, float]


class Submission(NamedTuple):
    """A guess, what the team saw before and after it, and whether its budget paid for all of it."""

    guess: Floats
    before: Values
    after: Values
    paid: bool


def half_of(targets: int, rng: np.random.Generator) -> Mask:
    """Draw who is a member: exactly half of the targets."""
    return rng.permutation(targets) < targets // 2


@dataclass
class Contest:
    """One entry of a contest as one team sees it.

    Parameters
    ----------
    members : who is a member, which only this class looks at.
    split : the draw of the targets that shown scores are about, if the track has a split.
    history : every submission so far.
    """

    track: Track
    members: Mask
    split: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    shown: Shown = field(default_factory=Shown)
    history: list[Submission] = field(default_factory=list)

    def __post_init__(self) -> None:
        share, size = self.track.feedback.shown_on, len(self.members)
        everybody = np.ones(size, bool)
        self.asked = everybody if share is None else draw_shown(size, share, rng=self.split)
        self.counts = everybody if share is None else ~self.asked
        names = [f"t{number}" for number in range(size)]
        truth = {"target": names, "member": self.members.astype(int).tolist()}
        blind = {"target": names, "probability": np.full(size, 0.5).tolist()}
        self._truth: Truth = case_of(self.track.goal, truth, blind).truth

    def submit(self, guess: Floats) -> Values:
        """Submit a guess; returns what the team sees afterwards."""
        case = Case(self._truth, _guess(guess))
        if not self.asked.all():
            case = case.of_targets(self.asked)
        readings = {
            name: reading.value
            for measured in self.track.guess_measures
            if self.track.feedback.shows(measured)
            for name, reading in measured.of_guesses([case]).items()
        }
        before, paid = self.shown.values, self._affordable()
        self.shown = shown_next(self.track, self.shown, str(len(self.history)), readings)
        self.history.append(Submission(guess, before, self.shown.values, paid))
        return self.shown.values

    def _affordable(self) -> bool:
        """Whether the budget pays for any change of every score; the team can compute that, too."""
        policy = self.track.feedback
        costs = [
            max(policy.costs(self.shown.values.get(name), measured.measure.within))
            for measured in self.track.guess_measures
            if policy.shows(measured)
            for name in measured.reads
        ]
        return self.shown.spent + sum(costs) <= policy.budget

    def accuracy(self, labels: Floats) -> float:
        """The share of right labels among the targets that count; a half counts as a coin toss."""
        right = np.where(labels == 0.5, 0.5, (labels > 0.5) == self.members)
        return float(right[self.counts].mean())


def _guess(probabilities: Floats) -> Guess:
    return membership_guess(probabilities.tolist())


Form = tuple[Floats, float, float]
"""Weights, a constant and a scale: the weights of all members plus the constant, over the scale."""

Attacker = Callable[[Contest, int, np.random.Generator], Floats]
"""Submits so many guesses and returns a label between 0 and 1 per target; 0.5 is "unknown"."""


def probe_singles(contest: Contest, tries: int, rng: np.random.Generator) -> Floats:
    """Call one target after the other a member, and see whether a score rises or falls."""
    size = len(contest.members)
    labels, before = np.full(size, 0.5), contest.submit(np.zeros(size))
    for target in range(min(size, tries - 1)):
        guess = np.zeros(size)
        guess[target] = 1.0
        labels[target] = _direction(before, contest.submit(guess))
    return labels


def probe_with_resets(contest: Contest, tries: int, rng: np.random.Generator) -> Floats:
    """Submit one half for everybody before each probe, so that a forgetful ladder starts anew."""
    size = len(contest.members)
    labels = np.full(size, 0.5)
    for target in range(min(size, tries // 2)):
        before = dict(contest.submit(np.full(size, 0.5)))
        guess = np.full(size, 0.5)
        guess[target] = 1.0
        labels[target] = _direction(before, contest.submit(guess))
    return labels


def probe_pairs(contest: Contest, tries: int, rng: np.random.Generator) -> Floats:
    """Put one target above all others and another below them: equal labels leave scores equal."""
    size = len(contest.members)
    labels = np.full(size, 0.5)
    before = dict(contest.submit(np.full(size, 0.5)))
    for pair in range(min(size // 2, tries - 1)):
        guess = np.full(size, 0.5)
        guess[2 * pair], guess[2 * pair + 1] = 1.0, 0.0
        direction = _direction(before, contest.submit(guess))
        labels[2 * pair], labels[2 * pair + 1] = direction, 1 - direction
    return labels


def _direction(before: Values, after: Values) -> float:
    """1 if a score rose, 0 if one fell, 0.5 if nothing moved."""
    moves = [after[name] - before[name] for name in after if name in before]
    return float((np.sign(sum(np.sign(moves))) + 1) / 2)


def average_guesses(contest: Contest, tries: int, rng: np.random.Generator) -> Floats:
    """Submit random labels, and weight each by how good its scores were."""
    _random_guesses(contest, tries, rng)
    labels = np.zeros(len(contest.members))
    for name in contest.shown.values:
        seen = [(one.guess, one.after[name]) for one in contest.history if name in one.after]
        mean = float(np.mean([value for _, value in seen]))
        labels += sum((value - mean) * (guess - 0.5) for guess, value in seen)
    return np.asarray((np.sign(labels) + 1) / 2, float)


def solve(contest: Contest, tries: int, rng: np.random.Generator) -> Floats:
    """Submit random labels, and find labels that explain every score by an integer program."""
    _random_guesses(contest, tries, rng)
    return explain(contest)


def _random_guesses(contest: Contest, tries: int, rng: np.random.Generator) -> None:
    """Guesses with ranks of their own, half of them above one half."""
    size = len(contest.members)
    for _ in range(tries):
        contest.submit((rng.permutation(size) + 0.5) / size)


def explain(contest: Contest, seconds: float = 60.0) -> Floats:
    """Labels under which every shown value would have been shown; all 0.5 if none is found.

    The readings that are sums over members are used. Any solution will do: nothing that was shown
    speaks for one rather than another.
    """
    rows, low, high = _constraints(contest)
    size = len(contest.members)
    unknown = np.full(size, 0.5)
    if not rows:
        return unknown
    half = LinearConstraint(np.ones((1, size)), size // 2, size // 2)
    solved = milp(
        np.zeros(size),
        constraints=[half, LinearConstraint(np.array(rows), low, high)],
        integrality=np.ones(size),
        bounds=Bounds(0, 1),
        options={"time_limit": seconds},
    )
    return unknown if solved.x is None else np.asarray(solved.x.round(), float)


def _constraints(contest: Contest) -> tuple[list[Floats], list[float], list[float]]:
    """One row per value that was shown, with the bounds that the policy puts on the true value."""
    rows, low, high = [], [], []
    for one in contest.history:
        for name, value in one.after.items():
            stays = value == one.before.get(name)
            if name in LINEAR and (one.paid or not stays):
                weights, constant, scale = LINEAR[name](one.guess)
                least, most = _bounds(contest, value, stays)
                rows.append(weights)
                low.append(scale * least - constant - 1e-6)
                high.append(scale * most - constant + 1e-6)
    return rows, low, high


def _bounds(contest: Contest, value: float, stays: bool) -> tuple[float, float]:
    policy = contest.track.feedback
    if policy.show == "ladder":
        return (-np.inf, value + policy.step) if stays else (value - policy.step / 2, np.inf)
    half = 10.0**-policy.digits / 2 if policy.show == "rounded" else 0.0
    return value - half, value + half


def _advantage(guess: Floats) -> Form:
    called, half = guess > 0.5, len(guess) / 2
    return np.where(called, 2.0, 0.0), -float(called.sum()), half


def _accuracy(guess: Floats) -> Form:
    called = guess > 0.5
    return np.where(called, 1.0, -1.0), float((~called).sum()), len(guess)


def _auc(guess: Floats) -> Form:
    half = len(guess) / 2
    return average_ranks(guess), -half * (half + 1) / 2, half**2


LINEAR: Mapping[str, Callable[[Floats], Form]] = {
    "membership_advantage": _advantage,
    "accuracy": _accuracy,
    "auc": _auc,
}
"""Readings that are sums over the members, if exactly half of the targets are members."""

ATTACKERS: Sequence[Attacker] = (
    probe_singles,
    probe_with_resets,
    probe_pairs,
    average_guesses,
    solve,
)
