"""Checking: the files of a submission under the rules of its track, for teams and judge alike."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from quintain.contests import Phase, Track
from quintain.data import Data, Limits, as_table
from quintain.data.files import read_cells
from quintain.data.files.apart import cells_apart, each_apart
from quintain.data.readable import Readable
from quintain.errors import Faults, SubmissionError
from quintain.guesses import Guess
from quintain.releases import NumberedRelease
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import CARD
from quintain.runs.folder.task import Task
from quintain.runs.submissions.guards.card import check_card
from quintain.runs.submissions.guards.free_text import check_free_text
from quintain.runs.submissions.guards.large_numbers import check_large_numbers
from quintain.runs.submissions.guards.names import checked_names
from quintain.runs.submissions.team_release import split_numbers
from quintain.runs.submissions.upload import unzip

_READ_FILES = 3
"""How many files of a release are read; with more than one it is refused in any case."""


def check(
    folder: Folder,
    track: Track,
    kind: str,
    team: str,
    files: Mapping[str, bytes],
    sample: int | None = None,
) -> None:
    """Check the files of a release or of guesses; raises with every fault."""
    faults = Faults()
    if kind == "guess":
        check_guesses(folder, track, team, files, faults)
    else:
        check_release(folder, track, team, files, faults, sample)
    faults.raise_if_any(SubmissionError)


def check_program(folder: Folder, phase: Phase, files: Mapping[str, bytes], faults: Faults) -> None:
    """Note every fault of a program that is submitted as a zip."""
    assert phase.contract is not None  # programs are submitted under a contract
    checked_names(files, faults)
    if len(files) != 1:
        faults.add(f"a program is one zip file, not {len(files)} files")
    for name, content in files.items():
        file_faults = Faults(name)
        if not name.endswith(".zip"):
            file_faults.add("a program is a zip file, with a name that ends in .zip")
        program = unpacked(content, folder.edition().limits, file_faults)
        if not file_faults:
            phase.contract.check(phase.submit, program, file_faults)
        faults.extend(file_faults)


def unpacked(content: bytes, limits: Limits, faults: Faults) -> dict[str, bytes]:
    """The files of a program, which may be in folders."""
    return unzip(content, limits, faults, folders=True)


def read_guess(
    folder: Folder, track: Track, name: str, content: bytes, faults: Faults
) -> Guess | None:
    """A guess file that was accepted before; None if it has a fault.

    It is read in this process: only a file that was read apart, with limits, is ever accepted.
    """
    schema = track.goal.guess_schema(folder.schema(track.id))
    limits, form = folder.edition().limits, track.files
    cells = read_cells(
        content, name, schema, header=form.header, strict=form.strict, limits=limits, faults=faults
    )
    return None if cells is None or faults else track.goal.guess(as_table(cells.data()))


def guess_file(track: Track, task: Task, attacker: str) -> str:
    """The name of the file with an attacker's answer to a task."""
    names = {"track": track.id, "task": task.name, "attacker": attacker}
    return track.files.guess.format(**names)


def release_file(track: Track, team: str, sample: int | None = None) -> str:
    """The name of the file with a team's release; ``sample`` is the one it is made from."""
    names = {"track": track.id, "team": team, "sample": sample or 1}
    return (track.files.release or "release.csv").format(**names)


def check_guesses(
    folder: Folder, track: Track, team: str, files: Mapping[str, bytes], faults: Faults
) -> None:
    """Note every fault of a team's answers."""
    checked_names(files, faults)
    tasks = {guess_file(track, task, team): task for task in folder.tasks(track)}
    by_file = {name: Faults(name) for name in sorted(files)}
    known = {name: files[name] for name in by_file if name in tasks}
    schema, form = track.goal.guess_schema(folder.schema(track.id)), track.files
    read = each_apart(
        known,
        schema,
        by_file,
        header=form.header,
        strict=form.strict,
        limits=folder.edition().limits,
    )
    for name, cells in zip(known, read, strict=True):
        if cells is not None:
            _check_guess(folder, track, tasks[name], cells, by_file[name])
    for name, file_faults in by_file.items():
        if name not in tasks:
            names = ", ".join(list(tasks)[:3])
            file_faults.add(f"answers no task of track {track.id}; files are called {names} ...")
        faults.extend(file_faults)


def _check_guess(folder: Folder, track: Track, task: Task, cells: Readable, faults: Faults) -> None:
    """Check one answer; the goal checks every cell that can be read."""
    cells.check(partial(check_free_text, cells.rows), faults)
    question, guess = folder.question(track, task), track.goal.guess(as_table(cells.data()))
    cells.check(lambda more: track.goal.check(guess, question, more), faults)


def check_release(
    folder: Folder,
    track: Track,
    team: str,
    files: Mapping[str, bytes],
    faults: Faults,
    sample: int | None = None,
) -> Data | None:
    """Note every fault of a team's release; returns the release if it has none."""
    checked_names(files, faults)
    data_files = sorted(name for name in files if name != CARD)
    if len(data_files) != 1:
        names = ", ".join(data_files) or "none"
        faults.add(
            f"a release is one file, with {CARD} beside it if you like; this has "
            f"{len(data_files)}: {names}"
        )
    data = None
    for name in data_files[:_READ_FILES]:
        file_faults = Faults(name)
        if track.files.release and name != release_file(track, team, sample):
            file_faults.add(f"must be called {release_file(track, team, sample)}")
        original = folder.private(track, Task(track.id, team), sample)
        data = _check_rules(folder, track, original, files[name], file_faults)
        faults.extend(file_faults)
    if CARD in files:
        file_faults = Faults(CARD)
        check_card(files[CARD], file_faults)
        faults.extend(file_faults)
    return None if faults else data


def _check_rules(
    folder: Folder, track: Track, original: Data, content: bytes, faults: Faults
) -> Data | None:
    """Read a release; the rules check every cell that can be read."""
    schema, form = folder.release_schema(track), track.files
    cells = cells_apart(
        content,
        faults.file,
        schema,
        header=form.header,
        strict=form.strict,
        limits=folder.edition().limits,
        faults=faults,
    )
    if cells is None:
        return None
    cells.check(partial(check_free_text, cells.rows), faults)
    cells.check(partial(check_large_numbers, cells.rows), faults)
    release = cells.data()
    data, origins = split_numbers(track, release)
    if origins is not None:
        cells.check(partial(NumberedRelease(as_table(data), origins).check, len(original)), faults)
    for rule in track.rule:
        cells.check(partial(rule.check, original, data), faults)
    return release
