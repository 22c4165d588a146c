"""Hide-and-Seek in a browser: teams submit programs, one of which fails."""

import pytest

from quintain.programs.choice import ability
from tests.figures.browser import NEEDED
from tests.host.browser.plays.dates import day, phase
from tests.host.browser.plays.verified import verified
from tests.host.replayed import Replayed
from tests.runs.tasks.program_cases import seeker, zipped

pytestmark = NEEDED

CONTRACT = 'contract = { use = "hide-and-seek", steps = 10, limits = { seconds = 20 } }'

EDITION = f"""\
include = "hide-and-seek"
id = "seek-2026"
title = "Hide-and-Seek 2026"
dataset = {{ rows = 40, steps = 10, features = 4 }}
baseline = []

[[phase]]
id = "hide"
submit = "release"
{CONTRACT}
{phase(1, 3)}
[[phase]]
id = "seek"
submit = "guess"
{CONTRACT}
{phase(4, 6)}
"""

HIDER = """
def hider(input_dict):
    return input_dict["data"], input_dict["padding_mask"]
"""

FAILING = "def hider(input_dict):\\n    raise ValueError('no idea')\\n"


@pytest.fixture(scope="module")
def able():
    """Skip where nothing contains the programs of strangers."""
    here = ability(trust=False)
    if not here.able:
        pytest.skip(here.why)


@pytest.mark.slow
def test_programs_from_registration_to_reveal(able, new_stage, tmp_path):
    stage = new_stage(lanes=("intake", "scoring", "program"))
    stage.at(day(0.5))
    olga, name = stage.organiser("Olga"), "seek-2026"
    olga.create(EDITION, name)
    olga.step("Fix the rules and prepare", "Prepared: main.")
    olga.publish()
    ada, bob = stage.captain("Ada"), stage.captain("Bob")
    ada.register(name, "red")
    bob.register(name, "blue")

    stage.at(day(1.5))
    ada.submit({"hider.zip": zipped(hider=FAILING)})
    ada.sees("accepted")
    ada.awaits("it failed with an error")
    ada.sees_not("no idea", "ValueError")  # a message could carry private data out
    for captain in (ada, bob):
        captain.submit({"hider.zip": zipped(hider=HIDER)})
        captain.awaits("release.parquet")
    receipt = bob.receipt(tmp_path)
    stage.at(day(3))
    olga.step("Hand over", "handed over main")
    stage.at(day(4.5))
    bob.submit({"seeker.zip": seeker()})
    bob.awaits("red")
    checkpoint = bob.kept_checkpoint(tmp_path)

    stage.at(day(6))
    olga.reveal()
    ada.go(f"/contests/{name}")
    ada.awaits("archive.zip")
    archive = ada.download("archive.zip", tmp_path)
    ada.click("See the results")
    ada.sees("Best seeker", "Team blue")
    said = verified(archive, checkpoint=checkpoint, receipt=receipt)
    assert "verified against 1 receipt and 1 checkpoint" in said
    assert Replayed(stage.site.folder(name), tmp_path / "again").differences() == []
    assert stage.complaints() == []
