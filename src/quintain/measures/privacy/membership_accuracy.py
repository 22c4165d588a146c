"""Membership accuracy: how often an attacker says rightly whether targets are in the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Mask
from quintain.guesses import Goal
from quintain.guesses.membership import Membership, members_and_scores
from quintain.measures.intervals import difference, proportion
from quintain.measures.measure import Case, GuessMeasure, Readings
from quintain.measures.reading import Direction, Reading, average, tail
from quintain.registry import register

_RESAMPLES = 500


@register("accuracy-v1")
class Accuracy(GuessMeasure):
    """The share of targets for which an attacker says correctly whether they are in the data.

    A target counts as called a member if its probability is above one half. With as many members
    as others, chance is one half. Repetitions are pooled. Lower is better for people.

    References
    ----------
    Hide-and-Seek 2020, "re-identification score".

    Examples
    --------
    The second target is wrongly called a member, the third wrongly not:

    >>> import quintain as q
    >>> from quintain.testing import membership_guess
    >>> guess = membership_guess([0.9, 0.8, 0.4, 0.1])
    >>> print(q.measure("accuracy", guess, [True, False, True, False])["accuracy"])
    0.5 [0.06759, 0.9324]
    """

    reads_goal: ClassVar[tuple[type[Goal], ...]] = (Membership,)
    reads: ClassVar[Mapping[str, Direction]] = {"accuracy": "lower"}
    chance: ClassVar[Mapping[str, float]] = {"accuracy": 0.5}
    finds_records: ClassVar[bool] = True

    def in_people(self, value: float) -> str:
        """How many of a hundred targets are classified correctly."""
        return (
            f"Of 100 targets, the attacker says correctly of {round(100 * value)} whether they are "
            "in the data; blind guessing is right for about 50 if half of them are."
        )

    def found_records(self, case: Case) -> Mask:
        """The members whom the attacker calls members."""
        inside, scores = members_and_scores(case.truth, case.guess)
        return inside & (scores > 0.5)

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Count the targets that are classified correctly."""
        right = targets = 0
        for case in cases:
            inside, scores = members_and_scores(case.truth, case.guess)
            right += int(((scores > 0.5) == inside).sum())
            targets += len(inside)
        return {"accuracy": proportion(right, targets, "lower")}


