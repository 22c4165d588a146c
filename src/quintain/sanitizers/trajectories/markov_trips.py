"""Markov trips: new trajectories from a model of steps that is private for whole people."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field
from scipy.special import ndtri

from quintain.accounting.budget import Budget
from quintain.accounting.zcdp import gaussian_sigma, rho_for
from quintain.data import CellGrid, Column, Data, Schema, Trajectories
from quintain.data.arrays import Floats, Ints, Rows
from quintain.data.times import smallest_unit
from quintain.data.trajectories import DAY, HOUR, time_column
from quintain.errors import PartError
from quintain.kernels.places import steps_of
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Claim, Method, Release, Sanitized
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.shuffling import permutation
from quintain.sanitizers.synthesizer import LARGEST_RELEASE

_SHARES = (0.25, 0.05, 0.6, 0.05, 0.05)
"""The parts of the budget for first places, staying, steps, days and times of day."""
_FALSE_TIME = 1e-3
"""The probability with which any day, or any time of day, that nobody has stands out, about."""
_SECONDS = {"h": HOUR, "m": 60, "s": 60}
"""The seconds in units of time that are shorter than a day; nobody walks by the second."""
_FLOOR = 1.0
"""Noisy counts below so many standard deviations of the noise count as nothing."""
_NEAR = 0.05
"""How many steps are added to each pair of blocks, less for distant ones."""


@register("markov-trips-v1")
class MarkovTrips(Sanitizer):
    r"""Publishes new trajectories from a first-order model of steps, private for whole people.

    The grid is cut into blocks. Five tables of counts are measured with discrete Gaussian noise:
    the block in which a person is first, whether one random step of a person stays in its block,
    which steps to another block a person makes, and on which days and at which times of day a
    person has points. Of each of the last three, a person adds at most ``steps`` different ones,
    drawn at random, once each. So all rows of one person change the tables by at most 1, 1 and
    three times the root of ``steps`` in Euclidean length, and the claim is about people, however
    many points they have.

    Days run from the first to the last time of the schema, and times of day from midnight in steps
    of ``every`` minutes: no data decide on them. A day or a time of day is in the release if its
    count stands out from the noise; if none does, those with the largest noisy counts are. New
    people start in a block, and at each of these times they stay or step on. In a block everybody
    has a cell of their own, drawn at random.

    Parameters
    ----------
    epsilon, delta : the privacy loss of the whole release, per person added or removed.
    block : the sides of a block, in cells.
    steps : the most steps, days and times of day that a person adds.
    every : how many minutes there are between times of day; at least what the schema can write.
    people : how many people to make up; by default about as many as there are, counted with noise.

    References
    ----------
    Chen, Fung, Desai and Sossou, Differentially private transit data publication, KDD 2012 (models
    of steps between places); Bun and Steinke, Concentrated differential privacy, TCC 2016.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> release = q.sanitize("markov-trips", example("trajectories"), epsilon=10, seed=1)
    >>> print(release.claim.words())
    epsilon 10, delta 1e-06, one person added or removed, public domain
    """

    shapes: ClassVar[tuple[str, ...]] = ("trajectories",)

    epsilon: Annotated[float, Field(gt=0, le=1000)] = 1.0
    delta: Annotated[float, Field(gt=0, lt=0.1)] = 1e-6
    block: Annotated[int, Field(ge=1, le=256)] = 4
    steps: Annotated[int, Field(ge=1, le=10_000)] = 8
    every: Annotated[int, Field(ge=1, le=1440)] = 30
    people: Annotated[int, Field(ge=1, le=LARGEST_RELEASE)] | None = None

    def claim_for(self, schema: Schema) -> Claim | None:
        """Differential privacy of one person with all their points."""
        return Claim(epsilon=self.epsilon, delta=self.delta, unit="person")

    def require(self, schema: Schema) -> None:
        """The times must have bounds, because the first and the last private time are private."""
        super().require(schema)
        time = time_column(schema)
        if not time.bounded:
            raise PartError(
                f"{self.id} needs the earliest and the latest time: give {time.name!r} both"
            )

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Measure the five tables, and let new people walk."""
        traces: Trajectories = self.see(data)
        blocks = _Blocks.of(traces.grid, self.block)
        model = self._measure(traces, blocks, noise)
        moments = model.moments
        people = self.people or min(max(1, model.people), LARGEST_RELEASE // len(moments))
        walked = model.walk(people, moments, rng)
        cells = blocks.own_cells(walked, rng)
        released = _new_traces(traces, moments, cells)
        sizes = f"{blocks.count} blocks of {self.block} x {self.block} cells"
        detail = f"first-order Markov model of {sizes}, at most {self.steps} steps per person"
        detail += f"; days and times of day, every {self.every} minutes, measured with noise"
        method = Method(name="synthetic data generation", rows=people, detail=detail)
        return Sanitized(Release(released, self.claim_for(traces.schema), (method,)))

    def _measure(self, traces: Trajectories, blocks: _Blocks, noise: Noise) -> _Walk:
        rho = rho_for(self.epsilon, self.delta)
        budget, count = Budget(rho), blocks.count
        several = math.sqrt(self.steps)
        lengths = (1.0, 1.0, several, several, several)
        sigmas = [
            gaussian_sigma(share * rho, length)
            for share, length in zip(_SHARES, lengths, strict=True)
        ]
        clock = _Clock.of(time_column(traces.schema), self.every)
        tables = (
            *_bounded_tables(traces, blocks, self.steps, noise),
            *clock.count(traces, self.steps, noise),
        )
        noisy = [
            budget.count(table, sigma, noise, sensitivity=length)
            for table, sigma, length in zip(tables, sigmas, lengths, strict=True)
        ]
        starts, stays, steps = (
            np.where(table > _FLOOR * sigma, table, 0.0)
            for table, sigma in zip(noisy[:3], sigmas[:3], strict=True)
        )
        days, slots = (
            _standing_out(table, sigma, self.steps)
            for table, sigma in zip(noisy[3:], sigmas[3:], strict=True)
        )
        near = np.exp(-blocks.gaps()) * _NEAR
        return _Walk(
            people=round(float(noisy[0].sum())),
            starts=(starts + 1e-3) / (starts + 1e-3).sum(),
            stay=float((stays[1] + 1) / (stays.sum() + 2)),
            steps=_rows_to_one(steps.reshape(count, count) + near),
            moments=clock.moments(days, slots),
        )


@dataclass(frozen=True, slots=True)
class _Clock:
    """Days and times of day that follow from the schema, numbered from 0.

    Parameters
    ----------
    first, last : the bounds of the times, in seconds.
    step : the seconds between two times of day.

    >>> time = Column(name="when", kind="time", role="time", time_format="%Y-%m-%d %H:%M",
    ...               earliest="2024-03-04 06:00", latest="2024-03-06 18:00")
    >>> clock = _Clock.of(time, 720)
    >>> clock.days, clock.slots, np.diff(clock.moments(np.array([0, 1]), np.array([0, 1])))
    (3, 2, array([21600, 43200, 43200]))
    """

    first: int
    last: int
    step: int

    @classmethod
    def of(cls, time: Column, every: int) -> _Clock:
        first, last = time.bounds
        assert first is not None and last is not None  # require says so
        finest = _SECONDS.get(smallest_unit(time.time_format), DAY)
        return cls(int(first), int(last), -(-every * 60 // finest) * finest)

    @property
    def days(self) -> int:
        """How many days there are."""
        return self.last // DAY - self.first // DAY + 1

    @property
    def slots(self) -> int:
        """How many times of day there are."""
        return -(-DAY // self.step)

    def count(self, traces: Trajectories, most: int, noise: Noise) -> tuple[Ints, Ints]:
        """In how many people each day and each time of day is, bounded per person."""
        times, person = traces.times(), traces.person_of_point()
        day, slot = times // DAY - self.first // DAY, times % DAY // self.step
        return (
            _bounded_counts(person, day, self.days, most, noise),
            _bounded_counts(person, slot, self.slots, most, noise),
        )

    def moments(self, days: Ints, slots: Ints) -> Ints:
        """The times on these days, within the bounds; they are never none."""
        times = (self.first // DAY + days)[:, None] * DAY + slots * self.step
        return np.unique(np.clip(times.ravel(), self.first, self.last))


def _bounded_counts(person: Rows, code: Ints, size: int, most: int, noise: Noise) -> Ints:
    """How many people have each code; each person adds at most so many, drawn at random."""
    each = np.unique(person * size + code)
    kept = each[_drawn_per_person(each // size, most, noise)]
    return np.bincount(kept % size, minlength=size)


def _standing_out(noisy: Floats, sigma: float, most: int) -> Ints:
    """The places whose noisy counts stand out; if none does, those with the largest counts."""
    places = np.flatnonzero(noisy > -sigma * float(ndtri(_FALSE_TIME / len(noisy))))
    return places if len(places) else np.sort(np.argsort(-noisy, kind="stable")[:most])


@dataclass(frozen=True, slots=True, eq=False)
class _Blocks:
    """Blocks of cells, numbered row by row."""

    grid: CellGrid
    side: int
    across: int
    count: int

    @classmethod
    def of(cls, grid: CellGrid, side: int) -> _Blocks:
        across, along = -(-grid.width // side), -(-grid.height // side)
        return cls(grid, side, across, across * along)

    def number(self, cells: Ints) -> Ints:
        """The block of each cell."""
        x, y = cells % self.grid.width, cells // self.grid.width
        return np.asarray(y // self.side * self.across + x // self.side)

    def gaps(self) -> Floats:
        """The distances between all blocks, in blocks; infinite to itself."""
        every = np.arange(self.count)
        x, y = every % self.across, every // self.across
        gaps = np.hypot(x[:, None] - x, y[:, None] - y)
        np.fill_diagonal(gaps, np.inf)
        return np.asarray(gaps)

    def own_cells(self, blocks: Ints, rng: np.random.Generator) -> Ints:
        """For people x times in blocks, cells; each person has one cell in each block."""
        own = rng.integers(self.side, size=(len(blocks), self.count, 2))
        person = np.arange(len(blocks))[:, None]
        x = blocks % self.across * self.side + own[person, blocks, 0]
        y = blocks // self.across * self.side + own[person, blocks, 1]
        x, y = np.minimum(x, self.grid.width - 1), np.minimum(y, self.grid.height - 1)
        return np.asarray(y * self.grid.width + x)


def _bounded_tables(
    traces: Trajectories, blocks: _Blocks, most: int, noise: Noise
) -> tuple[Ints, Ints, Ints]:
    """First blocks, one step that stays or not, and steps to other blocks, bounded per person."""
    count = blocks.count
    cells, person = traces.cells(), traces.person_of_point()
    there = np.flatnonzero(cells >= 0)
    _, first = np.unique(person[there], return_index=True)
    starts = np.bincount(blocks.number(cells[there[first]]), minlength=count)
    who, before, after = steps_of(traces)
    pair = blocks.number(before) * count + blocks.number(after)
    stays = pair // count == pair % count
    drawn = _drawn_per_person(who, 1, noise)
    stayed = np.bincount(stays[drawn].astype(np.int64), minlength=2)
    moved = _bounded_counts(who[~stays], pair[~stays], count**2, most, noise)
    return starts, stayed, moved


def _drawn_per_person(person: Rows, most: int, noise: Noise) -> Rows:
    """At most so many entries of each person, drawn at random."""
    order = permutation(len(person), noise)
    order = order[np.argsort(person[order], kind="stable")]
    place = np.arange(len(order)) - np.searchsorted(person[order], person[order])
    return np.asarray(order[place < most])


@dataclass(frozen=True, slots=True, eq=False)
class _Walk:
    """A model that is already private: when and where people start, stay and go."""

    people: int
    starts: Floats
    stay: float
    steps: Floats
    moments: Ints

    def walk(self, people: int, moments: Ints, rng: np.random.Generator) -> Ints:
        """New people at all times: people x times."""
        out = np.empty((people, len(moments)), np.int64)
        out[:, 0] = rng.choice(len(self.starts), people, p=self.starts)
        edges = np.cumsum(self.steps, axis=1)
        for time in range(1, len(moments)):
            last = out[:, time - 1]
            same_day = moments[time] // DAY == moments[time - 1] // DAY
            moves = rng.random(people) >= self.stay if same_day else np.zeros(people, bool)
            draws = rng.random((people, 1)) * edges[last, -1:]
            moved_to = np.minimum((edges[last] <= draws).sum(axis=1), len(edges) - 1)
            out[:, time] = np.where(moves, moved_to, last)
        return out


def _rows_to_one(table: Floats) -> Floats:
    np.fill_diagonal(table, 0)
    sums = table.sum(axis=1, keepdims=True)
    even = np.ones_like(table) / len(table)
    return np.where(sums > 0, table / np.where(sums > 0, sums, 1), even)


def _new_traces(like: Trajectories, moments: Ints, cells: Ints) -> Trajectories:
    """Trajectories of people who do not exist, at all of these times."""
    people, points = cells.shape
    columns = {time_column(like.schema).name: np.tile(moments, people)}
    columns |= like.grid.places(cells.ravel())
    names = np.array([f"made-{number}" for number in range(people)], np.str_)
    return Trajectories(like.schema, names, points * np.arange(people + 1), columns)
