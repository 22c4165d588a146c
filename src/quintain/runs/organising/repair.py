"""Repair: make committed files again that a power failure lost or that somebody damaged.

Only what nobody can compute again is synced to the disk before its event: keys, rules, commitments
and submissions. Everything else follows from them, so it is made again, to the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator

from quintain.commitment import Commitment, nonce, sha256
from quintain.errors import FolderError
from quintain.jobs.job import Job
from quintain.journal.events import Event, Rules, read_event
from quintain.journal.state import State
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, parse_file
from quintain.runs.folder.record import stage_of
from quintain.runs.organising.stages import jobs_of


def repair(folder: Folder) -> list[str]:
    """Make the damaged files of all events again; returns their names.

    Raises if a file would not become what the organisers committed to, and leaves it as it is.
    """
    state, key, repaired = State(), folder.committed_secrets().nonce_key(), []
    for event in map(read_event, folder.journal().public_lines()):
        before, state = state, state.after(event)
        stage = stage_of(event)
        if stage is not None and not isinstance(event, Rules):
            repaired += _repair(folder, event, before, _Promise(folder, stage[0], key))
    return repaired


class _Promise:
    """What the organisers committed to at one event."""

    def __init__(self, folder: Folder, stage: str, key: bytes) -> None:
        path = folder.at(paths.commitment(stage))
        self._commitment = parse_file(path, Commitment.model_validate_json)
        self._folder, self._key, self._path = folder, key, path

    def damaged(self) -> list[str]:
        """The files that are missing or not what they were."""
        return [name for name in self._commitment.leaves if not self._is_whole(name)]

    def _is_whole(self, name: str) -> bool:
        is_there = self._folder.at(name).is_file()
        return is_there and self._is_promised(name, self._folder.digest(name))

    def _is_promised(self, name: str, digest: str) -> bool:
        return self._commitment.check_digest(name, digest, nonce(self._key, name))

    def require(self, name: str, content: bytes) -> None:
        """Refuse a file that the organisers did not commit to."""
        if not self._is_promised(name, sha256(content)):
            raise FolderError(
                f"{self._folder.at(name)}: is damaged and cannot be made again: rules and keys "
                f"give another file than the one in {self._path}"
            )


def _repair(folder: Folder, event: Event, before: State, promise: _Promise) -> list[str]:
    damaged = promise.damaged()
    if not damaged:
        return []
    for job in _unfinished_jobs(folder, event, before):
        contents = job.run(folder.root)
        for name, content in contents.items():
            promise.require(name, content)
        folder.finish(job, contents)
    left = promise.damaged()
    if left:
        raise FolderError(f"{folder.at(left[0])}: is damaged, and nothing makes it again")
    return damaged


def _unfinished_jobs(folder: Folder, event: Event, before: State) -> Iterator[Job]:
    return (job for job in jobs_of(folder, event, before) if not folder.is_done(job))
