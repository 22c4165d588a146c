"""Kits: a worker packs what a team may see, and the team downloads it; single files, too.

The key of a kit says what it depended on. A kit with another key is too old, and is made again:
when something changed for all teams, or when somebody asks for it.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.commitment import canonical_json
from quintain.jobs.files import write_file
from quintain.journal.state import has_begun
from quintain.runs.folder import paths
from quintain.runs.folder.closings import closing_paths
from quintain.runs.submissions.counting import submissions
from quintain.runs.submissions.rounds import sample_name
from quintain.wording.languages import say
from quintain_host.access import NotThere, Visitor
from quintain_host.database.contests import RegisteredTeam
from quintain_host.database.work import QueuedJob
from quintain_host.editions.shown import contest_state, shown_rules
from quintain_host.queue import enqueue, enqueue_once
from quintain_host.site import Site


@dataclass(frozen=True, slots=True)
class Kit:
    """The kit of a team as it is now.

    Parameters
    ----------
    state : "ready"; "waiting" while a worker makes it; "failed" if it cannot. The organisers see
        why: the reason may name what the team must not know.
    path : where it is on this machine, if it is ready.
    digest : its SHA-256.
    """

    state: Literal["ready", "waiting", "failed"]
    path: Path | None = None
    digest: str = ""
    size: int = 0


def kit_for(site: Site, visitor: Visitor, edition: str) -> Kit:
    """The kit of the visitor's team; if it is missing or too old, a worker is asked for it."""
    visitor.require_scope("read")
    team = visitor.team_in(edition)
    require_joined(site, edition, team)
    kit = _ready(site, edition, team)
    if kit is not None:
        return kit
    with site.database.reading() as session:
        job = _last_job(session, edition, team)
    if job is None or job.state in ("done", "cancelled"):
        with site.database.writing(edition) as session:
            enqueue_kit(session, site, edition, team)
        return Kit("waiting")
    return Kit("failed" if job.state == "failed" else "waiting")


def ask_again(site: Site, visitor: Visitor, edition: str) -> Kit:
    """Ask a worker once more for a kit that could not be made."""
    kit = kit_for(site, visitor, edition)
    if kit.state != "failed":
        return kit
    with site.database.writing(edition) as session:
        enqueue_kit(session, site, edition, visitor.team_in(edition))
    return Kit("waiting")


def require_joined(site: Site, edition: str, team: str) -> None:
    """Refuse a team that does not take part yet."""
    with site.database.reading() as session:
        row = session.get(RegisteredTeam, (edition, team))
    if row is None or row.state != "joined":
        raise NotThere(say("your team does not take part yet, so there is no kit for it"))


def kit_key(site: Site, edition: str, team: str) -> str:
    """What a kit depends on: rules, rounds, hand-overs, dates, closed phases, and the team itself.

    It has the answers to the team's queries. That other teams join or submit changes nothing that
    a team needs.
    """
    rules, state, now = shown_rules(site, edition), contest_state(site, edition), site.clock.now()
    events = [*state.rules, *state.prepared.values(), *state.handed_over.values()]
    events += [*state.amended.values(), *filter(None, [state.joined.get(team)])]
    events += [event for event in state.deadlines.values() if event.team == team]
    answers = (
        event
        for event in submissions(site.folder(edition))
        if (event.team, event.kind) == (team, "answers")
    )
    numbers = sorted(event.number for event in (*events, *answers))
    begun = [track.id for track in rules.track if has_begun(track, now)]
    closings = closing_paths(site.edition_root(edition))
    depends = {"events": numbers, "begun": begun, "closings": closings}
    return hashlib.sha256(canonical_json(depends)).hexdigest()


