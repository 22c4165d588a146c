"""Excess accuracy: hidden values guessed right beyond what anybody could guess without the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data.arrays import Array, Floats, Mask
from quintain.guesses import Goal, Guess, Truth, values_and_guesses
from quintain.guesses.attribute import Attribute
from quintain.measures.intervals import difference, paired_difference, proportion
from quintain.measures.measure import Case, GuessMeasure, Readings
from quintain.measures.reading import Direction, Reading
from quintain.registry import register


@register("excess-accuracy-v1")
class ExcessAccuracy(GuessMeasure):
    r"""How many more hidden values an attacker guesses right for members than for a control group.

    $$ Pr[right | in] - Pr[right | out] $$

    The control group consists of the targets that were not in the data. Right guesses about them
    come from correlations in the population, not from a leak. ``member_hits`` and ``control_hits``
    are the two shares. An attacker who knows only the population guesses the most frequent value
    for everybody; ``excess_over_blind`` is how many more members an attacker gets right than this
    best blind guess. The control group alone decides which value is most frequent, so that no
    member influences it. 0 is chance in both, and lower is better for people. Repetitions are
    pooled. A law of blind guessing is not given, because it depends on the distribution of values.

    References
    ----------
    Giomi et al., A unified framework for quantifying privacy risk in synthetic data, PoPETs 2023
    (the control attack of Anonymeter). Yeom et al., Privacy risk in machine learning, CSF 2018
    (attribute advantage).

    Examples
    --------
    Both members are guessed right, but only one of the two in the control group:

    >>> import quintain as q
    >>> from quintain.testing import case_of
    >>> case = case_of(
    ...     q.part("attribute", column="flag"),
    ...     {"target": "abcd", "member": [1, 1, 0, 0], "flag": ["yes", "no", "no", "no"]},
    ...     {"target": "abcd", "flag": ["yes", "no", "yes", "no"]},
    ... )
    >>> print(q.measure("excess-accuracy", case.guess, case.truth)["excess_accuracy"])
    0.5 [-0.8811, 0.9936]
    """

    reads_goal: ClassVar[tuple[type[Goal], ...]] = (Attribute,)
    within: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    reads: ClassVar[Mapping[str, Direction]] = {
        "excess_accuracy": "lower",
        "excess_over_blind": "lower",
        "member_hits": "lower",
        "control_hits": "lower",
    }
    chance: ClassVar[Mapping[str, float]] = {"excess_accuracy": 0.0, "excess_over_blind": 0.0}
    finds_records: ClassVar[bool] = True
    captions: ClassVar[Mapping[str, str]] = {
        "excess_accuracy": "Share of members guessed right, minus that of the control group.",
        "excess_over_blind": "Share of members guessed right, minus that of the best blind guess.",
        "member_hits": "Share of members whose hidden value is guessed right.",
        "control_hits": "Share of the control group whose hidden value is guessed right.",
    }

    def found_records(self, case: Case) -> Mask:
        """The members whose hidden value the attacker guesses right."""
        inside, values, guesses = values_and_guesses(case.truth, case.guess)
        right: Mask = inside & (values == guesses)
        return right

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Count right guesses for members and for the control group, and blind ones."""
        answers = [values_and_guesses(case.truth, case.guess) for case in cases]
        inside, values, guesses = (np.concatenate(column) for column in zip(*answers, strict=True))
        readings = excess_readings(inside, values == guesses, most_frequent(inside, values))
        return dict(zip(self.reads, readings, strict=True))


def excess_readings(inside: Mask, right: Mask, blind: Mask) -> tuple[Reading, ...]:
    """The readings of members beside controls, and beside the best blind guess.

    In order: members minus controls, members minus blind guess, members, controls.
    """
    members, others = int(inside.sum()), int((~inside).sum())
    hits, false = int(right[inside].sum()), int(right[~inside].sum())
    return (
        difference(hits, members, false, others, "lower"),
        paired_difference(
            int((right & ~blind)[inside].sum()),
            int((blind & ~right)[inside].sum()),
            members if others else 0,
            "lower",
        ),
        proportion(hits, members, "lower"),
        proportion(false, others, "lower"),
    )


def most_frequent(inside: Mask, values: Array) -> Mask:
    """Which targets have the value that is most frequent outside the data.

    If several values are equally frequent, the first of them counts.

    >>> most_frequent(np.array([True, False, False]), np.array([2, 2, 1])).tolist()
    [False, False, True]
    """
    outside, counts = np.unique(values[~inside], return_counts=True)
    if not len(outside):
        return np.zeros(len(values), bool)
    return np.asarray(values == outside[counts.argmax()])


# Excess within: hidden numbers guessed nearly right beyond what anybody could guess.


