"""Submissions: checked as a whole, counted atomically, kept for ever, written into a ledger.

A submission with a fault changes nothing. An accepted one gets a number and a line in the ledger,
which chains every line to the one before by its hash: nothing can be altered, taken out or put in
between without breaking the chain.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from quintain.commitment import sha256
from quintain.contests import Edition, Phase, Team, Track
from quintain.errors import (
    FolderError,
    NoSuchPhase,
    NoSuchTeam,
    NoSuchTrack,
    PhaseClosed,
    QuotaUsed,
)
from quintain.figures.counts import count
from quintain.jobs.job import write_file
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, parsed
from quintain.runs.folder.paths import CARD, LEDGER
from quintain.runs.submissions.checking import check, check_program

FORMAT: Literal["quintain.ledger/1"] = "quintain.ledger/1"
GENESIS = "0" * 64
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
"""When a rehearsal takes place if the phases have no dates; a real clock would change bytes."""
Attempts = dict[str, list[Path]]
"""By file name, the guesses that count, the earliest first."""


class Receipt(BaseModel):
    """One line of the ledger, and what a team gets as proof of having submitted.

    ``made_by`` is the number of the program that made the files, if the organisers ran one. Lines
    from before there was a ``format`` have none, and their hashes are without it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["quintain.ledger/1"] | None = None
    number: int
    team: str
    track: str
    phase: str
    kind: Literal["release", "guess", "program"]
    time: str
    files: dict[str, str]
    made_by: int | None = None
    previous: str
    hash: str = ""

    def sealed(self) -> Receipt:
        """The receipt with the hash over everything else in it."""
        content = {key: value for key, value in self._told().items() if key != "hash"}
        digest = sha256(json.dumps(content, sort_keys=True).encode())
        return self.model_copy(update={"hash": digest})

    def line(self) -> str:
        """Its line in the ledger."""
        return json.dumps(self._told(), sort_keys=True)

    def _told(self) -> dict[str, Any]:
        return self.model_dump(exclude={"format"} if self.format is None else set())

    def path(self, name: str) -> str:
        """Where one of its files is kept, below the root."""
        return paths.submitted(self.team, self.number, name)


def receipts(folder: Folder) -> list[Receipt]:
    """Every accepted submission, in order."""
    path = folder.at(LEDGER)
    if not path.is_file():
        return []
    return parsed(path, _receipts)


def _receipts(content: bytes) -> list[Receipt]:
    lines = enumerate(content.decode().splitlines(), start=1)
    return [read_line(line, number) for number, line in lines]


def read_line(line: str | bytes, number: int) -> Receipt:
    """A line of the ledger; one that a later version wrote is refused in words."""
    told = json.loads(line)
    form = told.get("format", FORMAT) if isinstance(told, dict) else FORMAT
    if form != FORMAT:
        raise FolderError(
            f"{LEDGER}: line {number} has the format {form!r}; this version of quintain reads "
            f"{FORMAT!r}"
        )
    return Receipt.model_validate(told)


def submit(
    folder: Folder,
    team: str,
    files: Mapping[str, bytes],
    *,
    track: str | None = None,
    kind: str | None = None,
    now: datetime | None = None,
    rehearsal: bool = False,
) -> Receipt:
    """Check a submission and keep it, or raise and change nothing.

    Only in a ``rehearsal`` may baselines hand in, too.
    """
    folder.require_prepared()
    if not folder.at(paths.SEEDS).is_file():
        raise FolderError(f"{folder.root} is not the organisers' folder: hand in where they say")
    edition = folder.edition()
    chosen = choose_track(edition, track)
    require_team(edition, team, chosen.baseline if rehearsal else ())
    moment = now or datetime.now(UTC)
    phase = _phase(chosen, kind, moment)
    program = chosen.takes_program(phase.submit, team)
    if program:
        check_program(folder, phase, files)
    else:
        check(folder, chosen, phase.submit, team, files)
    with _locked(folder):
        _require_quota(phase, chosen.id, team, moment, receipts(folder), list(files))
        receipt = Receipt(
            number=0,
            team=team,
            track=chosen.id,
            phase=phase.id,
            kind="program" if program else phase.submit,
            time=moment.isoformat().replace("+00:00", "Z"),
            files={},
            previous=GENESIS,
        )
        return _write(folder, receipt, files)


def record(
    folder: Folder,
    track: Track,
    kind: Literal["release", "guess"],
    team: str,
    files: Mapping[str, bytes],
    *,
    made_by: Receipt,
) -> Receipt:
    """Keep what a team's program made, as if the team had handed it in when it did the program."""
    told = {"kind": kind, "made_by": made_by.number, "track": track.id, "team": team}
    with _locked(folder):
        return _write(folder, made_by.model_copy(update=told), files)


