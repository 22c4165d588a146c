"""Trials: a team lets the judge check its files without submitting them.

A trial costs no attempt and enters no journal. It finds faults and measures nothing: a number that
a team can ask for as often as it likes would tell more than the feedback of the contest allows.
"""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from quintain.errors import QuotaUsed
from quintain.host.database.work import Upload
from quintain.journal.state import require_running
from quintain.runs.submissions.admission import Admission

MOST_WAITING = 2
MOST_PER_HOUR = 30

_STATES = ("trying", "valid", "invalid")


def require_trial(session: Session, admission: Admission, edition: str) -> None:
    """Refuse a trial where no submission is possible, or the team made too many."""
    require_running(admission.state)
    for obstacle in admission.obstacles():
        if not isinstance(obstacle, QuotaUsed):
            raise obstacle
    own = (Upload.edition == edition, Upload.team == admission.team, Upload.state.in_(_STATES))
    waiting = session.scalar(select(func.count()).where(*own, Upload.state == "trying")) or 0
    if waiting >= MOST_WAITING:
        raise QuotaUsed(f"{waiting} trials of team {admission.team} wait; try again later")
    hour = Upload.arrived > admission.time - timedelta(hours=1)
    made = session.scalar(select(func.count()).where(*own, hour)) or 0
    if made >= MOST_PER_HOUR:
        raise QuotaUsed(
            f"team {admission.team} made {made} trials in the last hour; the limit is "
            f"{MOST_PER_HOUR}. quintain check with the kit has no limit"
        )
