"""State: what the events so far make of a contest. It is computed, never stored.

Submissions are not part of the state: there are thousands of them, and only admission and scoring
need them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import singledispatch
from typing import TYPE_CHECKING, TypeVar

from quintain.contests.roster import Entrant, Roster
from quintain.errors import PhaseClosed
from quintain.figures.format import minute
from quintain.journal.events import (
    Amended,
    Chosen,
    Decided,
    Event,
    Frozen,
    HandedOver,
    Joined,
    Limited,
    Prepared,
    Revealed,
    Rules,
    SecondRun,
    Submitted,
    TeamDeadline,
    read_time,
)
from quintain.wording.languages import tell

if TYPE_CHECKING:
    from quintain.contests import Edition, Phase, Track

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class State:
    """A contest after some events.

    Parameters
    ----------
    rules : every version of the rules.
    prepared, handed_over : the events of each track.
    roster : the teams that take part.
    joined : the events of the teams, by team.
    amended : the last change of each phase since the last version of the rules.
    deadlines : the last end of a phase for one team, by team, track and phase. It stays in force
        under new rules, and ends with a later end for everybody.
    choices : the last choice of each team, by team, track and phase.
    repeated : the second run of each program, by the number of the program's event.
    decisions : what the organisers decided on teams and releases, in order.
    """

    rules: tuple[Rules, ...] = ()
    prepared: Mapping[str, Prepared] = field(default_factory=dict)
    roster: Roster = field(default_factory=Roster)
    joined: Mapping[str, Joined] = field(default_factory=dict)
    handed_over: Mapping[str, HandedOver] = field(default_factory=dict)
    amended: Mapping[tuple[str, str], Amended] = field(default_factory=dict)
    deadlines: Mapping[tuple[str, str, str], TeamDeadline] = field(default_factory=dict)
    choices: Mapping[tuple[str, str, str], Chosen] = field(default_factory=dict)
    repeated: Mapping[int, SecondRun] = field(default_factory=dict)
    decisions: tuple[Decided, ...] = ()
    frozen: Frozen | None = None
    revealed: Revealed | None = None

    @classmethod
    def of(cls, events: Iterable[Event]) -> State:
        """The state after these events."""
        state = cls()
        for event in events:
            state = state.after(event)
        return state

    def after(self, event: Event) -> State:
        """The state after one more event."""
        return _after(event, self)

    @property
    def key(self) -> str:
        """The public key of the contest; the first rules name it."""
        return self.rules[0].key if self.rules else ""

    @property
    def beacon(self) -> str:
        """The public value that was mixed into the keys; empty if there is none."""
        return next((event.beacon for event in self.prepared.values()), "")

    def in_force(self, rules: Edition) -> Edition:
        """The rules as they are now: with every team, and with the phases that were amended.

        Parameters
        ----------
        rules : the last version of the rules.
        """
        from quintain.contests import Team  # events alone can be read without the rules

        teams = tuple(
            Team(
                id=team.id, name=team.name, competing=team.competing and not self.excluded(team.id)
            )
            for team in self.roster.entrants
            if not team.built_in
        )
        tracks = tuple(self._amend(track) for track in rules.track)
        if teams == rules.team and all(a is b for a, b in zip(tracks, rules.track, strict=True)):
            return rules
        return rules.model_copy(update={"team": teams, "track": tracks})

    def _amend(self, track: Track) -> Track:
        return _closing(
            track,
            {
                phase.id: read_time(self.amended[track.id, phase.id].closes)
                for phase in track.phase
                if (track.id, phase.id) in self.amended
            },
        )

    def for_team(self, track: Track, team: str) -> Track:
        """A track of the rules in force as one team has it: with its own deadlines."""
        own = {phase.id: self.deadlines.get((team, track.id, phase.id)) for phase in track.phase}
        return _closing(
            track,
            {
                phase.id: later
                for phase in track.phase
                if (event := own[phase.id]) is not None
                and phase.closes is not None
                and (later := read_time(event.closes)) > phase.closes
            },
        )

    def rules_for(self, rules: Edition, team: str) -> Edition:
        """The rules in force as one team has them: with its own deadlines."""
        tracks = tuple(self.for_team(track, team) for track in rules.track)
        return rules if not self.deadlines else rules.model_copy(update={"track": tracks})

    def for_last_team(self, track: Track) -> Track:
        """A track of the rules in force as those teams have it whose phases close last."""
        for team in sorted({team for team, where, _ in self.deadlines if where == track.id}):
            track = self.for_team(track, team)
        return track

    def latest(self, rules: Edition) -> Edition:
        """The rules in force with the last end that each phase has for any team."""
        tracks = tuple(map(self.for_last_team, rules.track))
        return rules if not self.deadlines else rules.model_copy(update={"track": tracks})

    def chosen(self, team: str, track: str, phase: str) -> tuple[int, ...]:
        """The submissions that a team chose to count; empty if the last ones do."""
        choice = self.choices.get((team, track, phase))
        return () if choice is None else choice.submissions

    def excluded(self, team: str, track: str | None = None, entry: str | None = None) -> str:
        """Why a team is disqualified, or one of its releases; empty if it is not."""
        reasons = {
            (event.track, event.entry): event.reason if event.decision == "disqualified" else ""
            for event in self.decisions
            if event.team == team
        }
        return reasons.get((None, None), "") or reasons.get((track, entry), "")


def _closing(track: Track, closes: Mapping[str, datetime]) -> Track:
    """A track some of whose phases close at other times; the same object if none does."""
    if not closes:
        return track
    phases: tuple[Phase, ...] = tuple(
        phase.model_copy(update={"closes": closes[phase.id]}) if phase.id in closes else phase
        for phase in track.phase
    )
    return track.model_copy(update={"phase": phases})


def require_running(state: State) -> None:
    """Refuse whatever would change a contest that is over."""
    if state.revealed is not None:
        moment = minute(state.revealed.moment)
        raise PhaseClosed(
            tell("the contest is over: its secrets were published at %(moment)s", moment=moment)
        )
    if state.frozen is not None:
        raise PhaseClosed(
            tell("the contest is over: it ended at %(minute)s", minute=minute(state.frozen.moment))
        )


def begins(track: Track) -> datetime | None:
    """When a round begins: the moment its first phase opens; None if a phase is always open."""
    moments = [phase.opens for phase in track.phase]
    dated = [moment for moment in moments if moment is not None]
    return min(dated) if len(dated) == len(moments) and dated else None


def has_begun(track: Track, now: datetime) -> bool:
    """Whether a round has begun; before that, nobody may see anything of its data."""
    start = begins(track)
    return start is None or start <= now


@singledispatch
def _after(event: Event, state: State) -> State:  # noqa: ARG001 -- every event has its own
    raise TypeError(f"{type(event).__name__} is not an event of a contest")


@_after.register
def _(event: Rules, state: State) -> State:
    # A new version states when its phases close, so earlier amendments end with the old one.
    return replace(state, rules=(*state.rules, event), amended={})


@_after.register
def _(event: Prepared, state: State) -> State:
    return replace(state, prepared=_with(state.prepared, event.track, event))


@_after.register
def _(event: Joined, state: State) -> State:
    entrant = Entrant(
        event.team,
        event.name,
        event.competing,
        event.limits,
        built_in=event.built_in,
        cohort=event.cohort,
    )
    others = state.roster.entrants
    if event.team in state.joined:
        others = tuple(other for other in others if other.id != event.team)
    roster = Roster((*others, entrant))
    return replace(state, roster=roster, joined=_with(state.joined, event.team, event))


@_after.register
def _(event: Limited, state: State) -> State:
    entrants = tuple(
        replace(team, limits=event.limits) if team.id == event.team else team
        for team in state.roster.entrants
    )
    return replace(state, roster=Roster(entrants))


@_after.register
def _(event: HandedOver, state: State) -> State:
    return replace(state, handed_over=_with(state.handed_over, event.track, event))


@_after.register
def _(event: Amended, state: State) -> State:
    return replace(state, amended=_with(state.amended, (event.track, event.phase), event))


@_after.register
def _(event: TeamDeadline, state: State) -> State:
    phase = event.team, event.track, event.phase
    return replace(state, deadlines=_with(state.deadlines, phase, event))


@_after.register
def _(event: Chosen, state: State) -> State:
    phase = event.team, event.track, event.phase
    return replace(state, choices=_with(state.choices, phase, event))


@_after.register
def _(event: SecondRun, state: State) -> State:
    return replace(state, repeated=_with(state.repeated, event.program, event))


@_after.register
def _(event: Decided, state: State) -> State:
    return replace(state, decisions=(*state.decisions, event))


@_after.register
def _(event: Frozen, state: State) -> State:
    return replace(state, frozen=event)


@_after.register
def _(event: Revealed, state: State) -> State:
    return replace(state, revealed=event)


@_after.register
def _(event: Submitted, state: State) -> State:  # noqa: ARG001 -- a submission changes no state
    return state


def _with(mapping: Mapping[K, V], key: K, value: V) -> dict[K, V]:
    return {**mapping, key: value}