def _write(folder: Folder, receipt: Receipt, files: Mapping[str, bytes]) -> Receipt:
    """Number, chain and store a submission."""
    earlier = receipts(folder)
    told = {
        "format": FORMAT,
        "number": len(earlier) + 1,
        "files": {name: sha256(content) for name, content in sorted(files.items())},
        "previous": earlier[-1].hash if earlier else GENESIS,
    }
    receipt = receipt.model_copy(update=told).sealed()
    for name, content in files.items():
        write_file(folder.at(receipt.path(name)), content)
    # The ledger is replaced as a whole, last: before that, nothing was submitted.
    lines = [r.line() for r in (*earlier, receipt)]
    write_file(folder.at(LEDGER), ("\n".join(lines) + "\n").encode())
    return receipt


def counting_guesses(folder: Folder, track: Track) -> dict[str, Attempts]:
    """For each team and file name the guesses that count: the last one, or every one."""
    out: dict[str, Attempts] = {}
    best = any(phase.counts == "best" for phase in track.phase if phase.submit == "guess")
    for receipt in receipts(folder):
        if receipt.track == track.id and receipt.kind == "guess":
            for name in receipt.files:
                held = out.setdefault(receipt.team, {}).setdefault(name, [])
                if not best:
                    held.clear()
                held.append(folder.at(receipt.path(name)))
    return out


@dataclass(frozen=True, slots=True)
class TeamRelease:
    """A team's release that counts: its entry, and its files below the root."""

    id: str
    team: str
    data: str
    card: str | None = None

    def paths(self, folder: Folder) -> list[Path]:
        """Its files."""
        return [folder.at(name) for name in (self.data, self.card) if name is not None]


def counting_releases(folder: Folder, track: Track) -> list[TeamRelease]:
    """The releases that count: the last ones of each team, as many as the phase keeps."""
    phase = track.phase_for("release")
    keep = 1 if phase is None else phase.keep
    by_team: dict[str, list[Receipt]] = {}
    for receipt in receipts(folder):
        if receipt.track == track.id and receipt.kind == "release":
            by_team.setdefault(receipt.team, []).append(receipt)
    out = []
    for team, mine in sorted(by_team.items()):
        for number, receipt in list(enumerate(mine, start=1))[-keep:]:
            (name,) = (name for name in receipt.files if name != CARD)
            card = receipt.path(CARD) if CARD in receipt.files else None
            entry = team if keep == 1 else f"{team}.{number}"
            out.append(TeamRelease(entry, team, receipt.path(name), card))
    return out


def choose_track(edition: Edition, track: str | None) -> Track:
    """The track that was named, or the only one."""
    if track is None and len(edition.track) == 1:
        return edition.track[0]
    names = [t.id for t in edition.track]
    if track not in names:
        raise NoSuchTrack(f"name one of the tracks with --track: {', '.join(names)}")
    return edition.track_by_id(track)


def require_team(edition: Edition, team: str, others: Sequence[Team] = ()) -> None:
    """Refuse a team that does not take part, with the names of those that do."""
    known = [one.id for one in (*edition.team, *others)]
    if team not in known:
        teams = f"teams: {', '.join(known)}" if known else "this edition has no teams"
        raise NoSuchTeam(f"unknown team {team!r}; {teams}")


def _phase(track: Track, kind: str | None, now: datetime) -> Phase:
    kinds = [phase for phase in track.phase if kind in (None, phase.submit)]
    if not kinds:
        raise NoSuchPhase(f"track {track.id} has no phase in which a {kind} is handed in")
    for phase in kinds:
        if (phase.opens is None or phase.opens <= now) and (
            phase.closes is None or now < phase.closes
        ):
            return phase
    when = "; ".join(f"{p.id} is open from {p.opens} to {p.closes}" for p in kinds)
    raise PhaseClosed(f"no phase is open at {now:%Y-%m-%d %H:%M:%S} UTC: {when}")


def _require_quota(
    phase: Phase, track: str, team: str, now: datetime, earlier: list[Receipt], files: list[str]
) -> None:
    # What a program made was recorded by the organisers; the team handed in the program alone.
    own = (r for r in earlier if r.made_by is None)
    mine = [r for r in own if (r.team, r.track, r.phase) == (team, track, phase.id)]
    today = [r for r in mine if r.time[:10] == f"{now:%Y-%m-%d}"]
    if phase.total is not None and len(mine) >= phase.total:
        used_up = count(phase.total, "submission")
        raise QuotaUsed(f"team {team} has used its {used_up} of phase {phase.id}")
    if phase.per_day is not None and len(today) >= phase.per_day:
        used_up = count(phase.per_day, "submission")
        raise QuotaUsed(f"team {team} has used its {used_up} of today (UTC)")
    if phase.per_file is not None:
        used = {name: sum(name in receipt.files for receipt in mine) for name in files}
        spent = sorted(name for name, count in used.items() if count >= phase.per_file)
        if spent:
            used_up = count(phase.per_file, "attempt")
            raise QuotaUsed(f"team {team} has used its {used_up} at {spent[0]}")


@contextmanager
def _locked(folder: Folder) -> Iterator[None]:
    """One submission at a time: count and write must not be interleaved."""
    path = folder.at(paths.LEDGER_LOCK)
    path.parent.mkdir(exist_ok=True)
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
