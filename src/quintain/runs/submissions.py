"""Submissions: checked as a whole, counted atomically, kept for ever, written into a ledger.

A submission with a fault changes nothing. An accepted one gets a number and a line in the ledger,
which chains every line to the one before by its hash: nothing can be altered, taken out or put in
between without breaking the chain.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from quintain.commitment import sha256
from quintain.contests import Edition, Phase, Track
from quintain.data import Data, Schema, as_table
from quintain.data.files import read_bytes
from quintain.errors import Faults, FolderError, SubmissionError
from quintain.guesses import Guess
from quintain.runs.folder import Folder, Task
from quintain.runs.jobs import write_file

LEDGER = "submissions/ledger.jsonl"
GENESIS = "0" * 64


class Receipt(BaseModel):
    """One line of the ledger, and what a team gets as proof of having submitted."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int
    team: str
    track: str
    phase: str
    kind: Literal["release", "guess"]
    time: str
    files: dict[str, str]
    previous: str
    hash: str = ""

    def sealed(self) -> Receipt:
        """The receipt with the hash over everything else in it."""
        content = self.model_dump(exclude={"hash"})
        digest = sha256(json.dumps(content, sort_keys=True).encode())
        return self.model_copy(update={"hash": digest})

    def line(self) -> str:
        """Its line in the ledger."""
        return json.dumps(self.model_dump(), sort_keys=True)

    def path(self, name: str) -> str:
        """Where one of its files is kept, below the root."""
        return f"submissions/{self.team}/{self.number:05d}/{name}"


def receipts(folder: Folder) -> list[Receipt]:
    """Every accepted submission, in order."""
    path = folder.root / LEDGER
    if not path.is_file():
        return []
    return [Receipt.model_validate_json(line) for line in path.read_text().splitlines()]


def check(folder: Folder, track: Track, kind: str, team: str, files: Mapping[str, bytes]) -> None:
    """Raise with every fault of a submission's files; the same check for teams and judge."""
    faults = Faults()
    if kind == "guess":
        _check_guesses(folder, track, files, faults)
    else:
        _check_release(folder, track, team, files, faults)
    faults.raise_if_any(SubmissionError)


def submit(
    folder: Folder,
    team: str,
    files: Mapping[str, bytes],
    *,
    track: str | None = None,
    kind: str | None = None,
    now: datetime | None = None,
) -> Receipt:
    """Check a submission and keep it, or raise and change nothing."""
    folder.require_prepared()
    edition = folder.edition()
    chosen = choose_track(edition, track)
    _require_team(edition, chosen, team)
    moment = now or datetime.now(UTC)
    phase = _phase(chosen, kind, moment)
    check(folder, chosen, phase.submit, team, files)
    with _locked(folder):
        earlier = receipts(folder)
        _require_quota(phase, chosen.id, team, moment, earlier)
        receipt = Receipt(
            number=len(earlier) + 1,
            team=team,
            track=chosen.id,
            phase=phase.id,
            kind=phase.submit,
            time=moment.isoformat().replace("+00:00", "Z"),
            files={name: sha256(content) for name, content in sorted(files.items())},
            previous=earlier[-1].hash if earlier else GENESIS,
        ).sealed()
        for name, content in files.items():
            write_file(folder.root / receipt.path(name), content)
        # The ledger is replaced as a whole, last: before that, nothing was submitted.
        lines = [r.line() for r in (*earlier, receipt)]
        write_file(folder.root / LEDGER, ("\n".join(lines) + "\n").encode())
    return receipt


def latest(folder: Folder, track: str, kind: str) -> dict[str, dict[str, Path]]:
    """For each team the file of each name that counts: the last one handed in."""
    out: dict[str, dict[str, Path]] = {}
    for receipt in receipts(folder):
        if receipt.track == track and receipt.kind == kind:
            files = out.setdefault(receipt.team, {})
            files.update({name: folder.root / receipt.path(name) for name in receipt.files})
    return out


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
    schema = folder.private_schema(track)
    return _read(folder, track, name, content, schema, faults)


def _read(
    folder: Folder, track: Track, name: str, content: bytes, schema: Schema, faults: Faults
) -> Data | None:
    limits, form = folder.edition().limits, track.files
    return read_bytes(
        content, name, schema, header=form.header, strict=form.strict, limits=limits, faults=faults
    )


def guess_file(task: Task) -> str:
    """How the answer to a task is called."""
    return f"{task.name}.csv"


def _check_guesses(
    folder: Folder, track: Track, files: Mapping[str, bytes], faults: Faults
) -> None:
    tasks = {guess_file(task): task for task in folder.tasks(track)}
    for name, content in sorted(files.items()):
        found = Faults(name)
        task = tasks.get(name)
        if task is None:
            some = ", ".join(list(tasks)[:3])
            found.add(f"answers no task of track {track.id}; files are called {some} ...")
        else:
            guess = read_guess(folder, track, name, content, found)
            if guess is not None:
                track.goal.check(guess, folder.question(track, task), found)
        faults.extend(found)


def _check_release(
    folder: Folder, track: Track, team: str, files: Mapping[str, bytes], faults: Faults
) -> None:
    if len(files) != 1:
        faults.add(f"a release is one file, not {len(files)}: {', '.join(sorted(files))}")
    for name, content in sorted(files.items()):
        found = Faults(name)
        data = read_release(folder, track, name, content, found)
        if data is not None:
            original = folder.private(track, Task(track.id, team))
            for rule in track.rule:
                rule.check(original, data, found)
        faults.extend(found)


def choose_track(edition: Edition, track: str | None) -> Track:
    """The track that was named, or the only one."""
    if track is None and len(edition.track) == 1:
        return edition.track[0]
    names = [t.id for t in edition.track]
    if track not in names:
        raise FolderError(f"name one of the tracks: {', '.join(names)}")
    return edition.track_by_id(track)


def _require_team(edition: Edition, track: Track, team: str) -> None:
    known = [t.id for t in (*edition.team, *track.baseline)]
    if team not in known:
        raise FolderError(f"no team {team!r} in this edition; there is {', '.join(known)}")


def _phase(track: Track, kind: str | None, now: datetime) -> Phase:
    kinds = [phase for phase in track.phase if kind in (None, phase.submit)]
    if not kinds:
        raise FolderError(f"track {track.id} has no phase in which a {kind} is handed in")
    for phase in kinds:
        if (phase.opens is None or phase.opens <= now) and (
            phase.closes is None or now < phase.closes
        ):
            return phase
    when = "; ".join(f"{p.id} is open from {p.opens} to {p.closes}" for p in kinds)
    raise FolderError(f"no phase is open at {now:%Y-%m-%d %H:%M:%S} UTC: {when}")


def _require_quota(
    phase: Phase, track: str, team: str, now: datetime, earlier: list[Receipt]
) -> None:
    mine = [r for r in earlier if (r.team, r.track, r.phase) == (team, track, phase.id)]
    today = [r for r in mine if r.time[:10] == f"{now:%Y-%m-%d}"]
    if phase.total is not None and len(mine) >= phase.total:
        raise FolderError(f"team {team} has used all {phase.total} submissions of phase {phase.id}")
    if phase.per_day is not None and len(today) >= phase.per_day:
        raise FolderError(f"team {team} has used its {phase.per_day} submissions of today (UTC)")


@contextmanager
def _locked(folder: Folder) -> Iterator[None]:
    """One submission at a time: count and write must not be interleaved."""
    path = folder.root / "submissions/.lock"
    path.parent.mkdir(exist_ok=True)
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
