"""Join: let teams take part, before the contest or while it runs.

A team gets its own private samples, drawn from the same keys as everybody's, and a commitment to
them before it sees them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from quintain.contests import Edition
from quintain.contests.cohorts import cohort_of
from quintain.contests.ids import checked_id, checked_name, reserved_id
from quintain.contests.roster import Quota
from quintain.contests.words import quota_words
from quintain.errors import Refused
from quintain.figures.format import count, minute
from quintain.jobs.executor import SERIAL, Executor
from quintain.jobs.job import Job
from quintain.journal.events import Joined, Submitted
from quintain.journal.state import State, require_running
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import commit, record_all, signing_key, writing
from quintain.runs.organising.stages import question_jobs, sample_jobs, seat_of

# Teams: who takes part, with limits, submissions and decisions, for a table.


@dataclass(frozen=True, slots=True)
class TeamRow:
    """One team of the list, in words."""

    id: str
    name: str
    competing: bool
    joined: str
    limits: str
    submissions: int
    status: str


def team_rows(state: State, submitted: Iterable[Submitted]) -> list[TeamRow]:
    """Every team in the order in which they joined; what programs made is not counted."""
    counts = Counter(event.team for event in submitted if event.made_by is None)
    return [
        TeamRow(
            id=entrant.id,
            name=entrant.name,
            competing=entrant.competing,
            joined=minute(state.joined[entrant.id].moment),
            limits=quota_words(entrant.limits),
            submissions=counts[entrant.id],
            status=_status(state, entrant.id),
        )
        for entrant in state.roster.entrants
    ]


def _status(state: State, team: str) -> str:
    reason = state.excluded(team)
    if reason:
        return f"disqualified: {reason}"
    releases = {
        (event.track, event.entry): event
        for event in state.decisions
        if event.team == team and event.entry is not None
    }
    parts = [
        f"release {event.entry} of {event.track} disqualified: {event.reason}"
        for event in releases.values()
        if event.decision == "disqualified"
    ]
    cohort = state.roster.entrant(team).cohort
    return "; ".join(parts) or (f"takes part in cohort {cohort}" if cohort else "takes part")


@dataclass(frozen=True, slots=True)
class Joining:
    """A team that wants to take part; see :class:`quintain.journal.events.Joined`.

    Nobody sets ``cohort``: it is computed when the team joins.
    """

    team: str
    name: str = ""
    competing: bool = True
    limits: Quota = field(default_factory=Quota)
    built_in: bool = False
    cohort: str = ""


def join(
    folder: Folder,
    teams: Sequence[Joining],
    *,
    now: datetime | None = None,
    executor: Executor = SERIAL,
) -> None:
    """Let teams join; refuses all of them if one may not."""
    moment = now or datetime.now(UTC)
    if teams:
        signing_key(folder)  # before anything is drawn: nobody joins without a signature
    while not _join_all(folder, teams, moment, executor):
        pass  # another round was prepared meanwhile; the teams need samples of it, too


def _join_all(folder: Folder, teams: Sequence[Joining], now: datetime, executor: Executor) -> bool:
    """Draw the samples of teams and let them join; False if another round is open by then."""
    state = folder.state()
    _require_all_new(folder, state, teams)
    teams = [replace(team, cohort=drawn_cohort(folder, team.team)) for team in teams]
    jobs: dict[str, list[Job]] = {}
    after = state
    for team in teams:
        after = after.after(_event(team, ""))
        jobs[team.team] = _jobs(folder, after, team)
    every = [job for several in jobs.values() for job in several]
    folder.run(every, executor=executor, label="samples of teams")
    with writing(folder) as journal:
        if _files_differ(folder, state):
            return False
        _require_all_new(folder, folder.state(), teams)
        events = [_event(team, _commit_sample(folder, team, jobs[team.team])) for team in teams]
        record_all(folder, journal, events, now=now)
    return True


def _files_differ(folder: Folder, before: State) -> bool:
    """Whether what happened since changes what a team gets: a round, or a seat that is taken."""
    now = folder.state()
    opened = (now.prepared.keys(), now.handed_over.keys())
    seated = any(track.sample.common is not None for track in folder.rules().track)
    seat_lost = seated and now.roster.ids != before.roster.ids
    return seat_lost or opened != (before.prepared.keys(), before.handed_over.keys())


def _commit_sample(folder: Folder, team: Joining, jobs: Sequence[Job]) -> str:
    """Commit to the files of a team, if it gets any; returns the root."""
    names = folder.outputs(jobs)
    return commit(folder, f"join-{team.team}", names) if names else ""


def _jobs(folder: Folder, after: State, team: Joining) -> list[Job]:
    """The files that a team gets when it joins; ``after`` is the state with the team."""
    return [
        job
        for track in folder.rules().track
        if track.id in after.prepared
        for jobs in (sample_jobs, question_jobs)
        for job in jobs(folder, track, after, team.team)
    ]


def _event(team: Joining, root: str) -> Joined:
    return Joined(
        team=team.team,
        name=team.name,
        competing=team.competing,
        limits=team.limits,
        built_in=team.built_in,
        commitment=root,
        cohort=team.cohort,
    )


def drawn_cohort(folder: Folder, team: str) -> str:
    """The cohort of a team, from the keys and its id; empty if the rules have no cohorts."""
    cohorts = folder.rules().cohorts
    return "" if cohorts is None else cohort_of(cohorts.names, folder.secrets().cohort_salt(), team)


def _require_all_new(folder: Folder, state: State, teams: Sequence[Joining]) -> None:
    for team in teams:
        _require_new(folder, state, team)
        state = state.after(_event(team, ""))  # nobody joins twice


def _require_new(folder: Folder, state: State, team: Joining) -> None:
    folder.require_secrets()
    if not state.prepared:
        raise Refused("no track is prepared yet; prepare the contest, then teams can join")
    require_running(state)
    _require_id(team)
    if team.team in state.roster.ids:
        raise Refused(f"team {team.team} takes part already")
    rules = folder.rules()
    players = {b.id for track in rules.track for b in track.baseline}
    entries = {entry for track in rules.track for entry in track.entries}
    if not team.built_in and team.team in players | entries:
        raise Refused(f"{team.team!r} is the name of a baseline or an entry; choose another id")
    _require_seat(folder, rules, state, team)


def _require_seat(folder: Folder, rules: Edition, state: State, team: Joining) -> None:
    """Refuse a team for which the population has no sample with the right overlap left."""
    after = state.after(_event(team, ""))
    for track in rules.track:
        seat = seat_of(track, after, team.team)
        if seat is None or track.id not in state.prepared:
            continue
        population = len(folder.base(track.id))
        seats = track.sample.seats(population)
        if seats is not None and (seat + 1) * track.samples > seats:
            raise Refused(
                f"track {track.id} has no sample left for team {team.team}: the population of "
                f"{population:,} records has room for {count(seats // track.samples, 'team')} "
                f"whose samples have {track.sample.common} records in common"
            )


def _require_id(team: Joining) -> None:
    try:
        checked_id(team.team)
    except ValueError as problem:
        raise Refused(f"{team.team!r} cannot be the id of a team: {problem}") from None
    try:
        checked_name(team.name)
    except ValueError as problem:
        raise Refused(f"team {team.team} cannot have this name: {problem}") from None
    reason = reserved_id(team.team)
    if reason is not None and not team.built_in:
        raise Refused(reason)
