"""Overview: a team as its members see it: people, phases, limits and the next deadline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from quintain.contests import Phase, Track
from quintain.contests.roster import Entrant
from quintain.journal.events import Submitted
from quintain.journal.state import State
from quintain.runs.submissions.admission import Admission
from quintain.runs.submissions.checking import answer_name
from quintain.wording.languages import say, to_say
from quintain_host.access import NotThere, Visitor
from quintain_host.database.contests import HostedEdition, RegisteredTeam
from quintain_host.editions.shown import contest_state, round_name, shown_rules
from quintain_host.intake.intake import pending
from quintain_host.site import Site
from quintain_host.teams.registration import Person, members_of
from quintain_host.views.contest import PhaseState, phase_state


@dataclass(frozen=True, slots=True)
class PhaseLimits:
    """A phase of a track as a team sees it.

    Parameters
    ----------
    state : "later", "open" or "over".
    submit : "release", "guess", "program" or "recipe".
    samples : the numbers of the private samples from which a release is made, if there is a choice.
    used, used_today : submissions so far, with those that are being checked.
    total, per_day, per_file : the limits of this team; None sets none.
    why : why the team cannot submit now, in a sentence; empty if it can.
    answers : what the answers to each goal are called, if the track has several.
    asks_methods : whether attackers learn the methods, so that the team is asked for them.
    """

    track: str
    phase: str
    state: PhaseState
    submit: str
    kind: str
    opens: datetime | None
    closes: datetime | None
    used: int
    used_today: int
    total: int | None
    per_day: int | None
    per_file: int | None
    keep: int
    samples: tuple[int, ...] = ()
    why: str = ""
    asks_methods: bool = False
    answers: tuple[str, ...] = ()

    @property
    def left(self) -> int | None:
        """How many submissions the team can make now; None if there is no limit."""
        rests = [
            most - used
            for most, used in ((self.total, self.used), (self.per_day, self.used_today))
            if most is not None
        ]
        return max(0, min(rests)) if rests else None


@dataclass(frozen=True, slots=True)
class TeamOverview:
    """A team: its registration, its people and its phases.

    Parameters
    ----------
    state : "waiting" for the organisers, "joining", "joined", or "refused" with a ``reason``.
    excluded : why the team is disqualified; empty if it is not.
    cohort : the cohort of the team, once it has joined a contest with cohorts.
    next_time, next_step : the next deadline, and what happens then.
    """

    edition: str
    title: str
    id: str
    name: str
    affiliation: str
    state: str
    reason: str
    competing: bool
    team_size: int | None
    members: tuple[Person, ...]
    phases: tuple[PhaseLimits, ...]
    excluded: str = ""
    cohort: str = ""
    next_time: datetime | None = None
    next_step: str = ""


def overview_for(site: Site, visitor: Visitor, edition: str) -> TeamOverview:
    """The visitor's own team."""
    visitor.require_scope("read")
    team = visitor.team_in(edition)
    with site.database.reading() as session:
        row = session.get_one(RegisteredTeam, (edition, team))
        hosted = session.get_one(HostedEdition, edition)
        people = tuple(members_of(session, edition, team))
        waiting = pending(session, edition, team)
    state, now = contest_state(site, edition), site.clock.now()
    phases = _phases(site, edition, state, team, waiting, now) if state.rules else ()
    rounds = {phase.track: round_name(site, edition, phase.track) for phase in phases}
    time, step = _next(phases, rounds, now)
    return TeamOverview(
        edition=edition,
        title=hosted.title,
        id=row.id,
        name=row.name,
        affiliation=row.affiliation,
        state=row.state,
        reason=row.reason,
        competing=row.competing,
        team_size=hosted.team_size,
        members=people,
        phases=phases,
        excluded=state.excluded(team),
        cohort=state.roster.entrant(team).cohort if team in state.roster.ids else "",
        next_time=time,
        next_step=step,
    )


def _phases(
    site: Site, edition: str, state: State, team: str, waiting: list[Submitted], now: datetime
) -> tuple[PhaseLimits, ...]:
    try:
        rules = shown_rules(site, edition)
    except NotThere:
        return ()
    journal = site.folder(edition).journal()
    own = [*journal.submissions(team), *waiting]
    moment = journal.time_after(now)
    known = team in state.roster.ids
    entrant = state.roster.entrant(team) if known else Entrant(team)
    return tuple(
        _limits(track, phase, entrant, own, state, moment, known=known)
        for track in (state.for_team(track, team) for track in rules.track)
        for phase in track.phase
    )


def _limits(
    track: Track,
    phase: Phase,
    entrant: Entrant,
    own: list[Submitted],
    state: State,
    now: datetime,
    *,
    known: bool,
) -> PhaseLimits:
    earlier = tuple(
        submission
        for submission in own
        if (submission.track, submission.phase, submission.made_by) == (track.id, phase.id, None)
    )
    admission = Admission(track, phase, entrant, now, earlier, state)
    obstacles = [problem.say() for problem in admission.obstacles()]
    over = state.frozen is not None or state.revealed is not None
    quota = admission.quota
    return PhaseLimits(
        track=track.id,
        phase=phase.id,
        state=phase_state(track, phase, state, now),
        submit=phase.submits if admission.program else phase.submit,
        kind=phase.submit,
        opens=phase.opens,
        closes=phase.closes,
        used=len(earlier),
        used_today=len(admission.today),
        total=quota.total,
        per_day=quota.per_day,
        per_file=quota.per_file,
        keep=phase.keep,
        samples=tuple(number for number in track.choices if number is not None),
        why=(say("the contest is over") if over else obstacles[0] if obstacles else "")
        if known
        else say("the team does not take part yet"),
        asks_methods=phase.submit == "release"
        and phase.contract is None
        and "methods" in track.gives,
        answers=tuple(
            answer_name(track, aim.id) for aim in track.aims if aim.id and phase.takes(aim.id)
        ),
    )


_OPENS = to_say("%(phase)s opens")
_CLOSES = to_say("%(phase)s closes")
_ROUND_OPENS = to_say("%(phase)s of %(round)s opens")
_ROUND_CLOSES = to_say("%(phase)s of %(round)s closes")


def _next(
    phases: tuple[PhaseLimits, ...], rounds: Mapping[str, str], now: datetime
) -> tuple[datetime | None, str]:
    """The next moment at which a phase opens or closes; ``rounds`` are the names of tracks."""
    steps = [
        (moment, say(step[bool(name)], phase=phase.phase, round=name))
        for phase in phases
        for name in (rounds[phase.track],)
        for moment, step in (
            (phase.opens, (_OPENS, _ROUND_OPENS)),
            (phase.closes, (_CLOSES, _ROUND_CLOSES)),
        )
        if moment is not None and moment > now and phase.state != "over"
    ]
    return min(steps) if steps else (None, "")
