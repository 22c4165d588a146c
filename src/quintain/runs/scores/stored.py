"""Stored readings: all cells of a track in one file of the cache, with the keys they belong to.

With one file per cell, opening 40,000 files would take longer than ranking them. A reading is used
only while its key is the one that the survey computes from the submissions and the truth.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from quintain.commitment import canonical_json, sha256
from quintain.contests import Track
from quintain.data.arrays import Array, Mask
from quintain.jobs.files import write_file
from quintain.jobs.job import fingerprint
from quintain.journal.events import Submitted
from quintain.measures import Reading, Readings
from quintain.rankings.reading_table import ReadingTable, Words, empty_table, shared_places
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, TrackView
from quintain.runs.submissions.counting import Answered, Attempt, answers_by_attacker, attempts

# Readings as files of the cache: JSON, with null for what was not measured.


def readings_bytes(readings: Mapping[str, Reading]) -> bytes:
    """Readings as the content of a file."""
    return canonical_json({name: reading.model_dump() for name, reading in readings.items()})


def read_readings(path: Path) -> dict[str, Reading]:
    """The readings that :func:`readings_bytes` wrote, by name."""
    nan = float("nan")
    return {
        name: Reading(**{key: nan if value is None else value for key, value in values.items()})
        for name, values in json.loads(path.read_bytes()).items()
    }


FORMAT = "quintain.stored-readings/3"

_KEY_BYTES = 32
_NO_KEY = "00" * _KEY_BYTES

Keys = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Stored:
    """The measured cells of a track.

    Parameters
    ----------
    keys : for each attacker the key of all its cells together.
    cell_keys : by attacker, entry and byte, the key of each cell; zeros where there is none.
    finds : by entry, attacker and goal, the records that were found, if a board needs to know; the
        only goal of a track is left out.
    """

    keys: Mapping[str, str]
    cell_keys: Keys
    table: ReadingTable
    finds: Mapping[tuple[str, ...], bytes] = field(default_factory=dict)

    def keys_of(self, attacker: str) -> dict[str, str]:
        """The keys of an attacker's cells, by entry."""
        if attacker not in self.keys:
            return {}
        rows = self.cell_keys[self.table.attackers.index(attacker)]
        return {
            entry: key.tobytes().hex()
            for entry, key in zip(self.table.entries, rows, strict=True)
            if key.any()
        }

    def update(
        self,
        entries: Sequence[str],
        keys: Mapping[str, str],
        changed: Mapping[str, Mapping[str, str]],
        readings: Mapping[tuple[str, str], Readings],
        finds: Mapping[tuple[str, ...], bytes] | None = None,
    ) -> Stored:
        """What is measured now.

        Parameters
        ----------
        keys : for each attacker the key of all its cells together.
        changed : for attackers question_of cells changed, the key of each cell, by entry.
        readings : the readings of the new cells.
        finds : the records found in the new cells; None if no board needs to know.
        """
        attackers = sorted(keys)
        table = self.table.change(entries, attackers, readings)
        cell_keys = _no_keys(len(attackers), len(entries))
        to_a, from_a = shared_places(attackers, self.table.attackers)
        to_e, from_e = shared_places(entries, self.table.entries)
        cell_keys[np.ix_(to_a, to_e)] = self.cell_keys[np.ix_(from_a, from_e)]
        for attacker, by_entry in changed.items():
            row = cell_keys[attackers.index(attacker)]
            for i, entry in enumerate(entries):
                row[i] = np.frombuffer(bytes.fromhex(by_entry.get(entry, _NO_KEY)), np.uint8)
        present: Mask = np.any(cell_keys != 0, axis=2)
        kept = table.where(present)
        fresh = {(entry, attacker) for entry, attacker in readings}
        old = {key: content for key, content in self.finds.items() if key[:2] not in fresh}
        known = {} if finds is None else {**old, **finds}
        still = {key: content for key, content in known.items() if key[:2] in kept}
        return Stored(dict(keys), cell_keys, kept, still)

    def write(self, path: Path) -> None:
        """Replace the file: a line with a digest, one with names and words, then the arrays."""
        head = {
            "format": FORMAT,
            "keys": {attacker: self.keys[attacker] for attacker in self.table.attackers},
            "entries": self.table.entries,
            "names": self.table.names,
            "words": self.table.words,
            "finds": [[*pair, len(content)] for pair, content in self.finds.items()],
        }
        parts = [json.dumps(head).encode() + b"\n"]
        parts += [np.ascontiguousarray(array).tobytes() for array in self._arrays()]
        parts += self.finds.values()
        digest = hashlib.sha256()
        for part in parts:
            digest.update(part)
        write_file(path, b"".join([digest.hexdigest().encode(), b"\n", *parts]))

    def _arrays(self) -> list[Array]:
        table = self.table
        return [table.figures, table.n, table.code, self.cell_keys, table.present]

    @classmethod
    def read(cls, path: Path) -> Stored:
        """The content of a file; no cells if the file is missing or damaged."""
        try:
            content = path.read_bytes()
            first = content.index(b"\n") + 1
            second = content.index(b"\n", first) + 1
            if content[: first - 1].decode() == sha256(memoryview(content)[first:]):
                return cls._from(json.loads(content[first:second]), content, second)
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return NOTHING

    @classmethod
    def _from(cls, head: Mapping[str, Any], content: bytes, start: int) -> Stored:
        if head["format"] != FORMAT:
            return NOTHING
        entries, attackers, names = tuple(head["entries"]), tuple(head["keys"]), head["names"]
        cells = len(attackers), len(entries)
        arrays: list[Array] = []
        for kind, shape in (
            ("<f8", (4, *cells, len(names))),
            ("<i8", (*cells, len(names))),
            ("<i4", (*cells, len(names))),
            ("u1", (*cells, _KEY_BYTES)),
            ("?", cells),
        ):
            array = np.frombuffer(content, kind, prod(shape), start).reshape(shape)
            arrays.append(array)
            start += array.nbytes
        figures, n, code, cell_keys, present = arrays
        words = tuple(Words(*row) for row in head["words"])
        table = ReadingTable(entries, attackers, tuple(names), words, present, code, figures, n)
        finds = {}
        for *key, length in head.get("finds", ()):
            finds[tuple(key)] = content[start : start + length]
            start += length
        return cls(head["keys"], cell_keys, table, finds)


