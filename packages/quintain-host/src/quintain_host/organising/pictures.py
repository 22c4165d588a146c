"""Pictures: what organisers show on the pages of a contest, and which of them is its logo.

A picture of a stranger is hostile until its pixels have been encoded again, in a process apart.
Only what this site encoded is stored and served.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import func, select

from quintain.errors import Refused
from quintain.jobs.subprocess_reader import Allowance, Apart, NotRead
from quintain.wording.languages import tell
from quintain_host.access import BadInput, NotThere, Visitor
from quintain_host.audit_log import log
from quintain_host.database.contests import HostedEdition, Picture
from quintain_host.site import Site
from quintain_host.uploads import TooLarge

MOST_BYTES = 5 * 2**20
MOST_PICTURES = 40
STARTS = {"png": b"\x89PNG\r\n\x1a\n", "jpg": b"\xff\xd8\xff", "webp": b"RIFF"}
"""How the content of each kind of picture begins."""

_READER = Apart("quintain_host.organising.picture_reader")
_ALLOWANCE = Allowance(memory=1_500_000_000, seconds=20)
_LONGEST_NAME = 60


def add_picture(site: Site, visitor: Visitor, edition: str, name: str, file: BinaryIO) -> Picture:
    """Store a picture under a name that is made from that of its file; the same one is replaced."""
    visitor.require_organiser(edition)
    row = _encode_again(site, edition, name, file.read(MOST_BYTES + 1))
    with site.database.writing(edition) as session:
        if session.get(Picture, (edition, row.name)) is None:
            number = select(func.count()).where(Picture.edition == edition)
            if (session.scalar(number) or 0) >= MOST_PICTURES:
                problem = tell(
                    "a contest can have %(most)s pictures; remove one first",
                    most=MOST_PICTURES,
                )
                raise Refused(problem).about("file")
        stored = session.merge(row)
        log(session, site, visitor, "picture.add", edition, name=row.name, digest=row.digest)
        return stored


def remove_picture(site: Site, visitor: Visitor, edition: str, name: str) -> None:
    """Take a picture away; where a text names it, its words stay."""
    visitor.require_organiser(edition)
    with site.database.writing(edition) as session:
        row = session.get(Picture, (edition, name))
        if row is None:
            raise NotThere(tell("the contest has no picture %(name)s", name=repr(name)))
        session.delete(row)
        hosted = session.get_one(HostedEdition, edition)
        if hosted.logo == name:
            hosted.logo = None
        log(session, site, visitor, "picture.remove", edition, name=name)


def choose_logo(site: Site, visitor: Visitor, edition: str, name: str | None) -> None:
    """Show a picture beside the title of a contest; None shows none."""
    visitor.require_organiser(edition)
    with site.database.writing(edition) as session:
        if name is not None and session.get(Picture, (edition, name)) is None:
            raise NotThere(tell("the contest has no picture %(name)s", name=repr(name)))
        session.get_one(HostedEdition, edition).logo = name
        log(session, site, visitor, "edition.logo", edition, name=name or "")


def picture_name(name: str, kind: str) -> str:
    """The name of a picture in texts and addresses.

    Examples
    --------
    >>> picture_name("../Prize of 2026 (final).JPEG", "jpg")
    'prize-of-2026-final.jpg'
    >>> picture_name("賞.png", "png")
    'picture.png'
    """
    stem = re.sub("[^a-z0-9]+", "-", Path(name).stem.lower())[:_LONGEST_NAME].strip("-")
    return f"{stem or 'picture'}.{kind}"


def _encode_again(site: Site, edition: str, name: str, content: bytes) -> Picture:
    """Encode the pixels of a picture again and store them; returns its row."""
    if len(content) > MOST_BYTES:
        problem = tell(
            "a picture may have at most %(most)s bytes: make it smaller",
            most=MOST_BYTES,
        )
        raise TooLarge(problem).about("file")
    if b"<svg" in content[:4096].lower() or name.lower().endswith((".svg", ".svgz")):
        problem = tell("an SVG file can hold a program, so none is taken: save the picture as PNG")
        raise BadInput(problem).about("file")
    place = "quintain_host.organising.picture_reader:read_picture"
    try:
        facts, *rest = _READER.call(place, {}, content, _ALLOWANCE, most=8 * MOST_BYTES)
    except (NotRead, ValueError) as problem:
        raise BadInput(tell("the picture cannot be read: %(problem)s", problem=problem)).about(
            "file"
        ) from problem
    assert isinstance(facts, dict)
    if "problem" in facts:
        raise BadInput(tell("the file %(problem)s", problem=facts["problem"])).about("file")
    (pixels,) = rest
    kind = str(facts["kind"])
    assert isinstance(pixels, bytes) and pixels.startswith(STARTS[kind])
    return Picture(
        edition=edition,
        name=picture_name(name, kind),
        kind=kind,
        digest=site.uploads.keep(pixels),
        size=len(pixels),
        width=int(facts["width"]),
        height=int(facts["height"]),
    )
