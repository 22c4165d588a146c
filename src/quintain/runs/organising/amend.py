"""Amend: change a contest while it runs, with a reason for everybody.

The organisers can put a new version of the rules in force, let a phase close later (never earlier),
and give a team other limits or a later deadline. Every version of the rules stays in the folder,
because a submission is judged by the rules of its time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

from quintain.commitment import sha256
from quintain.contests import Edition, Phase, Track
from quintain.contests.plain import plain
from quintain.contests.redaction import redact_names
from quintain.contests.roster import Quota
from quintain.errors import EditionError, Faults, NoSuchPhase, NoSuchTrack, PhaseClosed, Refused
from quintain.figures.format import deadline, listed, minute
from quintain.journal.events import Amended, Limited, Rules, TeamDeadline, write_time
from quintain.journal.state import State, require_running
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.organiser_data import copy_organiser_data
from quintain.runs.folder.paths import write
from quintain.runs.folder.record import commit, record, writing
from quintain.runs.folder.rules import changed_keys, committed_rules, rules_files

DRAWN = (
    "goal",
    "dataset",
    "population",
    "sample",
    "test_records",
    "shared_sample",
    "samples",
    "questions",
    "targets_each",
    "repeats",
    "knowledge",
    "sanitizer",
    "files",
)
"""The keys of a track that its samples, releases and truths depend on."""
KEPT = ("submit", "contract", "artefact")
"""The keys of a phase that its submissions depend on."""


E = TypeVar("E", Amended, TeamDeadline)

LONGEST_REASON = 1000
"""How many characters a reason may have: a paragraph, not a document."""


@dataclass(frozen=True, slots=True)
class Amendment:
    """A new version of the rules.

    Parameters
    ----------
    changes : the keys that differ from the rules that were in force.
    other_teams : teams that only one of the versions names; amending changes no team.
    judged_anew : tracks whose releases were handed over and have other gates now.
    """

    event: Rules
    changes: tuple[str, ...]
    other_teams: tuple[str, ...]
    judged_anew: tuple[str, ...]


def amend(folder: Folder, rules: Edition, why: str, *, now: datetime | None = None) -> Amendment:
    """Put a new version of the rules in force, or refuse it with everything it must not change."""
    folder.require_secrets()
    reason, own = checked_reason(why), copy_organiser_data(rules)
    with writing(folder) as journal:
        state, last = folder.state(), folder.rules()
        if not state.rules:
            raise Refused("no rules are fixed yet; change the edition file, then prepare")
        require_running(state)
        after = redact_names(own.edition).model_copy(update={"team": last.team})
        other_teams = sorted({t.id for t in rules.team} ^ {t.id for t in last.team})
        used = {(submission.track, submission.phase) for submission in journal.submissions()}
        _refuse(_in_force(state, last), after, state, used, other_teams)
        own.write(folder.root, len(state.rules) + 1)
        event = _write(folder, after, len(state.rules) + 1, reason, state)
        event = record(folder, journal, event, now=now or datetime.now(UTC)).event
    before = _in_force(state, last)
    judged_anew = tuple(
        track.id
        for track in before.track
        if track.id in state.handed_over and _gates(track) != _gates(after.track_by_id(track.id))
    )
    changes = changed_keys(before, after)
    return Amendment(event, tuple(changes), tuple(other_teams), judged_anew)


def _gates(track: Track) -> object:
    """What a release is measured by, with all its gates."""
    return plain((track.release_measures, track.derived, track.gates))


def _in_force(state: State, last: Edition) -> Edition:
    """The last version with its extended phases; its teams as they are written."""
    return state.in_force(last).model_copy(update={"team": last.team})


def _refuse(
    before: Edition,
    after: Edition,
    state: State,
    used: set[tuple[str, str]],
    other_teams: list[str],
) -> None:
    faults = Faults()
    for change in forbidden_changes(before, after, state, used):
        faults.add(change)
    faults.raise_if_any(EditionError)
    if before.to_bytes() == after.to_bytes():
        hint = f"; [[team]] changes no team, use quintain team: {', '.join(other_teams)}"
        raise Refused(f"nothing changes{hint if other_teams else ''}")


def _write(folder: Folder, rules: Edition, version: int, reason: str, state: State) -> Rules:
    """Write and commit to a version; its event puts it in force."""
    files = rules_files(rules, version)
    for path in (path for path in files if path != paths.RULES):
        write(folder.root, path, files[path], durable=True)
    root = commit(folder, f"rules-{version}", committed_rules(rules, version))
    digest = sha256(files[paths.rules(version)])
    return Rules(version=version, rules=digest, commitment=root, key=state.key, reason=reason)


def forbidden_changes(
    before: Edition, after: Edition, state: State, used: Collection[tuple[str, str]]
) -> list[str]:
    """Everything that a new version must not change, in words; empty if the version is allowed.

    Parameters
    ----------
    before : the rules in force, with the phases as they were extended.
    used : track and phase of every submission so far.
    """
    return list(_find_forbidden(before, after, state, used))


def _find_forbidden(
    before: Edition, after: Edition, state: State, used: Collection[tuple[str, str]]
) -> Iterator[str]:
    if before.id != after.id:
        yield f"id: must stay {before.id!r}; the new rules say {after.id!r}"
    if before.commitment != after.commitment:
        yield "commitment: must stay as it is; the organisers have committed already"
    if before.cohorts != after.cohorts:
        yield "cohorts: must stay as they are; teams have joined by them"
    yield from _taken_ids(after, state)
    yield from _winners(before, after, state)
    later = {track.id: track for track in after.track}
    for track in before.track:
        if track.id not in state.prepared:
            continue
        if track.id not in later:
            yield f"track.{track.id}: is prepared and cannot be removed"
            continue
        yield from _of_track(track, later[track.id], state)
        phases = {phase.id: phase for phase in later[track.id].phase}
        for phase in track.phase:
            yield from _of_phase(track, phase, phases.get(phase.id), (track.id, phase.id) in used)


def _taken_ids(after: Edition, state: State) -> Iterator[str]:
    """Teams that a new baseline or entry would be mistaken for."""
    teams = {entrant.id for entrant in state.roster.entrants if not entrant.built_in}
    for track in after.track:
        names = {*(baseline.id for baseline in track.baseline), *track.entries}
        for name in sorted(names & teams):
            yield f"track.{track.id}: {name!r} is the id of a team; name the baseline differently"


def _winners(before: Edition, after: Edition, state: State) -> Iterator[str]:
    """Winners of new awards who take no part, do not compete, or are disqualified."""
    for award in after.award:
        if award in before.award:
            continue
        unknown = sorted(set(award.winners) - set(state.roster.ids))
        if unknown:
            yield (
                f"award {award.title!r}: {listed(unknown)} takes no part; the teams are "
                f"{', '.join(state.roster.ids)}"
            )
        for team in award.winners:
            if team not in unknown and state.excluded(team):
                yield (
                    f"award {award.title!r}: team {team} is disqualified: {state.excluded(team)}; "
                    "it would have to be reinstated first"
                )
            elif team not in unknown and not state.roster.entrant(team).competing:
                yield (
                    f"award {award.title!r}: team {team} takes part without competing, so it gets "
                    "no award"
                )


def _of_track(before: Track, after: Track, state: State) -> Iterator[str]:
    for key in DRAWN:
        if plain(getattr(before, key)) != plain(getattr(after, key)):
            yield f"track.{before.id}.{key}: must stay as it is; the data were drawn with it"
    attackers = [{b.id for b in track.baseline if b.attack} for track in (before, after)]
    if before.asks_each and attackers[0] != attackers[1]:
        yield (
            f"track.{before.id}.baseline: the attackers must stay; each has questions that were "
            "drawn for it"
        )
    if before.asks_each and before.feedback.shown_on != after.feedback.shown_on:
        yield (
            f"track.{before.id}.feedback.shown_on: must stay as it is; the questions of attackers "
            "were drawn with it"
        )
    old, new = before.phase_for("release"), after.phase_for("release")
    if before.id in state.handed_over and old and new and old.keep != new.keep:
        yield f"track.{before.id}.phase.{old.id}.keep: must stay {old.keep}; it was handed over"


def _of_phase(track: Track, before: Phase, after: Phase | None, used: bool) -> Iterator[str]:
    name = f"track.{track.id}.phase.{before.id}"
    if after is None:
        if used:
            yield f"{name}: has submissions and cannot be removed"
        return
    for key in KEPT:
        if used and plain(getattr(before, key)) != plain(getattr(after, key)):
            yield f"{name}.{key}: must stay as it is; the phase has submissions"
    if after.closes is not None and (before.closes is None or after.closes < before.closes):
        end = (
            "it has no end"
            if before.closes is None
            else f"it closes at {deadline(before.closes)} now"
        )
        yield f"{name}.closes: a phase can become longer, never shorter; {end}"
    if used and after.opens != before.opens:
        yield f"{name}.opens: must stay {before.opens}; the phase has submissions"


# --- a phase closes later -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Extension:
    """A phase that closes later, and when it would have closed."""

    event: Amended
    before: datetime


def extend(
    folder: Folder,
    phase: str,
    until: datetime,
    why: str,
    *,
    track: str | None = None,
    now: datetime | None = None,
) -> Extension:
    """Let a phase close later; one that is over is open again.

    Parameters
    ----------
    phase, track : the ids; the track is needed only if several tracks have such a phase.
    """
    return Extension(*_record_later_end(folder, phase, until, why, track, now, Amended))


def extension_obstacles(
    state: State, track: Track, phase: Phase, until: datetime, now: datetime
) -> Iterator[Refused]:
    """Why a phase cannot close at another time; ``phase`` is as the rules in force have it."""
    if until.utcoffset() is None:
        zone = f"say in which zone: write UTC times as 2026-05-01T12:00Z, not {until}"
        yield Refused(zone).about("until")
        return
    if phase.closes is None:
        yield Refused(f"phase {phase.id} of track {track.id} has no end that could be extended")
        return
    if phase.submit == "release" and track.id in state.handed_over:
        yield PhaseClosed(
            f"the releases of track {track.id} were handed over at "
            f"{minute(state.handed_over[track.id].moment)}; its phase {phase.id} stays closed"
        )
    if until <= phase.closes:
        yield Refused(
            f"phase {phase.id} closes at {deadline(phase.closes)}, and teams rely on it: a phase "
            "can become longer, never shorter"
        ).about("until")
    if until <= now:
        yield Refused(f"{deadline(until)} is over; it is {deadline(now)}").about("until")


# --- a phase closes later for one team ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LaterDeadline:
    """A phase that closes later for one team, and when it would have closed for it."""

    event: TeamDeadline
    before: datetime


def extend_for_team(
    folder: Folder,
    team: str,
    phase: str,
    until: datetime,
    why: str,
    *,
    track: str | None = None,
    now: datetime | None = None,
) -> LaterDeadline:
    """Let a phase close later for one team; for the others it closes as before."""
    event = partial(TeamDeadline, team=team)
    return LaterDeadline(*_record_later_end(folder, phase, until, why, track, now, event, team))


def deadline_obstacles(
    state: State, track: Track, phase: Phase, until: datetime, now: datetime, *, team: str
) -> Iterator[Refused]:
    """Why a phase cannot close at this time for one team; raises if there is no such team."""
    entrant = state.roster.entrant(team)
    if entrant.built_in:
        yield Refused(f"{team} is a baseline and needs no deadline of its own")
    own = next(p for p in state.for_team(track, team).phase if p.id == phase.id)
    yield from extension_obstacles(state, track, own, until, now)


def _record_later_end(
    folder: Folder,
    phase: str,
    until: datetime,
    why: str,
    track: str | None,
    now: datetime | None,
    make_event: Callable[..., E],
    team: str = "",
) -> tuple[E, datetime]:
    """Record that a phase closes later, for everybody or for one team; returns the end before."""
    folder.require_secrets()
    reason = checked_reason(why)
    obstacles = partial(deadline_obstacles, team=team) if team else extension_obstacles
    with writing(folder) as journal:
        state = folder.state()
        require_running(state)
        chosen, extended = _choose_phase(folder.edition(), phase, track)
        moment = journal.time_after(now or datetime.now(UTC))
        for obstacle in obstacles(state, chosen, extended, until, moment):
            raise obstacle
        before = next(p.closes for p in state.for_team(chosen, team).phase if p.id == extended.id)
        assert before is not None  # else that was an obstacle
        event = make_event(
            track=chosen.id, phase=extended.id, closes=write_time(until), reason=reason
        )
        return record(folder, journal, event, now=moment).event, before


def _choose_phase(edition: Edition, phase: str, track: str | None) -> tuple[Track, Phase]:
    known = [(t, p) for t in edition.track for p in t.phase if track in (None, t.id)]
    if not known:
        names = ", ".join(track.id for track in edition.track)
        raise NoSuchTrack(f"unknown track {track!r}; available: {names}")
    fitting = [(t, p) for t, p in known if p.id == phase]
    if not fitting:
        names = ", ".join(dict.fromkeys(p.id for _, p in known))
        raise NoSuchPhase(f"unknown phase {phase!r}; available: {names}")
    if len(fitting) > 1:
        names = ", ".join(t.id for t, _ in fitting)
        raise NoSuchTrack(f"several tracks have a phase {phase}; choose one with --track: {names}")
    return fitting[0]


# --- a team gets other limits ---------------------------------------------------------------------


def limit(
    folder: Folder, team: str, limits: Quota, why: str, *, now: datetime | None = None
) -> Limited:
    """Let a team submit more or less often; what it submitted before still counts."""
    folder.require_secrets()
    reason = checked_reason(why)
    with writing(folder) as journal:
        for obstacle in limit_obstacles(folder.state(), team, limits):
            raise obstacle
        event = Limited(team=team, limits=limits, reason=reason)
        return record(folder, journal, event, now=now or datetime.now(UTC)).event


def limit_obstacles(state: State, team: str, limits: Quota) -> Iterator[Refused]:
    """Why a team cannot have these limits in this state; raises if there is no such team."""
    require_running(state)
    present = state.roster.entrant(team).limits
    for name in ("per_day", "total", "per_file"):
        number = getattr(limits, name)
        if number is not None and number < 1:
            problem = f"{name}: a limit is at least 1; to stop a team, disqualify it"
            yield Refused(problem).about(name)
    if limits == present:
        yield Refused(f"team {team} has these limits already")


# --- what the organisers write into the journal; everybody can read it ----------------------------


def checked_reason(text: str) -> str:
    """A reason without space around it; raises if nobody could read it.

    >>> checked_reason(" the site was down on 1 May ")
    'the site was down on 1 May'
    """
    reason = " ".join(text.split())
    if not reason:
        raise Refused("say why: the journal and the report tell everybody the reason").about(
            "reason"
        )
    if len(reason) > LONGEST_REASON:
        problem = f"the reason has {len(reason)} characters; the limit is {LONGEST_REASON}"
        raise Refused(problem).about("reason")
    if not reason.isprintable():
        raise Refused("the reason has a character that cannot be printed").about("reason")
    return reason


def checked_beacon(text: str) -> str:
    """A beacon; raises if two of them could look the same.

    Else the organisers could try many spellings, and nobody would see that they chose one.
    """
    if len(text) > LONGEST_REASON:
        problem = f"the beacon has {len(text)} characters; the limit is {LONGEST_REASON}"
        raise Refused(problem).about("beacon")
    if not text.isascii() or not text.isprintable():
        problem = "the beacon has a character that is not plain ASCII; write it without"
        raise Refused(problem).about("beacon")
    if " ".join(text.split()) != text:
        problem = "the beacon has spaces that nobody can see; write one between two words"
        raise Refused(problem).about("beacon")
    return text