def _no_keys(attackers: int, entries: int) -> Keys:
    return np.zeros((attackers, entries, _KEY_BYTES), np.uint8)


NOTHING = Stored({}, _no_keys(0, 0), empty_table((), ()))
"""Nothing is measured yet."""


# Survey: the cells of a track, each with a key, and which of them are already measured.
class Cell(NamedTuple):
    """One attacker's attempts on one entry; the key covers everything the readings depend on.

    ``attempts`` has the goals that the attacker answered, each with its attempts.
    """

    entry: str
    attacker: str
    attempts: tuple[tuple[str, tuple[Attempt, ...]], ...]
    key: str


@dataclass(frozen=True, slots=True)
class Survey:
    """A track and what is measured of it.

    Parameters
    ----------
    keys : for each attacker a key that covers all its cells.
    changed : the cells of those attackers question_of key is not the stored one.
    """

    view: TrackView
    keys: Mapping[str, str]
    changed: Mapping[str, Sequence[Cell]]
    stored: Stored

    @classmethod
    def of(cls, folder: Folder, track: Track, submitted: Sequence[Submitted]) -> Survey:
        """List the cells of a track from its submissions and the cache; opens no guess."""
        view = folder.read(track)
        finders = track.finders.items()
        rules = fingerprint("cell", track.guess_measures, track.feedback.shown_on, *finders)
        attackers = dict(sorted(answers_by_attacker(folder, view, submitted).items()))
        # All attackers answer the same questions, or each has its own.
        question_of = {attacker: attacker if track.asks_each else "" for attacker in attackers}
        truths = {
            who: _truths(folder, view.seen_by(who)) for who in dict.fromkeys(question_of.values())
        }
        about = {
            who: fingerprint("attacker", rules, track.files.guess, known)
            for who, known in truths.items()
        }
        keys = {
            attacker: fingerprint(about[question_of[attacker]], answers.digest())
            for attacker, answers in attackers.items()
        }
        stored = Stored.read(folder.at(paths.stored_readings(track.id)))
        changed = {
            attacker: _cells(
                view.seen_by(attacker),
                attacker,
                attackers[attacker],
                rules,
                truths[question_of[attacker]],
            )
            for attacker, key in keys.items()
            if stored.keys.get(attacker) != key
        }
        return cls(view, keys, changed, stored)

    def missing(self) -> Iterator[Cell]:
        """The cells that are not measured yet."""
        for attacker, cells in self.changed.items():
            keys = self.stored.keys_of(attacker)
            yield from (cell for cell in cells if keys.get(cell.entry) != cell.key)

    def store(self, folder: Folder) -> Survey:
        """Store the new readings with the others; call it once every cell is measured."""
        if self.keys == self.stored.keys:
            return self
        track = self.view.track.id
        readings = {
            (cell.entry, cell.attacker): read_readings(
                folder.at(paths.cached_cell(track, cell.entry, cell.attacker))
            )
            for cell in self.missing()
        }
        changed = {
            attacker: {cell.entry: cell.key for cell in cells}
            for attacker, cells in self.changed.items()
        }
        finds = self._new_finds(folder) if self.view.track.finders else None
        stored = self.stored.update(tuple(self.view.by_entry), self.keys, changed, readings, finds)
        stored.write(folder.at(paths.stored_readings(track)))
        return replace(self, changed={}, stored=stored)

    def _new_finds(self, folder: Folder) -> dict[tuple[str, ...], bytes]:
        """The records found in the cells that are not stored yet, by entry, attacker and goal."""
        track = self.view.track
        finds: dict[tuple[str, ...], bytes] = {}
        for cell in self.missing():
            for goal in (goal for goal, _ in cell.attempts if goal in track.finders):
                key = cell.entry, cell.attacker, *filter(None, [goal])
                finds[key] = folder.at(paths.cached_finds(track.id, *key)).read_bytes()
        return finds

    def readings(self) -> ReadingTable:
        """The readings of all cells, by entry and attacker."""
        return self.stored.table


def _truths(folder: Folder, view: TrackView) -> dict[str, str]:
    """The digests of the truths of each entry."""
    goals = [aim.id for aim in view.track.aims]
    return {
        entry: "".join(folder.digest(paths.truth(t.about(g))) for t in releases for g in goals)
        for entry, releases in view.by_entry.items()
    }


def _cells(
    view: TrackView, attacker: str, answered: Answered, rules: str, truths: Mapping[str, str]
) -> list[Cell]:
    files, goals = answered.files(), [aim.id for aim in view.track.aims]
    cells = []
    for entry, releases in view.by_entry.items():
        tries = [
            (goal, tuple(tried))
            for goal in goals
            if (tried := attempts(view.track, [t.about(goal) for t in releases], attacker, files))
        ]
        if tries:
            cells.append(Cell(entry, attacker, tuple(tries), _key(rules, truths[entry], tries)))
    return cells


def _key(rules: str, truths: str, tries: Sequence[tuple[str, Sequence[Attempt]]]) -> str:
    guesses = "\n".join(
        " ".join([goal, *(answer.digest for answer in attempt)])
        for goal, tried in tries
        for attempt in tried
    )
    return hashlib.sha256(f"{rules}\n{truths}\n{guesses}".encode()).hexdigest()
