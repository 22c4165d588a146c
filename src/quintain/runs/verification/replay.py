"""Replay: make the committed files of every event again, from the revealed keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from quintain.jobs.job import Job
from quintain.journal.events import Event, HandedOver, Joined, Prepared, Rules
from quintain.journal.state import State
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.rules import committed_rules, rules_files
from quintain.runs.organising.stages import base_jobs, hand_over_jobs, sample_jobs, task_jobs


def committed_contents(
    folder: Folder, event: Event, before: State
) -> Iterator[Mapping[str, bytes]]:
    """The contents that the files of an event must have, a few files at a time.

    Parameters
    ----------
    before : the state of the contest before the event.
    """
    if isinstance(event, Rules):
        rules = folder.rules(event.version)
        files = {**rules_files(rules, event.version), paths.SEEDS: _seeds(folder)}
        yield {name: files[name] for name in committed_rules(rules, event.version)}
    for job in _jobs(folder, event, before):
        yield job.run(folder.root)


def _seeds(folder: Folder) -> bytes:
    return folder.committed_secrets().to_bytes()


def _jobs(folder: Folder, event: Event, before: State) -> Iterator[Job]:
    edition, state = folder.edition(), before.after(event)
    match event:
        case Prepared():
            track = edition.track_by_id(event.track)
            yield from base_jobs(folder, track)
            yield from task_jobs(folder, track)
            for team in before.roster.ids:
                yield from sample_jobs(folder, track, state, team)
        case Joined():
            for track in edition.track:
                if track.id in before.prepared:
                    yield from sample_jobs(folder, track, state, event.team)
        case HandedOver():
            yield from hand_over_jobs(folder, edition.track_by_id(event.track), event.size)
