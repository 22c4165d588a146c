"""Accounts by mail: the address check, a forgotten password, and invitations."""

import re
from datetime import timedelta

import pytest
from sqlalchemy import select

from quintain.errors import Refused
from quintain_host.access import BadInput, NotAllowed
from quintain_host.database.notices import Contact, Letter
from quintain_host.database.people import Link, SignIn
from quintain_host.notices.contacts import check_address
from quintain_host.teams.invitations import MOST_OF_TEAM, invite_people, invite_teams
from tests.host import contest_on_site as contest
from tests.host.notices.people import deliver, letters, link_in
from tests.host.security.people import PASSWORD, account, browser, post, signed_in

ADA = "ada@example.org"


def shown(answer):
    """All that an answer tells beside the time: a cookie carries the second when it was sent."""
    changing = {"x-request-id", "date"}
    headers = {
        name: re.sub(r"expires=[^;]+; ", "", value)
        for name, value in answer.headers.items()
        if name not in changing
    }
    return answer.status_code, answer.text, headers


def test_a_new_account_gets_a_mail_that_checks_its_address(posting):
    site, office = posting
    account(site)
    deliver(site)
    (mail,) = office.of(ADA)
    assert "Is this your address?" in mail["Subject"]
    assert mail["List-Unsubscribe"] is None
    path, client = link_in(mail, "check-address"), browser(site)
    assert client.get(path).status_code == 200
    with site.database.reading() as session:
        assert session.scalars(select(Contact)).all() == []  # looking at a link does nothing
    assert client.post(path).status_code == 303
    with site.database.reading() as session:
        assert session.scalars(select(Contact)).one().checked == site.clock.now()
    assert client.post(path).status_code == 404


def test_a_second_sign_up_is_told_to_the_owner_and_to_nobody_else(one_posting):
    site, office = one_posting
    account(site)
    fields = {"name": "Eve", "password": "some other password"}
    answers = [
        browser(site).post("/sign-up", data={**fields, "email": email})
        for email in (ADA, "new@example.org")
    ]
    assert shown(answers[0]) == shown(answers[1])
    deliver(site)
    second = office.of(ADA)[1]
    assert "You have an account already" in second["Subject"]
    assert "Is this your address?" in office.of("new@example.org")[0]["Subject"]


def test_a_forgotten_password_is_set_by_mail_once(posting):
    site, office = posting
    account(site)
    deliver(site)
    inside = signed_in(site, ADA)
    client = browser(site)
    assert "Get a link by mail" in client.get("/sign-in").text
    for _ in range(2):
        assert post(client, "/forgot-password", email=" ADA@example.org ").status_code == 303
    deliver(site)
    first, second = (link_in(mail, "set-password") for mail in office.of(ADA)[1:])
    assert "ada@example.org" in client.get(first).text
    assert post(client, first, password="a new and better one").status_code == 303
    assert inside.get("/account").status_code == 401  # the session has ended
    signed_in(site, ADA, "a new and better one")
    for path in (first, second):  # the other link has ended, too
        assert client.post(path, data={"password": "yet another one"}).status_code == 404
    with site.database.reading() as session:
        assert session.scalars(select(Contact)).one().checked is not None


def test_the_page_tells_nothing_about_who_has_an_account(one_posting):
    site, _ = one_posting
    account(site)
    deliver(site)
    known, unknown, odd = (browser(site) for _ in range(3))
    answers = [
        client.post("/forgot-password", data={"email": email})
        for client, email in (
            (known, ADA),
            (unknown, "eve@example.org"),
            (odd, "nobody\r\nBcc: eve@evil.example"),
        )
    ]
    assert shown(answers[0]) == shown(answers[1]) == shown(answers[2])
    pages = [shown(client.get("/sign-in")) for client in (known, unknown, odd)]
    assert pages[0] == pages[1] == pages[2]
    assert deliver(site) == 1
    assert browser(site).post("/api/reset-password", json={"email": ADA}).status_code == 202


def test_a_link_for_a_password_is_valid_for_two_hours_from_its_sending(one_posting):
    site, office = one_posting
    account(site)
    browser(site).post("/forgot-password", data={"email": ADA})
    site.clock.wait(days=2)  # the mail server was away
    deliver(site)
    path = link_in(office.of(ADA)[-1], "set-password")
    site.clock.wait(hours=1.9)
    assert browser(site).get(path).status_code == 200
    site.clock.wait(hours=0.2)
    assert browser(site).get(path).status_code == 404


def test_no_letter_has_a_secret_in_the_database(one_posting):
    site, office = one_posting
    account(site)
    browser(site).post("/forgot-password", data={"email": ADA})
    deliver(site)
    secrets = [
        link_in(mail, page).rpartition("/")[2]
        for mail, page in zip(office.of(ADA), ("check-address", "set-password"), strict=True)
    ]
    with site.database.reading() as session:
        rows = session.scalars(select(Letter)).all()
        content = repr([(row.paragraphs, row.subject, row.reason) for row in rows])
        assert len(session.scalars(select(Link)).all()) == 2
    assert not any(secret in content for secret in secrets)


