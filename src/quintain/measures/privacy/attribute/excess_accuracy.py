"""Excess accuracy: hidden values guessed of people in the data, beyond what anybody could guess."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from quintain.data.arrays import Codes, Mask
from quintain.guesses import Goal, values_and_guesses
from quintain.guesses.attribute import Attribute
from quintain.measures.intervals import difference, paired_difference, proportion
from quintain.measures.measure import Case, GuessMeasure, Readings
from quintain.measures.reading import Direction
from quintain.registry import register


@register("excess-accuracy-v1")
class ExcessAccuracy(GuessMeasure):
    r"""How many more hidden values an attacker gets right of members than of a control.

    $$ Pr[right | in] - Pr[right | out] $$

    The control are the targets that were not in the data: what is right about them is correlation
    in the population and no leak. ``member_hits`` and ``control_hits`` are the two shares. An
    attacker who knows nothing but the population says the most frequent value of everybody;
    ``excess_over_blind`` is how many more members an attacker gets right than this best blind
    guess. The most frequent value is that of the control, so no member has a part in choosing it.
    0 is chance in both. Repetitions are pooled; there is no law of blind guessing, because it
    depends on how the values are distributed.

    References: Anonymeter's control attack (Giomi et al., A unified framework for quantifying
    privacy risk in synthetic data, PoPETs 2023); Yeom et al. 2018 on attribute advantage.
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
    captions: ClassVar[Mapping[str, str]] = {
        "excess_accuracy": "Hidden values guessed right of members, less those of the control.",
        "excess_over_blind": "Hidden values guessed right of members, less the best blind guess.",
        "member_hits": "Share of the members whose hidden value is guessed right.",
        "control_hits": "Share of the control whose hidden value is guessed right.",
    }

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Count hits on members and on the control, and those of the best blind guess."""
        answers = [values_and_guesses(case.truth, case.guess) for case in cases]
        inside, values, guesses = (np.concatenate(column) for column in zip(*answers, strict=True))
        right = values == guesses
        members, others = int(inside.sum()), int((~inside).sum())
        hits, false = int(right[inside].sum()), int(right[~inside].sum())
        blind = most_frequent(inside, values)
        return {
            "excess_accuracy": difference(hits, members, false, others, "lower"),
            "excess_over_blind": paired_difference(
                int((right & ~blind)[inside].sum()),
                int((blind & ~right)[inside].sum()),
                members if others else 0,
                "lower",
            ),
            "member_hits": proportion(hits, members, "lower"),
            "control_hits": proportion(false, others, "lower"),
        }


def most_frequent(inside: Mask, values: Codes) -> Mask:
    """Which targets have the value that is most frequent outside the data; the first of equals.

    >>> most_frequent(np.array([True, False, False]), np.array([2, 2, 1])).tolist()
    [False, False, True]
    """
    counts = np.bincount(values[~inside] + 1, minlength=1)  # a missing value is -1
    frequent: Mask = values == int(counts.argmax()) - 1
    return frequent
