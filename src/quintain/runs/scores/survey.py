"""Survey: the cells of a track, each with a key, and which of them are already measured."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from quintain.contests import Track
from quintain.jobs.job import fingerprint
from quintain.journal.events import Submitted
from quintain.rankings.reading_table import ReadingTable
from quintain.runs.folder import cached, paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.view import TrackView
from quintain.runs.scores.readings import read_readings
from quintain.runs.scores.stored import Stored
from quintain.runs.submissions.counting.answers import Answered, Attempt, answered, attempts


class Cell(NamedTuple):
    """One attacker's attempts on one entry; the key covers everything the readings depend on."""

    entry: str
    attacker: str
    attempts: tuple[Attempt, ...]
    key: str


@dataclass(frozen=True, slots=True)
class Survey:
    """A track and what is measured of it.

    Parameters
    ----------
    keys : for each attacker a key that covers all its cells.
    changed : the cells of those attackers whose key is not the stored one.
    """

    view: TrackView
    keys: Mapping[str, str]
    changed: Mapping[str, Sequence[Cell]]
    stored: Stored

    @classmethod
    def of(cls, folder: Folder, track: Track, submitted: Sequence[Submitted]) -> Survey:
        """List the cells of a track from its submissions and the cache; opens no guess."""
        view = folder.read(track)
        finder = [] if track.finder is None else [track.finder]
        rules = fingerprint("cell", track.guess_measures, track.feedback.shown_on, *finder)
        truths = {
            entry: "".join(folder.digest(paths.truth(task)) for task in tasks)
            for entry, tasks in view.by_entry.items()
        }
        about = fingerprint("attacker", rules, track.files.guess, truths)
        attackers = dict(sorted(answered(folder, view, submitted).items()))
        keys = {attacker: fingerprint(about, one.digest()) for attacker, one in attackers.items()}
        stored = Stored.read(folder.at(cached.stored_readings(track.id)))
        changed = {
            attacker: _cells(view, attacker, attackers[attacker], rules, truths)
            for attacker, key in keys.items()
            if stored.keys.get(attacker) != key
        }
        return cls(view, keys, changed, stored)

    def missing(self) -> Iterator[Cell]:
        """The cells that are not measured yet."""
        for attacker, cells in self.changed.items():
            keys = self.stored.keys_of(attacker)
            yield from (cell for cell in cells if keys.get(cell.entry) != cell.key)

    def kept(self, folder: Folder) -> Survey:
        """Store the new readings with the others; call it once every cell is measured."""
        if self.keys == self.stored.keys:
            return self
        track = self.view.track.id
        readings = {
            (cell.entry, cell.attacker): read_readings(
                folder.at(cached.cell(track, cell.entry, cell.attacker))
            )
            for cell in self.missing()
        }
        changed = {
            attacker: {cell.entry: cell.key for cell in cells}
            for attacker, cells in self.changed.items()
        }
        finds = None
        if self.view.track.finder is not None:
            finds = {
                pair: folder.at(cached.cell_finds(track, *pair)).read_bytes() for pair in readings
            }
        stored = self.stored.updated(tuple(self.view.by_entry), self.keys, changed, readings, finds)
        stored.write(folder.at(cached.stored_readings(track)))
        return replace(self, changed={}, stored=stored)

    def readings(self) -> ReadingTable:
        """The readings of all cells, by entry and attacker."""
        return self.stored.table


def _cells(
    view: TrackView, attacker: str, one: Answered, rules: str, truths: Mapping[str, str]
) -> list[Cell]:
    files = one.files()
    return [
        Cell(entry, attacker, tuple(tried), _key(rules, truths[entry], tried))
        for entry, tasks in view.by_entry.items()
        if (tried := attempts(view.track, tasks, attacker, files))
    ]


def _key(rules: str, truths: str, tried: Sequence[Attempt]) -> str:
    guesses = "\n".join(" ".join(answer.digest for answer in attempt) for attempt in tried)
    return hashlib.sha256(f"{rules}\n{truths}\n{guesses}".encode()).hexdigest()
