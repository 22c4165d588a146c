"""Records: whether database, folders and what was signed still tell the same story.

The database has the journal, the folder of an edition has a copy of it and the files that it names,
and teams have receipts and checkpoints. Nobody can change one without contradicting another.
Nothing is changed here, so a site may run meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from sqlalchemy import select

from quintain.errors import MissingExtra, NotVerified, QuintainError
from quintain.figures.format import count
from quintain.journal.checkpoint import Checkpoint
from quintain.journal.database_store import DatabaseStore
from quintain.journal.events import Submitted
from quintain.journal.file_store import FileStore
from quintain.journal.receipt import Receipt
from quintain.journal.state import State
from quintain.journal.timestamp import Timestamp, require_client
from quintain.runs.folder import paths
from quintain.runs.folder.closings import closing_paths
from quintain.runs.folder.record import origin
from quintain.runs.organising.close import missing_closings
from quintain.runs.verification.chain import JournalChain, chain_of, disagreement
from quintain.runs.verification.committed import (
    check_commitments,
    check_published,
    one_line,
    read_inputs,
)
from quintain_host.audit_log import Head, faults_of_log
from quintain_host.database.base import JOURNAL
from quintain_host.database.contests import HostedEdition
from quintain_host.database.work import Upload
from quintain_host.editions.closings import head_in
from quintain_host.editions.hosted_folder import HostedFolder
from quintain_host.site import Site
from quintain_host.views.published import CHECKPOINTS, place

_MENDING = "somebody changed the database; compare it with a backup"
_SLOW = timedelta(minutes=5)
"""How long a checkpoint of a closed phase may take."""
_LOOKS = 3
"""How often a contest is looked at again if events came meanwhile."""


def compare_records(site: Site) -> Iterator[str]:
    """Every contradiction between database, folders and what was signed, in words."""
    heads: dict[Head, str] = {}
    with site.database.reading() as session:
        live = select(HostedEdition.id).where(HostedEdition.state == "live")
        editions = sorted(session.scalars(live))
    for edition in editions:
        yield from (f"contest {edition}: {fault}" for fault in _look(site, edition))
        heads |= _published_heads(site, edition)
    for fault in faults_of_log(site, heads):
        yield f"{fault}: {_MENDING}"


def _published_heads(site: Site, edition: str) -> dict[Head, str]:
    """The ends of the audit log that closings name, each with the path of the closing."""
    heads = {}
    for path in closing_paths(site.edition_root(edition)):
        with suppress(QuintainError):  # a damaged one is a fault of its own
            head = head_in(site.folder(edition).closing(path))
            if head is not None:
                heads[head] = f"{edition}/{path}"
    return heads


def _look(site: Site, edition: str) -> list[str]:
    """The faults of one contest, with the same journal before and after."""
    rows = DatabaseStore(site.database.engine, edition)
    faults: list[str] = []
    for _ in range(_LOOKS):
        size = rows.size()
        try:
            comparison = _Comparison(site, edition)
        except QuintainError as problem:  # there is no folder
            return [one_line(problem)]
        faults = list(dict.fromkeys(comparison.faults()))
        if rows.size() == size:
            break
    return faults


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the journal as the database has it, with the copies of its fields."""

    number: int
    event: str | None
    team: str | None
    line: bytes


