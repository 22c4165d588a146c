"""Maps: where people are in the original and in the releases, and what attackers make of it.

They show private places, so a report has them only where nobody real is in the data and the keys
are public: in rehearsals with simulated people.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from markupsafe import Markup

from quintain.contests import Track
from quintain.data import as_trajectories
from quintain.data.shape import find_shape
from quintain.errors import Faults
from quintain.figures.matrix import entry_name, names_of
from quintain.figures.place_map import density_map, visits, way_map
from quintain.guesses import Guess
from quintain.guesses.known_traces import KnownTracesGoal
from quintain.journal.events import Submitted
from quintain.rankings import Entry, Results
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import Task
from quintain.runs.submissions.checking import guess_file, read_guess
from quintain.runs.submissions.counting import answers_by_attacker

_MOST_MAPS = 12
_MOST_WAYS = 3


@dataclass(frozen=True, slots=True)
class Map:
    """A drawing with the words below it."""

    drawn: Markup
    title: str


@dataclass(frozen=True, slots=True)
class Maps:
    """The maps of one track: all points of each release, and the way of one person.

    Parameters
    ----------
    densities : the original first, then the releases.
    ways : for some releases, the true way of one person and what the strongest attacker answered.
    """

    densities: tuple[Map, ...]
    ways: tuple[Map, ...]


def track_maps(
    folder: Folder, track: Track, results: Results, submitted: Sequence[Submitted]
) -> Maps | None:
    """The maps of a track, if its data have places that may be shown."""
    may_be_shown = track.dataset.simulated and folder.secrets().test
    if find_shape("trajectories").lacks(track.dataset.data_schema()) or not may_be_shown:
        return None
    tasks = _first_tasks(folder, track, results)
    if not tasks:
        return None
    private = as_trajectories(folder.private(track, tasks[0][1]))
    grid, name = private.grid, f"map-{track.id}"
    most = float(visits(grid, private.cells()).max(initial=1))
    names = names_of(results)
    original = f"Original of {entry_name(tasks[0][0], names)}"
    drawn = [(original, private.cells())] + [
        (entry_name(entry, names), as_trajectories(folder.full_release(track, task)).cells())
        for entry, task in tasks[: _MOST_MAPS - 1]
    ]
    densities = tuple(
        Map(density_map(grid, cells, most, f"{name}-{number}", f"All points: {title}"), title)
        for number, (title, cells) in enumerate(drawn)
    )
    ways = _draw_ways(folder, track, results, tasks, submitted)
    return Maps(densities, tuple(ways))


def _first_tasks(folder: Folder, track: Track, results: Results) -> list[tuple[Entry, Task]]:
    """One task per entry, the first of its repetitions."""
    first: dict[str, Task] = {}
    for task in folder.read(track).releases:
        first.setdefault(task.entry, task)
    return [(entry, first[entry.id]) for entry in results.entries if entry.id in first]


def _draw_ways(
    folder: Folder,
    track: Track,
    results: Results,
    tasks: Sequence[tuple[Entry, Task]],
    submitted: Sequence[Submitted],
) -> Iterator[Map]:
    """The true way of the first person of some releases, each beside the best answer about it."""
    aim = next((aim for aim in track.aims if isinstance(aim.goal, KnownTracesGoal)), None)
    if aim is None:
        return
    goal = cast(KnownTracesGoal, aim.goal)
    answers = answers_by_attacker(folder, folder.read(track), submitted)
    measure = next(iter(track.measures_for(aim.id)[0].reads))
    names = names_of(results)
    for number, (entry, release) in enumerate(_spread(tasks)):
        task = release.about(aim.id)
        column = results.column(entry.id, measure)
        if not column:
            continue
        attacker = max(column, key=lambda team: column[team].value)
        files = answers[attacker].files().get(guess_file(track, task, attacker), [])
        guess = _read_answer(folder, track, task, files[-1].path) if files else None
        if guess is None:
            continue
        private = as_trajectories(folder.private(track, task))
        published = as_trajectories(folder.release(track, task).data)
        answer = goal.trace_behind(guess, published, 0)
        shown = entry_name(entry, names)
        for part, traces, words in (
            ("true", private.take([0]), f"True places of one person in {shown}"),
            ("answer", answer, f"Answer of {names.get(attacker, attacker)} to {shown}"),
        ):
            name = f"way-{track.id}-{number}-{part}"
            yield Map(way_map(private.grid, traces.cells(), name, words), words)


def _spread(tasks: Sequence[tuple[Entry, Task]]) -> list[tuple[Entry, Task]]:
    """Some of the entries, from the first to the last."""
    places = np.unique(np.linspace(0, len(tasks) - 1, min(_MOST_WAYS, len(tasks))).round())
    return [tasks[int(place)] for place in places]


def _read_answer(folder: Folder, track: Track, task: Task, path: str) -> Guess | None:
    return read_guess(folder, track, task, path, folder.at(path).read_bytes(), Faults(path))
