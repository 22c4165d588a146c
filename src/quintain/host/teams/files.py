"""Files of a contest: single downloads of what is public and of what only a team gets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from quintain.host.access import NotThere, Visitor
from quintain.host.editions.listing import edition_for
from quintain.host.editions.shown_rules import shown_rules
from quintain.host.site import Site
from quintain.journal.state import has_begun
from quintain.runs.folder import paths

_STEP = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class ContestFile:
    """A file that can be downloaded: its path in the edition folder and its size."""

    name: str
    size: int


def file_for(site: Site, visitor: Visitor, edition: str, name: str) -> Path:
    """Where a file is that the visitor may read; raises ``NotThere`` for every other one.

    Names are those of a kit: ``public/...`` for everybody, ``teams/TEAM/...`` for that team. There
    is nothing of a round before the round begins.
    """
    edition_for(site, visitor, edition)
    visitor.require_scope("read")
    steps = name.split("/")
    path = site.edition_root(edition).joinpath(*steps)
    if (
        not all(map(_STEP.fullmatch, steps))
        or not _may_read(visitor, edition, steps)
        or _is_ahead(site, edition, name)
        or not path.is_file()
        or path.resolve() != site.edition_root(edition).resolve().joinpath(*steps)
    ):
        raise NotThere(f"there is no file {name!r} for you")
    return path


def own_files(site: Site, visitor: Visitor, edition: str) -> list[ContestFile]:
    """The files that only the visitor's team gets, in the rounds that have begun."""
    visitor.require_scope("read")
    return _listed(site, edition, paths.team_folder(visitor.team_in(edition)))


def public_files(site: Site, visitor: Visitor, edition: str) -> list[ContestFile]:
    """The public files of the rounds that have begun."""
    edition_for(site, visitor, edition)
    visitor.require_scope("read")
    return _listed(site, edition, paths.PUBLIC)


def _listed(site: Site, edition: str, top: str) -> list[ContestFile]:
    root = site.edition_root(edition)
    ahead = _tops_ahead(site, edition)
    return [
        ContestFile(name, (root / name).stat().st_size)
        for name in paths.files_below(root, top)
        if not _begins(name, ahead)
    ]


def _may_read(visitor: Visitor, edition: str, steps: list[str]) -> bool:
    if steps[0] == paths.PUBLIC:
        return len(steps) > 1
    member = visitor.teams.get(edition)
    return steps[0] == paths.TEAMS and member is not None and steps[1:2] == [member.team]


def _is_ahead(site: Site, edition: str, name: str) -> bool:
    return _begins(name, _tops_ahead(site, edition))


def _tops_ahead(site: Site, edition: str) -> set[str]:
    """The tracks that have not begun; before the rules are fixed there is nothing at all."""
    now = site.clock.now()
    return {track.id for track in shown_rules(site, edition).track if not has_begun(track, now)}


def _begins(name: str, tracks: set[str]) -> bool:
    """Whether a file belongs to one of these tracks: ``public/TRACK/`` or ``teams/TEAM/TRACK/``."""
    top, *rest = name.split("/")
    place = rest if top == paths.PUBLIC else rest[1:]
    return len(place) > 1 and place[0] in tracks
