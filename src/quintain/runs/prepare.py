"""Prepare: freeze the rules, draw the samples, run the organisers' sanitizers, commit.

``prepare`` does what can be done before a phase opens. When teams hand in releases of their own,
it is run again after that phase: then it hands the accepted releases over to the attackers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from quintain.commitment import Commitment, canonical_json, unsalted_sums
from quintain.contests import Track
from quintain.errors import FolderError, Refused
from quintain.jobs.executor import SERIAL, Executor
from quintain.jobs.job import Job, Work, fingerprint, write_file
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.rules import freeze, frozen_files
from quintain.runs.folder.secrets import Secrets
from quintain.runs.folder.task import Task
from quintain.runs.submissions.counting import counting_releases
from quintain.runs.submissions.ledger import receipts
from quintain.runs.tasks.experiments import make_base, make_handed_over, make_task, make_team_sample
from quintain.runs.tasks.programs import run_programs


def prepare(folder: Folder, *, seed: int | None = None, executor: Executor = SERIAL) -> None:
    """Make a folder ready for its first phase; safe to run again after a kill."""
    _freeze(folder, seed)
    edition = folder.edition()
    jobs = [_base_job(folder, track) for track in edition.track]
    folder.run(jobs, executor=executor, label="data")
    jobs = [
        _task_job(folder, track, Task(track.id, entry, repeat, track.repeats))
        for track in edition.track
        for entry in track.entries
        for repeat in range(track.repeats)
    ]
    jobs += [
        _team_job(folder, track, team.id)
        for track in edition.track
        if track.teams_release
        for team in (*edition.team, *(b for b in track.baseline if b.sanitizer))
    ]
    folder.run(jobs, executor=executor, label="samples and releases")
    commit(folder, "prepare")


def hand_over(folder: Folder, *, executor: Executor = SERIAL) -> None:
    """Give the teams' releases to the attackers: the last ones each team handed in.

    Refused while there is none, and once it was done: the commitment that goes with it can be
    published only once.
    """
    tracks = [track for track in folder.edition().track if track.teams_release]
    if not tracks:
        raise Refused("there is nothing to hand over: in this contest teams make no releases")
    if folder.at(paths.commitment("handover")).is_file():
        _require_nothing_late(folder, tracks)
        return
    run_programs(folder, "release", executor=executor)
    releases = {track.id: counting_releases(folder, track) for track in tracks}
    if not any(releases.values()):
        raise FolderError(f"there is nothing to hand over: {_why_nothing(folder)}")
    last = len(receipts(folder))
    for track in tracks:
        jobs = []
        for entry in releases[track.id]:
            key = fingerprint("handover", track.id, entry, *entry.paths(folder), folder.secrets())
            args = (track.id, entry)
            jobs.append(Job(f"handover/{track.id}/{entry.id}", make_handed_over, args, key))
        folder.run(jobs, executor=executor, label="hand-over")
        told = {
            "format": "quintain.handover/1",
            "entries": {entry.id: entry.team for entry in releases[track.id]},
            "submissions": last,
        }
        write_file(folder.at(paths.handover(track.id)), canonical_json(told))
        base = folder.base_path(track.id)
        if "base" in track.knowledge.gives:
            write_file(folder.at(paths.base(track.id)), base.read_bytes())
    commit(folder, "handover")


def _require_nothing_late(folder: Folder, tracks: list[Track]) -> None:
    """Refuse if a team handed in for the release phase after the releases were handed over."""
    done = receipts(folder)
    for track in tracks:
        told = json.loads(folder.at(paths.handover(track.id)).read_bytes())
        phases = [phase.id for phase in track.phase if phase.submit == "release"]
        for receipt in done[told.get("submissions", len(done)) :]:
            if receipt.track == track.id and receipt.phase in phases:
                raise FolderError(
                    f"the releases were handed over already, and are committed to; submission "
                    f"{receipt.number} of team {receipt.team} came too late"
                )


def _why_nothing(folder: Folder) -> str:
    programs = sum(receipt.kind == "program" for receipt in receipts(folder))
    if not programs:
        return "no team has handed in a release"
    where = f"each {paths.REASON} in {paths.SUBMISSIONS}/"
    return f"no program made a valid release; {where} says why"


def commit(folder: Folder, stage: str) -> None:
    """Publish a commitment to every file no earlier one covers."""
    at = folder.at(paths.COMMITMENTS)
    done: set[str] = set()
    for path in sorted(at.glob("*.json")):
        if path.stem == stage:
            return
        done |= set(Commitment.model_validate_json(path.read_bytes()).leaves)
    files = {path: folder.at(path).read_bytes() for path in paths.committed(folder.root)}
    fresh = {path: content for path, content in files.items() if path not in done}
    if folder.edition().commitment.algorithm == "sha512-unsalted":
        sums = unsalted_sums(fresh)
        fresh[paths.checksums(stage)] = sums
        write_file(folder.at(paths.checksums(stage)), sums)
    commitment = Commitment.over(fresh, folder.secrets().nonce_key())
    write_file(folder.at(paths.commitment(stage)), commitment.to_bytes())


def _freeze(folder: Folder, seed: int | None) -> None:
    """Fix rules and seeds; the seeds last, because the rules of a folder that has them stay."""
    path = folder.at(paths.SEEDS)
    held = folder.secrets() if path.is_file() else None
    wanted = Secrets.fresh() if seed is None else Secrets.from_seed(seed)
    if held is not None and seed is not None and held != wanted:
        raise FolderError(f"{folder.root} was prepared with other seeds; take a new folder")
    if held is None or not folder.prepared:
        freeze(folder.root, folder.edition())
    if held is None:
        write_file(path, wanted.to_bytes())


def _base_job(folder: Folder, track: Track) -> Job:
    made = track.population.model_dump() if track.population else None
    key = fingerprint("base", track.dataset.spec(), made, folder.secrets())
    return Job(f"base/{track.id}", make_base, (track.id,), key)


def _team_job(folder: Folder, track: Track, team: str) -> Job:
    key = fingerprint(
        "team",
        team,
        track.sample.spec(),
        track.shared_sample,
        folder.secrets(),
        folder.base_path(track.id),
    )
    return Job(f"team/{track.id}/{team}", make_team_sample, (track.id, team), key)


def _task_job(folder: Folder, track: Track, task: Task) -> Job:
    key = fingerprint(
        "task",
        task,
        track.sample.spec(),
        track.entries[task.entry].spec(),
        track.goal.spec(),
        track.shared_sample,
        folder.secrets(),
        folder.base_path(track.id),
    )
    return Job(f"task/{track.id}/{task.name}", make_task, (track.id, task), key)


def replay(folder: Folder, name: str) -> bytes | None:
    """The content a committed file must have, made again from the revealed keys.

    None if it cannot be made again, like what a team handed in.
    """
    rules = frozen_files(folder)
    if name in rules:
        return rules[name]
    if name == paths.SEEDS:
        return folder.secrets().to_bytes()
    for track in folder.edition().track:
        if Path(name).parent.as_posix() in paths.places(track.id):
            return _made_again(folder.root, make_base, (track.id,)).get(name)
        for task in folder.tasks(track):
            if task.entry in track.entries and Path(name).parent.as_posix() in paths.task_places(
                task
            ):
                return _made_again(folder.root, make_task, (track.id, task)).get(name)
    return None


@lru_cache(maxsize=2)
def _made_again(root: Path, work: Work, args: tuple[Any, ...]) -> Mapping[str, bytes]:
    return work(root, *args)
