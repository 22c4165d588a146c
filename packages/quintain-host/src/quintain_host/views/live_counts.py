"""Live counts: how many teams have submitted, told so that no count says who has."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel
from sqlalchemy import func, select

from quintain.wording.languages import say
from quintain_host.database.work import Upload
from quintain_host.site import Site
from quintain_host.views.contest import Contest, PhaseView, timeline

GROUP = 5
"""While a phase is open, teams are told of in groups of this size."""


def rule() -> str:
    """The rule, for people: a team that knows what it has sent itself learns of no other team."""
    return say(
        "While a phase is open, the site says how many teams have submitted in steps of "
        "%(group)s, as it was at midnight UTC, and never more than all teams but %(group)s. So in "
        "a contest of fewer than %(fewest)s teams it says nothing. When the phase is over, it says "
        "the exact number.",
        group=GROUP,
        fewest=2 * GROUP,
    )


class LiveCount(BaseModel):
    """How many teams have submitted in a phase.

    Parameters
    ----------
    teams : how many at least, or exactly if the phase is over; None where the rule tells nothing.
    of : how many teams take part.
    """

    track_title: str
    phase: str
    teams: int | None
    of: int
    exact: bool


def live_counts(site: Site, contest: Contest) -> list[LiveCount]:
    """The counts that everybody may see now, for every phase that has begun."""
    if contest.rules is None:
        return []
    phases = timeline(contest.rules, contest.state, contest.now)
    return [_count(site, contest, phase) for phase in phases if phase.state != "later"]


def count_to_tell(senders: int, teams: int) -> int | None:
    """How many teams the site may tell of while a phase is open; None if it tells nothing.

    >>> count_to_tell(4, 30), count_to_tell(14, 30), count_to_tell(30, 30), count_to_tell(9, 9)
    (None, 10, 25, None)
    """
    steps = min(senders, teams - GROUP) // GROUP
    return steps * GROUP if steps > 0 else None


def _count(site: Site, contest: Contest, phase: PhaseView) -> LiveCount:
    teams = len(contest.fixed.team)
    over = phase.state == "over"
    midnight = contest.now.replace(hour=0, minute=0, second=0, microsecond=0)
    senders = _teams_before(site, contest, phase, None if over else midnight)
    return LiveCount(
        track_title=phase.track_title,
        phase=phase.id,
        teams=senders if over else count_to_tell(senders, teams),
        of=teams,
        exact=over,
    )


def _teams_before(site: Site, contest: Contest, phase: PhaseView, end: datetime | None) -> int:
    """How many teams had something accepted in a phase, before a moment or at all."""
    teams = select(func.count(Upload.team.distinct())).where(
        Upload.edition == contest.id,
        Upload.track == phase.track,
        Upload.phase == phase.id,
        Upload.state == "accepted",
    )
    with site.database.reading() as session:
        return session.scalar(teams if end is None else teams.where(Upload.arrived < end)) or 0
