"""Scoring: utility and gates for every release, readings for every cell, boards for every track.

What is written is a pure function of the folder's public and secret files and its submissions:
``verify`` calls the same functions and compares bytes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path

from quintain.commitment import canonical_json
from quintain.contests import Edition, Track
from quintain.data import Data
from quintain.errors import Faults, SubmissionError
from quintain.jobs.executor import Executor
from quintain.jobs.job import Job, fingerprint
from quintain.measures import BlindLaw, Case, GuessMeasure, Reading, average
from quintain.rankings import Contestant, Entry, Results
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.task import Task
from quintain.runs.submissions.checking import guess_file, read_guess
from quintain.runs.submissions.counting import Attempts, counting_guesses
from quintain.runs.tasks.experiments import draw_sample

_FRESH = 3
"""How many fresh samples the yardstick of the gates is averaged over."""


def measure_all(folder: Folder, *, executor: Executor) -> dict[str, Results]:
    """The results of every track; measures only what is not measured yet."""
    edition = folder.edition()
    jobs = []
    for track in edition.track:
        jobs += [_utility_job(folder, track, task) for task in folder.tasks(track)]
        if _has_gates(track) and folder.tasks(track):
            jobs.append(_fresh_job(folder, track))
        for attacker, files in sorted(guesses(folder, track).items()):
            jobs += [
                _cell_job(folder, track, entry, attacker, attempts)
                for entry, tasks in by_entry(folder, track).items()
                if (attempts := _attempts(track, tasks, attacker, files))
            ]
    folder.run(jobs, executor=executor, label="measures")
    return {track.id: results(folder, edition, track) for track in edition.track}


def guesses(folder: Folder, track: Track) -> dict[str, Attempts]:
    """Every answer that counts; a baseline's own where it handed in none."""
    out = counting_guesses(folder, track)
    for baseline in track.baseline:
        if baseline.attack is not None:
            files = out.setdefault(baseline.id, {})
            for task in folder.tasks(track):
                path = folder.at(paths.baseline_guess(baseline.id, task))
                if path.is_file():
                    files.setdefault(guess_file(track, task, baseline.id), [path])
    return out


def _attempts(
    track: Track, tasks: list[Task], attacker: str, files: Attempts
) -> list[tuple[Path, ...]]:
    """An attacker's complete answers to all tasks of an entry; none if a task has no answer."""
    by_task = [files.get(guess_file(track, task, attacker), []) for task in tasks]
    if not all(by_task):
        return []
    most = max(len(held) for held in by_task)
    return [tuple(held[min(i, len(held) - 1)] for held in by_task) for i in range(most)]


def by_entry(folder: Folder, track: Track) -> dict[str, list[Task]]:
    """The tasks of each entry, in order of repetition."""
    out: dict[str, list[Task]] = {}
    for task in folder.tasks(track):
        out.setdefault(task.entry, []).append(task)
    return out


def results(folder: Folder, edition: Edition, track: Track) -> Results:
    """Results from the readings that were measured."""
    entries, owners = by_entry(folder, track), folder.owners(track)
    found = [
        _entry(folder, track, name, tasks, owners.get(name)) for name, tasks in entries.items()
    ]
    attackers = sorted(guesses(folder, track))
    cells = {}
    for entry in entries:
        for attacker in attackers:
            path = folder.at(paths.cell(track.id, entry, attacker))
            if path.is_file():
                cells[entry, attacker] = _readings(path)
    fresh = folder.at(paths.fresh(track.id))
    return Results(
        tuple(found),
        contestants(edition, track),
        cells,
        blind_laws(track, len(folder.base(track.id))) if found else {},
        _readings(fresh) if found and fresh.is_file() else {},
    )


def blind_laws(track: Track, population: int | None) -> dict[str, BlindLaw]:
    """How readings are distributed when nobody looks, where the sizes of a track tell."""
    private = None if population is None else track.sample.private_size(population)
    if population is None or private is None:
        return {}
    laws: dict[str, BlindLaw] = {}
    for measured in track.privacy:
        if not isinstance(measured.measure, GuessMeasure):
            continue
        law = measured.measure.blind_law(track.goal, population, private)
        if law is not None:
            laws |= dict.fromkeys(measured.reads, law)
    return laws


def contestants(edition: Edition, track: Track) -> tuple[Contestant, ...]:
    """Teams, then baselines; baselines compete where no team does."""
    teams = [Contestant(t.id, t.name, t.competing) for t in edition.team]
    alone = not any(team.competing for team in teams)
    return (*teams, *(Contestant(b.id, b.name, competing=alone) for b in track.baseline))


def _entry(folder: Folder, track: Track, name: str, tasks: list[Task], owner: str | None) -> Entry:
    repeated = [_readings(folder.at(paths.utility(task))) for task in tasks]
    readings = {key: average([one[key] for one in repeated]) for key in repeated[0]}
    return Entry(name, owner, readings, tuple(gate_failures(track, readings)))


