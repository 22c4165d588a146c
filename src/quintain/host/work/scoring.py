"""Scoring: the long work of a contest, with the same functions as the command line."""

from __future__ import annotations

from typing import Any

from quintain.host.editions.publishing import keep_checkpoint, publish_results
from quintain.host.programs.outcomes import show_outcomes
from quintain.host.queue.jobs import enqueue_once
from quintain.host.teams.joining import enqueue_joins
from quintain.host.teams.kits import enqueue_kits
from quintain.host.work.drafts import fixed, register_named, write_folder
from quintain.host.work.handler import HandlerTask, handler
from quintain.runs.folder.folder import Folder
from quintain.runs.organising.freeze import reveal as reveal_folder
from quintain.runs.organising.hand_over import hand_over as hand_over_releases
from quintain.runs.organising.prepare import prepare as prepare_folder
from quintain.runs.score import score as score_folder
from quintain.runs.tasks.programs import run_new_programs


@handler("prepare")
def prepare(task: HandlerTask) -> dict[str, Any]:
    """Fix the rules, draw the samples and commit to them; or prepare the next round."""
    given = task.claim.arguments
    write_folder(task)
    folder = task.folder(fixed(task))
    done = prepare_folder(
        folder,
        seed=given.get("seed"),
        beacon=given.get("beacon", ""),
        tracks=given.get("tracks", ()),
        now=task.time(),
        executor=task.executor(),
    )
    with task.site.database.writing(task.claim.edition) as session:
        register_named(session, task, folder)
        enqueue_joins(session, task.site, task.claim.edition)
        enqueue_kits(session, task.site, task.claim.edition)
    return {"waits_for_beacon": not done}


@handler("hand-over")
def hand_over(task: HandlerTask) -> dict[str, Any]:
    """Give the releases of a track to the attackers."""
    task.require_no_uploads()
    folder = task.folder()
    track = _handed_over(task, folder)
    if track is None:
        track = hand_over_releases(
            folder,
            task.claim.arguments.get("track"),
            now=task.time(),
            containment=task.containment(),
            executor=task.executor(),
        )
    with task.site.database.writing(task.claim.edition) as session:
        enqueue_kits(session, task.site, task.claim.edition)
    return {"track": track}


def _handed_over(task: HandlerTask, folder: Folder) -> str | None:
    """The track, if an earlier attempt of this job has handed it over already."""
    for track, event in folder.state().handed_over.items():
        if event.number == task.claim.event:
            return track
    return None


@handler("score")
def score(task: HandlerTask) -> dict[str, Any]:
    """Let the baselines attack, measure what is new, rank, and write the boards."""
    folder, executor, containment = task.folder(), task.executor(), task.containment()
    # Long before the hand-over, so that teams hear early if a program fails.
    run_new_programs(folder, "release", now=task.time(), executor=executor, containment=containment)
    score_folder(folder, now=task.time(), executor=executor, containment=containment)
    keep_checkpoint(task.site, folder, task.claim.edition)
    show_outcomes(task.site, task.claim.edition, folder)
    return {}


@handler("reveal")
def reveal(task: HandlerTask) -> dict[str, Any]:
    """Score for the last time, and publish every secret."""
    task.require_no_uploads()
    event = reveal_folder(
        task.folder(), now=task.time(), containment=task.containment(), executor=task.executor()
    )
    publish_results(task.site, task.claim.edition)
    with task.site.database.writing(task.claim.edition) as session:
        enqueue_once(session, task.claim.edition, "scoring", "archive", now=task.site.clock.now())
    return {"standings": event.standings}