class _Comparison:
    """One contest, from the lines in the database on."""

    def __init__(self, site: Site, edition: str) -> None:
        self.site, self.edition = site, edition
        self.folder: HostedFolder = site.folder(edition)
        query = select(JOURNAL.c.number, JOURNAL.c.event, JOURNAL.c.team, JOURNAL.c.line)
        query = query.where(JOURNAL.c.journal == edition).order_by(JOURNAL.c.number)
        with site.database.reading() as session:
            self.rows = [
                _Row(number, event, team, line.encode())
                for number, event, team, line in session.execute(query)
            ]
        self.chain: JournalChain = chain_of([row.line for row in self.rows])

    def faults(self) -> Iterator[str]:
        """Every contradiction; a chain that is broken makes the rest meaningless."""
        yield from (f"the database: {fault}" for fault in self.chain.problems)
        yield from self._copies()
        if self.chain.problems:
            return
        for compare in (self._files, self._given_out, self._uploads, self._closings):
            try:
                yield from compare()
            except (QuintainError, OSError, ValueError, LookupError) as problem:
                yield one_line(problem)

    def _copies(self) -> Iterator[str]:
        """The rows beside the copies of their own fields, and beside the file in the folder."""
        for row, event in zip(self.rows, self.chain.events, strict=False):
            expected = (event.number, event.event, getattr(event, "team", None))
            if (row.number, row.event, row.team) != expected:
                yield f"row {row.number} of the journal has other fields than its line"
        lines = list(FileStore(self.folder.at(paths.JOURNAL)).lines())
        for number, (line, row) in enumerate(zip(lines, self.rows, strict=False), 1):
            if line != row.line:
                yield f"event {number} is not the same in the database and in {paths.JOURNAL}"
        if len(lines) < len(self.rows):
            missing = count(len(self.rows) - len(lines), "event")
            yield f"{paths.JOURNAL} lacks the last {missing} of the database; a worker copies them"
        elif len(lines) > len(self.rows):
            more = count(len(lines) - len(self.rows), "event")
            yield (
                f"{paths.JOURNAL} has {more} more than the database: restore the newest backup of "
                "the database"
            )

    def _files(self) -> Iterator[str]:
        """Files that are not what the journal or a commitment names."""
        events = self.chain.events
        inputs = read_inputs(self.folder, events)
        yield from inputs.problems
        key = self.folder.committed_secrets().nonce_key()
        yield from check_commitments(self.folder, events, key).all_problems()
        state = State.of(events)
        last = inputs.rules.get(len(state.rules))
        if last is not None:
            yield from check_published(self.folder, self.chain, state, last)

    def _given_out(self) -> Iterator[str]:
        """Checkpoints and receipts that were given out and contradict the journal."""
        path = place(self.site, self.edition) / CHECKPOINTS
        key = State.of(self.chain.events).key
        roots, name = self.chain.roots(), origin(self.folder.rules())
        for line in path.read_text().splitlines() if path.is_file() else ():
            read = partial(Checkpoint.read, str(json.loads(line)["checkpoint"]), key)
            yield from (f"{CHECKPOINTS}: {fault}" for fault in _contradictions(read, name, roots))
        for upload in self._accepted_uploads():
            if upload.receipt is not None:
                read = partial(self._checkpoint_of, upload, upload.receipt, key)
                where = f"the receipt of upload {upload.id}"
                yield from (f"{where}: {fault}" for fault in _contradictions(read, name, roots))

    def _checkpoint_of(self, upload: Upload, content: str, key: str) -> Checkpoint:
        """The checkpoint in the receipt of an upload, which must be about its event."""
        receipt, lines = Receipt.from_bytes(content.encode()), self.chain.lines
        number = upload.event or 0
        if not 0 < number <= len(lines) or lines[number - 1] != receipt.line:
            raise NotVerified(f"it is not about event {number} as the journal has it")
        return receipt.check(key)

    def _uploads(self) -> Iterator[str]:
        """Accepted uploads without their event, and submissions that no upload made."""
        events = {
            event.number: event for event in self.chain.events if isinstance(event, Submitted)
        }
        known = set()
        for upload in self._accepted_uploads():
            event = events.get(upload.event or 0)
            known.add(upload.event)
            facts = (upload.team, upload.track, upload.phase, upload.kind)
            if event is None or facts != (event.team, event.track, event.phase, event.kind):
                yield f"upload {upload.id} was accepted as event {upload.event}, which is another"
        for number, event in events.items():
            if number not in known and event.made_by is None:
                yield f"event {number}, a submission of team {event.team}, belongs to no upload"

    def _accepted_uploads(self) -> list[Upload]:
        query = select(Upload).where(Upload.edition == self.edition, Upload.state == "accepted")
        with self.site.database.reading() as session:
            return list(session.scalars(query.order_by(Upload.id)))

    def _closings(self) -> Iterator[str]:
        """Phases without their checkpoint, and timestamps that are missing or wrong."""
        for occasion in missing_closings(self.folder, self.site.clock.now() - _SLOW):
            yield f"nobody has signed the checkpoint of {occasion} yet; is a worker at work?"
        for path in closing_paths(self.folder.root):
            stamp = paths.timestamp(path)
            if self.folder.at(stamp).is_file():
                yield from (f"{stamp}: {fault}" for fault in self._timestamp(path, stamp))
            elif self.site.settings.timestamps:
                yield f"{path}: has no timestamp yet; the queue of the contest says why"

    def _timestamp(self, path: str, stamp: str) -> Iterator[str]:
        text, trusted = self.folder.at(path).read_bytes(), self.site.settings.timestamp_certificates
        try:
            timestamp = Timestamp.from_bytes(self.folder.at(stamp).read_bytes())
            if not timestamp.is_about(text):
                yield f"it is not about {path}"
            elif trusted is not None:
                timestamp.check(text, trusted.read_bytes())
        except MissingExtra:
            return  # this site asks no clock any more; verify checks the timestamp
        except (OSError, NotVerified) as problem:
            yield str(problem)


def _contradictions(read: Callable[[], Checkpoint], name: str, roots: list[str]) -> list[str]:
    """Why a checkpoint is not about a journal with these roots, or cannot be read."""
    try:
        return list(disagreement(read(), name, roots))
    except NotVerified as problem:
        return [str(problem)]


def lacks_timestamps(site: Site) -> Iterator[str]:
    """Why a site that should ask an outside clock cannot."""
    if not site.settings.timestamps:
        return
    try:
        require_client()
    except MissingExtra as problem:
        yield str(problem)
    certificates = site.settings.timestamp_certificates
    if certificates is None:
        yield (
            "timestamp_certificates is not set: answers of the outside clock are kept without a "
            "look at who signed them"
        )
    elif not certificates.is_file():
        yield f"timestamp_certificates: {certificates} is missing"