def gate_failures(track: Track, readings: Mapping[str, Reading]) -> list[str]:
    """Why a release is disqualified, and by how much; empty if it passes every gate."""
    faults = []
    for measured in track.release_measures:
        faults += measured.failures({key: readings[key] for key in measured.reads})
    return faults


def _utility_job(folder: Folder, track: Track, task: Task) -> Job:
    files = [folder.at(name) for name in (paths.private(task), paths.made(task))]
    key = fingerprint("utility", track.release_measures, *files)
    return Job(f"utility/{task.track}/{task.name}", measure_utility, (track.id, task), key)


def measure_utility(root: Path, track_id: str, task: Task) -> Mapping[str, bytes]:
    """Every reading of one release."""
    folder = Folder(root)
    track = folder.edition().track_by_id(track_id)
    readings: dict[str, Reading] = {}
    if track.release_measures:
        original, release = folder.private(track, task), folder.made(track, task)
        readings = measure_release(track, original, release, folder.test_data(track_id))
    return {paths.utility(task): _to_bytes(readings)}


def measure_release(
    track: Track, original: Data, release: Data, test: Data | None
) -> dict[str, Reading]:
    """Everything that is read from a release, under the edition's names."""
    readings: dict[str, Reading] = {}
    for measured in track.release_measures:
        readings |= measured.of_release(original, release, test)
    for derived in track.derived:
        readings[derived.name] = derived.reading(readings)
    return readings


def _has_gates(track: Track) -> bool:
    return any(measured.gated for measured in track.release_measures)


def _fresh_job(folder: Folder, track: Track) -> Job:
    key = fingerprint(
        "fresh",
        track.release_measures,
        track.sample.spec(),
        folder.secrets(),
        folder.base_path(track.id),
    )
    return Job(f"fresh/{track.id}", measure_fresh, (track.id,), key)


def measure_fresh(root: Path, track_id: str) -> Mapping[str, bytes]:
    """What honest further samples of the population would read: the yardstick for the gates."""
    folder = Folder(root)
    track = folder.edition().track_by_id(track_id)
    test = folder.test_data(track_id)
    drawn = [draw_sample(folder, track, "fresh", i).private for i in range(_FRESH + 1)]
    if drawn[0].digest() == drawn[1].digest():  # everybody is in every sample
        return {paths.fresh(track_id): _to_bytes({})}
    found = [measure_release(track, drawn[0], further, test) for further in drawn[1:]]
    readings = {name: average([one[name] for one in found]) for name in found[0]}
    return {paths.fresh(track_id): _to_bytes(readings)}


def _cell_job(
    folder: Folder, track: Track, entry: str, attacker: str, attempts: list[tuple[Path, ...]]
) -> Job:
    tasks = by_entry(folder, track)[entry]
    truths = [folder.at(paths.truth(task)) for task in tasks]
    key = fingerprint("cell", track.guess_measures, *(p for one in attempts for p in one), *truths)
    names = tuple(
        tuple(path.relative_to(folder.root).as_posix() for path in attempt) for attempt in attempts
    )
    args = (track.id, entry, attacker, names)
    return Job(f"cell/{track.id}/{entry}/{attacker}", measure_cell, args, key)


def measure_cell(
    root: Path, track_id: str, entry: str, attacker: str, attempts: tuple[tuple[str, ...], ...]
) -> Mapping[str, bytes]:
    """Every privacy reading of one attacker on one entry; of several attempts, the best one's.

    The first measure of the edition decides which attempt is best for the attacker.
    """
    folder = Folder(root)
    track = folder.edition().track_by_id(track_id)
    tasks = by_entry(folder, track)[entry]
    found = [_measure_attempt(folder, track, tasks, names) for names in attempts]
    first, better = next(iter(track.guess_measures[0].reads.items()))
    sign = 1 if better == "lower" else -1
    best = max(found, key=lambda r: sign * r[first].value if r[first].measured else -math.inf)
    return {paths.cell(track_id, entry, attacker): _to_bytes(best)}


def _measure_attempt(
    folder: Folder, track: Track, tasks: list[Task], names: tuple[str, ...]
) -> dict[str, Reading]:
    cases = []
    for task, name in zip(tasks, names, strict=True):
        faults = Faults(name)
        guess = read_guess(folder, track, name, folder.at(name).read_bytes(), faults)
        faults.raise_if_any(SubmissionError)
        assert guess is not None  # no guess without a fault
        cases.append(Case(folder.truth(track, task), guess))
    readings: dict[str, Reading] = {}
    for measured in track.guess_measures:
        readings |= measured.of_guesses(cases)
    return readings


def _to_bytes(readings: Mapping[str, Reading]) -> bytes:
    return canonical_json({name: reading.model_dump() for name, reading in readings.items()})


def _readings(path: Path) -> dict[str, Reading]:
    table = json.loads(path.read_bytes())
    nan = float("nan")
    return {
        name: Reading(**{k: nan if v is None else v for k, v in values.items()})
        for name, values in table.items()
    }
