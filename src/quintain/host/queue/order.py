"""Order: which job comes next, so that no team and no edition makes the others wait.

Clerk and bench do one job of an edition at a time, in the order in which the jobs came, and
editions take turns. Of programs, each team has one that runs, and teams take turns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, Protocol


class Place(NamedTuple):
    """What one job at a time is done for: an edition, or a team where programs run."""

    lane: str
    edition: str
    team: str


class Ordered(Protocol):
    """What decides about the place of a job."""

    id: int
    lane: str
    edition: str
    team: str | None


def place_of(lane: str, edition: str, team: str | None) -> Place:
    """The place of a job with these facts.

    >>> place_of("clerk", "amic", "red")
    Place(lane='clerk', edition='amic', team='')
    """
    return Place(lane, edition, (team or "") if lane == "program" else "")


def next_job(
    waiting: Iterable[Ordered], busy: Collection[Place], turns: Mapping[Place, int]
) -> int | None:
    """The number of the job that a worker should do now; None if all have to wait for others.

    Parameters
    ----------
    waiting : the jobs that may start now.
    busy : the places with a job that runs.
    turns : the last turn of each place that had one; who had it longest ago is next.
    """
    free = [job for job in waiting if _place(job) not in busy]
    best = min(free, key=lambda job: (turns.get(_place(job), 0), job.id), default=None)
    # The oldest of the place that is next, whatever the order in which they were given.
    return None if best is None else best.id


def _place(job: Ordered) -> Place:
    return place_of(job.lane, job.edition, job.team)
