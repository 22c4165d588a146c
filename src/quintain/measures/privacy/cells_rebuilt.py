"""Cells rebuilt: hidden values of several columns, those that a release remembers and the others.

The same attack rebuilds the hidden columns of members and of a control group, who were not in the
data. What is right about the control, the release taught; what is right beyond that about members,
it remembered.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data.arrays import Floats, Mask
from quintain.guesses import Goal
from quintain.guesses.reconstruction import Reconstruction, rebuilt_columns
from quintain.measures.intervals import normal_quantile
from quintain.measures.measure import Case, GuessMeasure, Readings
from quintain.measures.privacy.excess_accuracy import as_numbers, best_number, near
from quintain.measures.reading import Direction, Reading
from quintain.registry import register


@dataclass(frozen=True, slots=True, eq=False)
class _HiddenCells:
    """The hidden cells of all targets: one row per column.

    Parameters
    ----------
    inside : who is a member.
    right : which cells are rebuilt.
    blind : which cells the best guess without the data gets right.
    weights : how much each cell counts; only the proportions within a column matter.
    """

    inside: Mask
    right: Mask
    blind: Mask
    weights: Floats

    def share(self, group: Mask, hits: Mask) -> tuple[float, Floats]:
        """The mean over columns of the weighted share of hits in a group.

        The second is one number per person of the group whose mean is that share, and whose spread
        is that of the share (the first order of a ratio of sums).
        """
        weights, right = self.weights[:, group], hits[:, group].astype(np.float64)
        totals = [math.fsum(row) for row in weights.tolist()]
        sums = [math.fsum(row) for row in (weights * right).tolist()]
        shares = [sum_of / total for sum_of, total in zip(sums, totals, strict=True)]
        value = math.fsum(shares) / len(shares)
        means = np.array(totals)[:, None] / group.sum()
        each = (weights * (right - np.array(shares)[:, None]) / means).mean(axis=0)
        return value, value + each


def _spread(value: float, each: Floats) -> float:
    """The variance of a share, as if one more person had all cells right and one more had none.

    Without these two, shares of 0 and of 1 would seem to be known exactly (Agresti and Coull 1998).
    """
    squares = float(((each - value) ** 2).sum()) + value**2 + (1 - value) ** 2
    return squares / (len(each) + 1) / len(each)


def _reading(value: float, variance: float, n: int, low: float) -> Reading:
    reach = normal_quantile(6) * math.sqrt(variance)
    return Reading(
        value=value,
        low=max(low, value - reach),
        high=min(1.0, value + reach),
        n=n,
        better="lower",
        method="normal, by people",
    )


class CellsRebuilt(GuessMeasure):
    """What the measures of rebuilt cells share: four readings beside a control group.

    In order: members minus controls, members minus the best guess without the data, members,
    controls.
    """

    reads_goal: ClassVar[tuple[type[Goal], ...]] = (Reconstruction,)
    within: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    finds_records: ClassVar[bool] = True
    by_rarity: ClassVar[bool] = False

    @property
    @abstractmethod
    def near_share(self) -> float:
        """How far a guess may be from a number, as a share of the distance of its bounds."""

    @property
    def chance(self) -> Mapping[str, float]:
        """Without the data, members are rebuilt as others are."""
        return dict.fromkeys(list(self.reads)[:2], 0.0)

    def in_people(self, value: float) -> str:
        """How many more of a hundred hidden values are rebuilt for members."""
        return (
            f"Of 100 hidden values of members, the attacker rebuilds {round(100 * value)} more "
            "than of 100 hidden values of people who were not in the data."
        )

    def found_records(self, case: Case) -> Mask:
        """The members all of whose hidden values are rebuilt."""
        cells = self._cells([case])
        return np.asarray(cells.inside & cells.right.all(axis=0))

    def surprise(self, case: Case) -> Floats:
        """For each target how rare its rebuilt values are, in nats, all columns together.

        It does not depend on who is a member.
        """
        _, columns = rebuilt_columns(case.truth, case.guess)
        total = np.zeros(len(case.truth.table))
        for column in columns:
            values, guesses = as_numbers(column.values), as_numbers(column.guesses)
            reach = self.near_share * (column.width or 0.0)
            rare = -np.log(_alike(values, reach) / len(values))
            total += near(values, guesses, reach) * rare
        return total

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Compare members with controls and with the best blind guess; repetitions are pooled."""
        cells = self._cells(cases)
        inside = cells.inside
        groups = int(inside.sum()), int((~inside).sum())
        if not min(groups):
            note = "all targets are of one class"
            return {name: Reading.missing("lower", note) for name in self.reads}
        members, of_members = cells.share(inside, cells.right)
        controls, of_controls = cells.share(~inside, cells.right)
        blind, of_blind = cells.share(inside, cells.blind)
        gained = of_members - of_blind
        spreads = _spread(members, of_members), _spread(controls, of_controls)
        readings = (
            _reading(members - controls, sum(spreads), sum(groups), -1.0),
            _reading(members - blind, _spread(members - blind, gained), groups[0], -1.0),
            _reading(members, spreads[0], groups[0], 0.0),
            _reading(controls, spreads[1], groups[1], 0.0),
        )
        return dict(zip(self.reads, readings, strict=True))

    def _cells(self, cases: Sequence[Case]) -> _HiddenCells:
        answers = [rebuilt_columns(case.truth, case.guess) for case in cases]
        inside = np.concatenate([members for members, _ in answers])
        right, blind, weights = [], [], []
        for parts in zip(*(columns for _, columns in answers), strict=True):
            values = as_numbers(np.concatenate([part.values for part in parts]))
            guesses = as_numbers(np.concatenate([part.guesses for part in parts]))
            reach = self.near_share * (parts[0].width or 0.0)
            best = best_number(values[~inside], reach)
            right.append(near(values, guesses, reach))
            blind.append(near(values, np.full(len(values), best), reach))
            alike = _alike(values, reach) if self.by_rarity else np.ones(len(values))
            weights.append(1 / alike)
        return _HiddenCells(inside, np.array(right), np.array(blind), np.array(weights))


