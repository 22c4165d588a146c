"""Exports: a contest as one file, made by a worker and downloaded here.

The archive has every secret, so there is none before the reveal; after it, everybody gets it. A
bundle for CodaBench has the truth, and only organisers get it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from quintain.errors import Refused
from quintain.host.access import NotThere, Visitor
from quintain.host.database.contests import HostedEdition
from quintain.host.editions.listing import edition_for
from quintain.host.editions.shown_rules import contest_state
from quintain.host.organising.requests import request
from quintain.host.site import Site

Export = Literal["archive", "codabench"]


def request_archive(site: Site, visitor: Visitor, edition: str) -> int:
    """Make the archive of a contest that was revealed."""
    visitor.require_organiser(edition)
    if contest_state(site, edition).revealed is None:
        raise Refused("the archive has every secret: reveal the contest first")
    return request(site, visitor, edition, "scoring", "archive", once=True)


def request_codabench(site: Site, visitor: Visitor, edition: str, track: str | None = None) -> int:
    """Make a bundle of the current phase for CodaBench; it has the truth."""
    visitor.require_organiser(edition)
    if not contest_state(site, edition).prepared:
        raise Refused("prepare the contest first")
    arguments = {"track": track or None}
    return request(site, visitor, edition, "scoring", "codabench", arguments=arguments, once=True)


def exported(site: Site, visitor: Visitor, edition: str, kind: Export) -> Path:
    """The file of an export, for somebody who may have it."""
    if kind == "codabench":
        visitor.require_organiser(edition)
    else:
        _require_revealed(site, edition_for(site, visitor, edition))
    path = site.exported(edition, f"{kind}.zip")
    if not path.is_file():
        raise NotThere("nobody has made this file yet")
    return path


def _require_revealed(site: Site, edition: HostedEdition) -> None:
    if contest_state(site, edition.id).revealed is None:
        raise NotThere("the archive comes with the reveal")
