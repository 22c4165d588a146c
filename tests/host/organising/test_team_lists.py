"""Lists of teams: many approved at once, by ticks or by a table that may be hostile."""

import csv
import io
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from quintain_host.access import NotAllowed
from quintain_host.database.contests import RegisteredTeam
from quintain_host.database.work import LogLine
from quintain_host.intake.intake import take
from quintain_host.organising.team_lists import (
    MOST_BYTES,
    BadTable,
    answer_table,
    approve_teams,
    write_table,
)
from quintain_host.teams.registration import register
from tests.host import contest_on_site as contest
from tests.host.notices.people import titles
from tests.host.teams.browsers import browser

NAMES = ("ada", "bob", "eve")


@pytest.fixture
def waiting(one_site):
    """A contest in which three teams wait for approval."""
    edition = contest.edition(one_site, registration="approval")
    for name in NAMES:
        team = {"name": f"Team {name}", "affiliation": "=HYPERLINK(1)"}
        register(one_site, contest.visitor(one_site, name), edition, **team)
    return one_site, contest.visitor(one_site, "olga"), edition


def states(site):
    with site.database.reading() as session:
        rows = session.scalars(select(RegisteredTeam).order_by(RegisteredTeam.id))
        return [(row.state, row.competing) for row in rows]


def actions(site):
    with site.database.reading() as session:
        return list(session.scalars(select(LogLine.action).order_by(LogLine.number)))


def test_ticked_teams_are_approved_together(waiting):
    site, olga, edition = waiting
    assert approve_teams(site, olga, edition, ["team-ada", "team-bob", "team-ada"]) == 2
    assert [state for state, _ in states(site)] == ["joining", "joining", "waiting"]
    assert actions(site).count("team.approve") == 2
    assert titles(site, "ada") == ["Your team is approved"]


def test_all_or_none(waiting):
    site, olga, edition = waiting
    approve_teams(site, olga, edition, ["team-bob"])
    with pytest.raises(BadTable) as problem:
        approve_teams(site, olga, edition, ["team-ada", "team-bob", "nobody"])
    assert len(problem.value.faults) == 2
    assert states(site)[0] == ("waiting", True)
    with pytest.raises(NotAllowed):
        approve_teams(site, contest.visitor(site, "ada"), edition, ["team-ada"])


def test_a_table_comes_back_with_decisions(waiting):
    site, olga, edition = waiting
    rows = list(csv.DictReader(io.StringIO(write_table(site, olga, edition).decode())))
    assert rows[0]["people"] == "Ada <ada@example.org>"
    assert rows[0]["affiliation"] == "'=HYPERLINK(1)"  # no formula for a spreadsheet
    assert actions(site)[-1] == "team.look-all"
    for row, decision in zip(rows, ("approve", "Approve-without-rank ", "refuse"), strict=True):
        row["decision"] = decision
    rows[2]["reason"] = "too late"
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    assert answer_table(site, olga, edition, b"\xef\xbb\xbf" + text.getvalue().encode()) == 3
    assert states(site) == [("joining", True), ("joining", False), ("refused", True)]
    assert titles(site, "eve") == ["Your team was refused"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no column team"),
        (b"name,decision\nx,approve\n", "no column team"),
        (b"team,decision\nteam-ada,maybe\n", "the decision is 'maybe'"),
        (b"team,decision\nnobody,approve\n", "there is no team 'nobody'"),
        (b"team,decision\nteam-ada,approve\nteam-ada,refuse\n", "two rows decide"),
        (b"team,decision,reason\nteam-ada,refuse,\n", "say why"),
        (b"team,decision,reason\nteam-ada,refuse,a\x07b\n", "cannot be printed"),
        (b"team,decision\nteam-ada,approve,more\n", "more cells"),
        (b'team,decision\n"team-ada,approve\n', "not a table"),
        (b"team,decision\nteam-ada,\xff\n", "UTF-8"),
        (b"team,decision\n" + b"x" * MOST_BYTES, "the limit is"),
        (b"team,decision\n../../etc,approve\n", "there is no team"),
        (b"team,decision\n=team-ada,approve\n", "there is no team"),
    ],
)
def test_a_hostile_table_changes_nothing(waiting, content, words):
    site, olga, edition = waiting
    with pytest.raises(BadTable, match=words):
        answer_table(site, olga, edition, content)
    assert {state for state, _ in states(site)} == {"waiting"}


def test_every_fault_is_named_with_its_line(waiting):
    site, olga, edition = waiting
    table = b"team,decision\nteam-ada,approve\nteam-bob,maybe\nnobody,approve\n"
    with pytest.raises(BadTable) as problem:
        answer_table(site, olga, edition, table)
    assert [fault.line for fault in problem.value.faults] == [3, 4]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(st.binary(max_size=200))
def test_any_bytes_are_refused_or_do_nothing(waiting, content):
    site, olga, edition = waiting
    with suppress(BadTable):
        assert answer_table(site, olga, edition, b"team,decision\n" + content) == 0
    assert {state for state, _ in states(site)} == {"waiting"}


@pytest.mark.slow
def test_the_page_has_ticks_and_the_faults_of_a_table(waiting):
    site, _olga, edition = waiting
    client = browser(site, "olga")
    place = f"/organise/{edition}/teams"
    assert "3 teams wait for your answer" in client.get(place).text
    table = {"file": ("teams.csv", b"team,decision\n<b>x</b>,approve\n")}
    answer = client.post(f"{place}.csv", files=table)
    assert answer.status_code == 422
    assert "The table was not used" in answer.text and "<b>x" not in answer.text
    assert client.get(f"{place}.csv").headers["content-disposition"].startswith("attachment")
    chosen = {"team": ["team-ada", "team-bob"]}
    assert client.post(f"{place}/approve", data=chosen).status_code == 303
    assert [state for state, _ in states(site)] == ["joining", "joining", "waiting"]
    good = {"file": ("teams.csv", b"team,decision\nteam-eve,approve\n")}
    assert client.post(f"{place}.csv", files=good).status_code == 303
    assert states(site)[2] == ("joining", True)


@pytest.mark.slow
def test_a_look_at_a_team_and_its_files_is_recorded(one_site):
    site = one_site
    edition = contest.prepared(site)
    red = contest.team(site, edition, "red", members=("mia",))
    contest.team(site, edition, "blue")
    files = contest.release(site, edition, "red")
    upload = take(site, red, edition, files).upload
    contest.drain(site)
    olga = browser(site, "olga")
    page = olga.get(f"/organise/{edition}/teams/red").text
    assert "red@example.org" in page and "mia@example.org" in page
    path = f"/organise/{edition}/teams/red/uploads/{upload}/release.csv"
    assert f'href="{path}"' in page
    answer = olga.get(path)
    assert answer.content == files["release.csv"]
    assert answer.headers["content-disposition"].startswith("attachment")
    assert actions(site)[-2:] == ["team.look", "upload.look"]
    for wrong in (path.replace("red", "blue"), path + "x", path.replace(f"/{upload}/", "/999/")):
        assert olga.get(wrong).status_code == 404
    api = f"/api/editions/{edition}/organise/registrations/red"
    seen = olga.get(api).json()
    assert [person["captain"] for person in seen["people"]] == [True, False]
    assert seen["uploads"][0]["state"] == "accepted"
    assert browser(site, "red").get(api).status_code == 403
