"""Download: the submissions that teams made on CodaBench, submitted to the contest itself.

Organisers select the submissions of a phase on the site and download them. Each is a zip whose
name has its number, the account and the day, as ``41_anna_PhaseId7_2026-05-03:12-30_answers.zip``.
The hour is not in the name, so the event of a submission gets the beginning of its day, or of the
phase.
"""

from __future__ import annotations

import csv
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from quintain.commitment import sha256
from quintain.contests import Track
from quintain.data import Limits
from quintain.errors import DataError, Fault, Faults, PhaseClosed, Refused, SubmissionError
from quintain.journal.events import Submitted
from quintain.kit.codabench.bundle import current_phase
from quintain.kit.codabench.plan import sample_file, site_artefacts
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import CARD
from quintain.runs.submissions.checking import guess_file, release_file
from quintain.runs.submissions.submit import submit
from quintain.runs.submissions.upload import unzip

_NAME = re.compile(
    # Teams choose the end of the name, after the day: the account is all before the last PhaseId.
    r"([0-9]{1,18})_(.+)_PhaseId[0-9]+_([0-9]{4}-[0-9]{2}-[0-9]{2})\W.*",
    re.DOTALL,
)
_ARCHIVES = 4
"""A download may have as many bytes as this many of the largest submissions."""
_EXPECTED = "expected a name such as 41_ACCOUNT_PhaseId7_2026-05-03:12-30_answers.zip"


@dataclass(frozen=True, slots=True)
class Downloaded:
    """A submission on CodaBench: its file, its number there, who made it and on which UTC day."""

    file: str
    number: int
    account: str
    day: datetime
    content: bytes


def read_download(path: Path, limits: Limits) -> list[Downloaded]:
    """The submissions of a downloaded zip, or of a folder with such files, the earliest first."""
    faults, downloads = Faults(path.name), []
    for name, content in _zips(path, limits, faults):
        parts = None if "/" in name else _NAME.fullmatch(name)
        try:
            day = datetime.fromisoformat(parts[3] if parts else "").replace(tzinfo=UTC)
        except ValueError:
            parts = None
        if parts is None:
            faults.add(_EXPECTED, got=name)
        else:
            downloads.append(Downloaded(name, int(parts[1]), parts[2], day, content))
    if not downloads and not faults:
        faults.add("has no submissions")
    faults.raise_if_any(DataError)
    return sorted(downloads, key=lambda download: download.number)


def _zips(path: Path, limits: Limits, faults: Faults) -> Iterator[tuple[str, bytes]]:
    if path.is_dir():
        sizes = {file: file.stat().st_size for file in sorted(path.glob("*.zip")) if file.is_file()}
        if _fit({file.name: size for file, size in sizes.items()}, limits, faults):
            yield from ((file.name, file.read_bytes()) for file in sizes)
        return
    try:
        with zipfile.ZipFile(path) as archive:
            members = [info for info in archive.infolist() if not info.is_dir()]
            if _fit({info.filename: info.file_size for info in members}, limits, faults):
                yield from ((_last(info.filename), archive.read(info)) for info in members)
    except (OSError, RuntimeError, ValueError, EOFError, zlib.error, zipfile.BadZipFile) as problem:
        faults.add(f"cannot be read as a zip file: {problem}")


def _last(name: str) -> str:
    """The name without its folder; if a team put a folder into the name, it stays and is refused.

    >>> _last("submissions/41_anna.zip"), _last("41_eve_PhaseId7_2026-05-03:1_/42_anna.zip")
    ('41_anna.zip', '41_eve_PhaseId7_2026-05-03:1_/42_anna.zip')
    """
    folder, _, last = name.rpartition("/")
    return name if "_PhaseId" in folder else last


def _fit(sizes: Mapping[str, int], limits: Limits, faults: Faults) -> bool:
    """Whether the submissions fit the memory, each and all together; notes which do not."""
    for name, size in sizes.items():
        if size > limits.packed_bytes:
            faults.add(f"{size} bytes; the limit is {limits.packed_bytes}", got=name)
    total, most = sum(sizes.values()), _ARCHIVES * limits.packed_bytes
    if total > most:
        faults.add(f"{total} bytes; the limit is {most}: download fewer submissions at once")
    return not faults


