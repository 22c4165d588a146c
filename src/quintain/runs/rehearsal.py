"""Rehearsal: run your own program against the built-in players.

It is handed in, run and judged as in a live contest; only the data and the other players are those
of the rehearsal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from quintain.commitment import sha256
from quintain.contests import Edition, Team, Track
from quintain.errors import Faults, FolderError, Refused, SubmissionError
from quintain.programs import Role
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import REASON
from quintain.runs.submissions.checking import unpacked
from quintain.runs.submissions.ledger import receipts
from quintain.runs.submissions.submit import LONG_AGO, submit
from quintain.runs.submissions.upload import read_upload
from quintain.runs.tasks.programs import contract_for

Programs = Mapping[str, bytes]
"""Zips, by the team that hands them in."""

ROLES: tuple[Role, ...] = ("release", "guess")


def read_programs(edition: Edition, paths: Sequence[Path]) -> dict[str, bytes]:
    """Programs from files or folders, each of a team that is named like it; or every fault."""
    if paths and not any(contract_for(track, role) for track in edition.track for role in ROLES):
        raise Refused(f"{edition.id} takes no programs; players are parts of its edition file")
    baselines = {baseline.id for track in edition.track for baseline in track.baseline}
    programs: dict[str, bytes] = {}
    faults = Faults()
    for path, team in zip(paths, _teams(paths), strict=True):
        if team in baselines or team in programs:
            raise Refused(f"{path}: another player is called {team!r}; rename it or its folder")
        (programs[team],) = read_upload(path, edition.limits, program=True).values()
        if not list(_places(edition, programs[team], found := Faults(path.name))):
            faults.extend(found)
    faults.raise_if_any(SubmissionError)
    return programs


def _teams(paths: Sequence[Path]) -> list[str]:
    """A team for each program, named like its file; with its folder, where two files are alike.

    A contract may prescribe the name of the file, so the folder has to tell programs apart.
    """
    files = [path.resolve() for path in paths]
    stems = [path.stem for path in files]
    names = [
        path.stem if stems.count(path.stem) == 1 else f"{path.parent.name}-{path.stem}"
        for path in files
    ]
    return [re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "program" for name in names]


def with_players(edition: Edition, programs: Programs) -> Edition:
    """The edition of a rehearsal: nobody is there but the baselines, and programs beside them."""
    teams = tuple(Team(id=team, competing=False) for team in programs)
    return edition.model_copy(update={"team": teams})


def hand_in(folder: Folder, role: Role, programs: Programs) -> bool:
    """Hand in the programs of a role, unless that was done before; whether there are any."""
    edition, there = folder.edition(), False
    for team, content in programs.items():
        for track, made in _places(edition, content, Faults()):
            if made == role:
                there = True
                _hand_in(folder, track, role, team, content)
    return there


def reasons(folder: Folder) -> dict[str, str]:
    """Why programs made nothing, or not everything, by team."""
    last = {(r.team, r.track, r.phase): r for r in receipts(folder) if r.kind == "program"}
    out: dict[str, list[str]] = {}
    for (team, _, _), receipt in last.items():
        path = folder.at(receipt.path(REASON))
        if path.is_file():
            out.setdefault(team, []).append(path.read_text().strip())
    return {team: "\n".join(said) for team, said in out.items()}


def _places(edition: Edition, content: bytes, faults: Faults) -> Iterator[tuple[Track, Role]]:
    """Where a program can play: tracks and what it makes there."""
    program = unpacked(content, edition.limits, faults)
    if faults:
        return
    for track in edition.track:
        for role in ROLES:
            contract, found = contract_for(track, role), Faults(faults.file)
            if contract is None:
                continue
            contract.check(role, program, found)
            faults.extend(found)
            if not found:
                yield track, role


def _hand_in(folder: Folder, track: Track, role: Role, team: str, content: bytes) -> None:
    phase = track.phase_for(role)
    assert phase is not None  # it has the contract
    name = f"{team}.zip"
    for receipt in receipts(folder):
        if (receipt.team, receipt.track, receipt.phase) == (team, track.id, phase.id):
            if receipt.made_by is None and receipt.files[name] != sha256(content):
                raise FolderError(
                    f"{folder.root} holds a run of {team} as it was before; take another folder "
                    "with --out"
                )
            return
    now = phase.opens or LONG_AGO
    submit(folder, team, {name: content}, track=track.id, kind=role, now=now, rehearsal=True)
