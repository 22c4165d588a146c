"""Contest: the facts from which all views of one contest are made, and its summary."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import BaseModel

from quintain.contests import Edition, Track
from quintain.host.access import NotThere, Visitor
from quintain.host.database.contests import HostedEdition
from quintain.host.editions.listing import edition_for
from quintain.host.editions.shown_rules import contest_state, shown_rules
from quintain.host.site import Site
from quintain.host.views.timeline import PhaseView, next_moment, timeline
from quintain.journal.state import State, has_begun

Stage = Literal["draft", "announced", "running", "between", "over", "ended", "revealed"]

STAGES: dict[Stage, str] = {
    "draft": "in preparation",
    "announced": "announced",
    "running": "open",
    "between": "between two phases",
    "over": "all phases are over",
    "ended": "ended; results come soon",
    "revealed": "results are out",
}
"""The stages of a contest in words."""


@dataclass(frozen=True, slots=True)
class Contest:
    """A contest as the public may see it now.

    Parameters
    ----------
    rules : the public rules in force; None as long as they are not fixed.
    state : what happened so far.
    """

    row: HostedEdition
    rules: Edition | None
    state: State
    now: datetime

    @property
    def id(self) -> str:
        """The id of the edition."""
        return self.row.id

    @property
    def fixed(self) -> Edition:
        """The rules; raises ``NotThere`` as long as they are not fixed."""
        if self.rules is None:
            raise NotThere("the rules of this contest are not fixed yet")
        return self.rules

    @property
    def begun(self) -> list[Track]:
        """The tracks whose data everybody may see: those that are prepared and have begun."""
        if self.rules is None:
            return []
        tracks = [track for track in self.rules.track if track.id in self.state.prepared]
        return [track for track in tracks if has_begun(track, self.now)]

    @property
    def revealed(self) -> bool:
        """Whether everything is public."""
        return self.state.revealed is not None


class ContestView(BaseModel):
    """What everybody may know of a contest.

    Parameters
    ----------
    call : the call for participation; plain text.
    stage : where the contest is between its draft and its results.
    registration : "open", "approval", "invitation" or "closed".
    next : when the next phase opens or closes; None if nothing is to come.
    """

    id: str
    title: str
    call: str = ""
    description: str = ""
    cite: str = ""
    stage: Stage
    stage_words: str
    registration: str
    team_size: int | None = None
    max_teams: int | None = None
    teams: int = 0
    phases: list[PhaseView] = []
    next: datetime | None = None


def contest_for(site: Site, visitor: Visitor, edition: str) -> Contest:
    """A contest that the visitor may see; raises ``NotThere`` otherwise."""
    return _contest(site, edition_for(site, visitor, edition))


def _contest(site: Site, row: HostedEdition) -> Contest:
    try:
        rules = shown_rules(site, row.id) if site.edition_root(row.id).is_dir() else None
    except NotThere:
        rules = None
    state = State() if rules is None else contest_state(site, row.id)
    return Contest(row, rules, state, site.clock.now())


def summary(contest: Contest) -> ContestView:
    """The summary of a contest."""
    row, rules = contest.row, contest.rules
    phases = [] if rules is None else timeline(rules, contest.state, contest.now)
    stage = _stage(contest, phases)
    return ContestView(
        id=row.id,
        title=row.title,
        call=row.call,
        description="" if rules is None else rules.description.strip(),
        cite="" if rules is None else rules.cite,
        stage=stage,
        stage_words=STAGES[stage],
        registration="closed" if stage in ("ended", "revealed") else row.registration,
        team_size=row.team_size,
        max_teams=row.max_teams,
        teams=0 if rules is None else len(rules.team),
        phases=phases,
        next=None if stage in ("ended", "revealed") else next_moment(phases, contest.now),
    )


def summaries(site: Site, rows: list[HostedEdition]) -> list[ContestView]:
    """The summaries of several contests, in their order."""
    return [summary(_contest(site, row)) for row in rows]


def _stage(contest: Contest, phases: list[PhaseView]) -> Stage:
    if contest.rules is None:
        return "draft"
    if contest.revealed:
        return "revealed"
    if contest.state.frozen is not None:
        return "ended"
    if any(phase.state == "open" for phase in phases):
        return "running"
    later, over = (any(phase.state == s for phase in phases) for s in ("later", "over"))
    return "between" if later and over else "announced" if later else "over"
