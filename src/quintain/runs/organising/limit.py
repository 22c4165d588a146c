"""Limit: give a team other limits while the contest runs, with a reason for everybody."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from quintain.contests.roster import Quota
from quintain.errors import Refused
from quintain.journal.events import Limited
from quintain.journal.state import State, require_running
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import record, writing
from quintain.runs.organising.amend import checked_reason


def limit(
    folder: Folder, team: str, limits: Quota, why: str, *, now: datetime | None = None
) -> Limited:
    """Let a team submit more or less often; what it submitted before still counts."""
    folder.require_secrets()
    reason = checked_reason(why)
    with writing(folder) as journal:
        for obstacle in obstacles(folder.state(), team, limits):
            raise obstacle
        event = Limited(team=team, limits=limits, reason=reason)
        return record(folder, journal, event, now=now or datetime.now(UTC)).event


def obstacles(state: State, team: str, limits: Quota) -> Iterator[Refused]:
    """Why a team cannot have these limits in this state; raises if there is no such team."""
    require_running(state)
    present = state.roster.entrant(team).limits
    for name in ("per_day", "total", "per_file"):
        number = getattr(limits, name)
        if number is not None and number < 1:
            yield Refused(f"{name}: a limit is at least 1; to stop a team, disqualify it")
    if limits == present:
        yield Refused(f"team {team} has these limits already")
