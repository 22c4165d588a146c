"""People in a browser: a contest on three tables and one on trips, from registration to reveal.

The organiser sends the three tables as one archive, and so do the teams send what they submit.
"""

import numpy as np
import pytest

from quintain.data.people_files import SCHEMA_FILE, people_bytes
from quintain.data.sources.clinic import Clinic
from tests.figures.browser import NEEDED
from tests.host.browser.plays import moves
from tests.host.browser.plays.dates import day, phase
from tests.host.browser.plays.verified import verified

pytestmark = NEEDED

PHASES = f"""
[[phase]]
id = "anonymize"
submit = "release"
{phase(1, 2)}
[[phase]]
id = "attack"
submit = "guess"
{phase(3, 4)}
"""

VISITS = f"""\
include = "visits"
id = "visits-2026"
title = "Visits 2026: which pseudonym is this patient?"
dataset = {{ use = "file", path = "clinic.zip", schema = "{SCHEMA_FILE}" }}
sample = {{ use = "subset", rows = 30 }}
repeats = 1
sanitizer = []
baseline = []
{PHASES}
"""

TRIPS = f"""\
include = "trips"
id = "trips-2026"
title = "Trips 2026: who went where?"
dataset = {{ rows = 120 }}
sample = {{ people = 30 }}
repeats = 1
{PHASES}
"""


def clinic():
    """The tables of sixty simulated patients in one archive, and their schema."""
    tables = people_bytes(Clinic(rows=60).data(np.random.default_rng(4)))
    schema = tables.pop(SCHEMA_FILE)
    return {"clinic.zip": moves.zipped(tables), SCHEMA_FILE: schema}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edition", "files", "name", "tracks", "masked", "attacks"),
    [
        (
            VISITS,
            clinic(),
            "visits-2026",
            ["main"],
            {"use": "row-dropping", "share": 0.2},
            ["histories"],
        ),
        (
            TRIPS,
            {},
            "trips-2026",
            ["identity", "trace"],
            {"use": "planar-laplace", "epsilon": 1.0},
            ["visit-likelihood", "habit-trace"],
        ),
    ],
    ids=["visits", "trips"],
)
def test_teams_release_people_and_name_them(
    edition, files, name, tracks, masked, attacks, new_stage, tmp_path
):
    stage = new_stage()
    stage.at(day(0.5))
    olga = stage.organiser("Olga")
    olga.create(edition, name, files)
    olga.step("Fix the rules and prepare", f"Prepared: {tracks[0]}.")
    for track in tracks[1:]:
        olga.step("Prepare this round", f"Prepared: {', '.join(tracks)}.", track=track)
    olga.publish()
    ada, bob = stage.captain("Ada"), stage.captain("Bob")
    ada.register(name, "red")
    bob.register(name, "blue")

    stage.at(day(1.5))
    for track in tracks:
        release(ada, track, tracks, tmp_path, **masked)
        release(bob, track, tracks, tmp_path, use="identity")
    receipt = ada.receipt(tmp_path)
    stage.at(day(2.5))
    for track in tracks:
        olga.step("Hand over", f"handed over {track}", track=track)
    stage.at(day(3.5))
    for track, use in zip(tracks, attacks, strict=True):
        for captain in (ada, bob):
            made = moves.attacked(captain.kit(tmp_path), captain.team, track, use=use)
            captain.submit({"answers.zip": moves.zipped(made)}, *_phase("attack", track, tracks))
            captain.sees("accepted")
    checkpoint = bob.kept_checkpoint(tmp_path)

    stage.at(day(4))
    olga.reveal(**({"publish_data": True} if files else {}))
    nobody = stage.person("Nobody")
    nobody.go(f"/contests/{name}")
    nobody.awaits("archive.zip")
    archive = nobody.download("archive.zip", tmp_path)
    nobody.click("See the results")
    nobody.sees("Team red", "Team blue")
    said = verified(archive, checkpoint=checkpoint, receipt=receipt)
    assert "verified against 1 receipt and 1 checkpoint" in said
    assert stage.complaints() == []


TITLES = {
    "identity": "Identity: under which pseudonym does each person appear?",
    "trace": "Trace: where was each person at each time?",
}
"""What pages call the tracks of the edition trips."""


def release(captain, track, tracks, folder, **sanitizer):
    """A team sanitizes the sample in its kit and submits it."""
    made = moves.sanitized(captain.kit(folder), captain.team, track, **sanitizer)
    files = {name: content for name, content in made.items() if name != "card.json"}
    captain.submit({"release.zip": moves.zipped(files)}, *_phase("anonymize", track, tracks))
    captain.sees("accepted")


def _phase(phase, track, tracks):
    """What the page calls a phase, if there are several to choose from."""
    return [f"{phase} ({TITLES[track]})"] if len(tracks) > 1 else []
