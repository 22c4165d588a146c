"""Checking: what is handed in, under the rules of its track; the same for teams and judge."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError

from quintain.contests import Phase, Track
from quintain.data import Data, Limits, Schema, as_table
from quintain.data.files import read_bytes
from quintain.errors import Faults, SubmissionError
from quintain.guesses import Guess
from quintain.releases import ReleaseCard
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import CARD
from quintain.runs.folder.task import Task
from quintain.runs.submissions.second_look import look_again
from quintain.runs.submissions.upload import unzip


def check(folder: Folder, track: Track, kind: str, team: str, files: Mapping[str, bytes]) -> None:
    """Raise with every fault of a submission's files."""
    faults = Faults()
    if kind == "guess":
        _check_guesses(folder, track, team, files, faults)
    else:
        _check_release(folder, track, team, files, faults)
    faults.raise_if_any(SubmissionError)


def check_program(folder: Folder, phase: Phase, files: Mapping[str, bytes]) -> None:
    """Raise with every fault of a program that is handed in as a zip."""
    assert phase.contract is not None  # programs are handed in under a contract
    faults = Faults()
    if len(files) != 1:
        faults.add(f"a program is one zip file, not {len(files)} files")
    for name, content in files.items():
        found = Faults(name)
        if not name.endswith(".zip"):
            found.add("a program is a zip file, with a name that ends in .zip")
        program = unpacked(content, folder.edition().limits, found)
        if not found:
            phase.contract.check(phase.submit, program, found)
        faults.extend(found)
    faults.raise_if_any(SubmissionError)


def unpacked(content: bytes, limits: Limits, faults: Faults) -> dict[str, bytes]:
    """The files of a program, which may be in folders."""
    return unzip(content, limits, faults, folders=True)


def read_guess(
    folder: Folder, track: Track, name: str, content: bytes, faults: Faults
) -> Guess | None:
    """A guess file under the rules of its track."""
    schema = track.goal.guess_schema(folder.schema(track.id))
    data = _read(folder, track, name, content, schema, faults)
    return None if data is None else track.goal.guess(as_table(data))


def read_release(
    folder: Folder, track: Track, name: str, content: bytes, faults: Faults
) -> Data | None:
    """A release file under the rules of its track."""
    return _read(folder, track, name, content, folder.private_schema(track), faults)


def guess_file(track: Track, task: Task, attacker: str) -> str:
    """How an attacker's answer to a task is called."""
    names = {"track": track.id, "task": task.name, "attacker": attacker}
    return track.files.guess.format(**names)


def release_file(track: Track, team: str) -> str:
    """How a team's release is called."""
    return (track.files.release or "release.csv").format(track=track.id, team=team)


def _read(
    folder: Folder, track: Track, name: str, content: bytes, schema: Schema, faults: Faults
) -> Data | None:
    limits, form = folder.edition().limits, track.files
    return read_bytes(
        content, name, schema, header=form.header, strict=form.strict, limits=limits, faults=faults
    )


def _first_line(track: Track, name: str) -> int:
    """Where the first record stands: below a header, if the file has one."""
    return 1 + (track.files.header and not name.endswith(".parquet"))


def _check_guesses(
    folder: Folder, track: Track, team: str, files: Mapping[str, bytes], faults: Faults
) -> None:
    tasks = {guess_file(track, task, team): task for task in folder.tasks(track)}
    for name, content in sorted(files.items()):
        found = Faults(name, first_line=_first_line(track, name))
        task = tasks.get(name)
        if task is None:
            some = ", ".join(list(tasks)[:3])
            found.add(f"answers no task of track {track.id}; files are called {some} ...")
        else:
            question = folder.question(track, task)
            guess = read_guess(folder, track, name, content, found)
            if guess is not None:
                track.goal.check(guess, question, found)
            else:
                schema = track.goal.guess_schema(folder.schema(track.id))
                limits = folder.edition().limits
                look_again(track, question, name, content, schema, limits, found)
        faults.extend(found)


def _check_release(
    folder: Folder, track: Track, team: str, files: Mapping[str, bytes], faults: Faults
) -> None:
    data_files = sorted(name for name in files if name != CARD)
    if len(data_files) != 1:
        told = ", ".join(data_files) or "none"
        faults.add(f"a release is one file, and {CARD} if you like, not {len(data_files)}: {told}")
    for name in data_files:
        found = Faults(name, first_line=_first_line(track, name))
        if track.files.release and name != release_file(track, team):
            found.add(f"must be called {release_file(track, team)}")
        data = read_release(folder, track, name, files[name], found)
        if data is not None:
            original = folder.private(track, Task(track.id, team))
            for rule in track.rule:
                rule.check(original, data, found)
        faults.extend(found)
    if CARD in files:
        found = Faults(CARD)
        _check_card(files[CARD], found)
        faults.extend(found)


def _check_card(content: bytes, faults: Faults) -> None:
    try:
        ReleaseCard.model_validate_json(content)
    except ValidationError as error:
        for item in error.errors():
            faults.add(item["msg"], column=".".join(str(step) for step in item["loc"]) or None)