def test_links_of_an_attempt_that_failed_end(one_posting):
    site, _ = one_posting
    account(site)
    working = site.settings
    away = working.mail.model_copy(update={"port": 1})
    site.settings = working.model_copy(update={"mail": away})
    deliver(site)
    site.settings = working
    site.clock.wait(minutes=5)
    deliver(site)
    with site.database.reading() as session:
        links = session.scalars(select(Link).order_by(Link.id)).all()
    assert [link.revoked is None for link in links] == [False, True]


def test_a_disabled_account_gets_no_mail(one_posting):
    from quintain_host.accounts.administration import account_with, disable

    site, office = one_posting
    account(site)
    disable(site, None, account_with(site, ADA))
    browser(site).post("/forgot-password", data={"email": ADA})
    deliver(site)
    assert office.mails == []


def test_resets_are_limited(one_posting):
    site, _ = one_posting
    account(site)
    client = browser(site)
    statuses = [
        client.post("/forgot-password", data={"email": email}).status_code
        for email in [ADA] * 6 + [" Ada@EXAMPLE.org"]
    ]
    assert statuses == [303] * 5 + [429] * 2
    assert len(letters(site)) == 6  # with the check of the address


def test_without_mail_the_pages_say_so(one_site):
    account(one_site)
    client = browser(one_site)
    assert "Ask the operators" in client.get("/sign-in").text
    assert "This site sends no mail" in client.get("/forgot-password").text
    client.post("/forgot-password", data={"email": ADA})
    assert letters(one_site) == []
    inside = signed_in(one_site, ADA, PASSWORD)
    assert "This site sends no mail" in inside.get("/account/notices").text
    assert post(inside, "/account/check-address", "/account/notices").status_code == 403


def test_a_captain_invites_people_by_mail(posting):
    site, office = posting
    edition = contest.prepared(site)
    red = contest.team(site, edition, "red")
    assert invite_people(site, red, edition, ["mia@example.org", "Mia@Example.org"]) == 1
    deliver(site)
    (mail,) = office.of("mia@example.org")
    assert mail["Subject"] == "Red invites you to Red"
    assert "to team Red in the contest Everybody sanitizes" in mail.get_content()
    assert [letter.address for letter in letters(site)] == [""]  # nobody keeps it
    from tests.host.teams.browsers import browser as member

    secret = link_in(mail, "contests").partition("link=")[2]
    answer = member(site, "mia").post(f"/contests/{edition}/join", data={"link": secret})
    assert answer.status_code == 303
    answer = member(site, "eve").post(f"/contests/{edition}/join", data={"link": secret})
    assert answer.status_code == 404


def test_organisers_invite_teams_to_a_site_by_invitation(one_posting):
    site, office = one_posting
    site.settings = site.settings.model_copy(update={"accounts": "invitation"})
    edition = contest.edition(site, registration="invitation")
    invite_teams(site, contest.visitor(site, "olga"), edition, ["ann@example.org bob@example.org"])
    deliver(site)
    (mail,) = office.of("ann@example.org")
    assert browser(site).get(link_in(mail, "sign-up")).status_code == 200
    assert "register?link=" in mail.get_content()


def test_invitations_are_limited_and_addresses_checked(one_posting):
    site, _ = one_posting
    edition = contest.prepared(site)
    red = contest.team(site, edition, "red", members=("mia",))
    with pytest.raises(BadInput, match=r"'x@y\\nBcc:a'|'b c'|not an e-mail address: 'no'"):
        invite_people(site, red, edition, ["no", "a@example.org"])
    many = [f"p{number}@example.org" for number in range(MOST_OF_TEAM)]
    invite_people(site, red, edition, many)
    with pytest.raises(Refused, match="within a day"):
        invite_people(site, red, edition, ["more@example.org"])
    site.clock.wait(days=1.1)
    invite_people(site, red, edition, ["more@example.org"])
    with pytest.raises(NotAllowed):
        invite_people(site, contest.visitor(site, "mia"), edition, ["a@example.org"])


def test_a_name_in_an_invitation_adds_no_header(one_posting):
    site, office = one_posting
    edition = contest.edition(site, title="Fun\r\nBcc: eve@evil.example")
    invite_teams(site, contest.visitor(site, "olga"), edition, ["ann@example.org"])
    deliver(site)
    ((_, recipients, _),) = office.raw
    assert recipients == ["ann@example.org"]
    assert office.mails[0]["Bcc"] is None


def test_a_link_that_checks_an_address_ends(one_posting):
    site, office = one_posting
    account(site)
    deliver(site)
    site.clock.set(site.clock.now() + timedelta(days=8))
    assert browser(site).get(link_in(office.mails[0], "check-address")).status_code == 404


def test_sessions_of_a_browser_are_gone_after_a_reset(one_posting):
    site, office = one_posting
    account(site)
    signed_in(site, ADA)
    browser(site).post("/forgot-password", data={"email": ADA})
    deliver(site)
    path = link_in(office.of(ADA)[-1], "set-password")
    post(browser(site), path, password="a new and better one")
    with site.database.reading() as session:
        assert session.scalars(select(SignIn)).all() == []


def test_only_a_link_for_addresses_checks_one(one_posting):
    from quintain_host.access import NotThere

    site, office = one_posting
    account(site)
    browser(site).post("/forgot-password", data={"email": ADA})
    deliver(site)
    secret = link_in(office.of(ADA)[-1], "set-password").rpartition("/")[2]
    with pytest.raises(NotThere):
        check_address(site, secret)
