"""Decisions of organisers and teams, each one event: who takes part, what counts, the end."""

from __future__ import annotations

from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from quintain.contests import load
from quintain.contests.roster import Quota
from quintain.errors import Refused
from quintain.jobs.files import write_file
from quintain.journal.events import read_time
from quintain.runs.folder import paths
from quintain.runs.organising.amend import amend as amend_folder
from quintain.runs.organising.amend import extend as extend_folder
from quintain.runs.organising.amend import extend_for_team
from quintain.runs.organising.amend import limit as limit_folder
from quintain.runs.organising.decide import Subject
from quintain.runs.organising.decide import decide as decide_folder
from quintain.runs.organising.freeze import freeze as freeze_folder
from quintain.runs.organising.join import Joining
from quintain.runs.organising.join import join as join_folder
from quintain.runs.submissions.counting import choose as choose_in_folder
from quintain_host.database.contests import HostedEdition, RegisteredTeam
from quintain_host.organising.drafts import temporary_folder
from quintain_host.teams.kits import enqueue_kit
from quintain_host.work.drafts import read_draft
from quintain_host.work.handler import HandlerTask, handler


@handler("extend")
def extend(task: HandlerTask) -> dict[str, Any]:
    """Let a phase close later, for every team or for one."""
    if task.claim.event is not None:  # an earlier attempt recorded it
        return {}
    given, team = task.claim.arguments, task.claim.team
    what = (given["phase"], read_time(given["until"]), given["reason"])
    where: dict[str, Any] = {"track": given["track"], "now": task.time()}
    if team is None:
        extend_folder(task.folder(), *what, **where)
    else:
        extend_for_team(task.folder(), team, *what, **where)
    return {}


@handler("decide")
def decide(task: HandlerTask) -> dict[str, Any]:
    """Disqualify a team or one of its releases, or reinstate it."""
    if task.claim.event is not None:
        return {}
    given = task.claim.arguments
    subject = Subject(str(task.claim.team), given["track"], given["entry"])
    decide_folder(task.folder(), given["decision"], subject, given["reason"], now=task.time())
    return {}


@handler("limit")
def limit(task: HandlerTask) -> dict[str, Any]:
    """Give a team other limits."""
    if task.claim.event is not None:
        return {}
    given, team = task.claim.arguments, str(task.claim.team)
    limits = Quota(**given["limits"])
    limit_folder(task.folder(), team, limits, given["reason"], now=task.time())
    return {}


@handler("amend")
def amend(task: HandlerTask) -> dict[str, Any]:
    """Put other rules in force."""
    given = task.claim.arguments
    return {"changes": amend_rules(task, given["toml"], given["reason"])}


def amend_rules(task: HandlerTask, text: str, reason: str) -> list[str]:
    """Put the rules of an edition file in force, once; returns the keys that changed."""
    row, files = read_draft(task)
    changes: list[str] = []
    if task.claim.event is None:
        with temporary_folder(task.site, text, files) as place:
            rules = load(place / paths.EDITION)
            folder = task.folder(_new_text(row.id, text, rules.title))
            changes = list(amend_folder(folder, rules, reason, now=task.time()).changes)
    write_file(task.site.edition_root(row.id) / paths.EDITION, text.encode(), durable=True)
    return changes


def _new_text(edition: str, text: str, title: str) -> Any:
    def settle(session: Session, _event: int) -> None:
        change = update(HostedEdition).where(HostedEdition.id == edition)
        session.execute(change.values(toml=text, title=title))

    return settle


@handler("freeze")
def freeze(task: HandlerTask) -> dict[str, Any]:
    """End the contest, when every upload that came before is checked."""
    task.require_no_uploads()
    if task.site.folder(task.claim.edition).state().frozen is None:
        freeze_folder(
            task.folder(),
            task.claim.arguments.get("reason", ""),
            now=task.time(),
            containment=task.containment(),
            executor=task.executor(),
        )
    return {}


@handler("choose")
def choose(task: HandlerTask) -> dict[str, Any]:
    """Record a team's choice, at the time when it was made."""
    given, team = task.claim.arguments, str(task.claim.team)
    numbers = tuple(map(int, given["submissions"]))
    folder = task.folder()
    state = folder.state()
    if numbers == state.chosen(team, given["track"], given["phase"]):
        return {}  # an earlier attempt got this far
    rules = folder.edition().track_by_id(given["track"])
    kind = next(phase.submit for phase in rules.phase if phase.id == given["phase"])
    event = choose_in_folder(
        folder, team, numbers, track=given["track"], kind=kind, now=task.claim.requested
    )
    return {"event": event.number}


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
