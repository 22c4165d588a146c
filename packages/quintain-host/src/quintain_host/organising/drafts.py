"""Drafts: editions whose rules are not fixed yet; nothing with a fault is stored.

The text is a column of the edition, and data files are uploads by hash. ``prepare`` writes both
into the edition folder; until then the contest has no folder. A mistake in these files must not
take the web process down, so a process apart reads them, with limits on memory and time.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.contests import load
from quintain.data.files.limits import DEFAULT_LIMITS
from quintain.data.own_files.folder import is_folder, unpack
from quintain.errors import DataError, EditionError, Fault, Faults, Refused
from quintain.jobs.files import write_file
from quintain.jobs.scratch import ScratchFolder
from quintain.jobs.subprocess_reader import Allowance, Apart, NotRead
from quintain.runs.folder import paths
from quintain.runs.folder.organiser_data import disclosures
from quintain.runs.new_folder import short_edition
from quintain.wording.languages import tell
from quintain_host.access import Conflict, NotAllowed, NotThere, SecondFactorNeeded, Visitor
from quintain_host.audit_log import log
from quintain_host.database.contests import DraftFile, HostedEdition, Organiser
from quintain_host.database.work import QueuedJob
from quintain_host.editions.shown import shown_rules
from quintain_host.queue import UNFINISHED
from quintain_host.site import Site
from quintain_host.uploads import TooLarge

MOST_FILES = 20
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._ -]{0,99}")
_RESERVED = ("new",)
"""Ids that are parts of addresses on the site."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An edition whose rules are not fixed yet, with its data files."""

    edition: HostedEdition
    files: tuple[DraftFile, ...]

    def digests(self) -> dict[str, str]:
        """SHA-256 of each data file by its name."""
        return {file.name: file.digest for file in self.files}


def starting_text(builtin: str, name: str) -> str:
    """A short edition file to start from: it includes a built-in edition."""
    load(
        builtin, overrides={"id": name}
    )  # refuses an unknown edition, and a name that is not an id
    return short_edition(builtin, name)


def may_create(site: Site, visitor: Visitor) -> bool:
    """Whether the visitor may create editions: operators, or everybody where the site says so.

    Somebody who has to set up a second factor first may, too: the site asks for it on the way.
    """
    everybody = visitor.account is not None and site.settings.creators == "accounts"
    return everybody or visitor.runs_site


def require_creator(site: Site, visitor: Visitor) -> int:
    """Refuse everybody who may not create editions, before anything is read or stored."""
    account = visitor.require_signed_in()
    visitor.require_scope("organise")
    if not may_create(site, visitor):
        raise NotAllowed(tell("only the operators of this site can create contests"))
    if visitor.lacks_second_factor:
        raise SecondFactorNeeded
    return account


def create(site: Site, visitor: Visitor, text: str, files: Mapping[str, bytes] = {}) -> str:
    """Create an edition from its text; returns its id. The visitor becomes its organiser.

    Raises ``EditionError`` with every fault, and then nothing is stored.
    """
    account = require_creator(site, visitor)
    digests = {name: _store(site, name, content) for name, content in files.items()}
    facts = check_draft(site, text, digests)
    if facts.id in _RESERVED:
        raise Conflict(tell("the id %(id)s is reserved; choose another", id=repr(facts.id)))
    with site.database.writing(facts.id) as session:
        if session.get(HostedEdition, facts.id) is not None:
            raise Conflict(
                tell("there is a contest %(id)s already; choose another id", id=repr(facts.id))
            )
        row = HostedEdition(id=facts.id, title=facts.title, toml=text, created=site.clock.now())
        session.add(row)
        session.flush()
        session.add(Organiser(edition=facts.id, account=account))
        for name, digest in digests.items():
            size = len(files[name])
            session.add(DraftFile(edition=facts.id, name=name, digest=digest, size=size))
        log(session, site, visitor, "edition.create", facts.id, text=_digest(text))
    return facts.id


def draft(site: Site, visitor: Visitor, edition: str) -> Draft:
    """A draft, or the last text of an edition whose rules are fixed, with its data files."""
    visitor.require_organiser(edition)
    with site.database.reading() as session:
        return Draft(_row(session, edition), tuple(files_of(session, edition)))


