"""Excess within: hidden numbers guessed nearly right beyond what anybody could guess."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data.arrays import Floats, Mask
from quintain.guesses import Goal, Guess, Truth, values_and_guesses
from quintain.guesses.attribute import Attribute
from quintain.measures.measure import Case, GuessMeasure, Readings
from quintain.measures.privacy.attribute.excess_accuracy import excess_readings
from quintain.measures.reading import Direction
from quintain.registry import register


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
        category = case.truth.table.schema.columns[-1].kind == "category"
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
    missing = [np.isnan(a) if a.dtype.kind == "f" else a < 0 for a in (values, guesses)]
    known, guessed = (
        np.where(none, -np.inf, a.astype(np.float64))
        for a, none in zip((values, guesses), missing, strict=True)
    )
    return inside, known, guessed


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
