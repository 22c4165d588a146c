"""Rule changes: what a new version of the rules may change while a contest runs.

Whatever the drawn data, the teams' submissions or a hand-over depend on must stay as it was.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from quintain.contests import Edition, Phase, Track
from quintain.contests.plain import plain
from quintain.figures.format import minute
from quintain.journal.state import State

DRAWN = (
    "goal",
    "dataset",
    "population",
    "sample",
    "test_records",
    "shared_sample",
    "samples",
    "repeats",
    "knowledge",
    "sanitizer",
    "files",
)
"""The keys of a track that its samples, releases and truths depend on."""

KEPT = ("submit", "contract", "artefact")
"""The keys of a phase that its submissions depend on."""


def forbidden_changes(
    before: Edition, after: Edition, state: State, used: Collection[tuple[str, str]]
) -> list[str]:
    """Everything that a new version must not change, in words; empty if the version is allowed.

    Parameters
    ----------
    before : the rules in force, with the phases as they were extended.
    used : track and phase of every submission so far.
    """
    return list(_forbidden(before, after, state, used))


def _forbidden(
    before: Edition, after: Edition, state: State, used: Collection[tuple[str, str]]
) -> Iterator[str]:
    if before.id != after.id:
        yield f"id: must stay {before.id!r}; the new rules say {after.id!r}"
    if before.commitment != after.commitment:
        yield "commitment: must stay as it is; the organisers have committed already"
    yield from _taken_ids(after, state)
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
    teams = {one.id for one in state.roster.entrants if not one.built_in}
    for track in after.track:
        names = {*(baseline.id for baseline in track.baseline), *track.entries}
        for name in sorted(names & teams):
            yield f"track.{track.id}: {name!r} is the id of a team; name the baseline differently"


def _of_track(before: Track, after: Track, state: State) -> Iterator[str]:
    for key in DRAWN:
        if plain(getattr(before, key)) != plain(getattr(after, key)):
            yield f"track.{before.id}.{key}: must stay as it is; the data were drawn with it"
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
            else f"it closes at {minute(before.closes)} now"
        )
        yield f"{name}.closes: a phase can become longer, never shorter; {end}"
    if used and after.opens != before.opens:
        yield f"{name}.opens: must stay {before.opens}; the phase has submissions"
