"""An edition folder: everything about one contest, in plain files.

::

    edition.toml            what the organisers wrote
    public/                 what everybody may see
        edition.json            the rules, every default spelled out, as far as all may know them
        commitments/            one file for each time the organisers bound themselves
        TRACK/schema.json       the columns of the data
        TRACK/base.parquet      the population, if attackers are given it
        TRACK/test.parquet      further records, if the source has them
        TRACK/entries.json      the names of the entries, if what made them is not public
        TRACK/tasks/TASK/       release.csv, card.json, question.csv (or .parquet)
        board.json              what teams may see of the scores
    secret/                 what only the organisers see until the end
        seeds.json              the keys of all randomness
        edition.json            the rules in full, if not all of them are public
        TRACK/tasks/TASK/       private.parquet, release.parquet, truth.csv
    teams/TEAM/             what only that team is given
    submissions/            what was handed in, and the ledger of it
    results/                cells.parquet, standings.json, report.html
    .cache/                 work in progress; may be deleted at any time

A *task* is one question: an entry, and the number of its repetition if there are several.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from quintain.contests import Edition, Track, load
from quintain.data import Data, Schema, as_table
from quintain.data.files import read, to_bytes
from quintain.errors import FolderError
from quintain.guesses import Question, Truth
from quintain.releases import Release, ReleaseCard
from quintain.runs.folder.secrets import Secrets

T = TypeVar("T")

RULES = "public/edition.json"
FULL_RULES = "secret/edition.json"
ENTRIES = "public/{track}/entries.json"
SEEDS = "secret/seeds.json"


@dataclass(frozen=True, slots=True)
class Task:
    """One question of a track: an entry and the number of its repetition."""

    track: str
    entry: str
    repeat: int = 0
    repeats: int = 1

    @property
    def name(self) -> str:
        """How its files are called."""
        return self.entry if self.repeats == 1 else f"{self.entry}.{self.repeat:03d}"

    @property
    def public(self) -> str:
        """Where its public files are, below the root."""
        return f"public/{self.track}/tasks/{self.name}"

    @property
    def secret(self) -> str:
        """Where its secret files are, below the root."""
        return f"secret/{self.track}/tasks/{self.name}"


class Folder:
    """Access to the files of an edition folder."""

    def __init__(self, root: Path | str) -> None:
        self.root = Path(root)
        if not self.root.is_dir():
            raise FolderError(f"there is no folder {self.root}")
        if not (self.root / "edition.toml").is_file() and not (self.root / RULES).is_file():
            raise FolderError(f"{self.root} is no edition folder: it has no edition.toml")

    @property
    def prepared(self) -> bool:
        """Whether the rules are frozen and the samples drawn."""
        return (self.root / RULES).is_file()

    def edition(self) -> Edition:
        """The rules: the frozen ones once the folder is prepared, the written ones before."""
        if self.prepared:
            full = self.root / FULL_RULES
            return parsed(full if full.is_file() else self.root / RULES, read_rules)
        return load(self.root / "edition.toml")

    def require_prepared(self) -> None:
        """Refuse, with advice, if there is nothing to work on yet."""
        if not self.prepared:
            raise FolderError(f"{self.root} is not prepared yet: run quintain prepare {self.root}")

    def secrets(self) -> Secrets:
        """The keys of all randomness."""
        return parsed(self.root / SEEDS, Secrets.from_bytes)

    def schema(self, track: str) -> Schema:
        """The columns of a track's data."""
        return parsed(self.root / f"public/{track}/schema.json", Schema.model_validate_json)

    def base_path(self, track: str) -> Path:
        """Where the population is: public once attackers may see it, secret until then."""
        public = self.root / f"public/{track}/base.parquet"
        return public if public.is_file() else self.root / f"secret/{track}/base.parquet"

    def base(self, track: str) -> Data:
        """The population."""
        path = self.base_path(track)
        return _read_once(path, self.schema(track).model_dump_json(), path.stat().st_mtime_ns)

    def test_data(self, track: str) -> Data | None:
        """Further records of the population, if the source has them."""
        for place in ("public", "secret"):
            path = self.root / f"{place}/{track}/test.parquet"
            if path.is_file():
                return read(path, self.schema(track))
        return None

    def private_schema(self, track: Track) -> Schema:
        """The columns sanitizers see: a plain table is sanitized without its ids."""
        schema = self.schema(track.id)
        if schema.shape != "table":
            return schema
        return schema.select([column.name for column in schema.attributes])

    def tasks(self, track: Track) -> list[Task]:
        """Every question that is open: the organisers' entries, and releases handed over."""
        own = [
            Task(track.id, entry, repeat, track.repeats)
            for entry in self._entries(track)
            for repeat in range(track.repeats)
        ]
        return own + [Task(track.id, entry) for entry in self.owners(track)]

    def _entries(self, track: Track) -> list[str]:
        """The names of the organisers' entries; in a kit the rules may not have them."""
        path = self.root / ENTRIES.format(track=track.id)
        told = list(track.entries)
        return told if told or not path.is_file() else parsed(path, _names)

    def owners(self, track: Track) -> dict[str, str]:
        """The team behind each entry that was handed over to attackers."""
        path = self.root / f"public/{track.id}/handover.json"
        if not path.is_file():
            return {}
        entries: dict[str, str] = json.loads(path.read_bytes())["entries"]
        return entries

    def private(self, track: Track, task: Task) -> Data:
        """The private sample of a task; in a team's kit, the one the team was given."""
        path, schema = self.root / task.secret / "private.parquet", self.private_schema(track)
        given = self.root / f"teams/{task.entry}/{track.id}/private.csv"
        if given.is_file() and not path.is_file():
            return read(given, schema, header=track.files.header)
        return read(path, schema)

    def made(self, track: Track, task: Task) -> Data:
        """The release of a task as it was made, row by row beside its original."""
        return read(self.root / task.secret / "release.parquet", self.private_schema(track))

    def given(self, track: Track, task: Task) -> list[Path]:
        """What attackers are given about a task: release, card and question."""
        data = track.files.data
        names = (f"release.{data}", "card.json", f"question.{data}")
        return [self.root / task.public / name for name in names]

    def release(self, track: Track, task: Task) -> Release:
        """The published release of a task."""
        path = self.given(track, task)[0]
        data = read(path, self.private_schema(track), header=track.files.header)
        card = ReleaseCard.model_validate_json((self.root / task.public / "card.json").read_bytes())
        return card.release(data)

    def question(self, track: Track, task: Task) -> Question:
        """The question of a task."""
        schema = self.schema(track.id)
        table = read(self.given(track, task)[2], track.goal.question_schema(schema))
        return track.goal.question(as_table(table), schema)

    def truth(self, track: Track, task: Task) -> Truth:
        """The secret answer of a task."""
        schema = track.goal.truth_schema(self.schema(track.id))
        return track.goal.truth(as_table(read(self.root / task.secret / "truth.csv", schema)))


def parsed(path: Path, parse: Callable[[bytes], T]) -> T:
    """A file of the folder; a sentence if it is missing or damaged."""
    try:
        return parse(path.read_bytes())
    except (OSError, ValueError) as problem:
        raise FolderError(f"{path}: missing or damaged: {str(problem).splitlines()[0]}") from None


@lru_cache(maxsize=16)
def read_rules(content: bytes) -> Edition:
    """An edition from its frozen rules."""
    return Edition.model_validate(json.loads(content))


def _names(content: bytes) -> list[str]:
    """The names of entries from their file."""
    return [str(name) for name in json.loads(content)["entries"]]


def csv_bytes(data: Data, *, header: bool = True) -> bytes:
    """Data as the content of a CSV file."""
    return to_bytes(data, ".csv", header=header)


@lru_cache(maxsize=4)
def _read_once(path: Path, schema: str, changed: int) -> Data:  # noqa: ARG001 -- part of the key
    return read(path, Schema.model_validate_json(schema))
