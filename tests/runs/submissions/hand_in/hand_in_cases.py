"""Small contests in which teams hand in more than one file, or choose among samples."""

from datetime import UTC, datetime

from quintain.runs.folder.zipped import open_packed
from tests.contest_folders import written
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
    return written(root, text + '[[team]]\nid = "red"\n[[team]]\nid = "blue"\n')


def private(folder, team="red", name="private.csv"):
    return (folder.root / f"teams/{team}/main/{name}").read_bytes()


def opened_zip(path, content):
    path.write_bytes(content)
    return open_packed(path)
