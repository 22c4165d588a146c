"""Hand over: give the teams' releases to the attackers, once, under a commitment."""

from __future__ import annotations

import json
from dataclasses import astuple

from quintain.commitment import canonical_json
from quintain.contests import Track
from quintain.errors import FolderError, Refused
from quintain.jobs.executor import SERIAL, Executor
from quintain.jobs.job import Job, fingerprint
from quintain.runs.folder import paths
from quintain.runs.folder.commitments import commit
from quintain.runs.folder.folder import HANDOVER_FORMAT, Folder
from quintain.runs.folder.privacy import write
from quintain.runs.submissions.counting import counting_releases
from quintain.runs.submissions.ledger import receipts
from quintain.runs.tasks.experiments import make_handed_over
from quintain.runs.tasks.programs import run_programs


def hand_over(folder: Folder, *, executor: Executor = SERIAL) -> None:
    """Give the teams' releases to the attackers: the last ones that each team handed in.

    Raises as long as no team has handed in a valid release. A second call changes nothing,
    because the commitment to the releases can be published only once; it raises if a team has
    handed in another release since.
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
            args = (track.id, *astuple(entry))
            jobs.append(Job.of(f"handover/{track.id}/{entry.id}", make_handed_over, args, key))
        folder.run(jobs, executor=executor, label="hand-over")
        handed = {
            "format": HANDOVER_FORMAT,
            "entries": {entry.id: entry.team for entry in releases[track.id]},
            "submissions": last,
        }
        write(folder.root, paths.handover(track.id), canonical_json(handed), durable=True)
        base = folder.base_path(track.id)
        if "base" in track.knowledge.gives:
            write(folder.root, paths.base(track.id), base.read_bytes())
    commit(folder, "handover")


def _require_nothing_late(folder: Folder, tracks: list[Track]) -> None:
    """Refuse if a team handed in for the release phase after the releases were handed over."""
    done = receipts(folder)
    for track in tracks:
        handed = json.loads(folder.at(paths.handover(track.id)).read_bytes())
        phases = [phase.id for phase in track.phase if phase.submit == "release"]
        for receipt in done[handed.get("submissions", len(done)) :]:
            if receipt.track == track.id and receipt.phase in phases:
                raise FolderError(
                    f"the releases were already handed over, under a commitment; submission "
                    f"{receipt.number} of team {receipt.team} came too late"
                )


def _why_nothing(folder: Folder) -> str:
    programs = sum(receipt.kind == "program" for receipt in receipts(folder))
    if not programs:
        return "no team has handed in a release"
    where = f"each {paths.REASON} in {paths.SUBMISSIONS}/"
    return f"no program made a valid release; {where} says why"
