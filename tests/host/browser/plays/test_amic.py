"""AMIC in a browser, from registration to reveal: two rounds, a late team, an extension."""

import pytest

from tests.figures.browser import NEEDED
from tests.host.browser.plays import moves
from tests.host.browser.plays.dates import day, phase
from tests.host.browser.plays.verified import verified
from tests.host.replayed import Replayed

pytestmark = NEEDED

GATE = """
[[track.utility]]
use = "histogram"
at_least = 0.5
"""

EDITION = f"""\
include = "amic"
id = "amic-2026"
title = "AMIC 2026: anonymize, then attack"
dataset = {{ rows = 600 }}
population = {{ generator = {{ rows = 3_000 }}, take = 1_000 }}
sample = {{ rows = 300 }}
goal = {{ guesses = 10 }}
rule = [{{ use = "rows", least = 100, most = 1_000 }}]

[[baseline]]
id = "attack.py"
name = "Nearest record"
attack = {{ use = "nearest", distance = "euclidean" }}

[[track]]
id = "pre"
title = "Preliminary round"
{GATE}
[[track.phase]]
id = "anonymization"
submit = "release"
{phase(1, 2)}
[[track.phase]]
id = "attack"
submit = "guess"
{phase(4, 5)}
[[track]]
id = "main"
title = "Final round"
{GATE}
[[track.phase]]
id = "anonymization"
submit = "release"
{phase(6, 7)}
[[track.phase]]
id = "attack"
submit = "guess"
{phase(8, 9)}
"""


@pytest.mark.slow
def test_two_rounds_from_registration_to_reveal(new_stage, tmp_path):
    stage = new_stage()
    stage.at(day(0.5))
    olga, name = stage.organiser("Olga"), "amic-2026"
    olga.create(EDITION.replace('"guess"', '"gues"', 1), name)
    wrong = EDITION.splitlines().index('submit = "guess"') + 1
    olga.sees("Nothing was stored", f"edition.toml:{wrong}", "'guess'")
    olga.send("Check and store the draft", toml=EDITION)
    olga.sees("The draft is stored.")
    olga.step("Fix the rules and prepare", "Prepared: pre.")
    olga.publish(team_size=2)

    ada, bob, cem, eve = (stage.captain(person) for person in ("Ada", "Bob", "Cem", "Eve"))
    ada.register(name, "red")
    bob.register(name, "blue")
    eve.join(ada.invite())
    eve.sees("Team red", "member")
    eve.sees_not("Invite people")

    # The first round: one team joins late, another one needs more time.
    stage.at(day(1.2))
    release(ada, "pre", tmp_path, use="rr", keep=0.9)
    receipt = ada.receipt(tmp_path)
    stage.at(day(1.5))
    cem.register(name, "green")
    stage.at(day(2.2))
    bob.open_page("Submit")
    bob.sees("No phase is open for your team now.")
    olga.extend("pre", "anonymization", day(3), "the lab lost its power")
    eve.go(f"/contests/{name}")
    eve.awaits("the lab lost its power")
    stage.at(day(2.4))
    release(bob, "pre", tmp_path, use="rr", keep=0.5)
    release(cem, "pre", tmp_path, use="identity")
    stage.at(day(3))
    olga.step("Hand over", "handed over pre", track="pre")
    stage.at(day(4.5))
    for captain in (ada, bob, cem):
        attack(captain, "pre", tmp_path)

    # The final round.
    stage.at(day(5.5))
    olga.step("Prepare this round", "Prepared: pre, main.", track="main")
    stage.at(day(6.5))
    release(ada, "main", tmp_path, use="rr", keep=0.8)
    release(bob, "main", tmp_path, use="rr", keep=0.5)
    release(cem, "main", tmp_path, use="rr", keep=0.7)
    stage.at(day(7))
    olga.step("Hand over", "handed over main", track="main")
    stage.at(day(8.5))
    for captain in (ada, bob, cem):
        attack(captain, "main", tmp_path)
    checkpoint = eve.kept_checkpoint(tmp_path)

    # The end: everybody sees everything, and anybody can check it.
    stage.at(day(9))
    olga.step("End the contest", "The contest is over")
    eve.go(f"/contests/{name}/standings")
    eve.sees("The boards come out when its organisers reveal the secrets.")
    olga.reveal()
    nobody = stage.person("Nobody")
    nobody.go(f"/contests/{name}")
    nobody.awaits("archive.zip")
    archive = nobody.download("archive.zip", tmp_path)
    nobody.click("See the results")
    nobody.sees("Overall award", "Team red", "Team blue", "Team green")
    said = verified(archive, checkpoint=checkpoint, receipt=receipt)
    assert "verified against 1 receipt and 1 checkpoint" in said
    assert Replayed(stage.site.folder(name), tmp_path / "again").differences() == []
    assert stage.complaints() == []


def release(captain, track, folder, **sanitizer):
    """A team sanitizes the sample in its kit, fills in the questionnaire and submits."""
    made = moves.sanitized(captain.kit(folder), captain.team, track, **sanitizer)
    files = {name: content for name, content in made.items() if name != "card.json"}
    answers = {"method-1-name": "randomised response", "method-1-columns": "education, income"}
    captain.submit(files, **answers)
    captain.sees("accepted")


def attack(captain, track, folder):
    """A team names the records next to each release, and submits one zip."""
    answers = moves.attacked(captain.kit(folder), captain.team, track, use="nearest")
    captain.submit({"answers.zip": moves.zipped(answers)})
    captain.sees("accepted")
