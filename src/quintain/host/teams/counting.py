"""Counting: which submissions of a team count at present, as its page shows them."""

from __future__ import annotations

from collections.abc import Sequence

from quintain.contests import Edition, Phase, Track
from quintain.journal.events import Submitted
from quintain.journal.state import State
from quintain.runs.folder.paths import CARD
from quintain.runs.submissions.counting.chosen import is_chosen, last_programs


def counting(rules: Edition, state: State, own: Sequence[Submitted]) -> frozenset[int]:
    """The events of a team that count at present; a program counts by what it makes."""
    numbers: set[int] = set()
    for track in rules.track:
        for phase in track.phase:
            about = [one for one in own if (one.track, one.phase) == (track.id, phase.id)]
            numbers |= _in_phase(state, track, phase, about)
    return frozenset(numbers)


def _in_phase(state: State, track: Track, phase: Phase, own: Sequence[Submitted]) -> set[int]:
    programs = {one.number for one in last_programs(state, own, phase.submit, track)}
    made = [
        one
        for one in own
        if one.kind == phase.submit
        and is_chosen(state, one)
        and (one.made_by is None or one.made_by in programs)
    ]
    if phase.submit == "release":
        return programs | {one.number for one in made[-phase.keep :]}
    if phase.counts == "best":
        return programs | {one.number for one in made}
    last = {name: one.number for one in made for name in one.files if name != CARD}
    return programs | set(last.values())
