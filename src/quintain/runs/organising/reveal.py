"""Reveal: score a contest that is over for the last time, before its secrets are published."""

from __future__ import annotations

from datetime import UTC, datetime

from quintain.commitment import sha256
from quintain.errors import PhaseClosed
from quintain.jobs.executor import SERIAL, Executor
from quintain.journal.events import Revealed
from quintain.programs.choice import STRANGERS, Containment
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import record, writing
from quintain.runs.organising.freeze import freeze, unfinished
from quintain.runs.score import score


def reveal(
    folder: Folder,
    *,
    now: datetime | None = None,
    executor: Executor = SERIAL,
    containment: Containment = STRANGERS,
) -> Revealed:
    """Freeze, score and record that the secrets are published; a second call changes nothing."""
    folder.require_secrets()
    moment, state = now or datetime.now(UTC), folder.state()
    if state.revealed is not None:
        return state.revealed
    if state.frozen is None:
        _require_over(folder, moment)
        freeze(folder, now=moment, executor=executor, containment=containment)
    score(folder, executor=executor, now=moment)
    standings = sha256(folder.at(paths.STANDINGS).read_bytes())
    with writing(folder) as journal:
        revealed = folder.state().revealed  # somebody else may have been faster
        return revealed or record(folder, journal, Revealed(standings=standings), now=moment).event


def _require_over(folder: Folder, now: datetime) -> None:
    left = list(unfinished(folder.edition(), folder.state(), now))
    if left:
        names = ", ".join(f"{phase.id} of track {track.id}" for track, phase in left)
        raise PhaseClosed(
            f"the contest is not over: {names}; "
            f"to end it now, run quintain freeze {folder.root} --why REASON"
        )
