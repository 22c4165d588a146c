"""Rehearsal: run your own program against the built-in players.

The program is submitted, run and judged as in a live contest. Only the data and the other players
are those of the rehearsal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from quintain.commitment import sha256
from quintain.contests import Edition, Team, Track
from quintain.errors import Faults, FolderError, Refused, SubmissionError
from quintain.programs import Role
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.submissions.checking import unpack_program
from quintain.runs.submissions.counting import submissions
from quintain.runs.submissions.submit import submit
from quintain.runs.submissions.upload import read_upload
from quintain.runs.tasks.programs import contract_for

Programs = Mapping[str, bytes]
"""Zips, by the team that submits them."""

ROLES: tuple[Role, ...] = ("release", "guess")


def read_programs(edition: Edition, files: Sequence[Path]) -> dict[str, bytes]:
    """Programs from files or folders, each under the name of its team; raises with every fault."""
    if files and not any(contract_for(track, role) for track in edition.track for role in ROLES):
        raise Refused(f"{edition.id} accepts no programs; its edition file names its players")
    baselines = {baseline.id for track in edition.track for baseline in track.baseline}
    programs: dict[str, bytes] = {}
    faults = Faults()
    for path, team in zip(files, _teams(files), strict=True):
        if team in baselines or team in programs:
            raise Refused(
                f"{path}: another player has the name {team!r}; rename the file or its folder"
            )
        (programs[team],) = read_upload(path, edition.limits, program=True).values()
        if not list(_places(edition, programs[team], refusals := Faults(path.name))):
            faults.extend(refusals)
    faults.raise_if_any(SubmissionError)
    return programs


def _teams(paths: Sequence[Path]) -> list[str]:
    """The name of a team for each program: that of its file, with its folder if two are equal.

    A contract may prescribe the name of the file, so the folder has to tell programs apart.

    >>> _teams([Path("/red/hider.py"), Path("/blue/hider.py"), Path("/blue/seeker.py")])
    ['red-hider', 'blue-hider', 'seeker']
    """
    files = [path.resolve() for path in paths]
    stems = [path.stem for path in files]
    names = [
        path.stem if stems.count(path.stem) == 1 else f"{path.parent.name}-{path.stem}"
        for path in files
    ]
    return [re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "program" for name in names]


def with_players(edition: Edition, programs: Programs) -> Edition:
    """The edition of a rehearsal: its teams are the programs, beside the baselines."""
    teams = tuple(Team(id=team, competing=False) for team in programs)
    return edition.model_copy(update={"team": teams})


def hand_in(folder: Folder, track: Track, role: Role, programs: Programs, now: datetime) -> bool:
    """Submit the programs for a track that are not in yet; returns whether there are any."""
    edition, has_programs = folder.edition(), False
    for team, content in programs.items():
        for place, made in _places(edition, content, Faults()):
            if made == role and place.id == track.id:
                has_programs = True
                _hand_in(folder, track, role, team, content, now)
    return has_programs


def reasons(folder: Folder, *, public_data: bool = False) -> dict[str, str]:
    """For each team, why its program made nothing, or not everything.

    With ``public_data``, as in a rehearsal, the sentences name errors, files and lines.
    """
    last = {(s.team, s.track, s.phase): s for s in submissions(folder) if s.kind == "program"}
    out: dict[str, list[str]] = {}
    place = paths.CACHE if public_data else paths.SUBMISSIONS
    for (team, _, _), program in last.items():
        path = folder.at(paths.reason(program.number, place))
        if path.is_file():
            out.setdefault(team, []).append(path.read_text().strip())
    return {team: "\n".join(texts) for team, texts in out.items()}


def _places(edition: Edition, content: bytes, faults: Faults) -> Iterator[tuple[Track, Role]]:
    """The tracks in which a program can take part, and what it makes there."""
    program = unpack_program(content, edition.limits, faults)
    if faults:
        return
    for track in edition.track:
        for role in ROLES:
            contract, role_faults = contract_for(track, role), Faults(faults.file)
            if contract is None:
                continue
            contract.check(role, program, role_faults)
            faults.extend(role_faults)
            if not role_faults:
                yield track, role


def _hand_in(
    folder: Folder, track: Track, role: Role, team: str, content: bytes, now: datetime
) -> None:
    phase = track.phase_for(role)
    assert phase is not None  # it has the contract
    name = f"{team}.zip"
    for submission in submissions(folder):
        if (submission.team, submission.track, submission.phase) == (team, track.id, phase.id):
            if submission.made_by is None and submission.files[name] != sha256(content):
                raise FolderError(
                    f"{folder.root} holds a run of an earlier version of {team}; choose another "
                    "folder with --out"
                )
            return
    submit(folder, team, {name: content}, track=track.id, kind=role, now=now)
