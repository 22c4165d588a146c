"""View: the tasks of a track and their owners, and the small files that name them.

``entries.json`` names the organisers' entries where the public rules leave them out, and
``handover.json`` names the teams behind the releases that attackers have.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from quintain.commitment import canonical_json
from quintain.contests import Track
from quintain.runs.folder.task import Task

_ENTRIES = "quintain.entries/1"
_HANDOVER = "quintain.handover/1"


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

    def without(self, refused: Container[str]) -> TrackView:
        """The view without some entries: a part refused to make their tasks."""
        by_entry = {name: tasks for name, tasks in self.by_entry.items() if name not in refused}
        owners = {name: team for name, team in self.owners.items() if name not in refused}
        tasks = tuple(task for repeated in by_entry.values() for task in repeated)
        return TrackView(self.track, tasks, owners, by_entry)

    def tasks_for(self, attacker: str) -> list[Task]:
        """The tasks that an attacker may answer: all but those on its own releases."""
        return [task for task in self.tasks if self.owners.get(task.entry) != attacker]


def entries_bytes(names: Iterable[str]) -> bytes:
    """The names of entries as the content of a file."""
    return canonical_json({"format": _ENTRIES, "entries": list(names)})


def read_entries(content: bytes) -> list[str]:
    """The names of entries from their file."""
    return [str(name) for name in json.loads(content)["entries"]]


def handover_bytes(owners: Mapping[str, str]) -> bytes:
    """The teams behind entries as the content of a file."""
    return canonical_json({"format": _HANDOVER, "entries": dict(owners)})


def read_handover(content: bytes) -> dict[str, str]:
    """The teams behind entries from their file; files of the first version have no ``format``."""
    table = json.loads(content)
    if table.get("format", _HANDOVER) != _HANDOVER:
        raise ValueError(f"its format is {table['format']!r}; expected {_HANDOVER!r}")
    return {str(entry): str(team) for entry, team in table["entries"].items()}


def read_refused(place: Path, tasks: Iterable[Task]) -> dict[str, str]:
    """The entries with a task that has a reason in a folder of refusals; the first reason counts.

    Nearly always there is no such folder.
    """
    if not place.is_dir():
        return {}
    reasons = {path.stem: path.read_text().strip() for path in place.glob("*.txt")}
    refused: dict[str, str] = {}
    for task in tasks:
        if task.name in reasons:
            refused.setdefault(task.entry, reasons[task.name])
    return refused
