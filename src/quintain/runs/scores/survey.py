"""Survey: the cells of a track, each with a key, and which of them are already measured."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from quintain.contests import Track
from quintain.jobs.files import file_digest
from quintain.jobs.job import fingerprint
from quintain.measures import Readings
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.view import TrackView
from quintain.runs.scores.readings import read_readings
from quintain.runs.scores.stored import Stored
from quintain.runs.submissions.answers import Attempt, all_answers, attempts
from quintain.runs.submissions.receipt import Receipt


class Cell(NamedTuple):
    """One attacker's attempts on one entry; the key covers everything the readings depend on."""

    entry: str
    attacker: str
    attempts: tuple[Attempt, ...]
    key: str


@dataclass(frozen=True, slots=True)
class Survey:
    """The cells of a track and their stored readings, by attacker."""

    view: TrackView
    cells: Mapping[str, Sequence[Cell]]
    stored: Mapping[str, Stored]

    @classmethod
    def of(cls, folder: Folder, track: Track, receipts: Sequence[Receipt]) -> Survey:
        """List the cells of a track from its submissions and the cache; opens no guess."""
        view = folder.read(track)
        rules = fingerprint("cell", track.guess_measures)
        truths = {
            entry: "".join(file_digest(folder.at(paths.truth(task))) for task in tasks)
            for entry, tasks in view.by_entry.items()
        }
        cells = {}
        for attacker, files in sorted(all_answers(folder, view, receipts).items()):
            cells[attacker] = [
                Cell(entry, attacker, tuple(tried), _key(rules, truths[entry], tried))
                for entry, tasks in view.by_entry.items()
                if (tried := attempts(track, tasks, attacker, files))
            ]
        stored = {
            attacker: Stored.read(folder.at(paths.stored_readings(track.id, attacker)))
            for attacker in cells
        }
        return cls(view, cells, stored)

    def missing(self) -> Iterator[Cell]:
        """The cells that are not measured yet."""
        for attacker, cells in self.cells.items():
            keys = self.stored[attacker].keys
            yield from (cell for cell in cells if keys.get(cell.entry) != cell.key)

    def kept(self, folder: Folder) -> Survey:
        """Store the new readings with the others; call it once every cell is measured."""
        track, stored = self.view.track.id, dict(self.stored)
        changed = {cell.attacker for cell in self.missing()}
        for attacker in changed:
            old = self.stored[attacker]
            readings: dict[str, Readings] = dict(old.readings())
            for cell in self.cells[attacker]:
                if old.keys.get(cell.entry) != cell.key:
                    path = paths.cell(track, cell.entry, attacker)
                    readings[cell.entry] = read_readings(folder.at(path))
            keys = {cell.entry: cell.key for cell in self.cells[attacker]}
            path = paths.stored_readings(track, attacker)
            stored[attacker] = Stored.write(folder.at(path), keys, readings)
        return replace(self, stored=stored)

    def readings(self) -> dict[tuple[str, str], Readings]:
        """The readings of all cells, by entry and attacker."""
        by_attacker = {attacker: stored.readings() for attacker, stored in self.stored.items()}
        pairs = [(cell.entry, cell.attacker) for cells in self.cells.values() for cell in cells]
        return {(entry, attacker): by_attacker[attacker][entry] for entry, attacker in pairs}

    def all_keys(self) -> Iterator[str]:
        """The keys of all cells, with the attacker and the entry of each."""
        for attacker, cells in self.cells.items():
            yield attacker
            for cell in cells:
                yield cell.entry
                yield cell.key


def _key(rules: str, truths: str, tried: Sequence[Attempt]) -> str:
    guesses = "\n".join(" ".join(answer.digest for answer in attempt) for attempt in tried)
    return hashlib.sha256(f"{rules}\n{truths}\n{guesses}".encode()).hexdigest()
