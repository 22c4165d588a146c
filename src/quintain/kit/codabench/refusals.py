"""Refusals: why a track cannot be exported to CodaBench, all reasons at once."""

from __future__ import annotations

from collections.abc import Iterator

from quintain.contests import Track
from quintain.errors import Fault, QuintainError, Rejected
from quintain.kit.codabench.competition import schedule
from quintain.kit.codabench.exported import EXPORTED


def require_exportable(track: Track, submit: str) -> None:
    """Raise with every reason why the phases of this kind cannot run on CodaBench."""
    reasons = [*_in_any_phase(track, submit), *(_of_guesses(track) if submit == "guess" else ())]
    if reasons:
        raise Rejected([Fault(reason) for reason in reasons])


def _in_any_phase(track: Track, submit: str) -> Iterator[str]:
    if track.takes_program(submit, ""):
        yield (
            f"in track {track.id} teams submit programs; the bundle for CodaBench takes "
            + ("answers" if submit == "guess" else "tables")
        )
    artefacts = {phase.artefact for phase in track.phase if phase.submit == submit}
    if len(artefacts) > 1:
        yield f"the phases of track {track.id} take different artefacts; a bundle has one list"
    try:
        schedule(track, submit)
    except QuintainError as error:
        yield str(error)


def _of_guesses(track: Track) -> Iterator[str]:
    if track.feedback.shown_on is not None:
        yield (
            f"track {track.id} shows scores on some targets and ranks by others (shown_on); the "
            "bundle for CodaBench scores all targets at once"
        )
    measure, goal = track.guess_measures[0].measure, EXPORTED.get(track.goal.id)
    if goal is None:
        yield (
            f"track {track.id} has the goal {track.goal.id}, which the scoring program for "
            f"CodaBench does not know; it knows {', '.join(EXPORTED)}"
        )
    elif measure.id not in goal.measures:
        yield (
            f"track {track.id} is measured first by {measure.id}, which the scoring program for "
            f"CodaBench cannot compute; list one of these first: {', '.join(goal.measures)}"
        )
