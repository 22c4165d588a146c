"""Scoring: the long work of a contest, with the same functions as the command line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import select

from quintain.jobs.files import write_file
from quintain.journal.checkpoint import Checkpoint
from quintain.journal.events import Submitted, write_time
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import receipt_again
from quintain.runs.organising.freeze import reveal as reveal_folder
from quintain.runs.organising.hand_over import hand_over as hand_over_releases
from quintain.runs.organising.prepare import prepare as prepare_folder
from quintain.runs.score import score as score_folder
from quintain.runs.submissions.counting import submissions
from quintain.runs.tasks.programs import run_new_programs
from quintain.wording.languages import plain_text, tell
from quintain_host.database.work import Upload
from quintain_host.queue import enqueue_once
from quintain_host.site import Site
from quintain_host.teams.kits import enqueue_kits
from quintain_host.teams.registration import enqueue_joins
from quintain_host.views import published
from quintain_host.work.drafts import make_live, register_named, write_folder
from quintain_host.work.handler import HandlerTask, handler


@handler("prepare")
def prepare(task: HandlerTask) -> dict[str, Any]:
    """Fix the rules, draw the samples and commit to them; or prepare the next round."""
    given = task.claim.arguments
    write_folder(task)
    folder = task.folder(make_live(task))
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
    show_outcomes(task.site, task.claim.edition, folder)
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


@handler("standings")
def read_standings(task: HandlerTask) -> dict[str, Any]:
    """The boards as they were scored last, for organisers; the web process cannot open them."""
    path = task.folder().at(paths.STANDINGS)
    scored = json.loads(path.read_bytes()) if path.is_file() else {"overall": [], "tracks": {}}
    tables = [("", table) for table in scored["overall"]]
    tables += [
        (track, table) for track, facts in scored["tracks"].items() for table in facts["boards"]
    ]
    return {"boards": [_early_board(track, table) for track, table in tables]}


def _early_board(track: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """What organisers see of a board: ranks, teams, and scores with their intervals."""
    places = [
        {
            "rank": place["rank"],
            "team": place["team"],
            "note": place["note"],
            **{name: place["score"][name] for name in ("value", "low", "high")},
        }
        for place in table["places"]
    ]
    return {"track": track, "title": table["title"] or table["id"], "places": places}


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


def publish_results(site: Site, edition: str) -> list[str]:
    """Write the results into the published folder; nothing before the secrets are revealed."""
    folder = site.folder(edition)
    if folder.state().revealed is None:
        return []
    names = [name for name in published.RESULTS if folder.at(f"{paths.RESULTS}/{name}").is_file()]
    for name in names:
        content = folder.at(f"{paths.RESULTS}/{name}").read_bytes()
        write_file(published.place(site, edition) / name, content, public=True)
    return names


def keep_checkpoint(site: Site, folder: Folder, edition: str) -> None:
    """Add the newest checkpoint to the list of all that were signed, if it is not there yet."""
    try:
        text = folder.at(paths.CHECKPOINT).read_text()
        checkpoint = Checkpoint.read(text, folder.state().key)
    except FileNotFoundError:
        return  # nothing is signed before the rules are fixed
    path = published.place(site, edition) / published.CHECKPOINTS
    lines = path.read_text().splitlines() if path.is_file() else []
    if lines and json.loads(lines[-1])["size"] >= checkpoint.size:
        return
    line = {
        "time": write_time(site.clock.now()),
        "size": checkpoint.size,
        "root": checkpoint.root.hex(),
        "checkpoint": text,
    }
    content = "".join(f"{entry}\n" for entry in [*lines, json.dumps(line, sort_keys=True)])
    write_file(path, content.encode(), public=True)


def show_outcomes(site: Site, edition: str, folder: Folder) -> None:
    """Store beside each upload of a program what it made, and why it made no more.

    The same for queries: which models answered them, and why others did not.
    The reasons are sentences of a short list; see :class:`quintain.programs.failures.Reason`.
    """
    submitted = submissions(folder)
    made_by = {submission.made_by for submission in submitted}
    programs = {
        submission.number: submission
        for submission in submitted
        if submission.kind == "program"
        or submission.number in made_by
        or folder.at(paths.reason(submission.number)).is_file()
    }
    if not programs:
        return
    with site.database.writing(edition) as session:
        own = select(Upload).where(Upload.edition == edition, Upload.event.in_(programs))
        for upload in session.scalars(own):
            assert upload.event is not None  # that is how it was looked for
            program = programs[upload.event]
            known = upload.shown.get("program", {})
            outcome = _outcome(folder, program, submitted) | _second_run(folder, program, known)
            if upload.shown.get("program") != outcome:
                upload.shown = {**upload.shown, "program": outcome}


def _outcome(folder: Folder, program: Submitted, submitted: list[Submitted]) -> dict[str, Any]:
    made = [
        name
        for submission in submitted
        if submission.made_by == program.number
        for name in submission.files
    ]
    path = folder.at(paths.reason(program.number))
    reasons = path.read_text().splitlines() if path.is_file() else []
    return {"made": sorted(made), "reasons": reasons}


def _second_run(folder: Folder, program: Submitted, known: Mapping[str, Any]) -> dict[str, Any]:
    """What the second run of a program made, in words, and the signed receipt with both hashes."""
    event = folder.state().repeated.get(program.number)
    if event is None:
        return {}
    if event.reason:
        made = tell(
            "It ran again before the hand-over and made nothing: %(why)s.", why=event.reason
        )
    elif event.second == event.first:
        made = tell("It ran again before the hand-over and made the same files.")
    else:
        made = tell("It ran again before the hand-over and made something else.")
    receipt = known.get("receipt") or receipt_again(folder, event.number).to_bytes().decode()
    return {"second": plain_text(made), "receipt": receipt}
