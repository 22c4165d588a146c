"""Replay: make committed files again from the revealed keys."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from quintain.jobs.job import Job, Plain, Work
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.rules import frozen_files
from quintain.runs.tasks.experiments import make_base, make_task


class Replay:
    """The contents that the committed files of a folder must have.

    The files of one sample or release are made together, and those made last are kept. A new
    verification needs a new object, because the folder may have changed in between.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._views = [folder.read(track) for track in folder.edition().track]
        self._last: tuple[Job, Mapping[str, bytes]] | None = None

    def content(self, name: str) -> bytes | None:
        """What a file must contain; None for a file that only its team can make."""
        rules = frozen_files(self._folder)
        if name in rules:
            return rules[name]
        if name == paths.SEEDS:
            return self._folder.secrets().to_bytes()
        place = Path(name).parent.as_posix()
        for view in self._views:
            if place in paths.places(view.track.id):
                return self._made(make_base, view.track.id).get(name)
            for task in view.tasks:
                if task.entry in view.track.entries and place in paths.task_places(task):
                    return self._made(make_task, *task.args).get(name)
        return None

    def _made(self, work: Work, *args: Plain) -> Mapping[str, bytes]:
        job = Job.of("replay", work, args, "")
        if self._last is None or self._last[0] != job:
            self._last = job, job.run(self._folder.root)
        return self._last[1]
