"""Trips: simulated people who move over the grid of a town, day after day.

Homes lie in quarters around the town, work places in a few centres, and everybody goes out to some
of the town's popular places. Most people work on weekdays at their own hours; irregular people go
where and when they like. Between two places people move in a straight line. Some points have no
place, single ones and whole hours. Nobody in these data exists.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.data.arrays import Floats, Mask
from quintain.data.column import Column
from quintain.data.schema import Schema
from quintain.data.sources.source import Source
from quintain.data.trajectories import DAY, HOUR, Trajectories
from quintain.errors import DataError, Fault
from quintain.registry import register

USUAL_PEOPLE = 200
_MONDAY = datetime(2024, 3, 4, tzinfo=UTC)
_FORMAT = "%Y-%m-%d %H:%M"
_FIRST_HOUR, _LAST_HOUR = 6, 24
_SPEED = 12.0  # cells per hour
_CENTRES, _QUARTERS, _POPULAR = 3, 8, 24

_Legs = list[tuple[float, Floats]]
"""Where somebody is at which hour; in between they move or stay."""


@register("trips-v1")
class Trips(Source):
    """Simulated movements of people over a grid: homes, work places, leisure, irregular people.

    There are no real files. For trajectories of your own, use the source ``file`` with a schema of
    the shape ``trajectories``.

    Parameters
    ----------
    rows : how many people; 200 by default.
    real : must stay false.
    days : for how many days, from a Monday on.
    width, height : the size of the grid in cells.
    points : how many points per day, from 6 o'clock to midnight at equal distances.
    irregular : the share of people without regular work.
    missing : about which share of the points has no place.

    >>> import quintain as q
    >>> source = q.part("trips", rows=2, days=1, points=3, width=8, height=8)
    >>> rows = source.data(np.random.default_rng(1)).to_rows()
    >>> for row in rows.select(["person", "x", "y"]).records():
    ...     print(row)
    {'person': 0, 'x': 6, 'y': 2}
    {'person': 0, 'x': 4, 'y': 5}
    {'person': 0, 'x': 4, 'y': 5}
    {'person': 1, 'x': 1, 'y': 3}
    {'person': 1, 'x': 2, 'y': 5}
    {'person': 1, 'x': 2, 'y': 5}
    """

    licence: ClassVar[str] = "none needed: the people are simulated"
    obtain: ClassVar[str] = "There are no real files; leave out real = true."

    days: Annotated[int, Field(ge=1, le=366)] = 14
    width: Annotated[int, Field(ge=2, le=256)] = 16
    height: Annotated[int, Field(ge=2, le=256)] = 16
    points: Annotated[int, Field(ge=1, le=216)] = 12
    irregular: Annotated[float, Field(ge=0, le=1)] = 0.15
    missing: Annotated[float, Field(ge=0, le=0.9)] = 0.05

    @classmethod
    def examples(cls) -> list[Self]:
        """A few days with few points, so that the generic checks are quick."""
        return [cls(rows=30, days=4, points=4)]

    def data_schema(self) -> Schema:
        """The person, the time and the place, which may be missing."""
        last = _MONDAY + timedelta(days=self.days, minutes=-1)
        x, y = (
            Column(name=name, kind="integer", low=0, high=size - 1, role=name, nullable=True)
            for name, size in (("x", self.width), ("y", self.height))
        )
        person = Column(name="person", kind="id", role="person")
        time = Column(
            name="time",
            kind="time",
            role="time",
            time_format=_FORMAT,
            earliest=_MONDAY.strftime(_FORMAT),
            latest=last.strftime(_FORMAT),
        )
        return Schema(shape="trajectories", title="simulated trips", columns=(person, time, x, y))

    def generate(self, rng: np.random.Generator) -> Trajectories:
        """The people of the simulation: 200, or ``rows``."""
        people = self.rows or USUAL_PEOPLE
        town = _Town.build(self.width, self.height, rng)
        hours = _FIRST_HOUR + np.arange(self.points) * (_LAST_HOUR - _FIRST_HOUR) / self.points
        hours = np.round(hours * 60) / 60
        traces = np.stack([self._follow(town, hours, rng) for _ in range(people)])
        places = np.clip(np.round(traces), 0, [self.width - 1, self.height - 1]).astype(np.int64)
        places[self._draw_gaps((people, self.days, self.points), rng)] = -1
        days = int(_MONDAY.timestamp()) + DAY * np.arange(self.days)
        times = np.round(days[:, None] + HOUR * hours).astype(np.int64)
        each = self.days * self.points
        columns = {
            "time": np.tile(times.ravel(), people),
            "x": places[..., 0].ravel(),
            "y": places[..., 1].ravel(),
        }
        offsets = each * np.arange(people + 1)
        return Trajectories(self.data_schema(), np.arange(people), offsets, columns)

    def load(self) -> Trajectories:
        """Refused: these people exist nowhere else."""
        raise DataError([Fault(self.obtain, "trips")])

    def _follow(self, town: _Town, hours: Floats, rng: np.random.Generator) -> Floats:
        """The places of one new person on all days: days x points x 2."""
        someone = _Resident.settle(town, self.irregular, rng)
        out = np.empty((self.days, len(hours), 2))
        for day in range(self.days):
            legs = someone.plan(weekend=day % 7 > 4, rng=rng)
            when = [hour for hour, _ in legs]
            for axis in (0, 1):
                out[day, :, axis] = np.interp(hours, when, [place[axis] for _, place in legs])
        return out + rng.normal(0, 0.25, out.shape)  # where exactly in or near a cell

    def _draw_gaps(self, shape: tuple[int, int, int], rng: np.random.Generator) -> Mask:
        """Which points have no place: half of them alone, half in gaps of three."""
        single = rng.random(shape) < self.missing / 2
        begins = rng.random(shape) < self.missing / 6
        gap = begins.copy()
        for shift in (1, 2):
            gap[..., shift:] |= begins[..., :-shift]
        return single | gap


@dataclass(frozen=True, slots=True)
class _Town:
    """Where people of a town live, work and go out."""

    centres: Floats
    quarters: Floats
    popular: Floats
    shares: Floats

    @classmethod
    def build(cls, width: int, height: int, rng: np.random.Generator) -> _Town:
        size = np.array([width - 1, height - 1], float)
        middle = rng.uniform(0.3, 0.7, (_CENTRES, 2)) * size
        quarters = rng.uniform(0.05, 0.95, (_QUARTERS, 2)) * size
        popular = rng.uniform(0.1, 0.9, (_POPULAR, 2)) * size
        shares = 1 / np.arange(1, _POPULAR + 1)
        return cls(middle, quarters, popular, shares / shares.sum())


@dataclass(frozen=True, slots=True)
class _Resident:
    """One person: home, work place, favourite places and hours."""

    home: Floats
    work: Floats | None
    favourites: Floats
    starts: float
    ends: float

    @classmethod
    def settle(cls, town: _Town, irregular: float, rng: np.random.Generator) -> _Resident:
        spread = np.ptp(town.popular, axis=0).mean() / 10
        home = rng.normal(town.quarters[rng.integers(_QUARTERS)], spread)
        centre = town.centres[rng.integers(_CENTRES)]
        work = None if rng.random() < irregular else rng.normal(centre, spread / 2)
        favourites = town.popular[rng.choice(_POPULAR, 4, replace=False, p=town.shares)]
        return cls(home, work, favourites, rng.normal(8.7, 0.8), rng.normal(17.3, 1.0))

    def plan(self, *, weekend: bool, rng: np.random.Generator) -> _Legs:
        """Where the person is at which hour of one day."""
        legs: _Legs = [(0.0, self.home)]
        if self.work is not None and not weekend and rng.random() < 0.93:
            self._stay(legs, self.work, self.starts + rng.normal(0, 0.2), self.ends, rng)
        elif self.work is None:
            for start in np.sort(rng.uniform(7, 20, rng.integers(1, 4))):
                self._stay(legs, self._choose(rng), start, start + rng.uniform(0.5, 4), rng)
        if rng.random() < (0.8 if weekend else 0.35):
            start = rng.uniform(10, 16) if weekend else legs[-1][0] + 0.2
            self._stay(legs, self._choose(rng), start, start + rng.uniform(1, 3), rng)
        travel = _hours_between(legs[-1][1], self.home)
        return [*legs, (legs[-1][0] + travel, self.home)]

    def _choose(self, rng: np.random.Generator) -> Floats:
        return np.asarray(self.favourites[rng.choice(4, p=[0.45, 0.25, 0.2, 0.1])])

    def _stay(
        self, legs: _Legs, place: Floats, start: float, end: float, rng: np.random.Generator
    ) -> None:
        """Leave the last place in time to be at another one from ``start`` to ``end``."""
        hour, before = legs[-1]
        leaves = max(hour, start - _hours_between(before, place))
        arrives = leaves + _hours_between(before, place)
        legs += [(leaves, before), (arrives, place)]
        legs.append((max(arrives + 0.25, end + float(rng.normal(0, 0.3))), place))


def _hours_between(one: Floats, other: Floats) -> float:
    return float(np.hypot(*(one - other))) / _SPEED + 0.02
