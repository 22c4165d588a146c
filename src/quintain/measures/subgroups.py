"""Subgroups: what a measure reads of some people alone, or of each group of people apart.

A measure knows nothing of subgroups. Targets and records are chosen before it measures, by the
values of their columns, and the readings of several groups are put together afterwards.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, model_validator

from quintain.data import Column, Data, Schema, Table, as_table
from quintain.data.arrays import Mask
from quintain.data.shape import find_shape
from quintain.errors import PartError
from quintain.guesses import Goal
from quintain.measures.intervals import lengthening
from quintain.measures.measure import (
    Case,
    GuessMeasure,
    Measure,
    Readings,
    ReleaseMeasure,
    reading_rng,
)
from quintain.measures.reading import Reading
from quintain.releases.numbered import PRIVATE_ROW, NumberedRelease
from quintain.wording.languages import (
    DEFAULT,
    say,
    say_and,
    say_list,
    speaking,
    to_say,
    write_decimal,
)
from quintain.wording.suggestion import suggestion

FEWEST = 10
"""A group of fewer targets or records is not measured: its figure would be luck, or tell of single
people."""
MOST_GROUPS = 50
"""A column with more values needs a list of the values or ranges to read."""


class NumberRange(BaseModel):
    """Numbers between two bounds.

    >>> NumberRange(at_least=18, below=30).words()
    'at least 18 and below 30'
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    at_least: float | None = Field(default=None, allow_inf_nan=False)
    at_most: float | None = Field(default=None, allow_inf_nan=False)
    below: float | None = Field(default=None, allow_inf_nan=False)

    @model_validator(mode="after")
    def _some_numbers(self) -> Self:
        if not self._bounds():
            raise ValueError("a range needs at_least, at_most or below")
        if self.at_most is not None and self.below is not None:
            raise ValueError("a range has at_most or below, not both")
        low = -math.inf if self.at_least is None else self.at_least
        if (self.at_most is not None and self.at_most < low) or (
            self.below is not None and self.below <= low
        ):
            with speaking(DEFAULT):
                raise ValueError(f"no number is {self.words()}")
        return self

    def _bounds(self) -> dict[str, float]:
        return {name: bound for name, bound in self if bound is not None}

    def words(self) -> str:
        """The range as people say it."""
        texts = {
            "at_least": to_say("at least %(bound)s"),
            "at_most": to_say("at most %(bound)s"),
            "below": to_say("below %(bound)s"),
        }
        return say_list(
            [say(texts[name], bound=write_decimal(end)) for name, end in self._bounds().items()]
        )

    def holds(self, numbers: np.ndarray) -> Mask:
        """Which numbers are in the range; a missing one is not."""
        inside: Mask = ~np.isnan(numbers)
        if self.at_least is not None:
            inside &= numbers >= self.at_least
        if self.at_most is not None:
            inside &= numbers <= self.at_most
        if self.below is not None:
            inside &= numbers < self.below
        return inside


Choice = str | int | float | NumberRange
"""A value of a column, or a range of its numbers."""


def _as_list(given: Any) -> Any:
    return given if isinstance(given, list | tuple) else (given,)


Choices = Annotated[tuple[Choice, ...], BeforeValidator(_as_list), Field(min_length=1)]
"""One choice or several; in a file, a single one needs no brackets."""


_Chosen = Mapping[str, tuple[Choice, ...]]
"""The values that people have, by column."""

_WHERE = TypeAdapter(dict[str, Choices])

GroupReadings = Mapping[str, tuple[Reading, ...]]
"""For each reading of a measure, by its name, one reading per group that is reported."""