def keep_kit(site: Site, edition: str, team: str, key: str, content: bytes) -> None:
    """Store a kit, then what it depended on."""
    write_file(site.kit(edition, team), content)
    facts = {"key": key, "sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
    write_file(_facts_path(site, edition, team), canonical_json(facts))


def is_fresh(site: Site, edition: str, team: str) -> bool:
    """Whether the kit of a team is there and shows the contest as it is."""
    return _ready(site, edition, team) is not None


def enqueue_kit(session: Session, site: Site, edition: str, team: str) -> None:
    """Ask a worker for the kit of a team, unless one is on it already."""
    job = _last_job(session, edition, team)
    if job is None or job.state != "waiting":
        enqueue(session, edition, "scoring", "kit", now=site.clock.now(), team=team)


def enqueue_kits(session: Session, site: Site, edition: str) -> None:
    """Ask a worker for the kits of all teams, because something changed for all of them."""
    enqueue_once(session, edition, "scoring", "kits", now=site.clock.now())


def _last_job(session: Session, edition: str, team: str) -> QueuedJob | None:
    jobs = select(QueuedJob).where(
        QueuedJob.edition == edition, QueuedJob.kind == "kit", QueuedJob.team == team
    )
    return session.scalars(jobs.order_by(QueuedJob.id.desc()).limit(1)).first()


def _ready(site: Site, edition: str, team: str) -> Kit | None:
    path = site.kit(edition, team)
    try:
        facts = json.loads(_facts_path(site, edition, team).read_bytes())
    except (OSError, ValueError):
        return None
    if facts["key"] != kit_key(site, edition, team) or not path.is_file():
        return None
    return Kit("ready", path, facts["sha256"], facts["size"])


def _facts_path(site: Site, edition: str, team: str) -> Path:
    return site.kit(edition, team).with_name(f"{team}.json")


LONGEST = 1000
_STEP = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


@dataclass(frozen=True, slots=True)
class TeamFile:
    """A file of a team: its path below the folder of the team, and its size in bytes."""

    name: str
    size: int


def own_files(site: Site, visitor: Visitor, edition: str) -> list[TeamFile]:
    """The files that only the visitor's team gets, in the rounds that have begun."""
    top = _top(site, visitor, edition)
    names = paths.files_below(top.parent, top.name)
    relative = [name.removeprefix(f"{top.name}/") for name in names]
    hidden = _rounds_ahead(site, edition)
    return [
        TeamFile(name, (top / name).stat().st_size)
        for name in relative
        if name.split("/")[0] not in hidden
    ]


def own_file(site: Site, visitor: Visitor, edition: str, name: str) -> Path:
    """Where a file of the visitor's team is; raises ``NotThere`` for every other name.

    There is nothing of a round before the round begins.
    """
    top, steps = _top(site, visitor, edition), name.split("/")
    path = top.joinpath(*steps)
    if (
        len(name) > LONGEST
        or not all(map(_STEP.fullmatch, steps))
        or steps[0] in _rounds_ahead(site, edition)
        or not path.is_file()
        or path.resolve() != top.resolve().joinpath(*steps)
    ):
        raise NotThere(say("your team has no file %(name)r", name=name[:80]))
    return path


def download_name(site: Site, visitor: Visitor, edition: str, name: str) -> str:
    """What a file of the team is called outside: a sample has the name that the rules give it."""
    team = visitor.team_in(edition)
    for track in shown_rules(site, edition).track:
        for number in track.choices if track.files.release else ():
            if f"{paths.team_folder(team)}/{name}" == paths.team_sample(team, track.id, number):
                return sample_name(track, team, number)
    return name.split("/")[-1]


def _top(site: Site, visitor: Visitor, edition: str) -> Path:
    visitor.require_scope("read")
    return site.edition_root(edition) / paths.team_folder(visitor.team_in(edition))


def _rounds_ahead(site: Site, edition: str) -> set[str]:
    """The tracks that have not begun; before the rules are fixed there is nothing at all."""
    now = site.clock.now()
    return {track.id for track in shown_rules(site, edition).track if not has_begun(track, now)}
