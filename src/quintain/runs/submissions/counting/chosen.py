"""Chosen: whether a submission counts after its team has chosen."""

from __future__ import annotations

from collections.abc import Iterable

from quintain.contests import Track
from quintain.journal.events import Submitted
from quintain.journal.state import State
from quintain.programs import Role


def is_chosen(state: State, submission: Submitted) -> bool:
    """Whether a team chose a submission, or the program that made it, or nothing at all."""
    chosen = state.chosen(submission.team, submission.track, submission.phase)
    return not chosen or submission.number in chosen or submission.made_by in chosen


def last_programs(
    state: State, submitted: Iterable[Submitted], role: Role, track: Track
) -> list[Submitted]:
    """The program of each team that counts: the one that it chose, or its last one."""
    phase = track.phase_for(role)
    latest: dict[str, Submitted] = {}
    for one in submitted:
        about = (one.track, one.phase, one.kind)
        if phase is not None and about == (track.id, phase.id, "program"):
            latest |= {one.team: one} if is_chosen(state, one) else {}
    return [latest[team] for team in sorted(latest)]
