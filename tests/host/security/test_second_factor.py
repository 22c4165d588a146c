"""Second factor: needed by organisers and operators, and no code counts twice."""

import re

from sqlalchemy import update

from quintain_host.accounts.administration import remove_second_factor
from quintain_host.database.people import Account
from tests.host.security.people import (
    PASSWORD,
    account,
    browser,
    code_now,
    post,
    set_up_second_factor,
    signed_in,
)


def operator(site):
    email = account(site)
    with site.database.writing("accounts") as session:
        session.execute(update(Account).values(operator=True))
    return email


def half_in(site, email):
    client = browser(site)
    answer = client.post("/sign-in", data={"email": email, "password": PASSWORD})
    assert answer.headers["location"] == "/sign-in/code?next=/"
    return client


def test_an_operator_without_a_second_factor_operates_nothing(one_site):
    client = signed_in(one_site, operator(one_site))
    answer = client.get("/accounts")
    assert answer.headers["location"] == "/account/second-factor?next=/accounts"
    assert "set up a second factor" in client.get("/account").text
    set_up_second_factor(one_site, client)
    assert client.get("/accounts").status_code == 200
    assert "set up a second factor" not in client.get("/account").text


def test_the_way_leads_back_after_a_wrong_code_too(one_site):
    client = signed_in(one_site, operator(one_site))
    place = client.get("/accounts?page=2").headers["location"]
    shown = client.get(place).text
    assert "Then you come back to where you were" in shown
    sent = {"password": PASSWORD, "next": "/accounts?page=2"}
    wrong = post(client, "/account/second-factor", page=place, code="000000", **sent)
    assert wrong.status_code == 403 and 'name="next" value="/accounts?page=2"' in wrong.text
    secret = re.search(r"<code>([A-Z2-7]{32})</code>", wrong.text)[1]
    code = code_now(one_site, secret)
    codes = post(client, "/account/second-factor", page=place, code=code, **sent)
    assert 'href="/accounts?page=2"' in codes.text
    foreign = client.get("/account/second-factor?next=//evil.example").text
    assert "evil.example" not in foreign.partition("<form")[2].partition("shown-on")[0]


def test_the_page_is_a_picture_without_styles(one_site):
    client = signed_in(one_site, account(one_site))
    html = client.get("/account/second-factor").text
    assert "<svg" in html and "<path" in html
    assert "style=" not in html and "<script>" not in html


def test_the_password_alone_signs_nobody_in(one_site):
    email = operator(one_site)
    secret, codes = set_up_second_factor(one_site, signed_in(one_site, email))
    assert len(codes) == 10
    client = half_in(one_site, email)
    for path in ("/account", "/accounts", "/account/tokens", "/account/second-factor"):
        assert client.get(path).status_code == 401
    assert client.get("/api/account").status_code == 401
    one_site.clock.wait(seconds=30)
    cookie = client.cookies["quintain"]
    assert post(client, "/sign-in/code", code="000000").status_code == 403
    answer = post(client, "/sign-in/code", code=code_now(one_site, secret))
    assert answer.status_code == 303
    assert client.cookies["quintain"] != cookie
    assert client.get("/accounts").status_code == 200


def test_no_code_counts_twice(one_site):
    email = account(one_site)
    secret, _codes = set_up_second_factor(one_site, signed_in(one_site, email))
    used = code_now(one_site, secret)  # it turned the second factor on
    assert post(half_in(one_site, email), "/sign-in/code", code=used).status_code == 403
    one_site.clock.wait(seconds=30)
    code = code_now(one_site, secret)
    assert post(half_in(one_site, email), "/sign-in/code", code=code).status_code == 303
    one_site.clock.wait(seconds=25)
    assert post(half_in(one_site, email), "/sign-in/code", code=code).status_code == 403


def test_a_recovery_code_works_once(one_site):
    email = account(one_site)
    _secret, codes = set_up_second_factor(one_site, signed_in(one_site, email))
    client = half_in(one_site, email)
    assert post(client, "/sign-in/code", code=codes[0].upper()).status_code == 303
    assert "9 recovery codes left" in client.get("/account").text
    assert post(half_in(one_site, email), "/sign-in/code", code=codes[0]).status_code == 403
    with one_site.database.reading() as session:
        stored = str(session.get_one(Account, 1).recovery)
    assert not any(code.replace("-", "") in stored for code in codes)


def test_other_sessions_and_organising_tokens_lose_their_trust(one_site):
    email = account(one_site)
    client, other = signed_in(one_site, email), signed_in(one_site, email)
    answer = post(client, "/account/tokens", label="x", scope=["organise"])
    token = re.search(r'<code id="token">([^<]+)</code>', answer.text)[1]
    bearer = {"Authorization": f"Bearer {token}"}
    assert browser(one_site).get("/api/editions", headers=bearer).status_code == 200
    assert len(client.get("/api/account/tokens").json()) == 1
    set_up_second_factor(one_site, client)
    assert other.get("/account").status_code == 401
    assert client.get("/api/account/tokens").json() == []


def test_the_password_is_needed_to_change_it(one_site):
    client = signed_in(one_site, account(one_site))
    html = client.get("/account/second-factor").text
    secret = re.search(r"<code>([A-Z2-7]{32})</code>", html)[1]
    code = code_now(one_site, secret)
    answer = post(client, "/account/second-factor", password="wrong", code=code)
    assert answer.status_code == 403
    assert one_site_has_no_factor(one_site)


def one_site_has_no_factor(site):
    with site.database.reading() as session:
        return session.get_one(Account, 1).totp is None


def test_an_operator_can_remove_it(one_site):
    email = account(one_site)
    client = signed_in(one_site, email)
    set_up_second_factor(one_site, client)
    remove_second_factor(one_site, None, 1)
    assert client.get("/account").status_code == 401
    signed_in(one_site, email)


def test_codes_cannot_be_guessed(one_site):
    email = account(one_site)
    set_up_second_factor(one_site, signed_in(one_site, email))
    client = half_in(one_site, email)
    statuses = [post(client, "/sign-in/code", code=f"{n:06d}").status_code for n in range(7)]
    assert statuses[:5] == [403] * 5
    assert statuses[5:] == [429] * 2