@register("excess-within-v1")
class ExcessWithin(GuessMeasure):
    r"""How many more hidden numbers an attacker guesses nearly right for members than for controls.

    $$ Pr[|guess - value| \le tolerance | in] - Pr[|guess - value| \le tolerance | out] $$

    This is ``excess-accuracy`` for numbers. The control group consists of the targets that were not
    in the data. ``within_over_blind`` compares the members with the best guess without the data:
    the one number that is nearly right for most of the control group. A missing value counts as
    right if it is guessed to be missing. A category is right if it is equal, whatever the
    tolerance. 0 is chance, and lower is better for people.

    Parameters
    ----------
    tolerance : how far a guess may be from the number, in the unit of the column.

    References
    ----------
    Giomi et al., A unified framework for quantifying privacy risk in synthetic data, PoPETs 2023
    (guesses of numbers count within a tolerance).

    Examples
    --------
    Within 1, both members are guessed right, and one of the two in the control group:

    >>> import quintain as q
    >>> from quintain.testing import case_of
    >>> case = case_of(
    ...     q.part("attribute", column="size"),
    ...     {"target": "abcd", "member": [1, 1, 0, 0], "size": [5, 2, 7, 0]},
    ...     {"target": "abcd", "size": [6, 2, 7, 4]},
    ... )
    >>> print(q.measure("excess-within", case.guess, case.truth, tolerance=1)["excess_within"])
    0.5 [-0.8811, 0.9936]
    """

    reads_goal: ClassVar[tuple[type[Goal], ...]] = (Attribute,)
    within: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    reads: ClassVar[Mapping[str, Direction]] = {
        "excess_within": "lower",
        "within_over_blind": "lower",
        "members_within": "lower",
        "control_within": "lower",
    }
    chance: ClassVar[Mapping[str, float]] = {"excess_within": 0.0, "within_over_blind": 0.0}
    finds_records: ClassVar[bool] = True
    captions: ClassVar[Mapping[str, str]] = {
        "excess_within": "Share of members guessed nearly right, minus that of the control group.",
        "within_over_blind": "Share of members guessed nearly right, minus that of the best blind "
        "guess.",
        "members_within": "Share of members whose hidden number is guessed nearly right.",
        "control_within": "Share of the control group whose hidden number is guessed nearly right.",
    }

    tolerance: Annotated[float, Field(ge=0)] = 0.0

    def in_people(self, value: float) -> str:
        """How many more of a hundred members are guessed nearly right."""
        return (
            f"Of 100 members, the attacker guesses {round(100 * value)} more within "
            f"{self.tolerance:g} than of 100 people who were not in the data."
        )

    def found_records(self, case: Case) -> Mask:
        """The members whose hidden number the attacker guesses within the tolerance."""
        inside, values, guesses = hidden_numbers(case.truth, case.guess)
        return np.asarray(inside & near(values, guesses, self._tolerance(case)))

    def _tolerance(self, case: Case) -> float:
        category = case.truth.table.schema.columns[-1].listed
        return 0.0 if category else self.tolerance

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Count nearly right guesses for members and for the control group, and blind ones."""
        answers = [hidden_numbers(case.truth, case.guess) for case in cases]
        inside, values, guesses = (np.concatenate(column) for column in zip(*answers, strict=True))
        tolerance = self._tolerance(cases[0])
        right = near(values, guesses, tolerance)
        best = best_number(values[~inside], tolerance)
        blind = near(values, np.full(len(values), best), tolerance)
        return dict(zip(self.reads, excess_readings(inside, right, blind), strict=True))


def hidden_numbers(truth: Truth, guess: Guess) -> tuple[Mask, Floats, Floats]:
    """Who is a member, hidden numbers and guessed numbers; a missing one is minus infinity."""
    inside, values, guesses = values_and_guesses(truth, guess)
    return inside, as_numbers(values), as_numbers(guesses)


def as_numbers(stored: Array) -> Floats:
    """Stored values as numbers that can be compared; a missing one is minus infinity."""
    missing = np.isnan(stored) if stored.dtype.kind == "f" else stored < 0
    return np.where(missing, -np.inf, stored.astype(np.float64))


def near(values: Floats, guesses: Floats, tolerance: float) -> Mask:
    """Which guesses are no farther from the value than the tolerance."""
    with np.errstate(invalid="ignore"):  # two missing values are equal, but have no difference
        # A tolerance such as 0.1 must not fail because of the last bit of a difference.
        close = np.abs(values - guesses) <= tolerance * (1 + 1e-9)
    return np.asarray((values == guesses) | close)


def best_number(values: Floats, tolerance: float) -> float:
    """The number that is within the tolerance of most values; the smallest of several.

    >>> best_number(np.array([1.0, 5.0, 5.5, 6.0, 20.0]), 0.5)
    5.5
    """
    if not len(values):
        return 0.0
    arranged = np.sort(values)
    inside = np.searchsorted(arranged, arranged + 2 * tolerance * (1 + 1e-9), "right")
    first = int((inside - np.arange(len(arranged))).argmax())
    return float(arranged[first] + tolerance)
