"""Draft check: whether the text of an edition and its data files make a contest; all faults if not.

Organisers write these files. A mistake in them must not take the web process down, so a process
apart reads them, with limits on memory and time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from quintain.errors import EditionError, Fault
from quintain.host.site import Site
from quintain.jobs.files import write_file
from quintain.jobs.subprocess_reader import Allowance, Apart, NotRead
from quintain.runs.folder import paths

LONGEST_TEXT = 200_000
"""How many characters an edition file may have."""

_READER = Apart("quintain.host.organising.drafting.draft_reader")
_ALLOWANCE = Allowance(memory=2_000_000_000, seconds=60)
_MOST = 10_000_000


@dataclass(frozen=True, slots=True)
class Checked:
    """What an edition file without faults says about itself.

    Parameters
    ----------
    disclosures : what becomes public of its data files, and when.
    """

    id: str
    title: str
    disclosures: tuple[str, ...] = ()


def checked(site: Site, text: str, files: Mapping[str, str]) -> Checked:
    """Check the text of an edition file; raises ``EditionError`` with every fault.

    Parameters
    ----------
    files : SHA-256 of each data file by its name; the contents are among the site's uploads.
    """
    if len(text) > LONGEST_TEXT:
        _refuse(f"has {len(text)} characters; the limit is {LONGEST_TEXT}")
    with written(site, text, files) as folder:
        try:
            (answer,) = _READER.call(
                "quintain.host.organising.drafting.draft_reader:read_draft",
                {"folder": str(folder)},
                b"",
                _ALLOWANCE,
                most=_MOST,
            )
        except NotRead as problem:
            _refuse(str(problem))
    assert isinstance(answer, dict)
    if answer["faults"]:
        raise EditionError([Fault(**fault) for fault in answer["faults"]])
    return Checked(str(answer["id"]), str(answer["title"]), tuple(map(str, answer["disclosures"])))


@contextmanager
def written(site: Site, text: str, files: Mapping[str, str]) -> Iterator[Path]:
    """A folder with an edition file and its data files, until the block ends."""
    with TemporaryDirectory(prefix="quintain-draft-") as place:
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
