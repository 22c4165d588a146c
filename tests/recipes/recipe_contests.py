"""A small contest of recipes: three teams, whose sample is cut to a few rows."""

from datetime import UTC, datetime
from pathlib import Path

from quintain.contests import Edition, load
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.rules import write_rules
from quintain.runs.organising.prepare import prepare

START = datetime(2026, 5, 1, tzinfo=UTC)

ALLOWED = [
    {"use": "rr", "bounds": {"keep": {"at_least": 0.1, "at_most": 0.9}}},
    {
        "use": "small-class-deletion",
        "bounds": {"k": {"at_most": 10}},
        "fixed": {"columns": ["sex"]},
    },
    {
        "use": "swapping",
        "bounds": {"share": {"at_most": 0.5}, "columns": {"among": ["age", "sex"]}},
    },
    {"use": "mst", "bounds": {"epsilon": {"at_least": 0.5, "at_most": 5.0}}},
]

GOOD = b"""# Ours
[[step]]
use = "rr"
keep = 0.6

[[step]]
use = "small-class-deletion"
k = 2
"""

PRIVATE = b'[[step]]\nuse = "mst"\nepsilon = 2.0\n'


def edition(**changes: object) -> Edition:
    """The built-in edition, small."""
    contract = {"use": "recipe", "part": ALLOWED, "most_steps": 3}
    contract["limits"] = {"seconds": 300, "memory_gib": 4}
    protect = {"id": "protect", "submit": "release", "contract": contract | changes}
    small = {
        "dataset": {"rows": 400},
        "sample": {"targets": 20, "background": 60},
        "rule": [{"use": "rows", "least": 10, "most": 200}],
        "phase": [protect, {"id": "attack", "submit": "guess"}],
        "team": [{"id": "red"}, {"id": "blue"}, {"id": "green"}],
    }
    return load("recipes", overrides=small)


def contest(root: Path, **changes: object) -> Folder:
    """A contest that is prepared, with these changes of the contract."""
    write_rules(root, edition(**changes))
    folder = Folder(root)
    prepare(folder, seed=3, now=START)
    return folder
