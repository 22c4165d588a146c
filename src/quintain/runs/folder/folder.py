"""An edition folder: everything about one contest, read from plain files."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from quintain.commitment import canonical_json
from quintain.contests import Edition, Track, load
from quintain.contests.cohorts import NO_COHORTS, Matchup
from quintain.data import Data, Schema, as_table
from quintain.data.files import read_trusted, to_bytes
from quintain.errors import FolderError, NotVerified
from quintain.guesses import Question, Truth
from quintain.jobs.executor import Executor
from quintain.jobs.files import FileCache, file_digest
from quintain.jobs.graph import nothing_more
from quintain.jobs.job import Job, Then, finish, is_done, outputs, run_jobs
from quintain.releases import Release, ReleaseCard
from quintain.releases.numbered import number_schema
from quintain.runs.folder import paths
from quintain.runs.folder.closings import (
    Closing,
    closing_paths,
    read_closing,
)
from quintain.runs.folder.journal_folder import JournalFolder
from quintain.runs.folder.organiser_data import with_organiser_data
from quintain.runs.folder.paths import Task
from quintain.runs.folder.rules import read_rules
from quintain.runs.folder.secrets import Secrets

# The small files that name the tasks of a track and their owners:
# ``entries.json`` names the organisers' entries where the public rules leave them out, and
# ``handover.json`` names the teams behind the releases that attackers have.


_ENTRIES = "quintain.entries/1"
_HANDOVER = "quintain.handover/1"


@dataclass(frozen=True, slots=True)
class TrackView:
    """The open questions of a track.

    Parameters
    ----------
    owners : the team behind each entry that was handed over.
    by_entry : the releases of each entry, in order of repetition; with a single goal they are the
        tasks, with several there is one task per release and goal.
    matchup : who may attack whom.
    """

    track: Track
    owners: Mapping[str, str]
    by_entry: Mapping[str, tuple[Task, ...]]
    matchup: Matchup = NO_COHORTS

    @classmethod
    def of(
        cls,
        track: Track,
        entries: list[str],
        owners: Mapping[str, str],
        matchup: Matchup = NO_COHORTS,
    ) -> TrackView:
        """The view, from the names of the organisers' entries and the owners of the others."""
        by_entry = {
            entry: tuple(Task(track.id, entry, i, track.repeats) for i in range(track.repeats))
            for entry in entries
        }
        by_entry |= {entry: (Task(track.id, entry),) for entry in owners}
        return cls(track, owners, by_entry, matchup)

    @property
    def releases(self) -> tuple[Task, ...]:
        """Every release: those of the organisers' entries, then those that were handed over."""
        return tuple(task for repeated in self.by_entry.values() for task in repeated)

    @property
    def tasks(self) -> tuple[Task, ...]:
        """Every open question: one for each release and goal."""
        goals = [aim.id for aim in self.track.aims]
        return tuple(task.about(goal) for task in self.releases for goal in goals)

    def without(self, refused: Container[str]) -> TrackView:
        """The view without some entries: a part refused to make their tasks."""
        by_entry = {name: tasks for name, tasks in self.by_entry.items() if name not in refused}
        owners = {name: team for name, team in self.owners.items() if name not in refused}
        return TrackView(self.track, owners, by_entry, self.matchup)

    def forbidden_entries(self, attacker: str) -> list[str]:
        """The entries that cohorts keep from an attacker."""
        return [
            name for name, team in self.owners.items() if not self.matchup.allows(attacker, team)
        ]

    def seen_by(self, attacker: str) -> TrackView:
        """The view of one attacker: the entries that it may attack, with its own questions.

        Where every attacker has its own questions, nobody has one about its own release.
        """
        forbidden = self.forbidden_entries(attacker)
        if not self.track.asks_each:
            return self.without(forbidden) if forbidden else self
        own = [name for name, team in self.owners.items() if team == attacker]
        others = self.without([*forbidden, *own])
        by_entry = {
            name: tuple(task.of(attacker) for task in tasks)
            for name, tasks in others.by_entry.items()
        }
        return TrackView(self.track, others.owners, by_entry, self.matchup)

    def tasks_for(self, attacker: str) -> list[Task]:
        """The tasks that an attacker may answer: all but those on its own releases."""
        tasks = self.seen_by(attacker).tasks
        return [task for task in tasks if self.owners.get(task.entry) != attacker]


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


T = TypeVar("T")


