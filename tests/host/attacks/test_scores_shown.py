"""Scores that are shown: nobody gets the hidden labels out of them, through any page or answer."""

import json

import pytest
from sqlalchemy import select

from quintain_host.database.work import Upload
from tests.host import contest_on_site as contest
from tests.host.attacks.sender import Sender, unlimited, working

LADDER = """
include = "tiny"
id = "ladder"
repeats = 1
dataset = { rows = 400 }
sample = { targets = 20, background = 60 }
privacy = ["membership-advantage", "auc", "confidence-weighted"]
feedback = { show = "ladder", step = 0.25, bits = 40 }
"""
NONE = LADDER.replace('"ladder"\nrepeats', '"none"\nrepeats').replace(
    'feedback = { show = "ladder", step = 0.25, bits = 40 }\n', ""
)


@pytest.fixture(scope="module")
def site(new_site, tmp_path_factory):
    site = new_site(tmp_path_factory.mktemp("scores"))
    for text in (LADDER, NONE):
        edition = contest.prepared(site, text)
        for team in ("red", "blue"):
            contest.team(site, edition, team)
    with working(site):
        yield site
    site.close()


def guesses(site, edition, probability):
    """The same probability for every target but the first."""
    folder = site.folder(edition)
    files = {}
    for rules in folder.edition().track:
        for task in folder.tasks(rules):
            targets = folder.question(rules, task).targets().tolist()
            rows = [f"{t},{0.9 if i == 0 else probability}" for i, t in enumerate(targets)]
            files[f"{task.name}.csv"] = ("target,probability\n" + "\n".join(rows) + "\n").encode()
    return contest.zipped(files)


def play(sender, probability):
    facts = sender.result(guesses(sender.site, sender.edition, probability))
    assert facts["state"] == "accepted", facts
    contest.drain(sender.site, "scoring")
    return sender.client.get(sender.api("team/history")).json()["scores"]


@pytest.fixture(scope="module")
def climbed(site):
    """The scores that red saw after its first guesses in the contest with a ladder."""
    return play(Sender(site, "ladder", "red", unlimited(site)), 0.1)


def everything(sender):
    """All that a team can read of scores."""
    paths = ["standings", "team/history", "team", "uploads", "events", "matrix/main", "trust"]
    pages = ["standings", "matrix", "team", "team/history", "team/uploads"]
    return [sender.client.get(sender.api(path)).text for path in paths] + [
        sender.client.get(f"/contests/{sender.edition}/{path}").text for path in pages
    ]


@pytest.mark.slow
def test_without_feedback_nothing_is_shown(site):
    red = Sender(site, "none", "red", unlimited(site))
    assert play(red, 0.1) == []
    with site.database.reading() as session:
        rows = session.scalars(select(Upload).where(Upload.edition == "none")).all()
    assert all(not row.shown.get("readings") for row in rows)
    before = everything(red)
    play(red, 0.8)
    for early, late in zip(before, everything(red), strict=True):
        assert "membership_advantage" not in late or "membership_advantage" in early
    standings = json.loads(red.client.get(red.api("standings")).text)
    assert "red" not in json.dumps(standings.get("boards", []))


def test_a_ladder_is_not_taken_down_by_guesses_that_cannot_be_measured(site, climbed):
    red = Sender(site, "ladder", "red", unlimited(site))
    first = {(one["entry"], one["name"]): one["value"] for one in climbed}
    assert first
    assert all((4 * value).is_integer() for value in first.values())
    assert not any("weighted" in name for _entry, name in first)  # weights are the attacker's
    again = {(one["entry"], one["name"]): one["value"] for one in play(red, 0.5)}
    assert set(first) <= set(again)  # the step that was reached is not forgotten
    assert all(again[key] >= first[key] for key in first)


@pytest.mark.usefixtures("climbed")
def test_a_team_sees_no_scores_of_others(site):
    blue = Sender(site, "ladder", "blue", unlimited(site))
    assert blue.client.get(blue.api("team/history")).json()["scores"] == []
    path = site.edition_root("ladder") / "teams/red/board.json"
    assert path.is_file()
    for name in ("board.json", "../red/board.json", "..%2fred%2fboard.json"):
        answer = blue.client.get(blue.api(f"team/files/{name}"))
        assert answer.status_code == 404
