"""Files that everybody can download: public ones while a contest runs, results after its reveal.

What a worker has published is in a folder that the web process reads. Only the event that reveals a
contest opens it. Until then nothing is there, so nothing can be read by mistake::

    published/EDITION/checkpoints.jsonl     checkpoints as they were signed, the newest last
    published/EDITION/standings.json        after the reveal, like the files below
    published/EDITION/matrix.csv
    published/EDITION/cells.parquet
    published/EDITION/report.html
    published/EDITION/recipes.json          the log of recipes, if teams submitted some
    exports/EDITION/archive.zip             after the reveal: the whole contest

A backup does not have this folder, because the edition folder has the same results.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from quintain.jobs.files import FileCache
from quintain.measures import Reading
from quintain.runs.folder import paths
from quintain.wording.languages import say, to_say
from quintain_host.access import NotThere
from quintain_host.site import Site
from quintain_host.views.contest import Contest

ARCHIVE = "archive.zip"
CHECKPOINTS = "checkpoints.jsonl"
STANDINGS, MATRIX, CELLS, REPORT, RECIPES = RESULTS = tuple(
    Path(path).name
    for path in (paths.STANDINGS, paths.MATRIX, paths.CELLS, paths.REPORT, paths.RECIPE_RUNS)
)
"""The names of an edition's results, which are published; not every contest has recipes."""


class PublishedFile(BaseModel):
    """A file that everybody can download after the reveal."""

    name: str
    size: int
    about: str


_ABOUT = {
    ARCHIVE: to_say("The whole contest: rules, journal, data, releases, guesses, truths and keys"),
    REPORT: to_say("The report: every board, figure and table on one page"),
    STANDINGS: to_say("Boards, awards and entries with all readings, as JSON"),
    MATRIX: to_say("Every attacker on every entry, as a table for spreadsheets"),
    CELLS: to_say("The same table as Parquet"),
    RECIPES: to_say(
        "The log of every recipe that the judge ran, with each step and its hash, as JSON"
    ),
}


def place(site: Site, edition: str) -> Path:
    """The folder with what is published of an edition."""
    return site.published_folder(edition)


def published_files(site: Site, contest: Contest) -> list[PublishedFile]:
    """The files that everybody can download; none before the reveal."""
    if not contest.revealed:
        return []
    attacks = any(track.attack_aims for track in contest.fixed.track)
    names = [name for name in _ABOUT if attacks or name not in (MATRIX, CELLS)]
    places = {name: _path(site, contest, name) for name in names}
    return [
        PublishedFile(name=name, size=path.stat().st_size, about=say(_ABOUT[name]))
        for name, path in places.items()
        if path is not None
    ]


def published_path(site: Site, contest: Contest, name: str) -> Path:
    """Where a published file is; raises ``NotThere`` before the reveal."""
    path = _path(site, contest, name) if name in _ABOUT else None
    if path is None:
        raise NotThere(say("there is no such file, or it is not public yet"))
    return path


def _path(site: Site, contest: Contest, name: str) -> Path | None:
    if not contest.revealed:
        return None
    places = [place(site, contest.id) / name, site.edition_root(contest.id) / paths.RESULTS / name]
    if name == ARCHIVE:
        places = [site.export_file(contest.id, name)]
    return next((path for path in places if path.is_file()), None)


def _read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_bytes())
    return content


_standings = FileCache(_read, 8)


def published_standings(site: Site, contest: Contest) -> dict[str, Any]:
    """The final standings; raises ``NotThere`` before the reveal."""
    return _standings(published_path(site, contest, STANDINGS))


def read_reading(table: Mapping[str, Any]) -> Reading:
    """A reading in the published standings, in which null stands for what is not a number."""
    return Reading(**{key: math.nan if value is None else value for key, value in table.items()})


def public_files(site: Site, contest: Contest) -> list[str]:
    """The paths of the public files, without those of rounds that have not begun."""
    journal = site.edition_root(contest.id) / paths.EVENTS
    if contest.rules is None or not journal.is_file():
        return []
    return [name for name in _every_file(journal) if _is_shown(contest, name)]


def _list(journal: Path) -> list[str]:
    return list(paths.files_below(journal.parent.parent, paths.PUBLIC))


_every_file: FileCache[list[str]] = FileCache(_list, 8)
"""All public files of a contest; new ones come with an event that everybody may read."""


def public_path(site: Site, contest: Contest, name: str) -> Path:
    """Where a public file is; raises ``NotThere`` for everything else."""
    root = site.edition_root(contest.id)
    steps = name.split("/")
    hidden = len(name) > 1000 or any(_is_odd(step) for step in steps)
    if contest.rules is None or hidden or not name.isprintable() or not _is_shown(contest, name):
        raise NotThere(say("there is no such file, or it is not public yet"))
    path = root / name
    if not path.is_file() or path.is_symlink():
        raise NotThere(say("there is no such file, or it is not public yet"))
    return path


def _is_odd(step: str) -> bool:
    """Whether a part of a path leads elsewhere, is hidden, or is longer than any file's name."""
    return not step or step.startswith(".") or len(step.encode()) > 200


def _is_shown(contest: Contest, name: str) -> bool:
    """Whether a file is public now: of a round that has not begun, nothing is."""
    if not paths.is_public(name):
        return False
    track = name.removeprefix(f"{paths.PUBLIC}/").partition("/")[0]
    tracks = {known.id for known in contest.fixed.track}
    return track not in tracks or track in {known.id for known in contest.begun}
