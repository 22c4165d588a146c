"""Small contests in which teams hand in more than one file, or choose among samples."""

from datetime import UTC, datetime

from quintain.jobs.files import write_file
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.zipped import opened
from quintain.runs.organising.prepare import prepare
from quintain.runs.submissions.submit import LONG_AGO
from tests.runs.submissions.test_team_releases import EDITION

ARTEFACTS = """
[[phase.artefact]]
name = "model"
file = "model-{team}.npz"
required = true
max_bytes = 1000
published = "with-release"

[[phase.artefact]]
name = "report"
file = "report.txt"
kind = "text"
published = "never"

[[phase.artefact]]
name = "settings"
file = "settings.json"
kind = "json"

[[phase.artefact]]
name = "second"
file = "second.csv"
kind = "table"
"""
OPEN = datetime(2026, 5, 2, tzinfo=UTC)
MODEL = b"PK\x03\x04 a model"


def edition(extra="", phase=""):
    """The rules of a small contest; ``phase`` goes into its release phase."""
    dates = "closes = 2026-05-10T00:00:00Z\n"
    return extra + EDITION.replace(dates, dates + phase)


def contest(root, text):
    """A prepared contest of the teams red and blue."""
    text += '[[team]]\nid = "red"\n[[team]]\nid = "blue"\n'
    write_file(root / "edition.toml", text.encode())
    folder = Folder(root)
    prepare(folder, seed=11, now=LONG_AGO)
    return folder


def private(folder, team="red", name="private.csv"):
    return (folder.root / f"teams/{team}/main/{name}").read_bytes()


def opened_zip(path, content):
    path.write_bytes(content)
    return opened(path)