class Folder(JournalFolder):
    """Reads the files of an edition folder; it writes only the outputs of jobs."""

    def digest(self, path: str) -> str:
        """SHA-256 of a file of the layout."""
        return file_digest(f"{self.root}/{path}")

    def closings(self) -> list[Closing]:
        """Every closing, the oldest first; raises ``NotVerified`` for a damaged one."""
        return [self.closing(path) for path in closing_paths(self.root)]

    def closing(self, path: str) -> Closing:
        """One closing by its path; raises ``NotVerified`` with the path if it is damaged."""
        try:
            return read_closing(path, self.at(path).read_bytes().decode(), self.state().key)
        except (UnicodeDecodeError, NotVerified) as problem:
            raise NotVerified(f"{path}: {problem}") from None

    def rules(self, version: int | None = None) -> Edition:
        """A version of the rules, by default the last, as the organisers committed to it."""
        number = version or len(self.state().rules) or 1
        names = (paths.rules(number, paths.SECRET), paths.rules(number), paths.RULES)
        path = next((path for path in map(self.at, names) if path.is_file()), self.at(paths.RULES))
        return parse_file(path, read_rules)

    def edition(self) -> Edition:
        """The rules in force: with the teams that joined, and the phases that were amended.

        Before the folder is prepared they are those that the organisers wrote.
        """
        if not self.prepared:
            return load(self.at(paths.EDITION))
        state = self.state()
        rules = with_organiser_data(self.root, self.rules(), len(state.rules) or 1)
        return state.in_force(rules) if state.rules else rules

    @property
    def is_kit(self) -> bool:
        """Whether it has only what a team may see."""
        return not self.at(paths.SECRET).is_dir()

    def require_secrets(self) -> None:
        """Refuse a kit, which has only what a team may see."""
        self.require_prepared()
        if self.is_kit:
            raise FolderError(
                f"{self.root} is a participant's kit, without {paths.SECRET}/; this needs the "
                "organisers' folder, or the archive that they reveal at the end"
            )

    def committed_secrets(self) -> Secrets:
        """The keys that the organisers drew and committed to before anything else."""
        return parse_file(self.at(paths.SEEDS), Secrets.from_bytes)

    def secrets(self) -> Secrets:
        """The keys of all randomness: those committed to, mixed with what nobody could choose."""
        return self.committed_secrets().mix(self.beacon(), self._first_rules())

    def beacon(self) -> str:
        """The public value that is mixed into the keys; empty if there is none."""
        state, path = self.state(), self.at(paths.BEACON)
        return state.beacon if state.prepared or not path.is_file() else path.read_text()

    def _first_rules(self) -> str:
        """SHA-256 of the first version of the rules, in full."""
        names = (paths.rules(1, paths.SECRET), paths.rules(1))
        return next((self.digest(name) for name in names if self.at(name).is_file()), "")

    def schema(self, track: str) -> Schema:
        """The columns of a track's data."""
        return parse_file(self.at(paths.schema(track)), Schema.model_validate_json)

    def base_path(self, track: str) -> Path:
        """Where the population is: if it was secret at first, the public one is a copy."""
        secret = self.at(paths.base(track, paths.SECRET))
        return secret if secret.is_file() else self.at(paths.base(track))

    def base(self, track: str) -> Data:
        """The population of a track, from which its private samples are drawn."""
        return _populations(self.base_path(track), self.schema(track).model_dump_json())

    def test_data(self, track: str) -> Data | None:
        """Further records of the population, if the source has them."""
        for place in (paths.PUBLIC, paths.SECRET):
            path = self.at(paths.test_records(track, place))
            if path.is_file():
                return read_trusted(path, self.schema(track))
        return None

    def private_schema(self, track: Track) -> Schema:
        """The columns that sanitizers see: in a plain table, all but the ids."""
        return self.schema(track.id).private

    def release_schema(self, track: Track) -> Schema:
        """The columns of a release, with the number of the private record in front if needed."""
        schema = track.release_schema(self.private_schema(track))
        return number_schema(schema) if track.numbers_rows else schema

    def read(self, track: Track) -> TrackView:
        """The tasks of a track and the teams behind them, as the files are now."""
        every = TrackView.of(track, self._entries(track), self.owners(track), self.matchup())
        return every.without(read_refused(self.at(paths.refusals(track.id)), every.releases))

    def matchup(self) -> Matchup:
        """Who may attack whom; the rules are read only where teams have cohorts."""
        roster = self.state().roster
        in_cohorts = any(team.cohort for team in roster.entrants)
        return Matchup.of(self.rules().cohorts, roster) if in_cohorts else NO_COHORTS

    def refused_entries(self, track: Track) -> dict[str, str]:
        """The entries that have no tasks because a part refused one of them, with the reason."""
        every = TrackView.of(track, self._entries(track), self.owners(track))
        return read_refused(self.at(paths.refusals(track.id)), every.releases)

    def tasks(self, track: Track) -> list[Task]:
        """Every open question: on the organisers' entries, and on releases handed over."""
        return list(self.read(track).tasks)

    def _entries(self, track: Track) -> list[str]:
        """The names of the organisers' entries; in a kit the rules may not have them."""
        if track.id not in self.state().prepared:
            return []
        path = self.at(paths.entries(track.id))
        listed = list(track.entries)
        return listed if listed or not path.is_file() else parse_file(path, read_entries)

    def owners(self, track: Track) -> dict[str, str]:
        """The team behind each entry that was handed over to attackers."""
        path = self.at(paths.handover(track.id))
        if not path.is_file():
            return {}
        return parse_file(path, read_handover)

    def private(self, track: Track, task: Task, sample: int | None = None) -> Data:
        """The private sample of a task; in a team's kit, the team's own sample.

        Where a team chooses among several, ``sample`` is the number of one of them.
        """
        path, schema = self.at(paths.private(task, sample)), self.private_schema(track)
        team_sample = self.at(paths.team_sample(task.entry, track.id, sample))
        if team_sample.is_file() and not path.is_file():
            return read_trusted(team_sample, schema, header=track.files.header)
        return read_trusted(path, schema)

    def full_release(self, track: Track, task: Task) -> Data:
        """The release of a task before publication, each row beside its original."""
        return read_trusted(self.at(paths.full_release(task)), self.release_schema(track))

    def attacker_files(self, track: Track, task: Task) -> list[Path]:
        """The files that attackers get for a task: release, card and question."""
        return [self.at(name) for name in paths.attacker_files(task, *track.formats)]

    def release(self, track: Track, task: Task) -> Release:
        """The published release of a task."""
        path, card, _ = self.attacker_files(track, task)
        schema = track.published_schema(self.private_schema(track))
        data = read_trusted(path, schema, header=track.files.header)
        release = ReleaseCard.model_validate_json(card.read_bytes()).release(data)
        weights = self.at(paths.weights(task))
        return replace(release, weights=weights.read_bytes()) if weights.is_file() else release

    def full_card(self, task: Task) -> ReleaseCard:
        """The methods and the claim of a release, whether or not attackers know them."""
        return parse_file(self.at(paths.full_card(task)), ReleaseCard.model_validate_json)

    def question(self, track: Track, task: Task) -> Question:
        """The question of a task."""
        path = self.attacker_files(track, task)[2]
        if task.attacker is not None and not path.is_file():
            raise FolderError(
                f"every attacker has questions of its own, and those of {task.attacker!r} are not "
                "here: use the kit of this team"
            )
        return self._read_question(track, task, path)

    def whole_question(self, track: Track, task: Task) -> Question:
        """The question about all targets, of which every attacker gets a part."""
        return self._read_question(
            track, task, self.at(paths.whole_question(task, track.files.data))
        )

    def _read_question(self, track: Track, task: Task, path: Path) -> Question:
        schema, goal = self.schema(track.id), track.aim(task.goal).goal
        return goal.question(as_table(read_trusted(path, goal.question_schema(schema))), schema)

    def truth(self, track: Track, task: Task) -> Truth:
        """The secret answer of a task."""
        goal = track.aim(task.goal).goal
        schema = goal.truth_schema(self.schema(track.id))
        return goal.truth(as_table(read_trusted(self.at(paths.truth(task)), schema)))

    def run(
        self, jobs: Sequence[Job], *, executor: Executor, label: str, then: Then = nothing_more
    ) -> int:
        """Run the jobs that are not done yet, and those that follow; returns how many."""
        return run_jobs(
            self.root,
            jobs,
            stamps=paths.STAMPS,
            executor=executor,
            label=label,
            public=paths.PUBLIC,
            then=then,
        )

    def is_done(self, job: Job) -> bool:
        """Whether a job is done, and neither its inputs nor its outputs have changed."""
        return is_done(self.root, paths.STAMPS, job)

    def finish(self, job: Job, contents: Mapping[str, bytes]) -> None:
        """Write the outputs of a job that ran in this process."""
        finish(self.root, paths.STAMPS, job, contents, public=paths.PUBLIC)

    def outputs(self, jobs: Sequence[Job]) -> list[str]:
        """The files that jobs wrote."""
        return [name for job in jobs for name in outputs(self.root, paths.STAMPS, job)]


def parse_file(path: Path, parse: Callable[[bytes], T]) -> T:
    """The content of a file of the folder; raises if the file is missing or damaged."""
    try:
        return parse(path.read_bytes())
    except (OSError, ValueError, RecursionError) as problem:
        raise FolderError(f"{path}: missing or damaged: {str(problem).splitlines()[0]}") from None


def csv_bytes(data: Data, *, header: bool = True) -> bytes:
    """Data as the content of a CSV file."""
    return to_bytes(data, ".csv", header=header)


def _read_population(path: Path, schema: str) -> Data:
    return read_trusted(path, Schema.model_validate_json(schema))


_populations = FileCache(_read_population, 2)
"""The populations that jobs have read last, because each job opens the folder again."""
