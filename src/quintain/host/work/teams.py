"""Teams: the intake worker lets teams join, and records what the organisers decide on them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from quintain.contests.roster import Quota
from quintain.errors import Refused
from quintain.host.database.contests import RegisteredTeam
from quintain.host.teams.kits import enqueue_kit
from quintain.host.work.handler import HandlerTask, handler
from quintain.runs.organising.join import Joining
from quintain.runs.organising.join import join as join_folder


@handler("join")
def join(task: HandlerTask) -> dict[str, Any]:
    """Let a registered team take part: draw its data, and record that it joined."""
    edition, team = task.claim.edition, str(task.claim.team)
    with task.site.database.reading() as session:
        registered = session.get_one(RegisteredTeam, (edition, team))
    if registered.state == "joined":
        return {}
    joining = Joining(
        team,
        registered.name,
        registered.competing,
        Quota(**registered.limits),
    )

    def settle(session: Session, _event: int) -> None:
        _set_state(session, task, "joined", "")
        enqueue_kit(session, task.site, edition, team)

    try:
        join_folder(task.folder(settle), [joining], now=task.time())
    except Refused as problem:
        with task.site.database.writing(edition) as session:
            _set_state(session, task, "refused", str(problem))
        raise
    return {}


def _set_state(session: Session, task: HandlerTask, state: str, reason: str) -> None:
    session.execute(
        update(RegisteredTeam)
        .where(RegisteredTeam.edition == task.claim.edition, RegisteredTeam.id == task.claim.team)
        .values(state=state, reason=reason)
    )
