"""Files of a team: single downloads of what only this team gets, such as its private sample."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from quintain.host.access import NotThere, Visitor
from quintain.host.editions.shown_rules import shown_rules
from quintain.host.site import Site
from quintain.journal.state import has_begun
from quintain.runs.folder import paths
from quintain.runs.submissions.rounds import sample_name

LONGEST = 1000
_STEP = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


@dataclass(frozen=True, slots=True)
class TeamFile:
    """A file of a team: its path below the folder of the team, and its size in bytes."""

    name: str
    size: int


def own_files(site: Site, visitor: Visitor, edition: str) -> list[TeamFile]:
    """The files that only the visitor's team gets, in the rounds that have begun."""
    top = _top(site, visitor, edition)
    names = paths.files_below(top.parent, top.name)
    relative = [name.removeprefix(f"{top.name}/") for name in names]
    hidden = _rounds_ahead(site, edition)
    return [
        TeamFile(name, (top / name).stat().st_size)
        for name in relative
        if name.split("/")[0] not in hidden
    ]


def own_file(site: Site, visitor: Visitor, edition: str, name: str) -> Path:
    """Where a file of the visitor's team is; raises ``NotThere`` for every other name.

    There is nothing of a round before the round begins.
    """
    top, steps = _top(site, visitor, edition), name.split("/")
    path = top.joinpath(*steps)
    if (
        len(name) > LONGEST
        or not all(map(_STEP.fullmatch, steps))
        or steps[0] in _rounds_ahead(site, edition)
        or not path.is_file()
        or path.resolve() != top.resolve().joinpath(*steps)
    ):
        raise NotThere(f"your team has no file {name[:80]!r}")
    return path


def download_name(site: Site, visitor: Visitor, edition: str, name: str) -> str:
    """What a file of the team is called outside: a sample has the name that the rules give it."""
    team = visitor.team_in(edition)
    for track in shown_rules(site, edition).track:
        for number in track.choices if track.files.release else ():
            if f"{paths.team_folder(team)}/{name}" == paths.team_sample(team, track.id, number):
                return sample_name(track, team, number)
    return name.split("/")[-1]


def _top(site: Site, visitor: Visitor, edition: str) -> Path:
    visitor.require_scope("read")
    return site.edition_root(edition) / paths.team_folder(visitor.team_in(edition))


def _rounds_ahead(site: Site, edition: str) -> set[str]:
    """The tracks that have not begun; before the rules are fixed there is nothing at all."""
    now = site.clock.now()
    return {track.id for track in shown_rules(site, edition).track if not has_begun(track, now)}
