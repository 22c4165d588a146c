"""Judgement: whether the events of a journal could happen, in this order and at these times.

Every event is judged by the rules and the state of its time: the journal up to the event before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from quintain.contests import Edition, Team, Track
from quintain.contests.cohorts import cohort_of
from quintain.contests.ids import checked_id, checked_name, reserved_id
from quintain.errors import QuintainError, Refused
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
from quintain.journal.state import State
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import JOURNAL
from quintain.runs.organising.amend import (
    checked_beacon,
    checked_reason,
    deadline_obstacles,
    extension_obstacles,
    forbidden_changes,
    limit_obstacles,
)
from quintain.runs.organising.decide import Subject, decision_obstacles
from quintain.runs.organising.freeze import unfinished_phases
from quintain.runs.submissions.admission import admit
from quintain.runs.submissions.checking import chosen_sample
from quintain.runs.submissions.counting import choice_obstacles
from quintain.runs.submissions.own_queries import is_asking
from quintain.runs.verification.committed import one_line

# Past: a contest up to some event, by which the next event is judged.


@dataclass(slots=True)
class Past:
    """A contest up to some event.

    Parameters
    ----------
    rules : every version of the rules.
    submitted : the submissions so far, by team.
    programs : the programs so far, by the number of their event.
    """

    rules: Mapping[int, Edition]
    state: State = field(default_factory=State)
    submitted: dict[str, list[Submitted]] = field(default_factory=dict)
    programs: dict[int, Submitted] = field(default_factory=dict)
    _in_force: Edition | None = None

    def edition(self) -> Edition:
        """The rules in force; raises if none are."""
        if self._in_force is None:
            self._in_force = self.state.in_force(self.rules[len(self.state.rules)])
        return self._in_force

    def named_teams(self) -> tuple[Team, ...]:
        """The teams that the rules themselves name; others may join, too."""
        last = self.rules.get(len(self.state.rules))
        return () if last is None else last.team

    def goes_on(self, event: Event) -> None:
        """Take one more event in."""
        if isinstance(event, Submitted):
            self.submitted.setdefault(event.team, []).append(event)
            if event.kind == "program":
                self.programs[event.number] = event
        else:
            self.state, self._in_force = self.state.after(event), None


# Submissions: whether teams could submit, and choose, what the journal says.


def submitted_faults(event: Submitted, past: Past) -> Iterator[str]:
    """Why a submission was not possible: it is admitted again, or its program made again."""
    edition, state = past.edition(), past.state
    phases = {phase.id: phase for t in edition.track if t.id == event.track for phase in t.phase}
    phase = phases.get(event.phase)
    if phase is None:
        yield f"the rules have no phase {event.phase!r} in track {event.track!r}"
        return
    if event.kind == "answers":
        yield from _judge_answers(event, past)
        return
    if event.made_by is not None:
        yield from _judge_program_output(event, past, phase.submit)
        if event.sample is not None:
            yield "programs do not choose among samples"
        return
    earlier = past.submitted.get(event.team, [])
    given = (edition, state, earlier, event.team, event.moment, event.track, phase.submit)
    try:
        admission = admit(*given, event.files)
        if chosen_sample(admission, event.files, event.sample) != event.sample:
            yield "it does not say from which sample the release is made"
    except QuintainError as problem:
        yield one_line(problem)
        return
    kind = "program" if admission.program else admission.phase.submit
    if (event.phase, event.kind) != (admission.phase.id, kind):
        yield f"phase {admission.phase.id} was open for a {kind}"


def _judge_answers(event: Submitted, past: Past) -> Iterator[str]:
    own = past.submitted.get(event.team, [])
    about = (event.track, event.phase)
    queries = [s for s in own if s.number == event.made_by and (s.track, s.phase) == about]
    if not queries or not is_asking(past.edition().track_by_id(event.track), queries[0]):
        yield f"event {event.made_by} has no queries of team {event.team} in this phase"
    if any((s.kind, s.made_by) == ("answers", event.made_by) for s in own):
        yield f"the queries of event {event.made_by} were answered before"


def _judge_program_output(event: Submitted, past: Past, submit: str) -> Iterator[str]:
    program = past.programs.get(event.made_by or 0)
    about = (event.team, event.track, event.phase)
    if program is None or (program.team, program.track, program.phase) != about:
        yield f"event {event.made_by} is not a program of team {event.team} in this phase"
    if event.kind != submit:
        yield f"programs of phase {event.phase} make a {submit}"
    if submit == "release" and event.track in past.state.handed_over:
        yield f"the releases of track {event.track} were handed over before"


def _judge_second_run(event: SecondRun, past: Past) -> Iterator[str]:
    program = past.programs.get(event.program)
    if program is None or (program.team, program.track) != (event.team, event.track):
        yield f"event {event.program} is not a program of team {event.team} in this track"
        return
    made = {
        name: digest
        for submission in past.submitted.get(event.team, ())
        if submission.made_by == event.program
        for name, digest in submission.files.items()
    }
    if event.first != made:
        yield f"the program of event {event.program} made other files in its first run"
    if event.track in past.state.handed_over:
        yield f"the releases of track {event.track} were handed over before"


def chosen_faults(event: Chosen, past: Past) -> Iterator[str]:
    """Why a team could not choose what counts."""
    own = past.submitted.get(event.team, [])
    try:
        refusals = choice_obstacles(past.edition(), past.state, own, event, event.moment)
        yield from map(one_line, refusals)
    except QuintainError as problem:
        yield one_line(problem)


_KEY = re.compile("[0-9a-f]{64}")


def check_events(events: Sequence[Event], rules: Mapping[int, Edition]) -> Iterator[str]:
    """Every event that the rules and the state of its time did not allow."""
    past = Past(rules)
    for event in events:
        problems = list(_faults(event, past))
        yield from (f"{JOURNAL}: event {event.number} ({event.event}): {p}" for p in problems)
        if problems and isinstance(event, Rules | Joined):
            return  # what follows would be judged by rules or teams that cannot be
        past.goes_on(event)
    absent = {team.id for team in past.named_teams()} - set(past.state.roster.ids)
    if past.state.prepared:
        yield from (f"{JOURNAL}: team {team} of the rules never joined" for team in sorted(absent))


def wrong_cohorts(
    events: Sequence[Event], rules: Mapping[int, Edition], folder: Folder
) -> list[str]:
    """Every team that joined another cohort than the keys and its id give."""
    first = rules[1].cohorts if 1 in rules else None
    joined = [event for event in events if isinstance(event, Joined)]
    if first is None:
        return [
            f"{JOURNAL}: event {event.number} (joined): the rules have no cohorts"
            for event in joined
            if event.cohort
        ]
    salt = folder.secrets().cohort_salt()
    return [
        f"{JOURNAL}: event {event.number} (joined): the keys put team {event.team} into cohort "
        f"{cohort}, not {event.cohort or 'none'}"
        for event in joined
        if event.cohort != (cohort := cohort_of(first.names, salt, event.team))
    ]


def _faults(event: Event, past: Past) -> Iterator[str]:
    """What is wrong with an event; nothing is asked about an event that has no rules."""
    state = past.state
    if not isinstance(event, Rules) and not state.rules:
        yield "no rules are fixed yet"
        return
    if state.revealed is not None:
        yield "the secrets were published before"
    elif state.frozen is not None and not isinstance(event, Revealed):
        yield "the contest was over before"
    match event:
        case Rules():
            yield from _rules(event, past)
        case Prepared():
            yield from _judge_preparing(event, past)
        case Joined():
            yield from _judge_joining(event, past)
        case Limited():
            yield from _judge_limits(event, past)
        case Submitted():
            yield from submitted_faults(event, past)
        case Chosen():
            yield from chosen_faults(event, past)
        case SecondRun():
            yield from _judge_second_run(event, past)
        case HandedOver():
            yield from _handed_over(event, past)
        case Amended():
            yield from _judge_amendment(event, past)
        case TeamDeadline():
            yield from _judge_deadline(event, past)
        case Decided():
            yield from _judge_decision(event, past)
        case Frozen():
            yield from _judge_freezing(event, past)
        case Revealed() if state.frozen is None:
            yield "the contest was not over"


def _rules(event: Rules, past: Past) -> Iterator[str]:
    state = past.state
    if event.version != len(state.rules) + 1:
        yield f"version {event.version} of the rules does not follow version {len(state.rules)}"
        return
    if not _KEY.fullmatch(event.key):
        yield "the public key does not have 64 hexadecimal digits"
    if not state.rules:
        return
    if event.key != state.key:
        yield "the public key is another one than before"
    yield from _reason(event.reason)
    before, after = past.rules[event.version - 1], past.rules[event.version]
    in_force = past.edition().model_copy(update={"team": before.team})
    used = {
        (submission.track, submission.phase)
        for earlier in past.submitted.values()
        for submission in earlier
    }
    yield from forbidden_changes(in_force, after, state, used)


def _reason(text: str) -> Iterator[str]:
    yield from _refusal(checked_reason, text)
    if " ".join(text.split()) != text:
        yield "the reason has spaces that nobody can see"


def _refusal(check: Callable[[str], str], text: str) -> Iterator[str]:
    """Why the command of an event would have refused a text."""
    try:
        check(text)
    except QuintainError as problem:
        yield one_line(problem)


def _track(event: Prepared | HandedOver | Amended | TeamDeadline, past: Past) -> Track | None:
    return next((track for track in past.edition().track if track.id == event.track), None)


def _judge_preparing(event: Prepared, past: Past) -> Iterator[str]:
    state, announced = past.state, past.edition().commitment.beacon
    if _track(event, past) is None:
        yield f"the rules have no track {event.track!r}"
    if event.track in state.prepared:
        yield f"track {event.track} was prepared before"
    yield from _refusal(checked_beacon, event.beacon)
    if state.prepared and event.beacon != state.beacon:
        yield "the beacon is another one than before"
    if announced and not event.beacon:
        yield f"the rules announce a beacon ({announced}), but none was used"
    if event.beacon and not announced:
        yield "a beacon was used that the rules do not announce"


def _judge_joining(event: Joined, past: Past) -> Iterator[str]:
    try:
        checked_id(event.team)
        checked_name(event.name)
    except ValueError as problem:
        yield f"{event.team[:80]!r} cannot be a team: {problem}"
    if not past.state.prepared:
        yield "no track is prepared yet"
    if event.team in past.state.roster.ids:
        yield f"team {event.team} takes part already"
    for team in past.named_teams():
        if team.id == event.team and (team.name, team.competing) != (event.name, event.competing):
            yield f"the rules give team {event.team} another name, or say otherwise if it competes"
    tracks = past.edition().track
    baselines = {baseline.id for track in tracks for baseline in track.baseline}
    if event.built_in and event.team not in baselines:
        yield f"{event.team} is not a baseline of the rules"
    if not event.built_in and (reserved := reserved_id(event.team)):
        yield reserved
    if not event.built_in and event.team in baselines | {e for t in tracks for e in t.entries}:
        yield f"{event.team} is the name of a baseline or of an entry"


def _judge_limits(event: Limited, past: Past) -> Iterator[str]:
    yield from _reason(event.reason)
    try:
        yield from map(str, limit_obstacles(past.state, event.team, event.limits))
    except QuintainError as problem:
        yield one_line(problem)


def _handed_over(event: HandedOver, past: Past) -> Iterator[str]:
    track, state = _track(event, past), past.state
    if track is None or not track.teams_release:
        yield f"in track {event.track!r}, teams make no releases"
        return
    if event.track not in state.prepared:
        yield f"track {event.track} is not prepared yet"
    if event.track in state.handed_over:
        yield f"the releases of track {event.track} were handed over before"
    if not 0 < event.size < event.number:
        yield f"it counts {event.size} events, but {event.number - 1} come before it"
    for phase in state.for_last_team(track).phase:
        if phase.submit == "release" and phase.closes is not None and event.moment < phase.closes:
            yield f"phase {phase.id} was open until {minute(phase.closes)}"


def _judge_amendment(event: Amended, past: Past) -> Iterator[str]:
    yield from _judge_end(event, past, extension_obstacles)


def _judge_deadline(event: TeamDeadline, past: Past) -> Iterator[str]:
    yield from _judge_end(event, past, partial(deadline_obstacles, team=event.team))


def _judge_end(
    event: Amended | TeamDeadline, past: Past, obstacles: Callable[..., Iterator[Refused]]
) -> Iterator[str]:
    """Whether the organisers could give a phase this end."""
    yield from _reason(event.reason)
    track = _track(event, past)
    phases = {} if track is None else {phase.id: phase for phase in track.phase}
    if track is None or event.phase not in phases:
        yield f"the rules have no phase {event.phase!r} in track {event.track!r}"
        return
    until = read_time(event.closes)
    try:
        yield from map(str, obstacles(past.state, track, phases[event.phase], until, event.moment))
    except QuintainError as problem:
        yield one_line(problem)


def _judge_decision(event: Decided, past: Past) -> Iterator[str]:
    yield from _reason(event.reason)
    if (event.track, event.entry) != (None, None) and not _is_release(event, past):
        yield f"team {event.team} has no release {event.entry!r} in track {event.track!r}"
    subject = Subject(event.team, event.track, event.entry)
    try:
        yield from map(str, decision_obstacles(past.state, event.decision, subject))
    except QuintainError as problem:
        yield one_line(problem)


def _is_release(event: Decided, past: Past) -> bool:
    """Whether a decision is about a release that the team has made by then."""
    own = past.submitted.get(event.team, ())
    made = sum(
        (submission.track, submission.kind) == (event.track, "release") for submission in own
    )
    return (
        event.entry in (event.team, *(f"{event.team}.{n}" for n in range(1, made + 1))) and made > 0
    )


def _judge_freezing(event: Frozen, past: Past) -> Iterator[str]:
    """A contest may end early, but not without a reason."""
    left = unfinished_phases(past.edition(), past.state, event.moment)
    if not event.reason and any(phase.closes is not None for _, phase in left):
        yield "phases were not over yet, and no reason is given"