def _alike(values: Floats, reach: float) -> Floats:
    """How many people have about the same value.

    >>> _alike(np.array([3.0, 3.0, 4.0, 9.0]), 1.0).tolist()
    [3.0, 3.0, 3.0, 1.0]
    """
    arranged, reach = np.sort(values), reach * (1 + 1e-9)
    until = np.searchsorted(arranged, values + reach, "right")
    return np.asarray(until - np.searchsorted(arranged, values - reach, "left"), np.float64)


def _captions(name: str, cells: str) -> dict[str, str]:
    """A sentence for each of the four readings."""
    return {
        f"{name}_memorised": f"Share of {cells} of members, minus that of the control group.",
        f"{name}_over_blind": f"Share of {cells} of members, minus that of the best blind guess.",
        f"{name}_members": f"Share of {cells} of members.",
        f"{name}_learned": f"Share of {cells} of the control group.",
    }


def _directions(name: str) -> dict[str, Direction]:
    return dict.fromkeys(_captions(name, ""), "lower")


@register("cells-exact-v1")
class CellsExact(CellsRebuilt):
    r"""How many more hidden cells an attacker rebuilds exactly for members than for a control.

    $$ E_{i,c}[\hat v_{ic} = v_{ic} | in] - E_{i,c}[\hat v_{ic} = v_{ic} | out] $$

    over people i and hidden columns c. ``exact_learned`` is the share for the control group, who
    were not in the data: the release taught it. ``exact_memorised`` is what members have beyond
    that. ``exact_over_blind`` compares members with the most frequent value of the control in each
    column. The intervals count people, because the cells of a person depend on each other. 0 is
    chance in the first two, and lower is better for people.

    References
    ----------
    arXiv:2606.08372 (the test of what is memorised). Yeom et al., Privacy risk in machine
    learning, CSF 2018 (attribute advantage). Agresti and Coull, Approximate is better than "exact"
    for interval estimation of binomial proportions, American Statistician 52 (1998).

    Examples
    --------
    All four cells of members are right, and two of the four of controls:

    >>> import quintain as q
    >>> from quintain.testing import case_of
    >>> case = case_of(
    ...     q.part("reconstruction", columns=["flag", "size"]),
    ...     {"target": "abcd", "member": [1, 1, 0, 0], "flag": ["no"] * 4, "size": [1, 2, 3, 4]},
    ...     {"target": "abcd", "flag": ["no"] * 4, "size": [1, 2, 0, 0]},
    ... )
    >>> q.measure("cells-exact", case.guess, case.truth)["exact_memorised"].value
    0.5
    """

    reads: ClassVar[Mapping[str, Direction]] = _directions("exact")
    captions: ClassVar[Mapping[str, str]] = _captions("exact", "hidden cells rebuilt exactly")
    near_share: ClassVar[float] = 0.0


