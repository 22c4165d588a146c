"""Checks of the control: is it the original again, or does it come from another population?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quintain.audits.checks.drift import measure_drift
from quintain.audits.reading.units import EQUAL_ROWS, Units, number_rows
from quintain.audits.results import ControlDrift
from quintain.audits.verdict import Effects, Judgement, in_audits, joint_level
from quintain.data import Table
from quintain.data.arrays import Mask, Rows
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.matching.names import numbers_rows
from quintain.errors import DataError, Fault
from quintain.measures import Reading
from quintain.measures.intervals import difference

SPLIT_ADVICE = "split a control off before you sanitize, with quintain audit split"
_WORTH_SAYING = 0.01
_MANY_TWINS = 0.05
_MOST_DRIFT = 0.25
"""Strata make up for a control that differs by so much; beyond, few people look alike. Checked with
shifts of up to half a standard deviation, a total variation distance of 0.2."""


@dataclass(frozen=True, slots=True)
class RepeatedRows:
    """How many rows of a table equal another one of it, and how many of the other table do.

    Parameters
    ----------
    role : "original" or "control".
    twins, rows : how many rows of the table equal another one of it, of how many.
    shared, others : how many rows of the other table equal one of it, of how many.
    """

    role: str
    twins: int
    rows: int
    shared: int
    others: int

    @property
    def many(self) -> bool:
        """Whether rows repeat more often than people of one population are alike."""
        beyond = difference(self.twins, self.rows, self.shared, self.others, "lower")
        return beyond.measured and beyond.low > _MANY_TWINS

    def words(self) -> str:
        """What to do about it, in sentences."""
        other = "control" if self.role == "original" else "original"
        return (
            f"{self.twins:,} of {self.rows:,} rows of the {self.role} equal another row of it in "
            f"all columns that both have, but only {self.shared:,} of {self.others:,} rows of the "
            f"{other} equal one of them. So people seem to have several rows, and p is too small. "
            f"If equal rows are one person's, say so with --unit {EQUAL_ROWS} (unit= in Python), "
            "at the split as well."
        )


@dataclass(frozen=True, slots=True)
class ControlCheck:
    """What is wrong with a control.

    Parameters
    ----------
    overlap : the share of the control that is also in the original, beyond chance.
    drift : how the control differs from the original without the release.
    repeated : the tables in which too many rows are equal for rows to be people.
    """

    overlap: Reading
    drift: ControlDrift
    repeated: tuple[RepeatedRows, ...] = ()

    @property
    def overlaps(self) -> bool:
        """Whether people of the control are surely in the original, too."""
        return self.overlap.measured and self.overlap.low > _WORTH_SAYING

    @property
    def drift_share(self) -> float:
        """The share of people that a column, or the classifier, tells from the control."""
        return max([*self.drift.columns.values(), classifier_share(self.drift)])

    def limits(self) -> tuple[str, ...]:
        """What the reader of the verdict should know, in sentences."""
        out = [rows.words() for rows in self.repeated]
        if self.overlaps:
            out.append(
                f"At least {self.overlap.low:.0%} of the control seems to be in the original, too. "
                "The control must be people who are not in the original; otherwise the audit "
                "overlooks leaks, and p, shares of people and numbers of names do not hold: "
                f"{SPLIT_ADVICE}."
            )
        if self.drift.noticed:
            out.append(
                f"The control differs from the original without any release: {_differences(self)}. "
                f"Chance alone would look like this in {in_audits(self.drift.p)}. If the control "
                "comes from another population, or was not drawn at random, p does not hold, and "
                f"a difference up to {self.drift_share:.2f} needs no leak: {SPLIT_ADVICE}."
            )
        else:
            out.append(_nothing_noticed(self.drift))
        return tuple(out)


def classifier_share(drift: ControlDrift) -> float:
    """The share of people that the classifier tells from the control: the distance of two normal
    distributions that it tells as well; 0 if that may be chance.
    """
    from scipy.special import ndtr, ndtri

    if not drift.by_classifier:
        return 0.0
    return float(2 * ndtr(ndtri(min(drift.auc.value, 1 - 1e-9)) / np.sqrt(2)) - 1)


def _differences(check: ControlCheck) -> str:
    """Where the control differs, for a sentence."""
    columns, words = check.drift.columns, []
    if columns:
        worst = sorted(columns, key=lambda name: (-columns[name], name))
        named = ", ".join(f"{name} ({columns[name]:.2f})" for name in worst[:5])
        words.append(
            f"in {len(worst)} of the columns, {named} (total variation distance, 0 is equal)"
        )
    if check.drift.by_classifier:
        words.append(
            f"a classifier tells who is who with an AUC of {check.drift.auc.value:.2f} (0.5 is a "
            "guess)"
        )
    return ", and ".join(words)


def _nothing_noticed(drift: ControlDrift) -> str:
    """What the comparison of original and control could have seen."""
    words = (
        "Original and control do not differ without the release, as far as tests of each column "
        "and a classifier can tell."
    )
    noticed = [(f"{own.shift:g}", math.floor(100 * own.share)) for own in drift.shifts]
    for place, (shift, audits) in enumerate(noticed):
        if place:
            words += f", one of {shift} in {audits}"
        else:
            words += (
                f" A shift of {shift} standard deviations in one column of numbers would have been "
                f"noticed in {audits} of 100 audits of this size"
            )
    return f"{words}." if noticed else words


def doubt_control(
    verdict: Judgement, effects: Effects, check: ControlCheck, repeated: Sequence[str] = ()
) -> Judgement:
    """The verdict, or "cannot-say" where what is wrong with the control could explain it.

    Parameters
    ----------
    repeated : sentences about columns that seem to say whose row it is. Rows of one person look
        like people of the control who are in the original, too, so the reason is not the control.
    """
    own = () if repeated else check.limits()
    verdict = replace(verdict, limits=(*own, *verdict.limits))
    leaks = verdict.verdict in ("unsafe", "some-leakage")
    decided = bool(effects.proofs) or not leaks
    evident = leaks or (effects.p or 0.0) <= joint_level(effects.laid_bare)
    if evident and check.repeated and not repeated:
        doubted = verdict.with_doubt(_ROWS)
        reason, condition = check.repeated[0].words(), _IF_PEOPLE
    elif evident and _may_be_drift(effects, check):
        doubt, others = _UNNOTICED, _PERHAPS_OTHERS
        if check.drift.noticed:
            doubt, others = _OTHERS, _OTHER_PEOPLE.format(chance=in_audits(check.drift.p))
        doubted = verdict.with_doubt(_ROWS if repeated else doubt)
        reason = (*repeated[:1], others)[0]
        condition = _IF_PEOPLE if repeated else _IF_RANDOM
    elif check.overlaps:
        doubted = verdict.with_doubt(_ROWS if repeated else _OVERLAPS)
        decided = verdict.verdict not in ("nothing-found", "some-leakage")
        overlooked = f"{_OVERLAPS[0].upper()}{_OVERLAPS[1:]}, so leaks are overlooked."
        reason, condition = (*repeated[:1], overlooked)[0], ""
    else:
        return verdict
    return doubted if decided else doubted.cannot_say(reason, "control", condition)


_CLEAR = 0.005
"""A p-value from which on a control that seems to be drawn at random is not doubted."""

_ROWS = "people seem to have several rows"
_OTHERS = "the control may come from another population"
_UNNOTICED = f"{_OTHERS}, although tests of it alone did not notice that"
_OVERLAPS = "people of the control seem to be in the original, too"
_IF_PEOPLE = "If every row is another person"
_IF_RANDOM = "If the control was drawn at random"
_OTHER_PEOPLE = (
    "The attacks tell the original from the control, but so does the data alone, without the "
    "release: chance alone would make such a difference in {chance}. So the control "
    f"may come from another population, and nobody can tell a leak: {SPLIT_ADVICE}."
)
_PERHAPS_OTHERS = (
    "The attacks tell the original from the control, but not among people who look alike. So the "
    "control may come from another population, or was not drawn at random, although tests of it "
    f"alone did not notice that, and nobody can tell a leak: {SPLIT_ADVICE}."
)


def _may_be_drift(effects: Effects, check: ControlCheck) -> bool:
    """Whether an alarm could come from the way in which the control was drawn.

    A leak is also seen among people who look alike, and drift is not.
    """
    if effects.alarms and check.drift_share <= _MOST_DRIFT:
        return False  # so few people, so clearly: a small difference does not do that
    if effects.p_alike is not None and check.drift_share <= _MOST_DRIFT:
        if effects.p_alike <= joint_level(effects.laid_bare):
            return False
        if not effects.traces:
            # A difference that nothing notices without the release is too small to explain this.
            return check.drift.noticed or (effects.p or 0.0) > _CLEAR
    shown = effects.advantage
    explained = shown is None or not shown.measured or shown.low <= check.drift_share
    return check.drift.noticed and explained


def check_control(
    original: Table,
    control: Table,
    units: Units | None = None,
    whole: Sequence[Rows] = (),
    *,
    rng: np.random.Generator,
) -> ControlCheck:
    """Compare a control with the original, without the release; each person has one row.

    Rows that repeat are no people of their own. If there are many, only different rows are compared
    for drift.

    Parameters
    ----------
    units : whose row each one is. If equal rows are one person's, none are left to count by.
    whole : for each row a number that rows share which are equal in all columns of their file. By
        default, rows are compared in the columns of the tables.
    """
    keys = original.concat(control).row_keys()
    inside, outside = keys[: len(original)], keys[len(original) :]
    if units is not None and units.equal_rows and not units.frequent:
        unknown = Reading.missing("lower", "equal rows are taken for one person")
        return ControlCheck(unknown, measure_drift(original, control, rng=rng))
    twins, again = _in_twins(inside), np.isin(outside, inside)
    rows = whole if whole and units is None else (inside, outside)
    overlap = difference(int(again.sum()), len(outside), int(twins.sum()), len(inside), "lower")
    repeated = [
        RepeatedRows(role, int(own.sum()), len(own), int(shared.sum()), len(shared))
        for role, own, shared in (
            ("original", _in_twins(rows[0]), np.isin(rows[1], rows[0])),
            ("control", _in_twins(rows[1]), np.isin(rows[0], rows[1])),
        )
    ]
    many = [own for own in repeated if units is None and own.many]
    if many:
        original, control = (
            table.take(np.unique(own, return_index=True)[1])
            for table, own in ((original, rows[0]), (control, rows[1]))
        )
    return ControlCheck(overlap, measure_drift(original, control, rng=rng), tuple(many))


def _in_twins(keys: Rows) -> Mask:
    """For each row whether another one of the same table is equal."""
    _, numbers, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return np.asarray(counts[numbers.reshape(-1)] > 1)


def same_as_control(sides: Mapping[str, Sequence[InputTable]]) -> str:
    """Whether the control is the "original", or the "release", in whatever order of rows; or "".

    Whole files decide: people may well be alike in the few columns that a release has.

    Parameters
    ----------
    sides : the tables of each role, in one order.
    """
    roles = ("original", "release") if "control" in sides else ()
    return next((role for role in roles if _same_files(sides[role], sides["control"])), "")


def refuse_same(role: str) -> None:
    """Raise if the control is the original, or the release."""
    if role:
        words = f"has exactly the rows of the {role}; are the files mixed up? The control are "
        words += f"people who are not in the original: {SPLIT_ADVICE}"
        raise DataError([Fault(words, "control")])


def _same_files(ones: Sequence[InputTable], others: Sequence[InputTable]) -> bool:
    if len(ones) != len(others):
        return False
    return all(map(_same_cells, ones, others))


def _same_cells(one: InputTable, other: InputTable) -> bool:
    """Whether two tables have the same columns and rows, but for columns that number the rows."""
    names = one.names()
    if set(names) != set(other.names()):
        return False
    columns = []
    for name in names:
        try:
            cells = [one.cells(name), other.cells(name)]
        except pa.ArrowException:  # nested cells are no texts
            continue
        if len(cells[0]) != len(cells[1]):
            return False
        if not all(map(numbers_rows, cells)):
            if len({tuple(np.sort(_counts(own))) for own in cells}) > 1:
                return False  # most files differ in the first column
            columns.append(cells)
    if not columns:
        return False
    keys = np.split(number_rows(columns), 2)
    return bool(np.array_equal(np.sort(keys[0]), np.sort(keys[1])))


def _counts(cells: pa.ChunkedArray) -> Rows:
    """How often each text is in a column."""
    counts: Rows = pc.value_counts(cells).field("counts").to_numpy()
    return counts