def read_accounts(path: Path, teams: tuple[str, ...]) -> dict[str, str]:
    """The team behind each account, from a CSV file with the columns account and team."""
    faults, accounts = Faults(path.name), dict[str, str]()
    try:
        rows = list(csv.reader(path.read_text("utf-8-sig").splitlines()))
    except (OSError, ValueError, csv.Error) as problem:
        raise DataError([Fault(f"cannot be read: {problem}", path.name)]) from None
    for line, row in enumerate(rows, start=1):
        if row == ["account", "team"] or not row:
            continue
        if len(row) != 2:
            faults.add(f"expected 2 cells, account and team, found {len(row)}", line=line)
        elif row[1] not in teams:
            known = ", ".join(teams)
            faults.add(f"unknown team; available: {known}", line=line, column="team", got=row[1])
        elif accounts.setdefault(row[0], row[1]) != row[1]:
            faults.add("has another team before", line=line, column="account", got=row[0])
    faults.raise_if_any(DataError)
    return accounts


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a download.

    Parameters
    ----------
    accepted : the events of what was new.
    known : the event of every file that the folder had already.
    refused : why other files were refused.
    """

    accepted: list[Submitted]
    known: dict[str, Submitted]
    refused: Faults


def submit_download(
    folder: Folder, track: Track, downloaded: list[Downloaded], accounts: Mapping[str, str]
) -> Imported:
    """Submit everything in the order of the site; what is refused changes nothing.

    An account without a team counts as the team of the same name, unless the team has another
    account: anybody can register an account with the name of a team. A submission that the folder
    has already under its number is left out, so a download may be imported again. The same files
    under another number are a submission of their own: a team may come back to what it had before.
    """
    accepted: list[Submitted] = []
    known: dict[str, Submitted] = {}
    refused = Faults()
    for download in downloaded:
        try:
            team = _team(download.account, accounts)
            files = _files(folder, track, download, team)
            earlier = _earlier_event(folder, track, download, team, files.content)
            if earlier is None:
                accepted.append(_submit(folder, track, download, team, files))
            else:
                known[download.file] = earlier
        except SubmissionError as error:
            refused.extend(_in_file(download.file, fault) for fault in error.faults)
            refused.count(error.total - len(error.faults))
        except Refused as error:
            refused.extend([Fault(str(error), download.file)])
    return Imported(accepted, known, refused)


def _team(account: str, accounts: Mapping[str, str]) -> str:
    if account not in accounts and account in accounts.values():
        raise Refused(f"team {account} has another account; {account!r} is not in the list")
    return accounts.get(account, account)


def _in_file(file: str, fault: Fault) -> Fault:
    """A fault of a file in a zip, with the name of the zip."""
    name = f"{file}/{fault.file}" if fault.file else file
    return Fault(fault.message, name, fault.line, fault.column, fault.got)


@dataclass(frozen=True, slots=True)
class _Files:
    """The files of a submission under the names of the rules, and what their names say.

    Parameters
    ----------
    kind : what the rules take at present.
    sample : the private sample that a release is made from, where teams have several.
    """

    kind: str
    content: dict[str, bytes]
    sample: int | None


def _files(folder: Folder, track: Track, download: Downloaded, team: str) -> _Files:
    kind = current_phase(folder, track)
    faults = Faults(download.file)
    files = unzip(download.content, folder.edition().limits, faults, folders=True)
    faults.raise_if_any(SubmissionError)
    plain = {n: c for n, c in files.items() if not n.startswith((".", "__MACOSX"))}
    sample = _sample(track, kind, plain)
    names = _names(folder, track, kind, team, plain, sample)
    return _Files(kind, {names.get(n, n): content for n, content in plain.items()}, sample)


def _earlier_event(
    folder: Folder, track: Track, download: Downloaded, team: str, files: Mapping[str, bytes]
) -> Submitted | None:
    """The event of a submission that was imported before.

    The number alone does not tell: two sites give the same ones.
    """
    digests = {name: sha256(content) for name, content in files.items()}
    for event in folder.journal().submissions(team):
        same = event.track == track.id and event.files == digests
        if same and event.imported == download.number:
            return event
    return None


def _submit(
    folder: Folder, track: Track, download: Downloaded, team: str, files: _Files
) -> Submitted:
    accepted = submit(
        folder,
        team,
        files.content,
        track=track.id,
        kind=files.kind,
        sample=files.sample,
        now=_moment(track, files.kind, download.day),
        imported=download.number,
    )
    return accepted.submission


def _sample(track: Track, kind: str, files: Iterable[str]) -> int | None:
    """The sample that the name of a release states, where teams have several."""
    numbers = {sample_file(n): n for n in track.choices if n is not None and kind == "release"}
    return next((numbers[name] for name in files if name in numbers), None)


def _names(
    folder: Folder, track: Track, kind: str, team: str, files: Iterable[str], sample: int | None
) -> dict[str, str]:
    """The names of the rules for those of the site, which does not know the name of the team."""
    artefacts = site_artefacts(track, kind)
    names = dict(zip(artefacts, site_artefacts(track, kind, team), strict=True))
    if kind == "guess":
        tasks = folder.tasks(track)
        return names | {f"{task.name}.csv": guess_file(track, task, team) for task in tasks}
    tables = [name for name in files if name != CARD and name not in artefacts]
    return names | ({tables[0]: release_file(track, team, sample)} if len(tables) == 1 else {})


def _moment(track: Track, kind: str, day: datetime) -> datetime:
    """The first moment of a day at which a phase of this kind is open."""
    for phase in track.phase:
        if phase.submit == kind and (phase.closes is None or day < phase.closes):
            if phase.opens is not None and day + timedelta(days=1) <= phase.opens:
                opens = f"{phase.id} opens on {phase.opens.astimezone(UTC):%Y-%m-%d}"
                raise PhaseClosed(f"was made on {day:%Y-%m-%d}; {opens}")
            return day if phase.opens is None else max(day, phase.opens)
    return day
