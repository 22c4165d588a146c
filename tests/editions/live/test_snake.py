"""SNAKE live: the second track is written into the rules when it starts, and not before."""

import json

from quintain.contests import load
from quintain.runs.folder import paths
from quintain.runs.organising.amend import amend
from quintain.runs.organising.prepare import prepare
from quintain.runs.submissions.submit import submit
from tests.editions.live.live_contest import dates, day, files_of, kit, revealed, started

SMALL = {
    "dataset": {"rows": 1500},
    "sanitizer": [{"use": "mst", "name": "mst", "epsilon": 100.0, "rows": 150}],
    "baseline": [{"id": "nearest", "attack": "nearest"}],
}

FIRST = f"""
[[team]]
id = "red"

[[team]]
id = "blue"

[[track]]
id = "first"
[track.sample]
use = "targets"
targets = 10
unit = "household"
min_unit_size = 3
background = 100
[[track.phase]]
id = "first"
submit = "guess"
{dates(1, 5)}"""

SECOND = f"""
[[track]]
id = "second"
[track.sample]
use = "targets"
targets = 20
background = 50
[[track.phase]]
id = "second"
submit = "guess"
{dates(3, 5)}"""


def answers(folder, team, track, now):
    """The example of the kit: an answer to every task of the track."""
    prefix = f"example/{track}/"
    files = {n: c for n, c in kit(folder, team, now).items() if n.startswith(prefix)}
    return {name.rpartition("/")[2]: content for name, content in files.items()}


def test_a_track_is_disclosed_when_it_starts(tmp_path):
    folder = started(tmp_path / "snake-2026", "snake1-sync", SMALL, FIRST, seed=3)
    for team in ("red", "blue"):
        given = answers(folder, team, "first", day(1.5))
        submit(folder, team, given, track="first", now=day(1.5))
    public = [path for path in (folder.root / "public").rglob("*") if path.is_file()]
    assert not [path for path in public if b'"second"' in path.read_bytes()]

    rules = folder.root / "edition.toml"
    rules.write_text(rules.read_text() + SECOND)
    amend(folder, load(rules), "the second track starts", now=day(3))
    prepare(folder, tracks=["second"], now=day(3))
    assert b'"second"' in (folder.root / paths.RULES).read_bytes()
    assert files_of(kit(folder, "red", day(3)), "second")
    # Both tracks are open, and blue takes part in the first alone.
    given = answers(folder, "red", "second", day(3.5))
    submit(folder, "red", given, track="second", now=day(3.5))

    assert revealed(folder, day(6), tmp_path / "archive").problems == ()
    tracks = json.loads((tmp_path / "archive" / paths.STANDINGS).read_bytes())["tracks"]
    teams = {
        name: {place["team"] for place in track["boards"][0]["places"]} - {"nearest"}
        for name, track in tracks.items()
    }
    assert teams == {"first": {"red", "blue"}, "second": {"red"}}
