"""History: what a team submitted, which of it counts, the scores that it may see, and its method.

A team chooses what counts, and the intake worker records it. Everybody reads the description of its
method after the reveal.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import select

from quintain.contests import Edition, Phase, Track
from quintain.errors import Refused
from quintain.journal.events import Chosen, Submitted
from quintain.journal.state import State
from quintain.measures import Reading
from quintain.runs.folder import paths
from quintain.runs.folder.paths import CARD
from quintain.runs.submissions.counting import (
    choice_obstacles,
    is_chosen,
    last_programs,
    program_noun,
    submissions,
)
from quintain.wording.languages import say
from quintain_host.access import BadInput, Visitor, check_each
from quintain_host.audit_log import log
from quintain_host.database.contests import Description, RegisteredTeam
from quintain_host.database.work import Upload
from quintain_host.editions.shown import contest_state, shown_rules
from quintain_host.intake.uploads_shown import shown_reading
from quintain_host.queue import enqueue
from quintain_host.site import Site


@dataclass(frozen=True, slots=True)
class Submission:
    """One accepted submission of a team.

    Parameters
    ----------
    event : its number in the journal.
    made_by : the event of the program that made it, if one did.
    counts : whether it counts at present.
    upload : the upload that it came with; what a program made has none.
    readings : the utility of a release, where the rules show it.
    reason : why a program made nothing, or not everything.
    """

    event: int
    time: datetime
    track: str
    phase: str
    kind: str
    files: Mapping[str, str]
    made_by: int | None
    sample: int | None
    counts: bool
    upload: int | None = None
    readings: Mapping[str, Reading] = field(default_factory=dict)
    reason: str = ""

    @property
    def noun(self) -> str:
        """Whether the judge ran a program or a recipe, where it ran one."""
        return program_noun(self.files)


@dataclass(frozen=True, slots=True)
class TeamScore:
    """A score that the feedback of the contest shows a team: of one entry, under one name."""

    track: str
    entry: str
    name: str
    value: float


@dataclass(frozen=True, slots=True)
class History:
    """All submissions of a team, the earliest first, and its scores as far as they are shown."""

    submissions: tuple[Submission, ...]
    scores: tuple[TeamScore, ...]


def history_for(site: Site, visitor: Visitor, edition: str) -> History:
    """The history of the visitor's team."""
    visitor.require_scope("read")
    team = visitor.team_in(edition)
    folder, state = site.folder(edition), contest_state(site, edition)
    own = [submission for submission in submissions(folder) if submission.team == team]
    counts = counting(shown_rules(site, edition), state, own) if own else frozenset()
    uploads = _uploads(site, edition, team)
    listed = (
        _submission(submission, submission.number in counts, uploads.get(submission.number))
        for submission in own
    )
    return History(tuple(listed), _scores(site, edition, team))


def _uploads(site: Site, edition: str, team: str) -> dict[int, Upload]:
    """The accepted uploads of a team, by their events."""
    with site.database.reading() as session:
        accepted = select(Upload).where(
            Upload.edition == edition, Upload.team == team, Upload.state == "accepted"
        )
        return {int(upload.event or 0): upload for upload in session.scalars(accepted)}


def _submission(one: Submitted, counts: bool, upload: Upload | None) -> Submission:
    shown: dict[str, Any] = {} if upload is None else upload.shown
    readings = shown.get("readings", {})
    return Submission(
        event=one.number,
        time=one.moment,
        track=one.track,
        phase=one.phase,
        kind=one.kind,
        files=one.files,
        made_by=one.made_by,
        sample=one.sample,
        counts=counts,
        upload=None if upload is None else upload.id,
        readings={name: shown_reading(value) for name, value in readings.items()},
        reason="; ".join(shown.get("program", {}).get("reasons", ())),
    )


def _scores(site: Site, edition: str, team: str) -> tuple[TeamScore, ...]:
    """The team's own board, which scoring wrote; the policy of the contest decides what it has."""
    try:
        board = json.loads((site.edition_root(edition) / paths.team_board(team)).read_bytes())
    except (OSError, ValueError):
        return ()
    return tuple(
        TeamScore(track, entry, name, value)
        for track, teams in board["tracks"].items()
        for entry, values in teams.get(team, {}).items()
        for name, value in values.items()
    )


# --- what counts ----------------------------------------------------------------------------------


def counting(rules: Edition, state: State, own: Sequence[Submitted]) -> frozenset[int]:
    """The events of a team that count at present; a program counts by what it makes."""
    numbers: set[int] = set()
    for track in rules.track:
        for phase in track.phase:
            about = [
                submission
                for submission in own
                if (submission.track, submission.phase) == (track.id, phase.id)
            ]
            numbers |= _in_phase(state, track, phase, about)
    return frozenset(numbers)


