"""Feedback: what teams may see of their scores before the end, and what each score gives away.

Every score that is shown tells something about the hidden answers. With enough scores a team can
compute the answers without any attack. So what a team sees of an entry is counted in bits, and
nothing new is shown once the budget is spent.

The count is a code: every value that could be shown next has a length in bits, and the values that
are possible at one time satisfy Kraft's inequality. A budget of B bits therefore allows at most 2^B
different histories, however the team chooses its submissions, and a team that sees one of 2^B
histories gains at most B bits about what is hidden.

References
----------
Blum and Hardt, The Ladder: a reliable leaderboard for machine learning competitions (2015), for
the ladder. Cover and Thomas, Elements of Information Theory (2006), section 5.2, for the code.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from quintain.contests.fields import EditionTable, MeasuredPrivacy
from quintain.measures import GuessMeasure

DEFAULT_BITS = 10.0
"""The budget of a team on one entry, if the edition gives none."""

NEWS_BITS = 3.0
"""What it costs that a score changes, in addition to the choice of its new value."""

STAY_BITS = -math.log2(1 - 2**-NEWS_BITS)
"""What it costs that a score stays as it was; about 0.19, because that tells something, too."""

EXACT_BITS = 64.0
"""What an exact score costs: a number of the computer has so many bits."""

Range = tuple[float, float]


def _is_none(value: str) -> bool:
    return value == "none"


class Feedback(EditionTable):
    """What teams may see of their scores before the end; every score reveals some of the truth.

    A team sees the scores of its own attacks only. Scores of measures whose weights the attacker
    chooses are never shown.

    Parameters
    ----------
    show : "none": nothing. "rounded": scores rounded to ``digits``. "ladder": a new score only if
        it is better than the last one shown by more than ``step``, rounded to ``step``. "full":
        every score as it is, without a budget.
    bits : how many bits a team may learn about each entry; 10 by default. Once they are spent, the
        values shown last stay.
    releases : "utility": with every release that a team submits, it sees the readings of that
        release and whether it passes the gates. If the test records are secret, the readings are
        rounded to ``digits``. "none": nothing; ``quintain check`` shows what the kit can tell.
    shown_on : the share of the targets on which shown scores are computed. The ranking is then
        computed on the other targets. By default both use all targets.
    """

    show: Literal["none", "rounded", "ladder", "full"] = "none"
    digits: Annotated[int, Field(ge=0, le=6)] = 1
    step: Annotated[float, Field(gt=0)] = 0.1
    bits: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    shown_on: Annotated[float, Field(gt=0, lt=1)] | None = None
    releases: Literal["none", "utility"] = Field(default="none", exclude_if=_is_none)

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        if self.bits is not None and not self.capped:
            raise ValueError(f'bits is for "rounded" and "ladder"; "{self.show}" has no budget')
        if self.shown_on is not None and self.show == "none":
            raise ValueError('shown_on needs scores that are shown; "none" shows nothing')
        return self

    @property
    def budget(self) -> float:
        """How many bits a team may learn about one entry from the scores it is shown.

        >>> Feedback().budget, Feedback(show="ladder").budget, Feedback(show="full").budget
        (0.0, 10.0, inf)
        """
        if self.capped:
            return DEFAULT_BITS if self.bits is None else self.bits
        return math.inf if self.show == "full" else 0.0

    @property
    def capped(self) -> bool:
        """Whether scores are shown, and a budget limits them."""
        return self.show in ("rounded", "ladder")

    def shows(self, measured: MeasuredPrivacy) -> bool:
        """Whether teams see any reading of a measure; those of a subgroup tell of few people."""
        measure = measured.measure
        if self.show == "none" or measured.groups is not None:
            return False
        return isinstance(measure, GuessMeasure) and not measure.weighted

    def value(self, value: float, last: float | None, within: Range) -> float | None:
        """What is shown of a score, given what was shown of it last.

        A score that was not measured shows what was shown before, so nobody can reset a ladder.

        >>> ladder = Feedback(show="ladder", step=0.1)
        >>> ladder.value(0.34, last=0.3, within=(0, 1)), ladder.value(0.47, 0.3, (0, 1))
        (0.3, 0.5)
        """
        if self.show == "none" or math.isnan(value):
            return last
        if self.show == "full":
            return value
        value = min(max(value, within[0]), within[1])
        if self.show == "ladder" and last is not None and value <= last + self.step:
            return last
        steps = self.show == "ladder"
        shown = round(self._level(value) * self.step, 10) if steps else round(value, self.digits)
        return shown + 0.0  # turns -0.0 into 0.0: the sign of a zero would be one more level

    def choices(self, last: float | None, within: Range) -> float:
        """How many values other than the last could be shown next.

        >>> Feedback(show="rounded", digits=1).choices(None, within=(0, 1))
        11
        >>> Feedback(show="ladder", step=0.25).choices(0.5, within=(-1, 1))
        2
        """
        if self.show == "none":
            return 0
        if self.show == "full" or math.isinf(within[1] - within[0]):
            return 2.0**EXACT_BITS if self.show == "full" else math.inf
        lowest, highest = (self._level(end) for end in within)
        if last is None:
            return highest - lowest + 1
        return highest - self._level(last) if self.show == "ladder" else highest - lowest

    def costs(self, last: float | None, within: Range) -> tuple[float, float]:
        """What it costs in bits that the shown value stays, and that it changes.

        >>> policy = Feedback(show="rounded", digits=0)
        >>> policy.costs(None, within=(0, 2))
        (2.0, 2.0)
        >>> [round(bits, 2) for bits in policy.costs(0.0, within=(0, 2))]
        [0.19, 4.0]
        """
        choices = self.choices(last, within)
        if choices == 0:
            return 0.0, 0.0
        if last is None:
            first = math.log2(choices + 1)
            return first, first
        return STAY_BITS, NEWS_BITS + math.log2(choices)

    @property
    def _grid(self) -> float:
        return self.step if self.show == "ladder" else 10.0**-self.digits

    def _level(self, value: float) -> int:
        """The number of a value on the grid of values that can be shown."""
        return round(value / self._grid)