@register("cells-near-v1")
class CellsNear(CellsRebuilt):
    r"""How many more hidden cells an attacker rebuilds nearly right for members than for a control.

    This is ``cells-exact`` with numbers that count within a tolerance. A category is right if it is
    equal, and a missing value is right if it is guessed to be missing.

    Parameters
    ----------
    tolerance : how far a guess may be from a number, as a share of the distance between the bounds
        of its column.

    References
    ----------
    Giomi et al., A unified framework for quantifying privacy risk in synthetic data, PoPETs 2023
    (guesses of numbers count within a tolerance).

    Examples
    --------
    Sizes are from -2 to 9, so a tenth of that lets a guess be wrong by one:

    >>> import quintain as q
    >>> from quintain.testing import case_of
    >>> case = case_of(
    ...     q.part("reconstruction", columns=["size"]),
    ...     {"target": "abcd", "member": [1, 1, 0, 0], "size": [5, 2, 7, 0]},
    ...     {"target": "abcd", "size": [6, 2, 7, 4]},
    ... )
    >>> readings = q.measure("cells-near", case.guess, case.truth, tolerance=0.1)
    >>> readings["near_members"].value, readings["near_learned"].value
    (1.0, 0.5)
    """

    reads: ClassVar[Mapping[str, Direction]] = _directions("near")
    captions: ClassVar[Mapping[str, str]] = _captions("near", "hidden cells rebuilt nearly right")

    tolerance: Annotated[float, Field(ge=0, le=1)] = 0.05

    @property
    def near_share(self) -> float:
        """How far a guess may be from a number: as far as the user allows."""
        return self.tolerance


@register("cells-by-rarity-v1")
class CellsByRarity(CellsRebuilt):
    r"""The hidden cells that an attacker rebuilds, where rare values count more.

    A cell whose value n of the targets have weighs 1 / n, so that every value of a column counts as
    much as any other, however few people have it. For all targets together, a column with C values
    scores

    $$ \frac{1}{C} \sum_v Pr[\hat v = v | v] $$

    and the score is the mean over the hidden columns. Somebody who always guesses the most frequent
    value scores 1 / C. ``rarity_memorised`` is the score of the members minus that of the control
    group; both use the same weights. Numbers within the tolerance of each other count as one value.
    0 is chance in the first two readings, and lower is better for people.

    Parameters
    ----------
    tolerance : how far a guess may be from a number, as a share of the distance between the bounds
        of its column.

    References
    ----------
    NIST Collaborative Research Cycle 2025, whose score weighs a right guess by the number of
    records over the number of those with the same value (public code and text of
    arXiv:2606.08372, which scores numbers without a list of values by their squared error).

    Examples
    --------
    The rare value counts as much as the three frequent ones together:

    >>> import quintain as q
    >>> from quintain.testing import case_of
    >>> case = case_of(
    ...     q.part("reconstruction", columns=["flag"]),
    ...     {"target": "abcd", "member": [1, 1, 1, 0], "flag": ["no", "no", "yes", "no"]},
    ...     {"target": "abcd", "flag": ["no", "no", "no", "no"]},
    ... )
    >>> q.measure("cells-by-rarity", case.guess, case.truth)["rarity_members"].value
    0.4
    """

    reads: ClassVar[Mapping[str, Direction]] = _directions("rarity")
    captions: ClassVar[Mapping[str, str]] = _captions("rarity", "rebuilt cells, by rarity,")
    by_rarity: ClassVar[bool] = True

    tolerance: Annotated[float, Field(ge=0, le=1)] = 0.0

    @property
    def near_share(self) -> float:
        """How far a guess may be from a number: as far as the user allows."""
        return self.tolerance
