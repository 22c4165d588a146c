"""SNAKE in a browser: a team sees of its scores what the policy of each track allows, no more."""

import csv
import json

import pytest

from quintain.runs.folder import paths
from quintain.runs.score import score
from tests.figures.browser import NEEDED
from tests.host.browser.plays import moves
from tests.host.browser.plays.dates import day, phase
from tests.host.browser.plays.verified import verified
from tests.host.replayed import Replayed

pytestmark = NEEDED

EDITION = f"""\
include = "snake1"
id = "snake-2026"
title = "SNAKE 2026: who was in the survey?"
dataset = {{ rows = 15_000 }}
sample = {{ targets = 16, background = 200 }}
privacy = [{{ use = "membership-advantage" }}]
sanitizer = [
  {{ use = "mst", name = "mst-{{epsilon}}", delta = 1e-9, rows = 200, epsilon = 1000.0 }},
  {{ use = "identity" }},
]

[[baseline]]
id = "nearest"
name = "Nearest record"
attack = {{ use = "nearest" }}

[[track]]
id = "silent"
title = "Nothing is shown"
feedback = {{ show = "none" }}

[[track]]
id = "rounded"
title = "Rounded scores"
feedback = {{ show = "rounded", digits = 1, bits = 30 }}

[[track]]
id = "ladder"
title = "Only a better score"
feedback = {{ show = "ladder", step = 0.2, bits = 30 }}

[[phase]]
id = "attack"
submit = "guess"
{phase(1, 8)}
per_day = 2
total = 5
"""

TRACKS = {
    "silent": "Nothing is shown",
    "rounded": "Rounded scores",
    "ladder": "Only a better score",
}
"""The titles of the tracks."""
PAGES = ("", "/team", "/team/history", "/team/uploads", "/standings", "/matrix", "/trust")


@pytest.mark.slow
def test_a_team_sees_what_the_policy_allows(new_stage, tmp_path):
    stage = new_stage()
    stage.at(day(1.2))
    olga, name = stage.organiser("Olga"), "snake-2026"
    olga.create(EDITION, name)
    olga.step("Fix the rules and prepare", "Prepared: silent, rounded, ladder.")
    olga.publish()
    ada, bob = stage.captain("Ada"), stage.captain("Bob")
    ada.register(name, "red")
    bob.register(name, "blue")
    kit = ada.kit(tmp_path)

    attack(ada, kit, turned=False)
    receipt = ada.receipt(tmp_path)
    good = shown(ada)
    assert good == allowed(stage, name)
    assert good["silent"] == {}
    exact = measured(stage, name)
    assert good["rounded"] == {entry: round(value, 1) for entry, value in exact["rounded"].items()}
    tells_nothing_else(ada, exact)
    attack(ada, kit, turned=True)
    bad = shown(ada)
    assert bad == allowed(stage, name)
    assert bad["silent"] == {}
    assert bad["rounded"]["identity"] == -good["rounded"]["identity"] < 0
    assert bad["ladder"]["identity"] == good["ladder"]["identity"] > 0, "it is no better score"
    tells_nothing_else(ada, measured(stage, name))
    ada.open_page("Submit")
    ada.sees("No phase is open for your team now.")  # two submissions per day
    bob.open_page("History and scores")
    bob.sees("Your team has submitted nothing yet.")
    checkpoint = bob.kept_checkpoint(tmp_path)

    stage.at(day(8))
    olga.reveal()
    bob.go(f"/contests/{name}")
    bob.awaits("archive.zip")
    archive = bob.download("archive.zip", tmp_path)
    said = verified(archive, checkpoint=checkpoint, receipt=receipt)
    assert "verified against 1 receipt and 1 checkpoint" in said
    again = Replayed(stage.site.folder(name), tmp_path / "again", after_each=scored)
    assert again.differences() == []
    boards = [folder.at(paths.team_board("red")) for folder in (again.folder, again.source)]
    assert boards[0].read_bytes() == boards[1].read_bytes()
    assert stage.complaints() == []


def attack(captain, kit, *, turned):
    """A team looks targets up in all releases; turned, it says the opposite of what it knows."""
    for track, title in TRACKS.items():
        answers = moves.attacked(kit, captain.team, track, use="exact-match")
        if turned:
            answers = {name: opposite(content) for name, content in answers.items()}
        captain.submit({"answers.zip": moves.zipped(answers)}, f"attack ({title})")
        captain.sees("accepted")


def opposite(content):
    """Answers that call every member an outsider, and the other way round."""
    head, *rows = content.decode().splitlines()
    pairs = [row.split(",") for row in rows]
    return "\n".join([head, *(f"{target},{1 - float(p)}" for target, p in pairs), ""]).encode()


def shown(captain):
    """The scores on the page of a team, by track and entry."""
    captain.settle()
    captain.open_page("History and scores")
    scores = {}
    for track in TRACKS:
        table = captain.page.get_by_label(f"membership advantage of your attacks, track {track}")
        cells = table.locator("tbody th, tbody td").all_text_contents()
        values = [float(text.replace("\u2212", "-")) for text in cells[1::2]]
        scores[track] = dict(zip(cells[::2], values, strict=True))
    return scores


def allowed(stage, edition):
    """What ``quintain board --team red`` says on the machine of the site."""
    content = stage.site.folder(edition).at(paths.team_board("red")).read_bytes()
    return {
        track: {entry: one["membership_advantage"] for entry, one in boards.get("red", {}).items()}
        for track, boards in json.loads(content)["tracks"].items()
    }


def measured(stage, edition):
    """The scores of the team as they are, which only the organisers may know."""
    text = stage.site.folder(edition).at(paths.MATRIX).read_text()
    scores = {track: {} for track in TRACKS}
    for row in csv.DictReader(text.splitlines()):
        if row["attacker"] == "red" and row["measure"] == "membership_advantage":
            scores[row["track"]][row["entry"]] = float(row["value"])
    return scores


def tells_nothing_else(captain, exact):
    """No page that the team can open has a score that is not rounded."""
    values = {
        value for boards in exact.values() for value in boards.values() if value != round(value, 1)
    }
    for name in PAGES:
        captain.go(f"/contests/{captain.edition}{name}")
        content = captain.page.content()
        assert not [value for value in values if f"{abs(value):.3f}"[:5] in content], name


def scored(folder):
    """What a terminal does after each event: score, as the site does."""
    if folder.state().prepared:
        score(folder)