@register("membership-advantage-v1")
class MembershipAdvantage(GuessMeasure):
    r"""How much more often the attacker calls members "members" than non-members.

    $$ Adv = Pr[called member | in] - Pr[called member | out] $$

    A target is called a member if its probability is above one half. 0 is chance, 1 is perfect,
    negative is worse than chance; lower is better for people. Repetitions are pooled.

    References
    ----------
    SNAKE 2023, definition of membership advantage. Yeom et al., Privacy risk in machine learning,
    CSF 2018.

    Examples
    --------
    All three members are called members, and one of three others:

    >>> import quintain as q
    >>> from quintain.testing import membership_guess
    >>> guess = membership_guess([0.9, 0.8, 0.7, 0.6, 0.3, 0.2])
    >>> members = [True, True, True, False, False, False]
    >>> print(q.measure("membership-advantage", guess, members)["membership_advantage"])
    0.6667 [-0.7005, 0.9958]
    """

    within: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    reads_goal: ClassVar[tuple[type[Goal], ...]] = (Membership,)
    reads: ClassVar[Mapping[str, Direction]] = {"membership_advantage": "lower"}
    chance: ClassVar[Mapping[str, float]] = {"membership_advantage": 0.0}
    finds_records: ClassVar[bool] = True

    def in_people(self, value: float) -> str:
        """How many more of a hundred members than of a hundred others are called members.

        >>> MembershipAdvantage().in_people(0.3)[:62]
        'Of 100 people in the data, the attacker calls 30 more "members'
        """
        more, word = round(100 * abs(value)), "fewer" if value < 0 else "more"
        return (
            f'Of 100 people in the data, the attacker calls {more} {word} "members" than of 100 '
            "people who are not in the data; blind guessing gives no difference."
        )

    def found_records(self, case: Case) -> Mask:
        """The members whom the attacker calls members."""
        inside, scores = members_and_scores(case.truth, case.guess)
        return inside & (scores > 0.5)

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Count the members and the others that are called members."""
        hits = members = false = others = 0
        for case in cases:
            inside, scores = members_and_scores(case.truth, case.guess)
            called_member = scores > 0.5
            hits += int((called_member & inside).sum())
            members += int(inside.sum())
            false += int((called_member & ~inside).sum())
            others += int((~inside).sum())
        return {"membership_advantage": difference(hits, members, false, others, "lower")}


@register("confidence-weighted-v1")
class ConfidenceWeighted(GuessMeasure):
    r"""Membership advantage in which a target counts more if the attacker is surer of it.

    $$ w_i = 2|1/2 - g_i|, \quad score = (TPR_w - FPR_w + 1) / 2 $$

    Chance is one half, 1 is perfect, and lower is better for people. The measure exists to compare
    with the published boards of SNAKE 1. It is not recommended, because attackers can game it. An
    attacker that answers only the two targets it is surest of, and gives one half to all others,
    scores far above its true accuracy (a true AUC of .60 gives .86 on average). If exact scores
    are shown, weights of powers of two reveal every label in a few submissions. And a guess that is
    sure of one class only has no score at all; here it reads "not measured". The interval is a
    percentile bootstrap over targets. Repetitions with the same number of targets share their
    draws, so that the order of repetitions does not matter.

    References
    ----------
    SNAKE 1, scoring program as published in 2023.

    Examples
    --------
    The attacker is unsure of the two targets that it would get wrong:

    >>> import quintain as q
    >>> from quintain.testing import membership_guess
    >>> guess = membership_guess([1.0, 0.55, 0.45, 0.0])
    >>> readings = q.measure("confidence-weighted", guess, [True, False, True, False])
    >>> round(readings["confidence_weighted"].value, 3)
    0.909
    """

    weighted: ClassVar[bool] = True
    reads_goal: ClassVar[tuple[type[Goal], ...]] = (Membership,)
    reads: ClassVar[Mapping[str, Direction]] = {"confidence_weighted": "lower"}
    chance: ClassVar[Mapping[str, float]] = {"confidence_weighted": 0.5}

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Average the repetitions."""
        answers = [members_and_scores(case.truth, case.guess) for case in cases]
        sizes = sorted({len(members) for members, _ in answers})
        draws = {n: rng.integers(n, size=(_RESAMPLES, n)) for n in sizes}
        readings = [_reading(members, scores, draws[len(members)]) for members, scores in answers]
        return {"confidence_weighted": average(readings, within=self.within)}


def _reading(
    members: npt.NDArray[np.bool_],
    scores: npt.NDArray[np.float64],
    drawn: npt.NDArray[np.int64],
) -> Reading:
    value = weighted_score(members[None, :], scores[None, :])[0]
    if np.isnan(value):
        return Reading.missing("lower", "the guess is sure of targets of one class only")
    spread = weighted_score(members[drawn], scores[drawn])
    low, high = np.nanquantile(spread, [tail(), 1 - tail()])
    return Reading(
        value=float(value),
        low=float(min(low, value)),
        high=float(max(high, value)),
        n=len(members),
        better="lower",
        method="bootstrap over targets",
    )


def weighted_score(
    members: npt.NDArray[np.bool_], scores: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """The score of each row of guesses; NaN where a class has no weight.

    >>> weighted_score(np.array([[True, True, False, False]]), np.array([[1, 0.5, 0, 1]])).tolist()
    [0.75]
    """
    weight = 2 * np.abs(0.5 - scores)
    called_member = scores > 0.5
    rates = []
    for kind in (members, ~members):
        total = (weight * kind).sum(axis=1)
        hit = (weight * (called_member & kind)).sum(axis=1)
        rates.append(np.divide(hit, total, out=np.full(len(total), np.nan), where=total > 0))
    return np.asarray((rates[0] - rates[1] + 1) / 2)