def _in_phase(state: State, track: Track, phase: Phase, own: Sequence[Submitted]) -> set[int]:
    programs = {program.number for program in last_programs(state, own, phase.submit, track)}
    made = [
        submission
        for submission in own
        if submission.kind == phase.submit
        and is_chosen(state, submission)
        and (submission.made_by is None or submission.made_by in programs)
    ]
    if phase.submit == "release":
        return programs | {submission.number for submission in made[-phase.keep :]}
    if phase.counts == "best":
        return programs | {submission.number for submission in made}
    last = {
        name: submission.number for submission in made for name in submission.files if name != CARD
    }
    return programs | set(last.values())


MOST = 1000


def choose(
    site: Site, visitor: Visitor, edition: str, track: str, phase: str, numbers: Sequence[int]
) -> int:
    """Let a worker record which submissions of a phase count; returns the number of the job.

    Parameters
    ----------
    numbers : the events of the submissions; none means that the last ones count again.
    """
    visitor.require_scope("submit")
    team = visitor.team_in(edition)
    if len(numbers) > MOST:
        raise Refused(say("at most %(most)s submissions can be chosen", most=MOST))
    wanted = tuple(sorted(set(numbers)))
    event = Chosen(team=team, track=track, phase=phase, submissions=wanted)
    folder, state = site.folder(edition), contest_state(site, edition)
    own = list(folder.journal().submissions(team))
    now = site.clock.now()
    rules = shown_rules(site, edition)
    for obstacle in choice_obstacles(rules, state, own, event, now):
        raise obstacle
    kind = next(known.submit for known in rules.track_by_id(track).phase if known.id == phase)
    arguments = {"track": track, "phase": phase, "kind": kind, "submissions": list(wanted)}
    with site.database.writing(edition) as session:
        job = enqueue(
            session,
            edition,
            "intake",
            "choose",
            now=now,
            team=team,
            account=visitor.account,
            arguments=arguments,
        )
        log(session, site, visitor, "team.choose", edition, team=team, submissions=list(wanted))
        return job.id


# --- the method in the words of the team ----------------------------------------------------------


LONGEST_TEXT = 10_000
LONGEST_ADDRESS = 500
LONGEST_LICENCE = 100


def description_for(site: Site, visitor: Visitor, edition: str) -> Description:
    """What the visitor's team has written so far; empty if nothing."""
    visitor.require_scope("read")
    team = visitor.team_in(edition)
    with site.database.reading() as session:
        row = session.get(Description, (edition, team))
    empty = Description(edition=edition, team=team, text="", code="", licence="")
    return empty if row is None else row


def describe(
    site: Site, visitor: Visitor, edition: str, *, text: str, code: str = "", licence: str = ""
) -> Description:
    """Write or replace the description of the visitor's team; it is plain text.

    Parameters
    ----------
    code : the address of the team's code on the web.
    licence : the licence of the code, such as "Apache-2.0".
    """
    visitor.require_scope("submit")
    team = visitor.team_in(edition)
    text, code, licence = check_each(
        lambda: _plain("text", say("the description"), text, LONGEST_TEXT),
        lambda: _address(code),
        lambda: _plain("licence", say("the licence"), licence, LONGEST_LICENCE),
    )
    row = Description(
        edition=edition,
        team=team,
        text=text,
        code=code,
        licence=licence,
        changed=site.clock.now(),
    )
    with site.database.writing(edition) as session:
        session.get_one(RegisteredTeam, (edition, team))
        row = session.merge(row)
        log(session, site, visitor, "team.describe", edition, team=team)
    return row


def _plain(field: str, what: str, text: str, most: int) -> str:
    """A text that can be shown as it is; lines may end in any way."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if len(plain) > most:
        raise BadInput(
            say(
                "%(what)s has %(n)s characters; the limit is %(most)s",
                what=what,
                n=len(plain),
                most=most,
            )
        ).about(field)
    if not plain.replace("\n", " ").replace("\t", " ").isprintable():
        raise BadInput(say("%(what)s has a character that cannot be shown", what=what)).about(field)
    return plain


def _address(text: str) -> str:
    address = _plain("code", say("the address of the code"), text, LONGEST_ADDRESS)
    if not address:
        return ""
    try:
        parts = urlsplit(address)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        problem = say("the address of the code begins with https:// or http:// and names a host")
        raise BadInput(problem).about("code")
    if any(char.isspace() for char in address):
        raise BadInput(say("the address of the code has a space")).about("code")
    return address
