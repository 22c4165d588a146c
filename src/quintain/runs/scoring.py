"""Scoring: utility and gates for every release, readings for every cell, boards for every track.

What is written is a pure function of the folder's public and secret files and its submissions:
``verify`` calls the same functions and compares bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from quintain.commitment import canonical_json
from quintain.contests import Edition, Track
from quintain.errors import Faults, SubmissionError
from quintain.measures import Case, Reading, average
from quintain.rankings import Board, Contestant, Entry, Results
from quintain.runs.attacking import guess_path
from quintain.runs.executor import Executor
from quintain.runs.folder import Folder, Task
from quintain.runs.jobs import Job, fingerprint, run_jobs
from quintain.runs.submissions import guess_file, latest, read_guess

GuessFiles = Mapping[str, Mapping[str, Path]]
"""For each attacker, the file that answers each task, by file name."""


def measure_all(folder: Folder, *, executor: Executor) -> dict[str, Results]:
    """The results of every track; measures only what is not measured yet."""
    edition = folder.edition()
    jobs = []
    for track in edition.track:
        jobs += [_utility_job(folder, track, task) for task in folder.tasks(track)]
        for attacker, files in sorted(guesses(folder, track).items()):
            jobs += [
                _cell_job(folder, track, entry, attacker, files)
                for entry, tasks in by_entry(folder, track).items()
                if all(guess_file(task) in files for task in tasks)
            ]
    run_jobs(folder.root, jobs, executor=executor, label="measures")
    return {track.id: results(folder, edition, track) for track in edition.track}


def guesses(folder: Folder, track: Track) -> GuessFiles:
    """Every answer that counts: the last one handed in; a baseline's own where it did not."""
    out = latest(folder, track.id, "guess")
    for baseline in track.baseline:
        if baseline.attack is not None:
            files = out.setdefault(baseline.id, {})
            for task in folder.tasks(track):
                path = folder.root / guess_path(track.id, baseline.id, task)
                if path.is_file():
                    files.setdefault(guess_file(task), path)
    return out


def by_entry(folder: Folder, track: Track) -> dict[str, list[Task]]:
    """The tasks of each entry, in order of repetition."""
    out: dict[str, list[Task]] = {}
    for task in folder.tasks(track):
        out.setdefault(task.entry, []).append(task)
    return out


def results(folder: Folder, edition: Edition, track: Track) -> Results:
    """Results from the readings that were measured."""
    entries = by_entry(folder, track)
    teams = {team.id for team in (*edition.team, *track.baseline)}
    found = [
        _entry(folder, track, name, tasks, name if name in teams else None)
        for name, tasks in entries.items()
    ]
    attackers = sorted(guesses(folder, track))
    cells = {}
    for entry in entries:
        for attacker in attackers:
            path = folder.root / _cell_path(track.id, entry, attacker)
            if path.is_file():
                cells[entry, attacker] = _readings(path)
    return Results(tuple(found), contestants(edition, track), cells)


def contestants(edition: Edition, track: Track) -> tuple[Contestant, ...]:
    """Teams, then baselines; baselines compete where there are no teams."""
    teams = [Contestant(t.id, t.name, t.competing) for t in edition.team]
    alone = not teams
    return (*teams, *(Contestant(b.id, b.name, competing=alone) for b in track.baseline))


def boards(track: Track, found: Results) -> list[Board]:
    """Every board of a track, in the order of the edition."""
    done: dict[str, Board] = {}
    for ranked in track.board:
        board = ranked.rule.rank(ranked.id, found, done)
        done[ranked.id] = board.model_copy(update={"title": ranked.title or ranked.id})
    return list(done.values())


def _entry(folder: Folder, track: Track, name: str, tasks: list[Task], owner: str | None) -> Entry:
    repeated = [_readings(folder.root / _utility_path(task)) for task in tasks]
    readings = {key: average([one[key] for one in repeated]) for key in repeated[0]}
    faults = []
    for measured in track.utility:
        faults += measured.failures({key: readings[key] for key in measured.reads})
    return Entry(name, owner, readings, tuple(faults))


def _utility_path(task: Task) -> str:
    return f".cache/utility/{task.track}/{task.name}.json"


def _cell_path(track: str, entry: str, attacker: str) -> str:
    return f".cache/cells/{track}/{entry}/{attacker}.json"


def _utility_job(folder: Folder, track: Track, task: Task) -> Job:
    files = [
        folder.root / task.secret / "private.parquet",
        folder.root / task.public / "release.csv",
    ]
    key = fingerprint("utility", track.utility, *files)
    return Job(f"utility/{task.track}/{task.name}", measure_utility, (track.id, task), key)


def measure_utility(root: Path, track_id: str, task: Task) -> Mapping[str, bytes]:
    """Every utility reading of one release."""
    folder = Folder(root)
    track = folder.edition().track_by_id(track_id)
    readings: dict[str, Reading] = {}
    if track.utility:
        original, release = folder.private(track, task), folder.release(track, task).data
        test = folder.test_data(track_id)
        for measured in track.utility:
            readings |= measured.named(measured.measure.measure(original, release, test))
    return {_utility_path(task): _to_bytes(readings)}


def _cell_job(
    folder: Folder, track: Track, entry: str, attacker: str, files: Mapping[str, Path]
) -> Job:
    tasks = by_entry(folder, track)[entry]
    paths = [files[guess_file(task)] for task in tasks]
    truths = [folder.root / task.secret / "truth.csv" for task in tasks]
    key = fingerprint("cell", track.privacy, *paths, *truths)
    names = tuple(path.relative_to(folder.root).as_posix() for path in paths)
    args = (track.id, entry, attacker, names)
    return Job(f"cell/{track.id}/{entry}/{attacker}", measure_cell, args, key)


def measure_cell(
    root: Path, track_id: str, entry: str, attacker: str, names: tuple[str, ...]
) -> Mapping[str, bytes]:
    """Every privacy reading of one attacker on one entry."""
    folder = Folder(root)
    track = folder.edition().track_by_id(track_id)
    cases = []
    for task, name in zip(by_entry(folder, track)[entry], names, strict=True):
        faults = Faults(name)
        guess = read_guess(folder, track, name, (root / name).read_bytes(), faults)
        faults.raise_if_any(SubmissionError)
        assert guess is not None  # no guess without a fault
        cases.append(Case(folder.truth(track, task), guess))
    readings: dict[str, Reading] = {}
    for measured in track.privacy:
        readings |= measured.named(measured.measure.measure(cases))
    return {_cell_path(track_id, entry, attacker): _to_bytes(readings)}


def _to_bytes(readings: Mapping[str, Reading]) -> bytes:
    return canonical_json({name: reading.model_dump() for name, reading in readings.items()})


def _readings(path: Path) -> dict[str, Reading]:
    table = json.loads(path.read_bytes())
    nan = float("nan")
    return {
        name: Reading(**{k: nan if v is None else v for k, v in values.items()})
        for name, values in table.items()
    }
