"""The participant's kit: data, releases, questions, a valid example answer, and a README."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

import numpy as np

from quintain.contests import Phase, Track
from quintain.journal.state import has_begun
from quintain.kit.readme import NAMED, readme
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, csv_bytes
from quintain.runs.folder.paths import Task
from quintain.runs.lint import rehearsal_note
from quintain.runs.submissions.checking import guess_file, release_bytes, release_file
from quintain.runs.submissions.rounds import team_files
from quintain.runs.submissions.upload import zip_bytes
from quintain.seeds import SeedTree


def kit_bytes(folder: Folder, team: str | None = None, *, now: datetime | None = None) -> bytes:
    """A zip with everything that teams may see; for a team, also what only that team gets.

    It has nothing of a round before the round begins, even if the round is prepared.
    """
    edition, moment = folder.edition(), now or datetime.now(UTC)
    names = list(paths.files_below(folder.root, paths.PUBLIC))
    if team is not None:
        folder.state().roster.entrant(team)
        names += own_files(folder, team)
    rounds = _rounds(folder, moment)
    hidden = [track.id for track in edition.track if track not in rounds]
    files = {
        name: folder.at(name).read_bytes() for name in names if not _belongs(name, team, hidden)
    }
    for track in rounds:
        files |= _examples(folder, track, team or "YOUR-TEAM")
        named = team_files(folder, track, team)
        files |= {f"{NAMED}/{track.id}/{name}": content for name, content in named.items()}
    files["README.md"] = (rehearsal_note(folder) + readme(edition, rounds, team, files)).encode()
    return zip_bytes(files)


def public_files(folder: Folder, track: Track) -> dict[str, bytes]:
    """What everybody may see of one track, whether it has begun or not, without any scores."""
    others = tuple(f"{paths.places(t.id)[0]}/" for t in folder.edition().track if t.id != track.id)
    names = paths.files_below(folder.root, paths.PUBLIC)
    wanted = [name for name in names if name != paths.BOARD and not name.startswith(others)]
    return {name: folder.at(name).read_bytes() for name in wanted}


def example_files(folder: Folder, track: Track, team: str = "") -> Iterator[tuple[Task, bytes]]:
    """A valid blind answer to each task, without those about releases of the team."""
    rng = SeedTree.from_int(0).rng("kit", track.id)
    for task in folder.read(track).tasks_for(team):
        guess = folder.question(track, task).blind(rng=rng)
        yield task, csv_bytes(guess.table, header=track.files.header)


def own_files(folder: Folder, team: str) -> list[str]:
    """The files that only this team gets; none in a contest in which teams make no releases."""
    return list(paths.files_below(folder.root, paths.team_folder(team)))


def _rounds(folder: Folder, now: datetime) -> list[Track]:
    """The tracks that are prepared and have begun."""
    done = folder.state().prepared
    return [t for t in folder.edition().track if t.id in done and has_begun(t, now)]


def _belongs(name: str, team: str | None, tracks: Sequence[str]) -> bool:
    """Whether a file is one of these tracks, be it public or of a team alone."""
    tops = [paths.PUBLIC, *([] if team is None else [paths.team_folder(team)])]
    return any(name.startswith(f"{top}/{track}/") for top in tops for track in tracks)


def _examples(folder: Folder, track: Track, team: str) -> dict[str, bytes]:
    """For each phase a valid submission to start from: a program, a release, or blind answers."""
    out: dict[str, bytes] = {}
    for phase in track.phase:
        for name, content in _example(folder, track, phase, team).items():
            out[f"example/{track.id}/{phase.id}/{name}"] = content
    return out


def _example(folder: Folder, track: Track, phase: Phase, team: str) -> Mapping[str, bytes]:
    if phase.contract is not None:
        return phase.contract.example(phase.submit)
    if phase.submit == "release":
        first = track.choices[0]
        if not folder.at(paths.team_sample(team, track.id, first)).is_file():
            return {}
        private = folder.private(track, Task(track.id, team), first)
        copy = release_bytes(track, private, np.arange(len(private)))
        return {release_file(track, team, first): copy, **stand_ins(track, phase, team, copy)}
    examples = example_files(folder, track, team)
    answers = {guess_file(track, task, team): content for task, content in examples}
    return {**answers, **stand_ins(track, phase, team, b"")} if answers else {}


def stand_ins(track: Track, phase: Phase, team: str, table: bytes) -> dict[str, bytes]:
    """A small valid file for each artefact that a submission must have."""
    contents = {"json": b"{}\n", "table": table}
    return {
        name: contents.get(artefact.kind, f"Put your {artefact.name} here.\n".encode())
        for name, artefact in phase.artefacts(track.id, team).items()
        if artefact.required
    }