class GroupSplit(BaseModel):
    """People in groups by a column, and what is reported of the groups.

    Parameters
    ----------
    by : the column that says to which group somebody belongs.
    report : "worst" for the reading of the worst group, "mean" for the mean over groups, each of
        which counts the same, or "each" for one reading per group.
    values : the values of the column, or ranges of its numbers, that are groups. Without them,
        every value is a group, and groups with too few people are left out. "each" needs them,
        because they name its readings.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    by: str
    report: Literal["worst", "mean", "each"]
    values: tuple[Choice, ...] = ()

    @model_validator(mode="after")
    def _named_readings(self) -> Self:
        if self.report == "each" and not self.values:
            raise ValueError('report = "each" needs values: they name its readings')
        names = [_choice_name(choice) for choice in self.values]
        again = [n for place, n in enumerate(names) if not n or n in names[:place]]
        if again:
            raise ValueError(f"two values would both be spelled {again[0]!r} in names of readings")
        return self


@dataclass(frozen=True, slots=True)
class Subgroups:
    """The people whom a measure reads.

    Parameters
    ----------
    where : for each of some columns, the values that these people have.
    split : how they are put into groups; all of them are one group if None.
    """

    where: _Chosen
    split: GroupSplit | None = None

    @classmethod
    def of(cls, where: object, split: object) -> Self | None:
        """The subgroups of two tables of a file; None if there are none."""
        if not where and not split:
            return None
        chosen = _WHERE.validate_python(where or {})
        return cls(chosen, GroupSplit.model_validate(split) if split else None)

    # --- names ---

    def names_of(self, name: str, *, given: bool = False) -> tuple[str, ...]:
        """The names of the readings of groups, from the name of a reading of everybody.

        Parameters
        ----------
        given : whether the edition chose the name, so that it stays if there is one reading.

        >>> Subgroups({"race": ("Black",)}).names_of("auc")
        ('auc_race_black',)
        >>> Subgroups({}, GroupSplit(by="sex", report="each", values=("F", "M"))).names_of("auc")
        ('auc_sex_f', 'auc_sex_m')
        """
        if self.split is not None and self.split.report == "each":
            return tuple(
                f"{name}_{_spell(self.split.by)}_{_choice_name(choice)}"
                for choice in self.split.values
            )
        if given:
            return (name,)
        parts = [
            f"{_spell(column)}_{'_or_'.join(map(_choice_name, choices))}"
            for column, choices in sorted(self.where.items())
        ]
        if self.split is not None:
            parts.append(f"{_spell(self.split.by)}_{self.split.report}")
        return ("_".join([name, *parts]),)

    def words(self) -> str:
        """Of whom the readings are, as the end of a sentence."""
        people = say_and([_words(column, choices) for column, choices in self.where.items()])
        split = self.split
        if split is None:
            return say("Only %(people)s.", people=people)
        how = {
            "worst": to_say("The worst group by %(column)s"),
            "mean": to_say("The mean over groups by %(column)s"),
            "each": to_say("Each group by %(column)s"),
        }[split.report]
        groups = say(how, column=split.by)
        if people:
            return say("%(groups)s, among %(people)s.", groups=groups, people=people)
        return say("%(groups)s.", groups=groups)

    # --- faults that show without data ---

    def faults(self, columns: Schema, owners: str) -> Iterator[tuple[tuple[str, ...], str]]:
        """What does not fit the columns that are known of people, each with its key.

        ``owners`` says in words whose columns they are.
        """
        for name, choices in self.where.items():
            key = ("subgroup", name)
            if self.split is not None and name == self.split.by:
                yield key, f"subgroups go by {name!r}; write its values in subgroups"
            elif name not in columns:
                yield key, _unknown(name, columns, owners)
            else:
                for choice in choices:
                    fault = _choice_fault(columns[name], choice)
                    if fault:
                        yield key, fault
        if self.split is None:
            return
        if self.split.by not in columns:
            yield ("subgroups", "by"), _unknown(self.split.by, columns, owners)
            return
        column = columns[self.split.by]
        for choice in self.split.values:
            fault = _choice_fault(column, choice)
            if fault:
                yield ("subgroups", "values"), fault
        if not self.split.values and not (column.discrete and column.size <= MOST_GROUPS):
            size = f"{column.size:,} values" if column.discrete else "no finite list of values"
            yield (
                ("subgroups", "by"),
                f"{column.name!r} has {size}; write the values or ranges to read, such as "
                "values = [{ below = 30 }, { at_least = 30 }]",
            )

    # --- measuring ---

    def of_guesses(self, measure: GuessMeasure, cases: Sequence[Case]) -> GroupReadings:
        """The readings of guesses about the targets of each group."""

        def read(choices: _Chosen) -> Readings | _TooFew:
            kept = [_targets(case, choices) for case in cases]
            fewest = min(int(mask.sum()) for mask in kept)
            if fewest < FEWEST:
                return _TooFew(fewest, "targets", choices)
            parts = [case.of_targets(mask) for case, mask in zip(cases, kept, strict=True)]
            return measure.measure(parts, rng=reading_rng())

        return self._read_groups(measure, lambda name: _table_with(cases[0], name).schema, read)

    def of_release(
        self, measure: ReleaseMeasure, original: Data, release: Data, test: Data | None
    ) -> GroupReadings:
        """The readings of the records of each group, in the original and in the release."""
        before, after = as_table(original), as_table(release)
        further = None if test is None else as_table(test)

        def read(choices: _Chosen) -> Readings | _TooFew:
            inside = _rows(before, choices)
            if inside.sum() < FEWEST:
                return _TooFew(int(inside.sum()), "private records", choices)
            made = after.take(_rows(after, choices))
            if measure.aligned:
                made = _made_from(after, inside)
            if len(made) < FEWEST:  # a team that deletes a group must not get rid of its reading
                return _TooFew(len(made), "released records", choices, of_release=True)
            kept = None if further is None else further.take(_rows(further, choices))
            return measure.measure(before.take(inside), made, kept, rng=reading_rng())

        return self._read_groups(measure, lambda _: before.schema, read)

    def _read_groups(
        self,
        measure: Measure,
        schema: Callable[[str], Schema],
        read: Callable[[_Chosen], Readings | _TooFew],
    ) -> GroupReadings:
        split = self.split
        if split is None:
            return single(_or_missing(measure, read(self.where)))
        choices = split.values or _all_values(schema(split.by)[split.by])
        groups = {choice: read({**self.where, split.by: (choice,)}) for choice in choices}
        if not split.values:  # who is not in the data cannot be read
            groups = {
                choice: group
                for choice, group in groups.items()
                if not isinstance(group, _TooFew) or group.of_release
            }
        if not groups:
            note = f"no group by {split.by} has {FEWEST} people"
            return {name: (Reading.missing(how, note),) for name, how in measure.reads.items()}
        each = {choice: _or_missing(measure, group) for choice, group in groups.items()}
        if split.report == "each":
            return {name: tuple(group[name] for group in each.values()) for name in measure.reads}
        combine = worst_group if split.report == "worst" else mean_group
        return {
            name: (_over_groups(combine, split.by, {c: each[c][name] for c in each}, measure),)
            for name in measure.reads
        }


def single(readings: Readings) -> GroupReadings:
    """The readings of a measure that read one group."""
    return {name: (reading,) for name, reading in readings.items()}


@dataclass(frozen=True, slots=True)
class _TooFew:
    """A group that is too small to be measured."""

    people: int
    what: str
    choices: _Chosen
    of_release: bool = False

    def note(self) -> str:
        group = " and ".join(_words(column, choices) for column, choices in self.choices.items())
        return f"{group} has {self.people} {self.what}; at least {FEWEST} are needed"


def _or_missing(measure: Measure, group: Readings | _TooFew) -> Readings:
    if not isinstance(group, _TooFew):
        return group
    return {name: Reading.missing(how, group.note()) for name, how in measure.reads.items()}


# --- who belongs to a group ---


def _targets(case: Case, choices: _Chosen) -> Mask:
    """Which targets of the truth have the values; one of several rows of a target is enough."""
    names = case.truth.table.columns["target"].astype(np.str_)
    inside = np.ones(len(names), bool)
    for column, listed in choices.items():
        table = _table_with(case, column)
        rows = _rows(table, {column: listed})
        inside &= np.isin(names, table.columns["target"].astype(np.str_)[rows])
    return inside


def _table_with(case: Case, column: str) -> Table:
    """The table that says which value of a column each target has."""
    tables = (
        [case.truth.table] if case.question is None else [case.question.table, case.truth.table]
    )
    for table in tables:
        if column in table.schema:
            return table
    hidden = "; the question, which says it, is not here" if case.question is None else ""
    raise PartError(f"the targets have no column {column!r} to choose a subgroup by{hidden}")


def _rows(table: Table, choices: _Chosen) -> Mask:
    """Which rows have one of the chosen values in every column."""
    inside = np.ones(len(table), bool)
    for name, listed in choices.items():
        if name not in table.schema:
            raise PartError(f"a table has no column {name!r} to choose a subgroup by")
        inside &= np.logical_or.reduce([_rows_with(table, name, choice) for choice in listed])
    return inside


def _rows_with(table: Table, name: str, choice: Choice) -> Mask:
    column = table.schema[name]
    if isinstance(choice, NumberRange):
        return choice.holds(table.numbers(name))
    if column.listed:
        known = {value: code for code, value in enumerate(column.values)}
        return np.asarray(table.columns[name] == known.get(str(choice), len(known)))
    return np.asarray(table.numbers(name) == choice)


def _made_from(release: Table, inside: Mask) -> Table:
    """The released records that were made from some private records, whatever they say now."""
    if PRIVATE_ROW.name not in release.schema:
        if len(release) != len(inside):
            raise PartError(
                f"the release has {len(release)} rows, and the original {len(inside)}; a subgroup "
                "of them needs as many, in the same order"
            )
        return release.take(inside)
    numbered = NumberedRelease.of(release)
    kept = np.flatnonzero((numbered.origins >= 0) & inside[numbered.origins])
    place = np.cumsum(inside) - 1
    return NumberedRelease(numbered.data.take(kept), place[numbered.origins[kept]]).with_numbers()


def _all_values(column: Column) -> tuple[Choice, ...]:
    if column.listed:
        return column.values
    return tuple(column.offset + code for code in range(column.size))


# --- several groups in one reading ---


def _over_groups(
    combine: Callable[[Sequence[Reading], Measure], Reading],
    by: str,
    groups: Mapping[Choice, Reading],
    measure: Measure,
) -> Reading:
    for choice, reading in groups.items():
        if not reading.measured:
            return Reading.missing(reading.better, f"{_words(by, (choice,))}: {reading.note}")
        if reading.kind != "interval":
            note = "bounds of several groups are not put together"
            return Reading.missing(reading.better, note)
    return combine(list(groups.values()), measure)


def worst_group(readings: Sequence[Reading], measure: Measure) -> Reading:
    """The worst of several readings.

    Which group is worst was chosen after looking, so every interval is first made as long as the
    number of groups demands (Bonferroni): then all of them hold together.
    """
    first = readings[0]
    worst = max if first.better == "lower" else min
    wide = [_lengthen(reading, len(readings), measure.within) for reading in readings]
    value = worst(reading.value for reading in wide)
    low, high = (worst(getattr(reading, end) for reading in wide) for end in ("low", "high"))
    chosen = next(reading for reading in wide if reading.value == value)
    method = f"{chosen.method}, worst of {len(readings)} groups"
    return chosen.model_copy(update={"low": low, "high": high, "method": method})


def _lengthen(reading: Reading, groups: int, within: tuple[float, float]) -> Reading:
    factor = lengthening(groups, reading.level)
    return reading.model_copy(
        update={
            "low": max(within[0], reading.value - factor * (reading.value - reading.low)),
            "high": min(within[1], reading.value + factor * (reading.high - reading.value)),
        }
    )


def mean_group(readings: Sequence[Reading], measure: Measure) -> Reading:
    """The mean over groups; their errors are independent, so the lengths add up as squares do."""
    count, first = len(readings), readings[0]
    value = math.fsum(reading.value for reading in readings) / count
    below = math.sqrt(math.fsum((r.value - r.low) ** 2 for r in readings)) / count
    above = math.sqrt(math.fsum((r.high - r.value) ** 2 for r in readings)) / count
    return first.model_copy(
        update={
            "value": value,
            "low": max(measure.within[0], value - below),
            "high": min(measure.within[1], value + above),
            "n": sum(reading.n for reading in readings),
            "method": f"{first.method}, mean of {count} groups",
        }
    )


# --- words ---


def _spell(text: str) -> str:
    """A text as a part of a name that formulas can read."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def _choice_name(choice: Choice) -> str:
    return _spell(choice.words() if isinstance(choice, NumberRange) else str(choice))


