"""Edition folders for tests: prepared through the product's own door."""

from pathlib import Path

from quintain.contests import Edition, load
from quintain.jobs.files import write_file
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.rules import write_rules
from quintain.runs.organising.prepare import prepare
from quintain.runs.submissions.submit import LONG_AGO

SMALL = {"repeats": 2, "dataset": {"rows": 400}, "sample": {"targets": 20, "background": 60}}
"""The edition ``tiny``, as small as it can be and still be attacked."""


def prepared(root: Path, edition: Edition, *, seed: int | None = 3) -> Folder:
    """A contest whose data are made, long before its phases open; nobody has submitted anything."""
    write_rules(root, edition)
    folder = Folder(root)
    prepare(folder, seed=seed, now=LONG_AGO)
    return folder


def written(root: Path, text: str, *, seed: int = 11) -> Folder:
    """A contest as organisers make it: an edition file with this text, then the data."""
    write_file(root / "edition.toml", text.encode())
    folder = Folder(root)
    prepare(folder, seed=seed, now=LONG_AGO)
    return folder


def small(root: Path, *, seed: int = 3, **changes: object) -> Folder:
    """A prepared contest of the small edition with these changes."""
    return prepared(root, load("tiny", overrides={**SMALL, **changes}), seed=seed)
