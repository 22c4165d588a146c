"""Teams: who takes part, with limits, submissions and decisions, for a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from quintain.contests.roster import Quota
from quintain.figures.format import minute
from quintain.journal.events import Submitted
from quintain.journal.state import State


@dataclass(frozen=True, slots=True)
class TeamRow:
    """One team of the list, in words."""

    id: str
    name: str
    competing: bool
    joined: str
    limits: str
    submissions: int
    status: str


def team_rows(state: State, submitted: Iterable[Submitted]) -> list[TeamRow]:
    """Every team in the order in which they joined; what programs made is not counted."""
    counts = Counter(event.team for event in submitted if event.made_by is None)
    return [
        TeamRow(
            id=one.id,
            name=one.name,
            competing=one.competing,
            joined=minute(state.joined[one.id].moment),
            limits=limits_in_words(one.limits),
            submissions=counts[one.id],
            status=_status(state, one.id),
        )
        for one in state.roster.entrants
    ]


def limits_in_words(limits: Quota) -> str:
    """The limits that differ from those of the phases.

    >>> limits_in_words(Quota(per_day=5, total=20))
    '5 per day, 20 in total'
    """
    words = {"per day": limits.per_day, "in total": limits.total, "per file": limits.per_file}
    return ", ".join(f"{limit} {word}" for word, limit in words.items() if limit is not None)


def _status(state: State, team: str) -> str:
    reason = state.excluded(team)
    if reason:
        return f"disqualified: {reason}"
    releases = {
        (event.track, event.entry): event
        for event in state.decisions
        if event.team == team and event.entry is not None
    }
    parts = [
        f"release {event.entry} of {event.track} disqualified: {event.reason}"
        for event in releases.values()
        if event.decision == "disqualified"
    ]
    return "; ".join(parts) or "takes part"
