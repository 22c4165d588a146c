"""The inbox: every event reaches everybody whom it concerns, and nobody else."""

from datetime import timedelta

import pytest

from quintain_host.access import NotThere
from quintain_host.intake.intake import take
from quintain_host.notices.dates import notify_of_dates
from quintain_host.notices.inbox import mark_read, notices_of, unread_count
from quintain_host.organising.registrations import approve, refuse
from quintain_host.organising.settings import publish_news
from quintain_host.teams.registration import register
from tests.host import contest_on_site as contest
from tests.host.notices.people import titles
from tests.host.teams.browsers import browser


@pytest.mark.slow
def test_a_whole_contest_tells_its_teams(one_site):
    site = one_site
    edition = contest.prepared(site)
    red = contest.team(site, edition, "red", members=("mia",))
    contest.team(site, edition, "blue")
    take(site, red, edition, {"release.csv": b"rubbish\n"})
    take(site, red, edition, contest.release(site, edition, "red"))
    contest.drain(site)
    later = {"track": "main", "phase": "anonymize", "until": "2026-05-10T12:00:00Z"}
    ask(site, edition, "intake", "extend", arguments={**later, "reason": "a storm"})
    site.clock.set(contest.at(11))
    ask(site, edition, "scoring", "hand-over")
    decision = {"decision": "disqualified", "track": None, "entry": None, "reason": "copied"}
    ask(site, edition, "intake", "decide", team="blue", arguments=decision)
    site.clock.set(contest.at(21))
    ask(site, edition, "scoring", "freeze", arguments={"reason": ""})
    ask(site, edition, "scoring", "reveal")
    common = [
        "The phase anonymize closes later",
        "The releases are handed over",
        "The contest has ended",
        "The results are out",
    ]
    own = ["Your upload was refused", "Your release was accepted"]
    assert titles(site, "red") == ["Your team takes part", *own, *common]
    assert titles(site, "mia") == titles(site, "red")
    blue = ["Your team takes part", *common[:2], "Your team was disqualified", *common[2:]]
    assert titles(site, "blue") == blue


def ask(site, edition, lane, kind, **fields):
    contest.request(site, edition, lane, kind, **fields)
    contest.drain(site)


def test_dates_are_told_once(site):
    edition = contest.prepared(site)
    contest.team(site, edition, "red")
    for _ in range(2):
        notify_of_dates(site)
    assert titles(site, "red") == ["Your team takes part", "The phase anonymize is open"]
    site.clock.set(contest.at(9))
    for _ in range(2):
        notify_of_dates(site)
    assert titles(site, "red")[2:] == ["The phase anonymize closes soon"]
    site.clock.set(contest.at(11))
    notify_of_dates(site)
    assert titles(site, "red")[3:] == ["The phase attack is open"]


def test_a_team_is_reminded_of_its_own_deadline(one_site):
    site, edition = one_site, contest.prepared(one_site)
    for team in ("red", "blue"):
        contest.team(site, edition, team)
    later = {"track": "main", "phase": "anonymize", "until": "2026-05-12T00:00:00Z"}
    ask(site, edition, "intake", "extend", team="red", arguments={**later, "reason": "a storm"})
    reminder = "The phase anonymize closes soon"
    site.clock.set(contest.at(9))
    notify_of_dates(site)
    assert reminder in titles(site, "blue") and reminder not in titles(site, "red")
    site.clock.set(contest.at(11))  # the phase is over for blue
    for _ in range(2):
        notify_of_dates(site)
    assert titles(site, "blue").count(reminder) == titles(site, "red").count(reminder) == 1


def test_an_upload_that_failed_is_told(one_site):
    from sqlalchemy import update

    from quintain_host.database.work import Upload

    site, edition = one_site, contest.prepared(one_site)
    red = contest.team(site, edition, "red")
    number = take(site, red, edition, contest.release(site, edition, "red")).upload
    with site.database.writing(edition) as session:
        session.execute(update(Upload).values(state="failed"))
    for _ in range(2):
        notify_of_dates(site)
    assert titles(site, "red").count("Your upload could not be checked") == 1
    notice = notices_of(site, red)[0].notice
    assert notice.place == f"/contests/{edition}/team/uploads/{number}"


def test_a_registration_reaches_the_organisers_and_their_answer_the_team(one_site):
    site = one_site
    edition = contest.edition(site, registration="approval")
    olga = contest.visitor(site, "olga")
    for name in ("ada", "bob"):
        register(site, contest.visitor(site, name), edition, f"Team {name}")
    assert titles(site, "olga") == ["A team waits for your approval"] * 2
    approve(site, olga, edition, "team-ada")
    refuse(site, olga, edition, "team-bob", "too late")
    assert titles(site, "ada") == ["Your team is approved"]
    assert titles(site, "bob") == ["Your team was refused"]
    publish_news(site, olga, edition, "We begin", "on Monday")
    assert titles(site, "ada")[1:] == ["We begin"]
    assert titles(site, "bob")[1:] == []


@pytest.mark.slow
def test_people_read_their_own_notices(one_site):
    site = one_site
    edition = contest.prepared(site)
    red, blue = (contest.team(site, edition, name) for name in ("red", "blue"))
    assert unread_count(site, red) == 1
    number = notices_of(site, red)[0].notice.id
    with pytest.raises(NotThere):
        mark_read(site, blue, number)
    assert unread_count(site, red) == 1
    mark_read(site, red, number)
    assert unread_count(site, red) == 0
    assert notices_of(site, red, unread=True) == []
    assert len(notices_of(site, red, edition)) == 1


@pytest.mark.slow
def test_the_page_shows_what_is_new_until_it_is_read(one_site):
    site = one_site
    edition = contest.prepared(site)
    contest.team(site, edition, "red")
    client = browser(site, "red")
    shown = client.get("/notices").text
    assert "1 notice to read" in shown
    assert "Your team takes part" in shown
    assert 'class="count">1' in client.get("/").text
    assert client.post("/notices/read").status_code == 303
    assert "You have read everything" in client.get("/notices").text
    assert 'class="count"' not in client.get("/").text
    assert [one["title"] for one in client.get("/api/notices").json()] == ["Your team takes part"]
    assert client.get("/api/notices?unread=true").json() == []


def test_notices_of_a_forgotten_person_are_removed(one_site):
    from quintain_host.accounts.administration import forget

    site = one_site
    edition = contest.prepared(site)
    red = contest.team(site, edition, "red")
    forget(site, red.account)
    assert titles(site, "red") == []


def test_a_phase_that_closed_is_told_with_its_checkpoint(one_site):
    site = one_site
    edition = contest.prepared(site)
    contest.team(site, edition, "red")
    site.clock.set(contest.at(10) + timedelta(hours=1))
    ask(site, edition, "intake", "close")
    assert titles(site, "red")[-1] == "The phase anonymize has closed"
