"""Sign-up: the answer is the same for an address with an account and for a new one."""

import pytest
from benchmarks.host.sign_up_times import measure
from sqlalchemy import select

from quintain_host.access import Visitor
from quintain_host.accounts import administration, passwords
from quintain_host.accounts.administration import accounts
from quintain_host.database.people import Account
from quintain_host.database.work import LogLine
from tests.host.security.people import PASSWORD, account, browser, post, signed_in

NEW, KNOWN = "new@example.org", "ada@example.org"


def sign_up(client, email, **changes):
    fields = {"email": email, "name": "Eve", "password": "some other password", **changes}
    return client.post("/sign-up", data=fields)


def shown(answer):
    """What a browser gets, without the number of the request and the time."""
    changing = {"x-request-id", "date"}
    return (
        answer.status_code,
        answer.text,
        {name: value for name, value in answer.headers.items() if name not in changing},
    )


@pytest.mark.slow
def test_a_page_tells_nothing(one_site):
    account(one_site)
    known, new = browser(one_site), browser(one_site)
    assert shown(sign_up(known, KNOWN)) == shown(sign_up(new, NEW))
    assert shown(known.get("/sign-in")) == shown(new.get("/sign-in"))


def test_the_api_tells_nothing(one_site):
    account(one_site)
    client = browser(one_site)
    form = {"name": "Eve", "password": "some other password"}
    answers = [client.post("/api/sign-up", json={**form, "email": e}) for e in (KNOWN, NEW)]
    assert shown(answers[0]) == shown(answers[1])
    assert answers[0].status_code == 202


@pytest.mark.parametrize("password", ["short", "", "aaaaaaaaaaaaaaaaa"])
def test_a_bad_password_is_refused_before_anybody_looks(one_site, password):
    account(one_site)
    answers = [sign_up(browser(one_site), email, password=password) for email in (KNOWN, NEW)]
    assert [answer.status_code for answer in answers] == [400, 400]
    assert answers[0].text.replace(KNOWN, "") == answers[1].text.replace(NEW, "")


def test_both_take_the_same_steps(one_site, monkeypatch):
    """One hash of a password and one line of the log: these take the time."""
    account(one_site)
    hashed = []

    def count(password):
        hashed.append(password)
        return passwords.hash_password(password)

    monkeypatch.setattr(administration, "hash_password", count)
    steps = []
    for email in (KNOWN, NEW):
        sign_up(browser(one_site), email)
        with one_site.database.reading() as session:
            lines = session.scalars(select(LogLine)).all()
        steps.append((len(hashed), len(lines)))
    assert steps == [(1, 2), (2, 3)]


def test_the_account_of_the_owner_stays_and_its_owner_learns_of_it(site):
    email = account(site)
    owner = signed_in(site, email)
    assert "Somebody tried" not in owner.get("/account").text
    for _ in range(2):
        assert sign_up(browser(site), KNOWN).status_code == 303
    (row,) = accounts(site, None)
    assert row.name == "Ada"
    assert "your address 2 times, last on" in owner.get("/account").text
    wrong = post(owner, "/account/password", "/account", old="x", new="yet another password")
    assert "your address 2 times" in wrong.text
    answer = browser(site).post(
        "/sign-in", data={"email": email, "password": "some other password"}
    )
    assert answer.status_code == 401
    signed_in(site, email, PASSWORD)
    site.clock.wait(days=91)
    assert "Somebody tried" not in signed_in(site, email).get("/account").text


def test_the_log_has_no_address(one_site):
    account(one_site)
    sign_up(browser(one_site), KNOWN)
    with one_site.database.reading() as session:
        line = session.scalars(select(LogLine).order_by(LogLine.number.desc())).first()
        assert (line.action, line.account, line.details["account"]) == (
            "account.sign-up-again",
            None,
            session.scalars(select(Account.id)).one(),
        )


def test_an_invitation_is_used_up_in_both_cases(new_site, tmp_path):
    site = new_site(tmp_path, accounts="invitation")
    administration.add_account(site, None, "olga@example.org", "Olga", operator=True)
    for email in ("olga@example.org", NEW):
        link = administration.invite(site, Visitor(account=1, operator=True))
        client = browser(site)
        assert sign_up(client, email, link=link).status_code == 303
        assert sign_up(client, email, link=link).status_code == 404
    site.close()


def test_the_benchmark_of_times_runs(one_site):
    known, new = measure(one_site, 2)
    assert len(known) == len(new) == 2
