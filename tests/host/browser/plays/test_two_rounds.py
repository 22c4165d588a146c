"""A contest on an own table in two rounds: made, rehearsed and revealed without a terminal.

Its teams read Japanese, and play on a phone; each looks closely at every page on the way.
"""

from types import SimpleNamespace

import pytest

from tests.figures.browser import NEEDED
from tests.host.browser.close_lookers import JapaneseCaptain, PhoneCaptain
from tests.host.browser.plays import moves
from tests.host.browser.plays.dates import day
from tests.host.browser.test_reaching import await_mail, link_of
from tests.host.notices.post_office import open_office
from tests.host.organising.student_table import STUDENTS, students

pytestmark = NEEDED

NAME, TITLE = "meibo", "誰が名簿にいたか"
ROUNDS = {"round-1": "予選", "round-2": "本戦"}
SIZES = {"sample.rows": "60", "sample.targets": "20"}


def typed(moment):
    """A moment as a field for date and time takes it."""
    return f"{moment:%Y-%m-%dT%H:%M}"


@pytest.fixture(scope="module")
def contest(new_stage, tmp_path_factory):
    """The contest after its reveal, with everybody who took part."""
    folder = tmp_path_factory.mktemp("kits")
    with open_office() as (office, mail):
        stage = new_stage(mail=mail)
        stage.at(day(0.5))
        olga = stage.organiser("Olga")
        make_in_the_guide(olga)
        hana = stage.captain("Hana", JapaneseCaptain)
        hana.register(NAME, "sakura")
        olga.open_page("Teams")
        kim = stage.captain("Kim", PhoneCaptain)
        olga.send("Invite by mail", addresses=kim.email)
        accept(kim, link_of(await_mail(office, kim.email, "invites you")))
        for opening, track in zip((1, 4), ROUNDS, strict=True):
            stage.at(day(opening + 0.1))
            if opening > 1:
                olga.step("Prepare this round", "Prepared: round-1, round-2.", track=track)
            fail(hana)
            for captain, use in ((hana, "nearest"), (kim, "random")):
                attack(captain, track, folder, use=use)
            stage.at(day(opening + 2.1))
            for page in ("", "/standings", "/news"):
                hana.go(f"/contests/{NAME}{page}")
                kim.go(f"/contests/{NAME}{page}")
        stage.at(day(7))
        olga.reveal(publish_data=True)
        for captain in (hana, kim):
            see_the_end(captain)
        yield SimpleNamespace(stage=stage, olga=olga, hana=hana, kim=kim)


def make_in_the_guide(olga):
    """Make the contest with its two rounds, step by step, and open it."""
    olga.edition = NAME
    olga.go("/organise")
    olga.click("Make a contest")
    olga.click("Make a contest with your table")
    first = {"title": TITLE, "id": NAME}
    olga.send("Store, then: Columns", **first, file={STUDENTS: students()})
    olga.send("Store, then: What attackers want", **{"column.1.low": "16", "column.1.high": "99"})
    olga.send("Store, then: Releases", **SIZES)
    olga.send("Store, then: Utility and gates", **{"use.microaggregation": False})
    olga.send("Store and try the gates", **{"use.one-way": True, "bound.one-way": "0.4"})
    olga.awaits("passes")
    olga.click("Next: Dates and teams")
    olga.page.locator("[name=registration][value=open]").check()
    dates = {"phase.0.opens": typed(day(1)), "phase.0.closes": typed(day(3))}
    olga.send("Store, then: Ranking rule", rounds="2", **dates)
    olga.sees("Look at the dates of every round.")
    second = "track.1.phase.0"
    assert olga.page.locator(f"[name='{second}.opens']").input_value() == typed(day(3))
    later = {f"{second}.opens": typed(day(4)), f"{second}.closes": typed(day(6))}
    names = {f"track.{place}.title": title for place, title in enumerate(ROUNDS.values())}
    olga.send("Store, then: Ranking rule", **names, **later)
    olga.sees("What counts at the end?")
    olga.send("Store, then: Rehearsal")
    olga.send("Let built-in teams play")
    olga.awaits("Before you open", *ROUNDS.values(), "Exact match")
    olga.click("Next: Check and open")
    olga.sees("It was rehearsed as it is now.", *ROUNDS.values())
    olga.sees_not("[[", "use =", "TOML")
    olga.send("Fix the rules and open", publish_data=True, learned=True)
    olga.awaits("Prepared: round-1.")


def accept(kim, link):
    """Follow the link of an invitation, make an account, and register a team."""
    kim.edition, kim.team = NAME, "kani"
    kim.go(link)
    kim.sign_up()
    kim.send("Register the team", name="カニ", id="kani")
    kim.awaits("Kit and data")


def fail(captain):
    """Send a file that is no guess, and read why it is refused."""
    captain.open_page("Submit")
    captain.send("Submit", file={"guess.csv": b"who,knows\n1,2\n"})
    captain.awaits("What came", "refused")


def attack(captain, track, folder, **attack):
    """Answer every task of a round with a built-in attack, and submit one zip."""
    answers = moves.attacked(captain.kit(folder), captain.team, track, **attack)
    captain.submit({"answers.zip": moves.zipped(answers)})
    captain.sees("accepted")


def see_the_end(captain):
    """Read the results and every page around them."""
    captain.go(f"/contests/{NAME}")
    captain.click("See the results")
    assert captain.page.locator(".podium").is_visible()
    for page in ("matrix", "teams", "rules", "team", "team/history", "team/uploads"):
        captain.go(f"/contests/{NAME}/{page}")
    captain.go("/notices")


@pytest.mark.slow
def test_two_rounds_end_with_a_podium(contest):
    nobody = contest.stage.person("Nobody")
    nobody.go(f"/contests/{NAME}/standings")
    nobody.sees("Attackers, all rounds", "Team sakura", "カニ", *ROUNDS.values())
    assert contest.stage.complaints() == []


@pytest.mark.slow
def test_a_team_reads_japanese_everywhere(contest):
    assert contest.hana.noted == {} and len(contest.hana.seen) > 12


@pytest.mark.slow
def test_a_team_plays_on_a_phone(contest):
    assert contest.kim.noted == {} and len(contest.kim.seen) > 12
