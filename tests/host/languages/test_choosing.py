"""Which language a visitor reads, and how the site remembers what they chose."""

import re
from datetime import UTC, datetime

import pytest
from starlette.testclient import TestClient

from quintain.errors import Refused
from quintain.wording.languages import say, speaking, spoken, write_grouped, write_moment
from quintain_host.database.contests import HostedEdition
from quintain_host.database.people import Account
from quintain_host.languages.choosing import language_for
from quintain_host.languages.nouns import count
from quintain_host.notices.inbox import notify
from quintain_host.notices.words import team_waits
from quintain_host.organising.settings import change_settings
from quintain_host.web.app import make_app
from quintain_host.web.requests import cookie_name
from tests.host import contest_on_site as contest
from tests.host.notices.people import titles

NOON = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("chosen", "accepted", "of_contest", "expected"),
    [
        ("", "", "", "en"),
        ("", "fr", "", "fr"),
        ("", "FR-ca", "", "fr"),
        ("", "de, ja;q=0.9, fr;q=0.8", "", "ja"),
        ("", "fr;q=0.2, ja;q=0.9", "", "ja"),
        ("", "fr;q=0", "", "en"),
        ("", "fr;q=0", "ja", "ja"),
        ("", "*", "ja", "ja"),
        ("", "de", "ja", "ja"),
        ("", "en", "ja", "en"),
        ("fr", "ja", "ja", "fr"),
        ("xx", "ja", "", "ja"),
        ("", "fr;q=much, ;;,,=", "", "en"),
        ("", "fr;q=nan", "", "en"),
        ("", ",".join(["de"] * 50 + ["fr"]), "", "en"),
        ("", "de", "xx", "en"),
    ],
)
def test_what_the_visitor_chose_comes_before_the_browser_and_the_contest(
    chosen, accepted, of_contest, expected
):
    assert language_for(chosen, accepted, of_contest) == expected


def test_dates_and_numbers_are_written_as_the_language_does():
    assert write_moment(NOON) == "1 May 2026, 12:00 UTC" and write_grouped(12345) == "12,345"
    with speaking("fr"):
        assert write_moment(NOON).startswith("1 mai 2026")
        assert re.fullmatch(r"12\s345", write_grouped(12345))
    with speaking("ja"):
        assert write_moment(NOON).startswith("2026年5月1日")
    with speaking("unknown"):
        assert spoken() == "en" and count(2, "team") == "2 teams"
    assert spoken() == "en"


@pytest.fixture
def client(one_site):
    with TestClient(make_app(one_site), "http://127.0.0.1:8000") as client:
        client.headers["accept-language"] = ""
        yield client


def language_of(answer):
    """The language of a page; its headers say the same."""
    language = re.search(r'<html lang="(\w+)">', answer.text)[1]
    assert answer.headers["content-language"] == language
    assert "accept-language" in answer.headers["vary"].lower()
    return language


@pytest.mark.slow
def test_a_page_is_in_the_language_of_the_browser(client):
    assert language_of(client.get("/")) == "en"
    assert language_of(client.get("/", headers={"accept-language": "ja, en;q=0.5"})) == "ja"
    missing = client.get("/no-such-page", headers={"accept-language": "fr"})
    assert missing.status_code == 404 and language_of(missing) == "fr"


def test_programs_read_english(client):
    answer = client.get("/api/editions/none", headers={"accept-language": "fr"})
    assert answer.json()["detail"] == "there is no contest 'none' here"
    assert "content-language" not in answer.headers


def test_a_visitor_chooses_a_language_and_keeps_it(client):
    form = {"language": "fr", "shown-on": "/sign-in?next=/account"}
    answer = client.post("/language", data=form, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?next=/account")
    assert language_of(client.get("/", headers={"accept-language": "ja"})) == "fr"


def test_a_language_that_the_site_does_not_speak_is_refused(client):
    assert client.post("/language", data={"language": "xx"}).status_code == 422


def test_the_choice_leads_to_no_other_site(client):
    form = {"language": "fr", "shown-on": "//evil.example/"}
    assert client.post("/language", data=form, follow_redirects=False).headers["location"] == "/"


def test_broken_cookies_of_others_do_no_harm(client):
    answer = client.get("/", headers={"cookie": 'a[=b; "; language=fr'})
    assert answer.status_code == 200


def test_a_contest_has_a_language_for_those_who_ask_for_none(one_site, client):
    edition = contest.edition(one_site)
    olga = contest.visitor(one_site, "olga")
    change_settings(one_site, olga, edition, language="ja")
    page = f"/contests/{edition}"
    assert language_of(client.get(page)) == "ja"
    assert language_of(client.get(page, headers={"accept-language": "de, fr;q=0.3"})) == "fr"
    assert language_of(client.get("/")) == "en"
    with one_site.database.writing(edition) as session:
        session.get_one(HostedEdition, edition).visible = False
    assert language_of(client.get(page)) == "en", "nobody learns anything of a hidden contest"
    with pytest.raises(Refused, match="language is one of"):
        change_settings(one_site, olga, edition, language="xx")


def test_the_site_writes_to_people_in_the_language_that_they_chose(one_site, client, monkeypatch):
    edition = contest.edition(one_site)
    number = contest.account(one_site, "francoise")
    client.cookies.set(cookie_name(one_site.settings), contest.cookie(one_site, number))
    page = client.get("/account").text
    token = re.search(r'name="csrf" value="([^"]+)"', page)[1]
    assert client.post("/language", data={"language": "fr"}).status_code == 403
    client.post("/language", data={"language": "fr", "csrf": token})
    with one_site.database.reading() as session:
        assert session.get_one(Account, number).language == "fr"

    said = {}

    def wording():
        said[spoken()] = say("A team waits for your approval")
        message = team_waits(spoken())
        return type(message)(message.kind, f"in {spoken()}", message.text)

    people = [number, contest.account_of(one_site, "olga")]
    with one_site.database.writing(edition) as session:
        notify(session, one_site, edition, people, wording)
    assert (titles(one_site, "francoise"), titles(one_site, "olga")) == (["in fr"], ["in en"])
    assert set(said) == {"fr", "en"}
