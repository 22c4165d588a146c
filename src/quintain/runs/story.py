"""Story: what happened in a contest, in sentences; the report and ``quintain log`` tell the same.

Everything is computed from the events of the journal and from the versions of the rules. The rules
are imported where a sentence needs them, so that ``quintain log`` starts at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from quintain.figures.format import count, minute
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

if TYPE_CHECKING:
    from quintain.contests import Edition
    from quintain.runs.folder.folder import Folder

MOST_KEYS = 5
"""How many changed keys of the rules a sentence names."""

Versions: TypeAlias = "Mapping[int, Edition]"
"""The versions of the rules, by number."""


class Passage(NamedTuple):
    """An event as a sentence, with its time."""

    time: str
    sentence: str


def rules_of(folder: Folder) -> Versions:
    """Every version of the rules of a folder."""
    return {fixed.version: folder.rules(fixed.version) for fixed in folder.state().rules}


def changes_rules(events: Iterable[Event]) -> bool:
    """Whether sentences about these events quote the rules: those about changed rules do."""
    return any(
        isinstance(event, Amended) or (isinstance(event, Rules) and event.version > 1)
        for event in events
    )


def story(events: Iterable[Event], versions: Versions) -> list[Passage]:
    """What a reader of the results should know; empty if everything went as the rules say.

    The event that reveals the secrets comes after the results and is not part of it.
    """
    passages, is_notable = [], False
    for event, before in _with_states(events):
        surprise = _is_surprise(event, versions)
        is_notable |= surprise
        if surprise or isinstance(event, HandedOver | Frozen):
            passages.append(_passage(event, before, versions))
    return passages if is_notable else []


def passages(events: Iterable[Event], versions: Versions) -> list[Passage]:
    """Every event as a sentence, in order."""
    return [_passage(event, before, versions) for event, before in _with_states(events)]


def log_lines(events: Sequence[Event], versions: Versions, *, every: bool) -> Iterator[str]:
    """The journal as lines for people; without ``every``, submissions are only counted."""
    waiting = 0
    for event, before in _with_states(events):
        if isinstance(event, Submitted) and not every:
            waiting += 1
            continue
        if waiting:
            yield f"{'':>6}  {count(waiting, 'submission')}"
            waiting = 0
        time, sentence = _passage(event, before, versions)
        yield f"{event.number:>6}  {time}  {sentence}"
    if waiting:
        yield f"{'':>6}  {count(waiting, 'submission')}"


def _with_states(events: Iterable[Event]) -> Iterator[tuple[Event, State]]:
    state = State()
    for event in events:
        yield event, state
        state = state.after(event)


def _is_surprise(event: Event, versions: Versions) -> bool:
    """Whether an event is nothing that the first rules announced."""
    match event:
        case Rules():
            return event.version > 1
        case Joined():
            seeded = {team.id for team in versions[1].team}
            return not event.built_in and event.team not in seeded
        case Amended() | TeamDeadline() | Decided() | Limited():
            return True
    return False


def _passage(event: Event, before: State, versions: Versions) -> Passage:
    return Passage(minute(event.moment), _sentence(event, before, versions))


def _sentence(event: Event, before: State, versions: Versions) -> str:
    match event:
        case Rules():
            return _about_rules(event, versions)
        case Prepared():
            beacon = f", with the beacon {event.beacon!r}" if event.beacon else ""
            return f"The data of track {event.track} were drawn{beacon}."
        case Joined():
            name = f" ({event.name})" if event.name else ""
            rank = "" if event.competing else ", without a rank"
            cohort = f", in cohort {event.cohort}" if event.cohort else ""
            return f"Team {event.team}{name} joined{cohort}{rank}."
        case Limited():
            from quintain.contests.words import quota_words

            limits = quota_words(event.limits) or "those of the phases"
            return f"Team {event.team} has new limits ({limits}): {event.reason}"
        case Submitted(kind="answers"):
            models = count(len(event.files), "model")
            return f"{models} answered the queries of team {event.team} (event {event.made_by})."
        case Submitted():
            by = "" if event.made_by is None else f", made by the program of {event.made_by}"
            by += "" if event.sample is None else f", made from sample {event.sample}"
            files = count(len(event.files), "file")
            return (
                f"Team {event.team} submitted a {event.kind} of {files} to phase {event.phase} of "
                f"track {event.track}{by}."
            )
        case Chosen():
            return _about_choice(event)
        case SecondRun():
            same = "the same files" if event.second == event.first else "something else"
            made = f"nothing: {event.reason}" if event.reason else same
            return f"The program of team {event.team} ran again and made {made}."
        case HandedOver():
            return f"The attackers got the releases of track {event.track}."
        case Amended():
            phase = f"phase {event.phase} of track {event.track}"
            start, end = _end(event, before, versions), minute(read_time(event.closes))
            return f"The organisers extended {phase}, from {start} to {end}: {event.reason}"
        case TeamDeadline():
            phase = f"phase {event.phase} of track {event.track}"
            end = minute(read_time(event.closes))
            return (
                f"The organisers extended {phase} for team {event.team}, to {end}: {event.reason}"
            )
        case Decided():
            what = f"team {event.team}"
            if event.entry is not None:
                what = f"release {event.entry} of team {event.team} in track {event.track}"
            return f"The organisers {event.decision} {what}: {event.reason}"
        case Frozen():
            return f"The contest ended{f': {event.reason}' if event.reason else '.'}"
        case Revealed():
            return "The organisers published their secrets."


def _about_choice(event: Chosen) -> str:
    where = f"in phase {event.phase} of track {event.track}"
    if not event.submissions:
        return f"Team {event.team} chose that its last submissions count {where}."
    numbers = ", ".join(map(str, event.submissions))
    return f"Team {event.team} chose what counts {where}: {numbers}."


def _about_rules(event: Rules, versions: Versions) -> str:
    if event.version == 1:
        return "The rules were fixed."
    from quintain.runs.folder.rules import changed_keys

    keys = changed_keys(versions[event.version - 1], versions[event.version])
    more = len(keys) - MOST_KEYS
    shown = [*keys[:MOST_KEYS], *([f"{more} more"] if more > 0 else [])]
    return (
        f"The organisers changed the rules (version {event.version}: {', '.join(shown)}): "
        f"{event.reason}"
    )


def _end(event: Amended, before: State, versions: Versions) -> str:
    """When a phase closed before it was extended."""
    edition = before.in_force(versions[len(before.rules)])
    phases = edition.track_by_id(event.track).phase
    closes = next((phase.closes for phase in phases if phase.id == event.phase), None)
    return "no end" if closes is None else minute(closes)
