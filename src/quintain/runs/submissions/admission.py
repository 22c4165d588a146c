"""Admission: whether a team may submit now, to which phase, and how often still.

Only the rules, the state of the contest, the team's submissions so far and the time decide. Every
command that accepts submissions asks here first, before it reads the files, and ``verify`` asks
again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from quintain.contests import Edition, Phase, Track
from quintain.contests.roster import Entrant, Quota
from quintain.contests.submitting import Artefact
from quintain.contests.track_goal import TrackGoal
from quintain.errors import KindNeeded, NoSuchPhase, NoSuchTrack, PhaseClosed, QuotaUsed, Refused
from quintain.journal.events import Submitted
from quintain.journal.state import State, require_running
from quintain.wording.languages import tell, tell_commas, tell_count

Kind = Literal["release", "guess"]


@dataclass(frozen=True, slots=True)
class Admission:
    """A submission that the rules expect: its team, its phase and the earlier submissions.

    ``earlier`` are the team's own submissions in this phase.
    """

    track: Track
    phase: Phase
    entrant: Entrant
    time: datetime
    earlier: tuple[Submitted, ...] = ()
    state: State = field(default_factory=State)

    @property
    def team(self) -> str:
        """The id of the team."""
        return self.entrant.id

    @property
    def program(self) -> bool:
        """Whether the team submits a program that the organisers run."""
        return self.phase.contract is not None and not self.entrant.built_in

    @property
    def packed(self) -> bool:
        """Whether the team submits code, as a zip that stays packed."""
        return self.program and self.phase.contract is not None and self.phase.contract.is_code

    @property
    def artefacts(self) -> dict[str, Artefact]:
        """The further files that the submission may have, by their names."""
        return self.phase.artefacts(self.track.id, self.team)

    @property
    def quota(self) -> Quota:
        """The limits for this team in this phase."""
        return self.entrant.limits.over(self.phase)

    @property
    def today(self) -> tuple[Submitted, ...]:
        """The earlier submissions of the same UTC day."""
        day = f"{self.time.astimezone(UTC):%Y-%m-%d}"  # a host may ask in its own zone
        return tuple(event for event in self.earlier if event.time[:10] == day)

    def quota_left(self) -> str:
        """How many submissions remain after this one, in words; empty where there is no limit.

        >>> phase = Phase(id="attack", submit="guess", per_day=3)
        >>> Admission(None, phase, Entrant("red"), datetime(2026, 5, 1)).quota_left()
        '2 submissions left today'
        """
        quota, parts = self.quota, []
        if quota.per_day is not None:
            rest = max(0, quota.per_day - len(self.today) - 1)
            parts.append(
                tell_count("%(n)s submission left today", "%(n)s submissions left today", rest)
            )
        if quota.total is not None:
            rest = max(0, quota.total - len(self.earlier) - 1)
            parts.append(
                tell_count(
                    "%(n)s submission left in phase %(phase)s",
                    "%(n)s submissions left in phase %(phase)s",
                    rest,
                    phase=self.phase.id,
                )
            )
        return tell_commas(parts)

    def obstacles(self, files: Iterable[str] = ()) -> list[Refused]:
        """Why the judge would refuse the submission now, whatever its files contain."""
        reasons = [*self._exclusions(), *why_closed(self.track, self.phase, self.state, self.time)]
        reasons += self._used_up()
        answers = [name for name in files if name not in self.artefacts]
        used = {name: sum(name in event.files for event in self.earlier) for name in answers}
        most = self.quota.per_file
        spent = [] if most is None else sorted(name for name, n in used.items() if n >= most)
        if most is not None and spent:
            attempts = tell_count("%(n)s attempt", "%(n)s attempts", most)
            reasons.append(
                QuotaUsed(
                    tell(
                        "team %(team)s has used its %(attempts)s at %(file)s",
                        team=self.team,
                        attempts=attempts,
                        file=spent[0],
                    )
                )
            )
        return reasons

    def _exclusions(self) -> list[Refused]:
        reason = self.state.excluded(self.team)
        if not reason:
            return []
        text = tell("team %(team)s is disqualified: %(reason)s", team=self.team, reason=reason)
        return [Refused(text)]

    def _used_up(self) -> list[Refused]:
        quota = self.quota
        if quota.total is not None and len(self.earlier) >= quota.total:
            used = tell_count("%(n)s submission", "%(n)s submissions", quota.total)
            return [
                QuotaUsed(
                    tell(
                        "team %(team)s has used its %(used)s of phase %(phase)s",
                        team=self.team,
                        used=used,
                        phase=self.phase.id,
                    )
                )
            ]
        if quota.per_day is not None and len(self.today) >= quota.per_day:
            used = tell_count("%(n)s submission", "%(n)s submissions", quota.per_day)
            return [
                QuotaUsed(
                    tell(
                        "team %(team)s has used its %(used)s of today (UTC)",
                        team=self.team,
                        used=used,
                    )
                )
            ]
        return []


def admit(
    edition: Edition,
    state: State,
    submitted: Sequence[Submitted],
    team: str,
    now: datetime,
    track: str | None = None,
    kind: str | None = None,
    files: Iterable[str] = (),
) -> Admission:
    """Let a team submit, or raise the first reason why it may not.

    Parameters
    ----------
    edition : the rules in force.
    submitted : the submissions that were accepted so far; those of the team are enough.
    kind : "release" or "guess"; needed only while phases of both kinds are open.
    files : the names of the files, where attempts at each task are limited.
    """
    require_running(state)
    admission = expect(edition, state, submitted, team, now, track, kind)
    for obstacle in admission.obstacles(files):
        raise obstacle
    return admission


def expect(
    edition: Edition,
    state: State,
    submitted: Sequence[Submitted],
    team: str,
    now: datetime,
    track: str | None = None,
    kind: str | None = None,
) -> Admission:
    """The submission that a team would make now or next; ``obstacles`` lists what prevents it.

    Raises only if waiting would not help: for an unknown team or track, or a kind without a phase.
    """
    entrant = state.roster.entrant(team)
    chosen = state.for_team(choose_track(edition, track), team)
    phase = _phase(chosen, kind, state, now)
    # What a program made was recorded by the organisers; the team submitted the program alone.
    earlier = tuple(
        event
        for event in submitted
        if (event.team, event.track, event.phase) == (team, chosen.id, phase.id)
        and event.made_by is None
    )
    return Admission(chosen, phase, entrant, now, earlier, state)


def choose_track(edition: Edition, track: str | None) -> Track:
    """The track that was named, or the only one."""
    if track is None and len(edition.track) == 1:
        return edition.track[0]
    names = [t.id for t in edition.track]
    if track not in names:
        problem = tell("this edition has several tracks")
        if track is not None:
            problem = tell("unknown track %(track)s", track=repr(track))
        raise NoSuchTrack(
            tell(
                "%(problem)s; choose one with --track: %(names)s",
                problem=problem,
                names=", ".join(names),
            )
        )
    return edition.track_by_id(track)


def choose_aim(track: Track, goal: str | None) -> TrackGoal:
    """The goal that was named, or the only one."""
    if goal is None and len(track.aims) == 1:
        return track.aims[0]
    names = [aim.id for aim in track.aims if aim.id]
    if goal not in names:
        if not names:
            raise Refused(tell("track %(track)s has one goal; leave --goal out", track=track.id))
        raise Refused(
            tell(
                "track %(track)s has several goals; choose one with --goal: %(names)s",
                track=track.id,
                names=", ".join(names),
            )
        )
    return track.aim(goal)


def _phase(track: Track, kind: str | None, state: State, now: datetime) -> Phase:
    """The phase that is open; while none is, the one that opens next, or else the last one."""
    fitting = [phase for phase in track.phase if kind in (None, phase.submit)]
    if not fitting:
        raise NoSuchPhase(
            tell(
                "track %(track)s has no phase in which teams submit a %(kind)s",
                track=track.id,
                kind=tell(str(kind)),
            )
        )
    current = [phase for phase in fitting if not why_closed(track, phase, state, now)]
    if len({phase.submit for phase in current}) > 1:
        raise KindNeeded(
            tell("phases for releases and for guesses are open: add --kind release or --kind guess")
        )
    if current:
        return current[0]
    ahead = [phase for phase in fitting if phase.opens is not None and now < phase.opens]
    return min(ahead, key=_opening) if ahead else fitting[-1]


def _opening(phase: Phase) -> datetime:
    return phase.opens or datetime.min.replace(tzinfo=UTC)


def why_closed(track: Track, phase: Phase, state: State, now: datetime) -> list[Refused]:
    """Why a phase is not open now; empty if it is."""
    moment = _at(now)
    if state.rules and track.id not in state.prepared:
        return [PhaseClosed(tell("track %(track)s is not prepared yet", track=track.id))]
    if phase.submit == "release" and track.id in state.handed_over:
        handed = _at(state.handed_over[track.id].moment)
        return [
            PhaseClosed(
                tell(
                    "the releases of track %(track)s were handed over at %(handed)s",
                    track=track.id,
                    handed=handed,
                )
            )
        ]
    if phase.opens is not None and now < phase.opens:
        return [
            PhaseClosed(
                tell(
                    "phase %(phase)s is not open at %(moment)s; it opens at %(time)s",
                    moment=moment,
                    phase=phase.id,
                    time=_at(phase.opens),
                )
            )
        ]
    if phase.closes is not None and now >= phase.closes:
        return [
            PhaseClosed(
                tell(
                    "phase %(phase)s is not open at %(moment)s; it closed at %(time)s",
                    moment=moment,
                    phase=phase.id,
                    time=_at(phase.closes),
                )
            )
        ]
    return []


def _at(moment: datetime) -> str:
    # To the second, because a second decides.
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