def facts_of(site: Site, draft: Draft) -> CheckedDraft:
    """What a contest says about itself; nothing but its name while its draft has faults."""
    row = draft.edition
    if row.state != "draft":
        rules = shown_rules(site, row.id)
        return CheckedDraft(row.id, row.title, tuple(disclosures(rules)), rules.teams_release)
    try:
        return check_draft(site, row.toml, draft.digests())
    except EditionError:
        return CheckedDraft(row.id, row.title)  # the page or the next step lists the faults


def disclosures_of(site: Site, draft: Draft) -> tuple[str, ...]:
    """What becomes public of the data files of a contest, and when; empty while it has faults."""
    return facts_of(site, draft).disclosures if draft.files else ()


def change(
    site: Site, visitor: Visitor, edition: str, text: str, files: Mapping[str, bytes] = {}
) -> None:
    """Replace the text of a draft, and some of its data files.

    Raises with every fault, and then the old text and the old files stay.
    """
    visitor.require_organiser(edition)
    digests = {name: _store(site, name, content) for name, content in files.items()}
    facts = check_draft(site, text, draft(site, visitor, edition).digests() | digests)
    if facts.id != edition:
        raise Conflict(
            tell("the id of this contest is %(edition)s and cannot change", edition=repr(edition))
        )
    with site.database.writing(edition) as session:
        row = require_draft(session, edition)
        row.toml, row.title = text, facts.title
        for name, digest in digests.items():
            size = len(files[name])
            session.merge(DraftFile(edition=edition, name=name, digest=digest, size=size))
        log(session, site, visitor, "draft.change", edition, text=_digest(text), files=digests)


def add_file(site: Site, visitor: Visitor, edition: str, name: str, content: bytes) -> None:
    """Store a data file of a draft; one of the same name is replaced."""
    visitor.require_organiser(edition)
    digest = _store(site, name, content)
    with site.database.writing(edition) as session:
        require_draft(session, edition)
        known = {file.name for file in files_of(session, edition)}
        if name not in known and len(known) >= MOST_FILES:
            raise Refused(tell("a draft can have %(most)s data files", most=MOST_FILES))
        session.merge(DraftFile(edition=edition, name=name, digest=digest, size=len(content)))
        log(session, site, visitor, "draft.file", edition, name=name, digest=digest)


def add_sent_file(site: Site, visitor: Visitor, edition: str, name: str, file: BinaryIO) -> None:
    """Store a data file that is in a temporary file; see :func:`add_file`."""
    add_file(site, visitor, edition, name, file.read(site.settings.upload_bytes + 1))


def remove_file(site: Site, visitor: Visitor, edition: str, name: str) -> None:
    """Take a data file out of a draft."""
    visitor.require_organiser(edition)
    with site.database.writing(edition) as session:
        require_draft(session, edition)
        row = session.get(DraftFile, (edition, name))
        if row is None:
            raise NotThere(tell("the draft has no file %(name)s", name=repr(name)))
        session.delete(row)
        log(session, site, visitor, "draft.file.remove", edition, name=name)


def require_draft(session: Session, edition: str) -> HostedEdition:
    """The row of a draft; raises if its rules are fixed, or are about to be."""
    row = _row(session, edition)
    if row.state != "draft":
        raise Conflict(tell("the rules of this contest are fixed; amend them with a reason"))
    preparing = select(QueuedJob.id).where(
        QueuedJob.edition == edition,
        QueuedJob.kind == "prepare",
        QueuedJob.state.in_(UNFINISHED),
    )
    if session.scalars(preparing).first() is not None:
        raise Conflict(tell("this contest is being prepared; wait until that is done"))
    return row


def files_of(session: Session, edition: str) -> list[DraftFile]:
    """The data files of a draft, by name."""
    own = select(DraftFile).where(DraftFile.edition == edition)
    return list(session.scalars(own.order_by(DraftFile.name)))


def _row(session: Session, edition: str) -> HostedEdition:
    row = session.get(HostedEdition, edition)
    if row is None:
        raise NotThere(tell("there is no contest %(edition)s here", edition=repr(edition)))
    return row


def _store(site: Site, name: str, content: bytes) -> str:
    if not _NAME.fullmatch(name) or name == paths.EDITION:
        raise Refused(
            tell(
                "%(name)s cannot be the name of a data file: use letters, digits, . _ and -",
                name=repr(name),
            )
        )
    most = site.settings.upload_bytes
    if len(content) > most:
        raise TooLarge(f"{name} has {len(content)} bytes; the limit is {most}")
    return site.uploads.keep(content)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


LONGEST_TEXT = 200_000
"""How many characters an edition file may have."""

