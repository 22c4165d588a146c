"""View: the tasks of a track and their owners, read from its files once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from quintain.contests import Track
from quintain.runs.folder.task import Task


@dataclass(frozen=True, slots=True)
class TrackView:
    """The open questions of a track.

    Parameters
    ----------
    tasks : every open question: the organisers' entries, then releases that were handed over.
    owners : the team behind each entry that was handed over.
    by_entry : the tasks of each entry, in order of repetition.
    """

    track: Track
    tasks: tuple[Task, ...]
    owners: Mapping[str, str]
    by_entry: Mapping[str, tuple[Task, ...]]

    @classmethod
    def of(cls, track: Track, entries: list[str], owners: Mapping[str, str]) -> TrackView:
        """The view, from the names of the organisers' entries and the owners of the others."""
        by_entry = {
            entry: tuple(Task(track.id, entry, i, track.repeats) for i in range(track.repeats))
            for entry in entries
        }
        by_entry |= {entry: (Task(track.id, entry),) for entry in owners}
        tasks = tuple(task for repeated in by_entry.values() for task in repeated)
        return cls(track, tasks, owners, by_entry)

    def tasks_for(self, attacker: str) -> list[Task]:
        """The tasks that an attacker may answer: all but those on its own releases."""
        return [task for task in self.tasks if self.owners.get(task.entry) != attacker]
