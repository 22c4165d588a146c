"""Judgement: whether the events of a journal could happen, in this order and at these times.

Every event is judged by the rules and the state of its time: the journal up to the event before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from quintain.contests import Edition, Track
from quintain.contests.ids import checked_id, checked_name, reserved_id
from quintain.errors import QuintainError
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
    Submitted,
    read_time,
)
from quintain.runs.folder.paths import JOURNAL
from quintain.runs.organising import decide, extend, limit
from quintain.runs.organising.freeze import unfinished
from quintain.runs.organising.reasons import checked_beacon, checked_reason
from quintain.runs.organising.rule_changes import forbidden_changes
from quintain.runs.verification.differences import one_line
from quintain.runs.verification.judging.past import Past
from quintain.runs.verification.judging.submissions import chosen_faults, submitted_faults

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
            yield from _prepared(event, past)
        case Joined():
            yield from _joined(event, past)
        case Limited():
            yield from _limited(event, past)
        case Submitted():
            yield from submitted_faults(event, past)
        case Chosen():
            yield from chosen_faults(event, past)
        case HandedOver():
            yield from _handed_over(event, past)
        case Amended():
            yield from _amended(event, past)
        case Decided():
            yield from _decided(event, past)
        case Frozen():
            yield from _frozen(event, past)
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
    used = {(one.track, one.phase) for own in past.submitted.values() for one in own}
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


def _track(event: Prepared | HandedOver | Amended, past: Past) -> Track | None:
    return next((one for one in past.edition().track if one.id == event.track), None)


def _prepared(event: Prepared, past: Past) -> Iterator[str]:
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


def _joined(event: Joined, past: Past) -> Iterator[str]:
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
        yield f"{event.team} is no baseline of the rules"
    if not event.built_in and (reserved := reserved_id(event.team)):
        yield reserved
    if not event.built_in and event.team in baselines | {e for t in tracks for e in t.entries}:
        yield f"{event.team} is the name of a baseline or of an entry"


def _limited(event: Limited, past: Past) -> Iterator[str]:
    yield from _reason(event.reason)
    try:
        yield from map(str, limit.obstacles(past.state, event.team, event.limits))
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
    for phase in track.phase:
        if phase.submit == "release" and phase.closes is not None and event.moment < phase.closes:
            yield f"phase {phase.id} was open until {minute(phase.closes)}"


def _amended(event: Amended, past: Past) -> Iterator[str]:
    yield from _reason(event.reason)
    track = _track(event, past)
    phases = {} if track is None else {phase.id: phase for phase in track.phase}
    if track is None or event.phase not in phases:
        yield f"the rules have no phase {event.phase!r} in track {event.track!r}"
        return
    try:
        until = read_time(event.closes)
    except ValueError:
        yield f"{event.closes[:40]!r} is no time"
        return
    refusals = extend.obstacles(past.state, track, phases[event.phase], until, event.moment)
    yield from map(str, refusals)


def _decided(event: Decided, past: Past) -> Iterator[str]:
    yield from _reason(event.reason)
    if (event.track, event.entry) != (None, None) and not _is_release(event, past):
        yield f"team {event.team} has no release {event.entry!r} in track {event.track!r}"
    subject = decide.Subject(event.team, event.track, event.entry)
    try:
        yield from map(str, decide.obstacles(past.state, event.decision, subject))
    except QuintainError as problem:
        yield one_line(problem)


def _is_release(event: Decided, past: Past) -> bool:
    """Whether a decision is about a release that the team has made by then."""
    own = past.submitted.get(event.team, ())
    made = sum((one.track, one.kind) == (event.track, "release") for one in own)
    return (
        event.entry in (event.team, *(f"{event.team}.{n}" for n in range(1, made + 1))) and made > 0
    )


def _frozen(event: Frozen, past: Past) -> Iterator[str]:
    """A contest may end early, but not without a reason."""
    left = unfinished(past.edition(), past.state, event.moment)
    if not event.reason and any(phase.closes is not None for _, phase in left):
        yield "phases were not over yet, and no reason is given"