_READER = Apart("quintain_host.organising.draft_reader")
_ALLOWANCE = Allowance(memory=2_000_000_000, seconds=60)
_MOST = 10_000_000


@dataclass(frozen=True, slots=True)
class CheckedDraft:
    """What an edition file without faults says about itself.

    Parameters
    ----------
    disclosures : what becomes public of its data files, and when.
    teams_release : whether teams make releases in some round.
    """

    id: str
    title: str
    disclosures: tuple[str, ...] = ()
    teams_release: bool = False


def check_draft(site: Site, text: str, files: Mapping[str, str]) -> CheckedDraft:
    """Check the text of an edition file; raises ``EditionError`` with every fault.

    Parameters
    ----------
    files : SHA-256 of each data file by its name; the contents are among the site's uploads.
    """
    if len(text) > LONGEST_TEXT:
        _refuse(f"has {len(text)} characters; the limit is {LONGEST_TEXT}")
    with temporary_folder(site, text, files) as folder, ScratchFolder() as tables:
        unpacked = _unpack_archives(folder, files, Path(tables))
        try:
            (answer,) = _READER.call(
                "quintain_host.organising.draft_reader:read_draft",
                {"folder": str(folder), "unpacked": unpacked},
                b"",
                _ALLOWANCE,
                most=_MOST,
            )
        except NotRead as problem:
            _refuse(str(problem))
    assert isinstance(answer, dict)
    if answer["faults"]:
        raise EditionError([Fault(**fault) for fault in answer["faults"]])
    shown = tuple(map(str, answer["disclosures"]))
    return CheckedDraft(
        str(answer["id"]), str(answer["title"]), shown, bool(answer["teams_release"])
    )


def _unpack_archives(folder: Path, files: Iterable[str], into: Path) -> dict[str, str]:
    """Unpack the archives among the data files of a draft; returns the place of each.

    All of them together have one limit, so that a draft cannot fill the disk.
    """
    places, size, faults = dict[str, str](), 0, Faults()
    for number, archive in enumerate(folder / name for name in files if is_folder(folder / name)):
        place = into / str(number)
        place.mkdir()
        try:
            size += unpack(archive, place)
        except DataError as problem:
            faults.extend(problem.faults)
        if size > DEFAULT_LIMITS.archive_bytes:
            _refuse(
                tell(
                    "the archives unpack to more than %(most)s bytes together; use fewer or "
                    "smaller ones",
                    most=DEFAULT_LIMITS.archive_bytes,
                )
            )
        places[str(archive)] = str(place)
    faults.raise_if_any(EditionError)
    return places


@contextmanager
def temporary_folder(site: Site, text: str, files: Mapping[str, str]) -> Iterator[Path]:
    """A folder with an edition file and its data files, until the block ends."""
    with ScratchFolder() as place:
        write_draft(site, Path(place), text, files)
        yield Path(place)


def write_draft(site: Site, folder: Path, text: str, files: Mapping[str, str]) -> None:
    """Write an edition file and its data files into a folder."""
    write_file(folder / paths.EDITION, text.encode(), durable=True)
    for name, digest in files.items():
        content = site.uploads.path(digest)
        try:
            os.link(content, folder / name)  # a file of several gigabytes is not copied
        except OSError:
            write_file(folder / name, content.read_bytes(), durable=True)


def _refuse(message: str) -> None:
    raise EditionError([Fault(message, paths.EDITION)])


class PreviewSite(Site):
    """A site whose edition folders are those of previews; the rest is the site itself."""

    def __init__(self, site: Site) -> None:
        vars(self).update(vars(site))

    def edition_root(self, edition: str) -> Path:
        """Where the folder of a preview is."""
        return preview_folder(self, edition)


def preview_folder(site: Site, edition: str) -> Path:
    """Where the folder of a preview is; its keys are other ones than those of the contest."""
    return site.preview(edition) / "folder"


def preview_kit(site: Site, visitor: Visitor, edition: str) -> Path:
    """The kit of the pretend team of a preview."""
    visitor.require_organiser(edition)
    path = site.preview(edition) / "kit.zip"
    if not path.is_file():
        raise NotThere(tell("there is no preview yet"))
    return path


def preview_site(site: Site, visitor: Visitor, edition: str) -> PreviewSite:
    """The site with the preview of a draft instead of its contest."""
    preview_kit(site, visitor, edition)  # it is written last, so the preview is complete
    return PreviewSite(site)
