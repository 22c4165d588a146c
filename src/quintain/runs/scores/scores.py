"""Scores: the results of every track of a folder, read from the cache when they are needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from quintain.contests import Track
from quintain.contests.readings.released import given_failures, with_given
from quintain.measures import average
from quintain.rankings import Entry, Results
from quintain.runs.folder import cached
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.task import Task
from quintain.runs.scores.cells import blind_laws, contestants, gate_failures
from quintain.runs.scores.readings import read_readings
from quintain.runs.scores.refused import refusals_of
from quintain.runs.scores.survey import Survey


class Scores(Mapping[str, Results]):
    """The results by track, read only when needed: 40,000 cells take time to read."""

    def __init__(self, folder: Folder, surveys: Sequence[Survey]) -> None:
        self._folder = folder
        self._surveys = {survey.view.track.id: survey for survey in surveys}
        self._read: dict[str, Results] = {}

    def __getitem__(self, track: str) -> Results:
        if track not in self._read:
            self._read[track] = _results(self._folder, self._surveys[track])
        return self._read[track]

    def __iter__(self) -> Iterator[str]:
        return iter(self._surveys)

    def __len__(self) -> int:
        return len(self._surveys)

    def cell_keys(self, track: str, attacker: str) -> Mapping[str, str]:
        """By entry, a key that changes whenever the attacker's readings could change."""
        return self._surveys[track].stored.keys_of(attacker)


def _results(folder: Folder, survey: Survey) -> Results:
    view, track = survey.view, survey.view.track
    entries = tuple(_entry(folder, survey, name, tasks) for name, tasks in view.by_entry.items())
    fresh = folder.at(cached.fresh(track.id))
    return Results(
        entries,
        contestants(folder.edition(), track, folder.state().roster),
        survey.readings(),
        blind_laws(track, len(folder.base(track.id))) if entries else {},
        read_readings(fresh) if entries and fresh.is_file() else {},
        refusals_of(folder, view),
        survey.stored.finds,
    )


def _entry(folder: Folder, survey: Survey, name: str, tasks: Sequence[Task]) -> Entry:
    repeated = [read_readings(folder.at(cached.utility(task))) for task in tasks]
    measured = {key: average([one[key] for one in repeated]) for key in repeated[0]}
    track, owner = survey.view.track, survey.view.owners.get(name)
    readings = with_given(track, measured, name, owner)
    failures = [*_decision(folder, track, name, owner), *gate_failures(track, readings)]
    failures += given_failures(track, readings)
    return Entry(name, owner, readings, tuple(failures))


def _decision(folder: Folder, track: Track, entry: str, owner: str | None) -> Iterator[str]:
    """Why the organisers disqualified a release, if they did."""
    reason = "" if owner is None else folder.state().excluded(owner, track.id, entry)
    if reason:
        yield f"disqualified by the organisers: {reason}"
