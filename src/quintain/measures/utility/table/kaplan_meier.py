"""Kaplan-Meier: how far the survival curves of the release are from those of the original."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, NamedTuple, Self

import numpy as np
from pydantic import Field

from quintain.data import Data, Schema
from quintain.data.arrays import Floats, Mask
from quintain.errors import PartError
from quintain.measures.measure import Readings
from quintain.measures.reading import Direction
from quintain.measures.utility.table.jackknife import GROUPS, groups_of, jackknife
from quintain.measures.utility.table.survival_times import SurvivalMeasure, SurvivalTimes
from quintain.registry import register
from quintain.wording.languages import say, to_say


class SurvivalCurve(NamedTuple):
    """The share of people to whom nothing happened yet; it falls at some times.

    Parameters
    ----------
    times : when it falls, in order.
    shares : the share from each of these times on; before the first it is 1.
    """

    times: Floats
    shares: Floats

    def at(self, moments: Floats) -> Floats:
        """The share at some moments; after the last known time it stays what it was."""
        return np.append(1.0, self.shares)[np.searchsorted(self.times, moments, side="right")]


def kaplan_meier(time: Floats, event: Mask) -> SurvivalCurve:
    """The product-limit estimate of the survival curve.

    A person who is censored at the time of an event was still at risk then.

    >>> kaplan_meier(np.array([1.0, 2, 2, 3]), np.array([True, True, False, True])).shares.tolist()
    [0.75, 0.5, 0.0]
    """
    when, deaths = np.unique(time[event], return_counts=True)
    at_risk = len(time) - np.searchsorted(np.sort(time), when, side="left")
    return SurvivalCurve(when, np.cumprod(1 - deaths / at_risk).astype(np.float64))


def curve_distance(one: SurvivalCurve, other: SurvivalCurve, between: tuple[float, float]) -> float:
    """The mean distance of two curves between two moments.

    >>> falls = SurvivalCurve(np.array([1.0]), np.array([0.5]))
    >>> curve_distance(falls, SurvivalCurve(np.array([3.0]), np.array([0.5])), between=(0, 4))
    0.25
    """
    start, end = between
    moments = np.unique(np.clip(np.concatenate([[start, end], one.times, other.times]), start, end))
    heights = np.abs(one.at(moments) - other.at(moments))[:-1]
    return float((heights * np.diff(moments)).sum() / (end - start))


@register("kaplan-meier-v1")
class KaplanMeier(SurvivalMeasure):
    r"""How far survival curves of the release are from those of the original.

    $$ \frac{1}{T} \int_0^T |S_{release}(t) - S_{original}(t)| \, dt $$

    S is the curve of Kaplan and Meier: the share of people to whom the event has not happened
    until t, where people who were no longer watched (censored) count as long as they were. 0 means
    equal curves, and lower is better. With ``group``, each of its values has a curve of its own:
    the first reading is the mean over groups, weighted by their sizes in the original, the second
    that of the worst group. Records without a time, an event or a group are left out. The interval
    is a jackknife that leaves out each of ten groups of records.

    Parameters
    ----------
    time : the column with the time for which a person was watched, a number.
    event : the column that says whether the event ended that time.
    happened : the value of that column if it did; every other value means censored.
    group : a category, each of whose values has its own curve.
    until : T; by default the longest time of the original. The curves begin at 0, or at the
        shortest time if that is below 0.

    References
    ----------
    Kaplan and Meier, Nonparametric estimation from incomplete observations, Journal of the American
    Statistical Association 53 (1958).

    Examples
    --------
    In the release everybody is watched a year longer before the same events happen:

    >>> import pyarrow as pa
    >>> import quintain as q
    >>> years = [1, 2, 3, 4] * 10
    >>> original = pa.table({"years": years, "died": ["yes", "yes", "no", "yes"] * 10})
    >>> later = pa.table({"years": [min(y + 1, 4) for y in years], "died": original["died"]})
    >>> times = {"time": "years", "event": "died", "happened": "yes"}
    >>> print(q.measure("kaplan-meier", original, later, **times)["km_distance"].value)
    0.125
    """

    within: ClassVar[tuple[float, float]] = (0.0, 1.0)

    group: str | None = None
    until: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None

    @classmethod
    def examples(cls) -> list[Self]:
        """One curve, and one for each value of a category."""
        columns = {"time": "size", "event": "flag", "happened": "yes"}
        return [cls(**columns), cls(**columns, group="colour", until=5)]

    @property
    def reads(self) -> Mapping[str, Direction]:
        """The distance; with groups, that of the worst group, too."""
        worst: dict[str, Direction] = {"km_distance_worst": "lower"}
        return {"km_distance": "lower", **(worst if self.group else {})}

    @property
    def captions(self) -> Mapping[str, str]:
        """What is compared, in a sentence."""
        if self.group:
            mean = to_say(
                "Mean distance between the survival curves of release and original, by %(column)s."
            )
        else:
            mean = to_say("Mean distance between the survival curves of release and original.")
        worst = to_say(
            "Mean distance between the survival curves of release and original, "
            "for the worst group by %(column)s."
        )
        captions = {
            "km_distance": say(mean, column=self.group),
            "km_distance_worst": say(worst, column=self.group),
        }
        return {name: captions[name] for name in self.reads}

    def require(self, schema: Schema) -> None:
        """The group must be a category."""
        super().require(schema)
        if self.group is not None and not schema[self.group].listed:
            raise PartError(f"{self.id}: the group {self.group!r} must be a category")

    def other_columns(self) -> tuple[str, ...]:
        """The group, if there is one."""
        return () if self.group is None else (self.group,)

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Compare the curves, with all records and without each group of them."""
        both = [self.known_times(data) for data in (original, release)]
        note = self.too_little(dict(zip(("original", "release"), both, strict=True)))
        if note:
            return self.not_measured(note)
        start = min(0.0, *(float(people.time.min()) for people in both))
        between = start, self.until or float(both[0].time.max())
        if between[1] <= start:
            return self.not_measured("every time of the original is 0")
        labels = [self._labels(people) for people in both]
        sizes = np.bincount(labels[0])
        for value in np.flatnonzero(sizes).tolist():
            counts = [int((label == value).sum()) for label in labels]
            if min(counts) < GROUPS:
                return self.not_measured(self._too_small(both[0], value, *counts))
        parts = [groups_of(len(people.time), rng=rng) for people in both]
        rows = []
        for left_out in (None, *range(GROUPS)):
            kept = [np.ones(len(p), bool) if left_out is None else p != left_out for p in parts]
            rows.append(self._distances(both, labels, kept, sizes, between))
        n = sum(len(people.time) for people in both)
        return {
            name: jackknife(whole, without, n, "lower", within=self.within)
            for name, (whole, *without) in zip(self.reads, zip(*rows, strict=True), strict=False)
        }

    def _labels(self, people: SurvivalTimes) -> np.ndarray:
        """The number of each person's group; without groups all are in the first."""
        if self.group is None:
            return np.zeros(len(people.time), np.int64)
        return people.table.columns[self.group].astype(np.int64)

    def _too_small(self, people: SurvivalTimes, value: int, private: int, released: int) -> str:
        name = "" if self.group is None else people.table.schema[self.group].values[value]
        return (
            f"{self.group} = {name} has {private} records in the original and {released} in the "
            f"release; at least {GROUPS} of each are needed"
        )

    def _distances(
        self,
        both: list[SurvivalTimes],
        labels: list[np.ndarray],
        kept: list[Mask],
        sizes: np.ndarray,
        between: tuple[float, float],
    ) -> tuple[float, float]:
        """The mean over groups, and the worst group."""
        values = np.flatnonzero(sizes)
        each = []
        for value in values:
            rows = [keep & (label == value) for keep, label in zip(kept, labels, strict=True)]
            one, other = (
                kaplan_meier(people.time[of], people.event[of])
                for people, of in zip(both, rows, strict=True)
            )
            each.append(curve_distance(one, other, between))
        return float(np.average(each, weights=sizes[values])), max(each)
