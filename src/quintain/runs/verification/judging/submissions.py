"""Submissions: whether teams could submit, and choose, what the journal says."""

from __future__ import annotations

from collections.abc import Iterator

from quintain.errors import QuintainError
from quintain.journal.events import Chosen, Submitted
from quintain.runs.submissions.admission import admit
from quintain.runs.submissions.counting import choose
from quintain.runs.submissions.sample_choice import chosen_sample
from quintain.runs.verification.differences import one_line
from quintain.runs.verification.judging.past import Past


def submitted_faults(event: Submitted, past: Past) -> Iterator[str]:
    """Why a submission was not possible: it is admitted again, or its program made again."""
    edition, state = past.edition(), past.state
    phases = {phase.id: phase for t in edition.track if t.id == event.track for phase in t.phase}
    phase = phases.get(event.phase)
    if phase is None:
        yield f"the rules have no phase {event.phase!r} in track {event.track!r}"
        return
    if event.made_by is not None:
        yield from _made(event, past, phase.submit)
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


def _made(event: Submitted, past: Past, submit: str) -> Iterator[str]:
    program = past.programs.get(event.made_by or 0)
    about = (event.team, event.track, event.phase)
    if program is None or (program.team, program.track, program.phase) != about:
        yield f"event {event.made_by} is no program of team {event.team} in this phase"
    if event.kind != submit:
        yield f"programs of phase {event.phase} make a {submit}"
    if submit == "release" and event.track in past.state.handed_over:
        yield f"the releases of track {event.track} were handed over before"


def chosen_faults(event: Chosen, past: Past) -> Iterator[str]:
    """Why a team could not choose what counts."""
    own = past.submitted.get(event.team, [])
    try:
        refusals = choose.obstacles(past.edition(), past.state, own, event, event.moment)
        yield from map(one_line, refusals)
    except QuintainError as problem:
        yield one_line(problem)
