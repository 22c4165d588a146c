"""Re-identification: for how many persons and months does an attacker name the pseudonym?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data.arrays import Mask
from quintain.guesses import Goal
from quintain.guesses.linkage import SEPARATOR, Linkage
from quintain.measures.intervals import normal_quantile, proportion
from quintain.measures.measure import Case, GuessMeasure, Readings
from quintain.measures.privacy.row_baselines import OutOf, is_pseudonyms
from quintain.measures.reading import Direction, Reading
from quintain.registry import register


@register("reidentification-v1")
class Reidentification(GuessMeasure):
    r"""The share of person-months in the release whose pseudonym the attacker names.

    $$ \sum_{i,\ell} [\hat f_\ell(c_i) = f_\ell(c_i)] / |\{(i, \ell) : f_\ell(c_i) \ne \bot\}| $$

    Only person-months with a pseudonym count, so an attacker who knows everything reaches 1. A name
    is right if it is equal, not if it is similar.

    Parameters
    ----------
    credit : what a right name is worth among several. "first" counts the first name only,
        "falling" gives the i-th of k names (k - i + 1) / k, "shared" gives 1 / N if N names were
        given.
    names : k, for "falling".
    out_of : what the share is out of: "pseudonyms", the person-months with one, or "pairs", all
        pairs of a person and a month. Most people are absent in most months, so out of all pairs
        not even the truth reaches 1.

    References
    ----------
    DARC 2019, rule 12 ("pairs" is its formula); the evaluator of DARC 2019 ("falling", 3);
    INSAnonym ("shared").

    Examples
    --------
    Bob is absent in February, so three pseudonyms count, and two of them are named:

    >>> import quintain as q
    >>> from quintain.testing import case_of
    >>> case = case_of(
    ...     q.part("linkage", first="2011-01", months=2),
    ...     {"customer": ["ann", "bob"], "2011-01": ["p1", "p2"], "2011-02": ["p3", ""]},
    ...     {"customer": ["ann", "bob"], "2011-01": ["p1", "p1"], "2011-02": ["p3", "p4"]},
    ... )
    >>> print(q.measure("reidentification", case.guess, case.truth)["reid"])
    0.6667 [0.0943, 0.9916]

    Out of all four pairs, as the formula of DARC's rules has it, the same guess reads less:

    >>> print(q.measure("reidentification", case.guess, case.truth, out_of="pairs")["reid"])
    0.5 [0.06759, 0.9324]
    """

    reads_goal: ClassVar[tuple[type[Goal], ...]] = (Linkage,)
    reads: ClassVar[Mapping[str, Direction]] = {"reid": "lower"}
    chance: ClassVar[Mapping[str, float]] = {"reid": 0.0}

    credit: Literal["first", "falling", "shared"] = "first"
    names: Annotated[int, Field(ge=1, le=1000)] = 3
    out_of: OutOf = Field(default="pseudonyms", exclude_if=is_pseudonyms)

    @property
    def weighted(self) -> bool:
        """Whether an attacker can name several pseudonyms, and so choose what each is worth."""
        return self.credit != "first"

    @property
    def finds_records(self) -> bool:
        """Whether a pseudonym is either linked or not; with several names it can be partly."""
        return self.credit == "first"

    def found_records(self, case: Case) -> Mask:
        """The persons in a month whose pseudonym the attacker names."""
        named: Mask = self._credits(case) == 1
        return named

    def in_people(self, value: float) -> str:
        """How many of a hundred pseudonyms are linked; empty if a guess can earn a part."""
        if self.credit != "first":
            return ""
        things = "pseudonyms, each" if self.out_of == "pseudonyms" else "pairs, each"
        return (
            f"Of 100 {things} of one person in one month, the attacker links "
            f"{round(100 * value)} to the right person."
        )

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Average the credit over the person-months of all repetitions."""
        credits = [self._credits(case) for case in cases]
        total = float(sum(credit.sum() for credit in credits))
        cells = sum(len(credit) for credit in credits)
        if cells == 0:
            return {"reid": Reading.missing("lower", "the release has no pseudonym")}
        if self.credit == "first":
            return {"reid": proportion(round(total), cells, "lower")}
        return {"reid": _spread(np.concatenate(credits))}

    def _credits(self, case: Case) -> npt.NDArray[np.float64]:
        """What each person-month that counts earned; without a pseudonym it earns nothing."""
        truth, guess = case.truth.table, case.guess.table
        person, *months = truth.schema.names
        given = guess.columns[person].astype(np.str_)
        order = np.argsort(given, kind="stable")
        rows = order[np.searchsorted(given, truth.columns[person].astype(np.str_), sorter=order)]
        out = []
        for month in months:
            right = truth.columns[month].astype(np.str_)
            live = right != ""
            guessed = guess.columns[month].astype(np.str_)[rows]
            earned = self._of_month(right[live], guessed[live])
            if self.out_of == "pairs":
                earned = np.append(earned, np.zeros(np.count_nonzero(~live)))
            out.append(earned)
        return np.concatenate(out)

    def _of_month(
        self, right: npt.NDArray[np.str_], guessed: npt.NDArray[np.str_]
    ) -> npt.NDArray[np.float64]:
        earned = np.zeros(len(right))
        for at, (name, text) in enumerate(zip(right.tolist(), guessed.tolist(), strict=True)):
            if name == text:
                earned[at] = 1.0
            elif SEPARATOR in text and name in (names := text.split(SEPARATOR)):
                earned[at] = self._worth(names.index(name), len(names))
        return earned

    def _worth(self, place: int, count: int) -> float:
        if self.credit == "shared":
            return 1 / count
        return max(0, self.names - place) / self.names if self.credit == "falling" else place == 0


def _spread(credits: npt.NDArray[np.float64]) -> Reading:
    """The mean credit with a normal interval, which thousands of cells justify."""
    mean, n = float(credits.mean()), len(credits)
    half = normal_quantile(2) * float(credits.std()) / np.sqrt(n)
    return Reading(
        value=mean,
        low=max(0.0, mean - half),
        high=min(1.0, mean + half),
        n=n,
        better="lower",
        method="normal interval over cells",
    )
