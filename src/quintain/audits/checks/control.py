"""Checks of the control: is it the original again, or does it come from another population?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quintain.audits.verdict import Effects, Judgement, joint_level
from quintain.data import Table
from quintain.data.arrays import Rows
from quintain.data.schema import Column
from quintain.errors import DataError, Fault
from quintain.kernels.value_classes import bin_starts
from quintain.measures import Reading
from quintain.measures.intervals import difference

SPLIT_ADVICE = "split a control off before you sanitize, with quintain audit split"
_BINS = 20
_FEWEST = 5
"""Classes with fewer expected people than this are counted together."""
_LEVEL = 0.001
_WORTH_SAYING = 0.01
_MOST_DRIFT = 0.25
"""Strata make up for a control that differs by so much; beyond, few people look alike. Checked with
shifts of up to half a standard deviation, a total variation distance of 0.2."""


@dataclass(frozen=True, slots=True)
class ControlCheck:
    """What is wrong with a control.

    Parameters
    ----------
    overlap : the share of the control that is also in the original, beyond chance.
    drift : by how much the distribution of each column differs from the original, for columns
        where it differs by more than chance: a total variation distance.
    """

    overlap: Reading
    drift: dict[str, float]

    @property
    def overlaps(self) -> bool:
        """Whether people of the control are surely in the original, too."""
        return self.overlap.measured and self.overlap.low > _WORTH_SAYING

    @property
    def drift_share(self) -> float:
        """The share of people that one column tells from the control without any release."""
        return max(self.drift.values(), default=0.0)

    def limits(self) -> tuple[str, ...]:
        """What the reader of the verdict should know, in sentences."""
        out = []
        if self.overlaps:
            out.append(
                f"At least {self.overlap.low:.0%} of the control seems to be in the original, too. "
                "The control must be people who are not in the original; otherwise the audit "
                f"overlooks leaks: {SPLIT_ADVICE}."
            )
        if self.drift:
            worst = sorted(self.drift, key=lambda name: (-self.drift[name], name))
            columns = ", ".join(f"{name} ({self.drift[name]:.2f})" for name in worst[:5])
            out.append(
                "The control differs from the original without any release, in "
                f"{len(worst)} of the columns: {columns} (total variation distance, 0 is equal). "
                "It comes from another population, or was not drawn at random. So p does not hold, "
                f"and a difference up to {self.drift_share:.2f} needs no leak: {SPLIT_ADVICE}."
            )
        return tuple(out)


def doubt_control(
    verdict: Judgement, effects: Effects, check: ControlCheck, repeated: Sequence[str] = ()
) -> Judgement:
    """The verdict, or "cannot-say" where what is wrong with the control could explain it.

    Parameters
    ----------
    repeated : sentences about columns that seem to say whose row it is. Rows of one person look
        like people of the control who are in the original, too, so the reason is not the control.
    """
    limits = (*(() if repeated else check.limits()), *verdict.limits)
    if effects.proofs:
        return Judgement(verdict.verdict, verdict.reasons, limits)
    if verdict.verdict in ("unsafe", "some-leakage") and _may_be_drift(effects, check):
        reason = _OTHER_PEOPLE if check.drift else _PERHAPS_OTHERS
        return Judgement("cannot-say", (*(repeated[:1] or (reason,)), *verdict.reasons), limits)
    if check.overlaps and verdict.verdict == "nothing-found":
        reason = "People of the control are in the original, too, so leaks are overlooked."
        return Judgement("cannot-say", (*(repeated[:1] or (reason,)), *verdict.reasons), limits)
    return Judgement(verdict.verdict, verdict.reasons, limits)


_OTHER_PEOPLE = (
    "The attacks tell the original from the control, but so does the data alone, without the "
    "release: the control comes from another population. So nobody can tell a leak."
)
_PERHAPS_OTHERS = (
    "The attacks tell the original from the control, but not among people who look alike. So the "
    "control may come from another population, or was not drawn at random, and nobody can tell a "
    f"leak: {SPLIT_ADVICE}."
)


def _may_be_drift(effects: Effects, check: ControlCheck) -> bool:
    """Whether an alarm could come from the way in which the control was drawn.

    A leak is also seen among people who look alike, and drift is not.
    """
    if effects.p_alike is not None and check.drift_share <= _MOST_DRIFT:
        if effects.p_alike <= joint_level(effects.laid_bare):
            return False
        if not effects.alarms and not effects.traces:
            return True
    shown = effects.advantage
    explained = shown is None or not shown.measured or shown.low <= check.drift_share
    return bool(check.drift) and explained


def check_control(original: Table, control: Table) -> ControlCheck:
    """Compare a control with the original, without the release."""
    both = original.concat(control).row_keys()
    inside, outside = both[: len(original)], both[len(original) :]
    counts = np.bincount(inside, minlength=int(both.max(initial=0)) + 1)
    again, alike = int((counts[outside] > 0).sum()), int((counts[inside] > 1).sum())
    overlap = difference(again, len(outside), alike, len(inside), "lower")
    return ControlCheck(overlap, drift(original, control))


def refuse_same(original: Table, release: Table, control: Table | None) -> None:
    """Raise if the control is the original, or the release, in whatever order of rows."""
    if control is None:
        return
    for name, other in (("original", original), ("release", release)):
        if same_rows(other, control):
            words = f"has exactly the rows of the {name}; are the files mixed up? The control are "
            words += f"people who are not in the original: {SPLIT_ADVICE}"
            raise DataError([Fault(words, "control")])


def same_rows(one: Table, other: Table) -> bool:
    """Whether two tables with one schema have the same rows, in any order."""
    if len(one) != len(other):
        return False
    keys = one.concat(other).row_keys()
    return bool(np.array_equal(np.sort(keys[: len(one)]), np.sort(keys[len(one) :])))


def drift(original: Table, control: Table) -> dict[str, float]:
    """The columns that are distributed differently, beyond chance, and by how much.

    A chi-squared test of each column, at the level 0.1 % for all of them together.
    """
    from scipy.special import chdtrc

    out = {}
    for column in original.schema.columns:
        classes = _classes(original, control, column)
        here = np.bincount(classes[: len(original)], minlength=int(classes.max()) + 1)
        there = np.bincount(classes[len(original) :], minlength=len(here))
        statistic, degrees = _chi_squared(here, there)
        if degrees and chdtrc(degrees, statistic) < _LEVEL / len(original.schema.columns):
            shares = here / here.sum() - there / there.sum()
            out[column.name] = float(np.abs(shares).sum() / 2)
    return out


def _classes(original: Table, control: Table, column: Column) -> Rows:
    """A class for each person: the category, or a quantile of the numbers; missing is one, too."""
    cells = np.concatenate([original.columns[column.name], control.columns[column.name]])
    if column.kind == "category":
        return cells.astype(np.int64) + 1
    numbers = np.concatenate([original.numbers(column.name), control.numbers(column.name)])
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return np.zeros(len(numbers), np.int64)
    classes = np.searchsorted(bin_starts(known, _BINS), numbers, side="right")
    return np.where(np.isnan(numbers), 0, classes + 1)


def _chi_squared(here: Rows, there: Rows) -> tuple[float, int]:
    """The statistic for equal distributions, and its degrees of freedom."""
    total = here.sum() + there.sum()
    smaller = min(here.sum(), there.sum()) / total
    rare = (here + there) * smaller < _FEWEST
    table = np.array([here, there], float)
    table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
    table = table[:, table.sum(axis=0) > 0]
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    return float(((table - expected) ** 2 / expected).sum()), table.shape[1] - 1
