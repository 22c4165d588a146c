"""DARC live: three releases of a team count, and one of them is disqualified."""

import json

import pytest

from quintain.errors import PhaseClosed, QuotaUsed, Refused
from quintain.runs.folder import paths
from quintain.runs.organising.amend import extend
from quintain.runs.organising.decide import Subject, decide
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.organising.join import Joining, join
from quintain.runs.submissions.submit import submit
from tests.editions.live.live_contest import dates, day, files_of, kit, revealed, shown, started

SMALL = {"dataset": {"rows": 400}, "baseline": []}

PHASES = f"""
[[team]]
id = "red"

[[phase]]
id = "anonymization"
submit = "release"
keep = 3
{dates(1, 2)}
[[phase]]
id = "re-identification"
submit = "guess"
per_file = 1
counts = "best"
{dates(3, 4)}
"""


def release(folder, team, now):
    private = kit(folder, team, now)[f"teams/{team}/main/private.csv"]
    return submit(folder, team, {"release.csv": private}, kind="release", now=now)


def attack(folder, team, now):
    start = "example/main/re-identification/"
    files = {
        name.removeprefix(start): content
        for name, content in kit(folder, team, now).items()
        if name.startswith(start)
    }
    return submit(folder, team, files, now=now)


def test_two_phases_from_new_to_reveal(tmp_path):
    folder = started(tmp_path / "darc-2026", "darc", SMALL, PHASES)
    for hour in range(4):
        release(folder, "red", day(1 + hour / 24))
    join(folder, [Joining("blue")], now=day(1.5))
    extend(folder, "anonymization", day(2.5), "a holiday", now=day(1.9))
    release(folder, "blue", day(2.2))
    assert files_of(shown(folder, day(2.2)), "tasks") == []
    assert paths.base("main") not in shown(folder, day(2.2))
    with pytest.raises(Refused, match=r"several releases count; .*: red.2, red.3, red.4"):
        decide(folder, "disqualified", Subject("red", "main"), "a copy", now=day(2.4))
    decide(folder, "disqualified", Subject("red", "main", "red.2"), "a copy", now=day(2.4))
    hand_over(folder, now=day(2.6))
    with pytest.raises(PhaseClosed, match="were handed over at 2026-05-02 14:24"):
        release(folder, "blue", day(2.7))
    entries = {"blue.1": "blue", "red.3": "red", "red.4": "red"}
    assert folder.owners(folder.edition().track[0]) == entries
    decide(folder, "disqualified", Subject("red", "main", "red.3"), "a copy, too", now=day(2.8))
    for team in ("red", "blue"):
        attack(folder, team, day(3.5))
    with pytest.raises(QuotaUsed, match="has used its 1 attempt at"):
        attack(folder, "red", day(3.6))
    verification = revealed(folder, day(4), tmp_path / "archive")
    assert verification.problems == ()
    track = json.loads((tmp_path / "archive" / paths.STANDINGS).read_bytes())["tracks"]["main"]
    faults = {entry["id"]: entry["faults"] for entry in track["entries"]}
    assert faults["red.3"][0] == "disqualified by the organisers: a copy, too"
    assert not any("organisers" in fault for name in ("red.4", "blue.1") for fault in faults[name])
