"""Calendars: what a calendar program reads is what the rules say, whatever people are called."""

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain_host.database.contests import HostedEdition
from quintain_host.notices.contacts import own_contact, renew_key
from quintain_host.views.calendar import _fold, _text, calendar_url
from tests.host import contest_on_site as contest
from tests.host.teams.browsers import browser


def read(text):
    """The events of a calendar, as RFC 5545 says to read them."""
    assert text.endswith("END:VCALENDAR\r\n")
    lines = text.split("\r\n")
    assert all(len(line.encode()) <= 75 for line in lines)
    assert not any("\n" in line or "\r" in line for line in lines)
    unfolded = re.sub(r"\r\n ", "", text).split("\r\n")
    events, now = [], None
    for line in unfolded:
        name, _, value = line.partition(":")
        if line == "BEGIN:VEVENT":
            now = {}
        elif line == "END:VEVENT":
            events.append(now)
            now = None
        elif now is not None:
            now[name] = re.sub(r"\\(.)", r"\1", value)
    return events


def test_a_contest_has_its_dates(one_site):
    edition = contest.prepared(one_site)
    answer = browser(one_site).get(f"/contests/{edition}/calendar.ics")
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    first, second = read(answer.text)
    assert first["SUMMARY"] == "Everybody sanitizes, everybody attacks: phase anonymize"
    assert (first["DTSTART"], first["DTEND"]) == ("20260501T000000Z", "20260510T000000Z")
    assert second["DTSTART"] == "20260511T000000Z"
    assert first["UID"] != second["UID"]
    assert first["URL"] == f"http://127.0.0.1:8000/contests/{edition}"


def test_an_extension_is_in_the_calendar(one_site):
    edition = contest.prepared(one_site)
    before = read(browser(one_site).get(f"/contests/{edition}/calendar.ics").text)
    given_dates = {"track": "main", "phase": "anonymize", "until": "2026-05-10T18:00:00Z"}
    arguments = {**given_dates, "reason": "a storm"}
    contest.request(one_site, edition, "intake", "extend", arguments=arguments)
    contest.drain(one_site)
    after = read(browser(one_site).get(f"/contests/{edition}/calendar.ics").text)
    assert after[0]["UID"] == before[0]["UID"]
    assert after[0]["DTEND"] == "20260510T180000Z"
    assert "a storm" in after[0]["DESCRIPTION"]


@pytest.mark.slow
def test_a_team_has_its_own_deadline_in_its_calendars(one_site):
    site, edition = one_site, contest.prepared(one_site)
    red = contest.team(site, edition, "red")
    contest.team(site, edition, "blue")
    later = {"track": "main", "phase": "anonymize", "until": "2026-05-10T18:00:00Z"}
    arguments = {**later, "reason": "a storm"}
    contest.request(site, edition, "intake", "extend", team="red", arguments=arguments)
    contest.drain(site)
    place = f"/contests/{edition}/calendar.ics"
    ends = {
        name: read(browser(site, name).get(place).text)[0]["DTEND"]
        for name in (None, "blue", "red")
    }
    assert ends == {None: "20260510T000000Z", "blue": "20260510T000000Z", "red": "20260510T180000Z"}
    path = calendar_url(site, own_contact(site, red)).removeprefix(site.settings.url)
    assert read(browser(site).get(path).text)[0]["DTEND"] == "20260510T180000Z"


@pytest.mark.slow
def test_a_contest_without_dates_has_an_empty_calendar(one_site):
    edition = contest.prepared(one_site, contest.TINY)
    assert read(browser(one_site).get(f"/contests/{edition}/calendar.ics").text) == []


def test_a_person_has_all_contests_behind_a_link(one_site):
    site = one_site
    edition = contest.prepared(site, visible=False)
    red = contest.team(site, edition, "red")
    path = calendar_url(site, own_contact(site, red)).removeprefix(site.settings.url)
    nobody = browser(site)
    assert len(read(nobody.get(path).text)) == 2
    assert nobody.get(f"/contests/{edition}/calendar.ics").status_code == 404
    sam = contest.visitor(site, "sam")
    other = calendar_url(site, own_contact(site, sam)).removeprefix(site.settings.url)
    assert read(nobody.get(other).text) == []
    stolen = f"/calendar/{red.account}.calendar.{other.rpartition('.')[2]}"
    assert nobody.get(stolen).status_code == 404
    renew_key(site, red)
    assert nobody.get(path).status_code == 404


@given(st.text(max_size=300))
def test_no_name_ends_a_line_or_adds_a_value(name):
    assert "\n" not in _text(name) and "\r" not in _text(name)
    (line,) = [f"SUMMARY:{_text(name)}"]
    folded = list(_fold([line]))
    assert all(len(part.encode()) <= 75 for part in folded)
    assert folded[0] + "".join(part[1:] for part in folded[1:]) == line


def test_a_hostile_title_stays_a_title(one_site):
    edition = contest.prepared(one_site)
    hostile = "Fun\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nSUMMARY:x;y,z\\n" + "é" * 80
    with one_site.database.writing(edition) as session:
        session.get_one(HostedEdition, edition).title = hostile
    events = read(browser(one_site).get(f"/contests/{edition}/calendar.ics").text)
    assert len(events) == 2
    assert events[0]["SUMMARY"].startswith("Fun")
    assert "x;y,z\\n" in events[0]["SUMMARY"]


def test_times_are_in_utc(one_site):
    stamp = read(
        browser(one_site).get(f"/contests/{contest.prepared(one_site)}/calendar.ics").text
    )[0]["DTSTAMP"]
    assert datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC) == one_site.clock.now()
