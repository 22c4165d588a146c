"""Competition: a track in the terms of CodaBench: one task, its phases, one leaderboard."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from quintain.contests import Edition, Phase, Track
from quintain.errors import QuintainError
from quintain.kit.codabench.exported import Scored, board_measure, site_average
from quintain.kit.codabench.plan import AVERAGE, column_key, cut

IMAGE = "codalab/codalab-legacy:py39"
OPEN_SINCE = datetime(2000, 1, 1, tzinfo=UTC)
"""The start of a phase without a start: a time before any contest on the site."""
PAGES = {"Overview": "overview", "Data": "data", "Evaluation": "evaluation", "Rules": "rules"}
_SECOND = timedelta(seconds=1)


def competition(edition: Edition, track: Track, entries: list[str]) -> dict[str, Any]:
    """The content of ``competition.yaml`` for the phases in which teams submit guesses."""
    hidden = hides_scores(track)
    task = {"description": track.aims[0].goal.summary(), "reference_data": "reference_data/"}
    sentence = "Submit a guess for every target of every release."
    phases = _phases(track, "guess", sentence, hidden)
    return _competition(edition, track, task, phases, _leaderboard(track, entries))


def release_competition(edition: Edition, track: Track) -> dict[str, Any]:
    """The content of ``competition.yaml`` for the phases in which teams submit releases."""
    phases = _phases(track, "release", "Submit a release of your private data.", hidden=False)
    task = {"description": "Sanitize the private data of your team."}
    return _competition(edition, track, task, phases, _release_board())


def _competition(
    edition: Edition,
    track: Track,
    task: dict[str, Any],
    phases: list[dict[str, Any]],
    board: dict[str, Any],
) -> dict[str, Any]:
    title = edition.title if len(edition.track) == 1 else f"{edition.title}: {track.title}"
    goals = [aim.id for aim in track.aims if aim.id]
    title = f"{title}: {goals[0]}" if len(goals) == 1 else title
    program = {"index": 0, "name": track.title or track.id, "scoring_program": "scoring_program/"}
    return {
        "version": 2,
        "title": title[:256],
        "description": " ".join(edition.description.split()),
        "image": "logo.png",
        "terms": "pages/terms.md",
        "registration_auto_approve": False,
        "docker_image": IMAGE,
        "make_programs_available": False,
        "make_input_data_available": False,
        "can_participants_make_submissions_public": False,
        "enable_detailed_results": False,
        "competition_type": "competition",
        "pages": [{"title": title, "file": f"pages/{name}.md"} for title, name in PAGES.items()],
        "tasks": [{**program, **task}],
        "phases": phases,
        "leaderboards": [board],
    }


@dataclass(frozen=True, slots=True)
class Timed:
    """A phase with its times on CodaBench; without an end it stays open."""

    phase: Phase
    start: datetime
    end: datetime | None


def schedule(track: Track, submit: str = "guess") -> list[Timed]:
    """The phases in which teams submit this, one after another, with a second in between."""
    phases = [phase for phase in track.phase if phase.submit == submit]
    phases.sort(key=lambda phase: phase.opens or OPEN_SINCE)
    out: list[Timed] = []
    for i, phase in enumerate(phases):
        start = (phase.opens or OPEN_SINCE).replace(microsecond=0)
        end = phase.closes.replace(microsecond=0) if phase.closes else None
        later = phases[i + 1].opens if i + 1 < len(phases) else None
        if later is not None and end in (None, later.replace(microsecond=0)):
            end = later.replace(microsecond=0) - _SECOND
        before = out[-1].end if out else start - _SECOND
        if before is None or start <= before or (end is not None and end <= start):
            raise QuintainError(
                f"phase {phase.id} of track {track.id} overlaps another phase; on CodaBench, "
                "phases follow one another: set opens and closes"
            )
        out.append(Timed(phase, start, end))
    if not out:
        raise QuintainError(f"track {track.id} has no phase in which teams submit a {submit}")
    return out


def hides_scores(track: Track) -> bool:
    """Whether the rules show teams no scores, or fewer than CodaBench would."""
    shown = track.feedback.shows(track.guess_measures[0])
    return not shown or track.feedback.show == "ladder"


def _phases(track: Track, submit: str, sentence: str, hidden: bool) -> list[dict[str, Any]]:
    timed = enumerate(schedule(track, submit))
    return [_phase(i, phase, sentence, hidden) for i, phase in timed]


def _phase(index: int, timed: Timed, sentence: str, hidden: bool) -> dict[str, Any]:
    phase = timed.phase
    out = {
        "index": index,
        "name": phase.id,
        "description": sentence,
        "start": _format_moment(timed.start),
        "end": None if timed.end is None else _format_moment(timed.end),
        # 0 means no limit. Where only the total is limited, a day is not limited any further.
        "max_submissions_per_day": phase.per_day or phase.total or 0,
        "max_submissions": phase.total or 0,
        "execution_time_limit": 300,
        "auto_migrate_to_this_phase": False,
        "accepts_only_result_submissions": True,
        "hide_output": False,
        "hide_prediction_output": True,
        "hide_score_output": hidden,
        "tasks": [0],
        "public_data": "public_data/",
        "starting_kit": "starting_kit/",
    }
    return {key: value for key, value in out.items() if value is not None}


def _format_moment(moment: datetime) -> str:
    """A UTC time as text; YAML then writes quotes, without which CodaBench drops the time."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def _leaderboard(track: Track, entries: list[str]) -> dict[str, Any]:
    measure, rounded = board_measure(track), track.feedback.show == "rounded"
    shared = {"sorting": "desc", "precision": track.feedback.digits if rounded else 4}
    columns: list[dict[str, Any]] = [
        {"title": cut(_column_title(entry, key, measure)), "key": column_key(key, entry), **shared}
        for key in measure.keys
        for entry in entries
    ]
    average = {
        "title": cut(f"{site_average(track).name.capitalize()}: {measure.title.lower()}"),
        "key": AVERAGE,
        **shared,
    }
    return {
        "title": measure.title,
        "key": "results",
        "primary_index": len(columns),
        "submission_rule": "Force_Last",
        "hidden": hides_scores(track),
        "columns": [{**column, "index": i} for i, column in enumerate([*columns, average])],
    }


def _release_board() -> dict[str, Any]:
    """A board that says who submitted a valid release; it ranks nobody."""
    shared = {"sorting": "desc", "precision": 0}
    return {
        "title": "Valid releases",
        "key": "results",
        "primary_index": 0,
        "submission_rule": "Force_Last",
        "hidden": False,
        "columns": [
            {"title": "Valid", "key": "valid", "index": 0, **shared},
            {"title": "Records", "key": "records", "index": 1, **shared},
        ],
    }


def _column_title(entry: str, key: str, measure: Scored) -> str:
    return entry if key == measure.key else f"{entry}: {key}"