def _words(column: str, choices: tuple[Choice, ...]) -> str:
    listed = [c.words() if isinstance(c, NumberRange) else str(c) for c in choices]
    return f"{column} = {reduce(_or, listed)}"


def _or(before: str, last: str) -> str:
    return say("%(before)s or %(last)s", before=before, last=last)


def _unknown(name: str, columns: Schema, owners: str) -> str:
    return f"{owners} have no column {name!r}{suggestion(name, columns.names)}"


def _choice_fault(column: Column, choice: Choice) -> str:
    """Why nobody can be chosen by a value; empty if somebody can."""
    if column.listed:
        if isinstance(choice, NumberRange):
            return f"{column.name!r} is a category: write its values, not a range"
        if str(choice) not in column.values:
            hint = suggestion(str(choice), column.values)
            return f"{column.name!r} has no value {str(choice)!r}{hint}"
        return ""
    if not column.numeric:
        return f"{column.name!r} is neither a category nor a number"
    if isinstance(choice, str):
        return f"{column.name!r} is a number: write a number or a range such as {{ below = 30 }}"
    low = -math.inf if column.low is None else column.low
    high = math.inf if column.high is None else column.high
    if isinstance(choice, NumberRange):
        lowest = -math.inf if choice.at_least is None else choice.at_least
        highest = min(math.inf if b is None else b for b in (choice.at_most, choice.below))
        empty = lowest > high or highest < low or (choice.below is not None and highest <= low)
        shown = choice.words()
    else:
        empty, shown = not low <= choice <= high, f"{choice:g}"
    return (
        f"nobody is in the subgroup: no {column.name!r} is {shown}; {column.expected}"
        if empty
        else ""
    )


def columns_of_records(data: Schema) -> tuple[Schema | None, str]:
    """The columns by which records can be chosen, and whose they are; or None, and why."""
    if not find_shape(data.shape).row_is_person:
        return None, f"subgroups of records are for tables, not for {data.shape}"
    return data, "the records"


def columns_of_targets(goal: Goal, data: Schema) -> tuple[Schema | None, str]:
    """The columns by which targets can be chosen, and whose they are; or None, and why."""
    if not goal.by_target:
        return None, f"{goal.id} has no single targets to choose from; leave the subgroup out"
    tables = (goal.question_schema(data), goal.truth_schema(data))
    names = {name for table in tables for name in table.names}
    columns = tuple(column for column in data.columns if column.name in names)
    if not columns:
        return None, f"{goal.id} says nothing of its targets by which to choose some"
    return Schema(columns=columns), f"the targets of {goal.id}"
