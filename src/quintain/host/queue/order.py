"""Order: which job comes next, so that no team and no edition makes the others wait."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from quintain.host.database.work import QueuedJob


def next_job(waiting: Sequence[QueuedJob], running: Iterable[QueuedJob]) -> QueuedJob | None:
    """The job that a worker should do now; None if every job has to wait for another one.

    Clerk and bench do one job of an edition at a time, in the order in which the jobs came. Of
    programs, each team has one that runs, and teams take turns: the second program of a team
    comes after the first program of every other team.

    Parameters
    ----------
    waiting : the jobs that may start now, in the order in which they came.
    """
    busy = {_place(job) for job in running}
    turn: Counter[tuple[str, str, str]] = Counter()
    best: tuple[int, int, QueuedJob] | None = None
    for job in waiting:
        place = _place(job)
        turn[place] += 1
        key = turn[place], job.id
        if place not in busy and (best is None or key < best[:2]):
            best = (*key, job)
    return None if best is None else best[2]


def _place(job: QueuedJob) -> tuple[str, str, str]:
    """What one job at a time can be done for."""
    team = job.team or "" if job.lane == "program" else ""
    return job.lane, job.edition, team
