"""Public files: what everybody can download of a contest while it runs."""

from __future__ import annotations

from pathlib import Path

from quintain.host.access import NotThere
from quintain.host.site import Site
from quintain.host.views.contest import Contest
from quintain.jobs.files import FileCache
from quintain.runs.folder import paths


def public_files(site: Site, contest: Contest) -> list[str]:
    """The paths of the public files, without those of rounds that have not begun."""
    journal = site.edition_root(contest.id) / paths.EVENTS
    if contest.rules is None or not journal.is_file():
        return []
    return [name for name in _every_file(journal) if _is_shown(contest, name)]


def _listed(journal: Path) -> list[str]:
    return list(paths.files_below(journal.parent.parent, paths.PUBLIC))


_every_file: FileCache[list[str]] = FileCache(_listed, 8)
"""All public files of a contest; new ones come with an event that everybody may read."""


def public_path(site: Site, contest: Contest, name: str) -> Path:
    """Where a public file is; raises ``NotThere`` for everything else."""
    root = site.edition_root(contest.id)
    steps = name.split("/")
    hidden = len(name) > 1000 or any(_is_odd(step) for step in steps)
    if contest.rules is None or hidden or not name.isprintable() or not _is_shown(contest, name):
        raise NotThere("there is no such file, or it is not public yet")
    path = root / name
    if not path.is_file() or path.is_symlink():
        raise NotThere("there is no such file, or it is not public yet")
    return path


def _is_odd(step: str) -> bool:
    """Whether a part of a path leads elsewhere, is hidden, or is longer than any file's name."""
    return not step or step.startswith(".") or len(step.encode()) > 200


def _is_shown(contest: Contest, name: str) -> bool:
    """Whether a file is public now: of a round that has not begun, nothing is."""
    if not paths.is_public(name):
        return False
    track = name.removeprefix(f"{paths.PUBLIC}/").partition("/")[0]
    tracks = {one.id for one in contest.fixed.track}
    return track not in tracks or track in {one.id for one in contest.begun}
