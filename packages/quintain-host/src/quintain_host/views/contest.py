"""Contest: the facts from which all views of a contest are made, its phases, teams and news."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from pydantic import BaseModel
from sqlalchemy import select

from quintain.contests import Edition, Phase, Track
from quintain.journal.state import State, has_begun
from quintain.wording.languages import in_context, say, to_say
from quintain_host.access import NotThere, Visitor
from quintain_host.database.contests import Description, HostedEdition, News, RegisteredTeam
from quintain_host.editions.shown import contest_state, edition_for, shown_rules
from quintain_host.languages.nouns import count
from quintain_host.site import Site

PhaseState = Literal["later", "open", "over"]


class PhaseView(BaseModel):
    """A phase of a contest.

    Parameters
    ----------
    submit : what teams submit: a "release", a "guess", or a "program" or "recipe" that makes one.
    extended : why the organisers changed the end of the phase; empty if they did not.
    state : whether it is open now. A phase without dates is open from the preparation to the end.
    """

    track: str
    track_title: str
    id: str
    submit: Literal["release", "guess", "program", "recipe"]
    makes: Literal["release", "guess"]
    opens: datetime | None
    closes: datetime | None
    extended: str = ""
    state: PhaseState

    @property
    def task(self) -> str:
        """What teams do in this phase, as a sentence."""
        if self.submit == "program":
            if self.makes == "release":
                return say("Submit a program that makes a release.")
            return say("Submit a program that attacks the releases.")
        if self.submit == "recipe":
            return say("Submit a recipe; the judge makes your release with it.")
        if self.makes == "release":
            return say("Protect your private data and submit a release.")
        return say("Attack the releases and submit your guesses.")


Stage = Literal["draft", "announced", "running", "between", "over", "ended", "revealed"]

STAGES: dict[Stage, str] = {
    "draft": to_say("in preparation"),
    "announced": in_context("a contest", "announced"),
    "running": in_context("a contest", "open"),
    "between": to_say("between two phases"),
    "over": to_say("all phases are over"),
    "ended": to_say("ended; results come soon"),
    "revealed": to_say("results are out"),
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
            raise NotThere(say("the rules of this contest are not fixed yet"))
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
    phases = phases_of(contest)
    stage = _stage(contest, phases)
    return ContestView(
        id=row.id,
        title=row.title,
        call=row.call,
        description="" if rules is None else rules.description.strip(),
        cite="" if rules is None else rules.cite,
        stage=stage,
        stage_words=say(STAGES[stage]),
        registration="closed" if stage in ("ended", "revealed") else row.registration,
        team_size=row.team_size,
        max_teams=row.max_teams,
        teams=0 if rules is None else len(rules.team),
        phases=phases,
        next=None if stage in ("ended", "revealed") else next_moment(phases, contest.now),
    )


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


def phases_of(contest: Contest, team: str = "") -> list[PhaseView]:
    """The phases of a contest, as one team has them if it has deadlines of its own."""
    if contest.rules is None:
        return []
    return timeline(contest.state.rules_for(contest.rules, team), contest.state, contest.now)


# --- news and teams -------------------------------------------------------------------------------


class NewsView(BaseModel):
    """A piece of news; plain text."""

    id: int
    time: datetime
    title: str
    text: str


def news(site: Site, edition: str, most: int | None = None) -> list[NewsView]:
    """The news of a contest, the newest first."""
    newest = select(News).where(News.edition == edition).order_by(News.time.desc(), News.id.desc())
    with site.database.reading() as session:
        return [
            NewsView(id=row.id, time=row.time, title=row.title, text=row.text)
            for row in session.scalars(newest if most is None else newest.limit(most))
        ]


class TeamView(BaseModel):
    """A team that takes part.

    Parameters
    ----------
    competing : whether the team gets a rank.
    cohort : its cohort; empty in a contest without cohorts.
    disqualified : why it was disqualified; empty if it was not.
    description, code, licence : what the team says about its method, after the reveal.
    """

    id: str
    name: str
    affiliation: str = ""
    competing: bool = True
    built_in: bool = False
    joined: str = ""
    cohort: str = ""
    disqualified: str = ""
    description: str = ""
    code: str = ""
    licence: str = ""


def teams(site: Site, contest: Contest) -> list[TeamView]:
    """The teams of a contest, in the order in which they joined; nobody who only registered."""
    with site.database.reading() as session:
        rows = session.scalars(select(RegisteredTeam).where(RegisteredTeam.edition == contest.id))
        affiliations = {row.id: row.affiliation for row in rows}
        listed = select(Description).where(Description.edition == contest.id)
        texts = (
            {description.team: description for description in session.scalars(listed)}
            if contest.revealed
            else {}
        )
    views = []
    for entrant in contest.state.roster.entrants:
        words = texts.get(entrant.id)
        views.append(
            TeamView(
                id=entrant.id,
                name=entrant.name or entrant.id,
                affiliation=affiliations.get(entrant.id, ""),
                competing=entrant.competing,
                built_in=entrant.built_in,
                joined=contest.state.joined[entrant.id].time,
                cohort=entrant.cohort,
                disqualified=contest.state.excluded(entrant.id),
                description="" if words is None else words.text,
                code="" if words is None else words.code,
                licence="" if words is None else words.licence,
            )
        )
    return views


# --- the phases with their dates ------------------------------------------------------------------


def timeline(rules: Edition, state: State, now: datetime) -> list[PhaseView]:
    """The phases of all tracks, in the order in which they open."""
    views = [
        _view(rules, track, phase, state, now) for track in rules.track for phase in track.phase
    ]
    return sorted(views, key=lambda view: (view.opens is None, view.opens))


def _view(rules: Edition, track: Track, phase: Phase, state: State, now: datetime) -> PhaseView:
    amended = state.amended.get((track.id, phase.id))
    return PhaseView(
        track=track.id,
        track_title=track.title or (track.id if len(rules.track) > 1 else ""),
        id=phase.id,
        submit=phase.submits,
        makes=phase.submit,
        opens=phase.opens,
        closes=phase.closes,
        extended="" if amended is None else amended.reason,
        state=phase_state(track, phase, state, now),
    )


def phase_state(track: Track, phase: Phase, state: State, now: datetime) -> PhaseState:
    """Whether a phase is open: by its dates, by what is prepared, and by what has ended it."""
    handed_over = phase.submit == "release" and track.id in state.handed_over
    if state.frozen is not None or state.revealed is not None or handed_over:
        return "over"
    if phase.closes is not None and now >= phase.closes:
        return "over"
    ahead = phase.opens is not None and now < phase.opens
    return "later" if ahead or track.id not in state.prepared else "open"


def next_moment(phases: Sequence[PhaseView], now: datetime) -> datetime | None:
    """When the next phase opens or closes."""
    moments = [moment for phase in phases for moment in (phase.opens, phase.closes)]
    return min((moment for moment in moments if moment is not None and moment > now), default=None)


def duration_words(span: timedelta) -> str:
    """How long something takes until it happens, for people.

    >>> duration_words(timedelta(days=3, hours=4, minutes=5)), duration_words(timedelta(seconds=20))
    ('in 3 days and 4 hours', 'in less than a minute')
    """
    minutes = int(span.total_seconds() // 60)
    if minutes < 0:
        return say(in_context("when something happens", "now"))
    days, hours, left = minutes // 1440, minutes % 1440 // 60, minutes % 60
    units = [count(days, "day"), count(hours, "hour"), count(left, "minute")]
    first = next((i for i, size in enumerate((days, hours, left)) if size), None)
    if first is None:
        return say("in less than a minute")
    shown = units[first:][:2]
    if len(shown) == 1:
        return say("in %(time)s", time=shown[0])
    return say("in %(long)s and %(short)s", long=shown[0], short=shown[1])
