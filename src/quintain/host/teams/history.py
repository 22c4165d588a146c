"""History: what a team submitted, what became of it, and the scores that it may see."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import select

from quintain.contests import Edition, Phase, Track
from quintain.host.access import Visitor
from quintain.host.database.work import Upload
from quintain.host.editions.shown_rules import contest_state, shown_rules
from quintain.host.intake.readings import shown_reading
from quintain.host.site import Site
from quintain.journal.events import Submitted
from quintain.journal.state import State
from quintain.measures import Reading
from quintain.runs.folder import paths
from quintain.runs.folder.paths import CARD
from quintain.runs.submissions.counting import is_chosen, last_programs, submissions

# Counting: which submissions of a team count at present, as its page shows them.


def counting(rules: Edition, state: State, own: Sequence[Submitted]) -> frozenset[int]:
    """The events of a team that count at present; a program counts by what it makes."""
    numbers: set[int] = set()
    for track in rules.track:
        for phase in track.phase:
            about = [one for one in own if (one.track, one.phase) == (track.id, phase.id)]
            numbers |= _in_phase(state, track, phase, about)
    return frozenset(numbers)


def _in_phase(state: State, track: Track, phase: Phase, own: Sequence[Submitted]) -> set[int]:
    programs = {one.number for one in last_programs(state, own, phase.submit, track)}
    made = [
        one
        for one in own
        if one.kind == phase.submit
        and is_chosen(state, one)
        and (one.made_by is None or one.made_by in programs)
    ]
    if phase.submit == "release":
        return programs | {one.number for one in made[-phase.keep :]}
    if phase.counts == "best":
        return programs | {one.number for one in made}
    last = {name: one.number for one in made for name in one.files if name != CARD}
    return programs | set(last.values())


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


@dataclass(frozen=True, slots=True)
class Score:
    """A score that the feedback of the contest shows a team: of one entry, under one name."""

    track: str
    entry: str
    name: str
    value: float


@dataclass(frozen=True, slots=True)
class History:
    """All submissions of a team, the earliest first, and its scores as far as they are shown."""

    submissions: tuple[Submission, ...]
    scores: tuple[Score, ...]


def history_for(site: Site, visitor: Visitor, edition: str) -> History:
    """The history of the visitor's team."""
    visitor.require_scope("read")
    team = visitor.team_in(edition)
    folder, state = site.folder(edition), contest_state(site, edition)
    own = [one for one in submissions(folder) if one.team == team]
    counts = counting(shown_rules(site, edition), state, own) if own else frozenset()
    uploads = _uploads(site, edition, team)
    listed = (_submission(one, one.number in counts, uploads.get(one.number)) for one in own)
    return History(tuple(listed), _scores(site, edition, team))


def _uploads(site: Site, edition: str, team: str) -> dict[int, Upload]:
    """The accepted uploads of a team, by their events."""
    with site.database.reading() as session:
        accepted = select(Upload).where(
            Upload.edition == edition, Upload.team == team, Upload.state == "accepted"
        )
        return {int(one.event or 0): one for one in session.scalars(accepted)}


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


def _scores(site: Site, edition: str, team: str) -> tuple[Score, ...]:
    """The team's own board, which scoring wrote; the policy of the contest decides what it has."""
    try:
        board = json.loads((site.edition_root(edition) / paths.team_board(team)).read_bytes())
    except (OSError, ValueError):
        return ()
    return tuple(
        Score(track, entry, name, value)
        for track, teams in board["tracks"].items()
        for entry, values in teams.get(team, {}).items()
        for name, value in values.items()
    )
