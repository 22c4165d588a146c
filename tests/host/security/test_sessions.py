"""Sessions: the pages to sign in and out, in a browser."""

import pytest
from sqlalchemy import select

from quintain_host.accounts.administration import disable, password_link
from quintain_host.accounts.passwords import hash_secret
from quintain_host.audit_log import verify_log
from quintain_host.database.people import SignIn
from quintain_host.database.work import LogLine
from quintain_host.settings import Settings
from quintain_host.site import Site
from quintain_host.web.app import make_app
from tests.host.security.people import PASSWORD, account, browser, post, signed_in

SIGNED = "your account"


def is_signed_in(client):
    return SIGNED in client.get("/").text


def test_sign_up_then_out_then_in(one_site):
    client = browser(one_site)
    assert client.get("/sign-up").status_code == 200
    fields = {"email": "Ada@example.org", "name": " Ada  L", "password": PASSWORD}
    answer = client.post("/sign-up", data=fields | {"next": "/account"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?next=/account")
    assert "Now sign in." in client.get("/sign-in").text
    client.post("/sign-in", data=fields)
    assert "Ada L" in client.get("/").text
    assert post(client, "/sign-out", "/account").status_code == 303
    assert not is_signed_in(client)
    assert client.cookies.get("quintain") is None
    fields = {"email": "ada@EXAMPLE.org", "password": PASSWORD, "next": "/account"}
    answer = client.post("/sign-in", data=fields)
    assert answer.headers["location"] == "/account"
    assert "ada@example.org" in client.get("/account").text
    with one_site.database.reading() as session:
        actions = list(session.scalars(select(LogLine.action).order_by(LogLine.number)))
    assert actions == ["account.sign-up", "session.begin", "session.end", "session.begin"]
    assert verify_log(one_site).lines == 4


def test_the_cookie_is_for_this_site_alone(one_site):
    client = browser(one_site)
    fields = {"email": account(one_site), "password": PASSWORD}
    header = client.post("/sign-in", data=fields).headers["set-cookie"]
    assert "HttpOnly" in header and "SameSite=lax" in header and "Path=/" in header
    assert "Secure" not in header and "Domain" not in header


def test_the_cookie_goes_over_tls_alone(one_site):
    settings = Settings(url="https://contests.example.org")
    site = Site(one_site.root, settings=settings, database=one_site.database.url)
    client = browser(site, make_app(site))
    fields = {"email": account(site), "password": PASSWORD}
    header = client.post("/sign-in", data=fields).headers["set-cookie"]
    assert header.startswith("__Host-quintain=")
    assert "Secure" in header and "Domain" not in header
    assert is_signed_in(client)
    assert "max-age=31536000" in client.get("/").headers["strict-transport-security"]
    site.close()


def test_the_database_has_no_secret_of_a_cookie(one_site):
    client = signed_in(one_site, account(one_site))
    secret = client.cookies["quintain"]
    with one_site.database.reading() as session:
        assert session.scalars(select(SignIn.hash)).all() == [hash_secret(secret)]


def test_a_session_gets_a_new_secret_at_sign_in(one_site):
    email = account(one_site)
    client = browser(one_site)
    client.cookies["quintain"] = "a secret that an attacker chose"
    client.post("/sign-in", data={"email": email, "password": PASSWORD})
    first = next(one.value for one in client.cookies.jar if one.domain)
    assert first != "a secret that an attacker chose"
    client = browser(one_site)
    client.cookies["quintain"] = first
    answer = post(client, "/sign-in", email=email, password=PASSWORD)
    assert answer.status_code == 303
    old = browser(one_site)
    old.cookies["quintain"] = first
    assert not is_signed_in(old)  # the session before has ended


@pytest.mark.parametrize("password", ["", "wrong1", PASSWORD.upper(), "x" * 999])
def test_a_wrong_password_is_refused(one_site, password):
    answer = browser(one_site).post(
        "/sign-in", data={"email": account(one_site), "password": password}
    )
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers
    assert "e-mail address or the password is wrong" in answer.text
    if password:
        assert password not in answer.text


def test_a_session_ends_by_itself(one_site):
    client = signed_in(one_site, account(one_site))
    one_site.clock.wait(hours=24 * 7 - 1)
    assert is_signed_in(client)
    one_site.clock.wait(hours=2)
    assert not is_signed_in(client)


def test_a_new_password_ends_other_sessions(one_site):
    email = account(one_site)
    client, other = signed_in(one_site, email), signed_in(one_site, email)
    answer = post(client, "/account/password", "/account", old="wrong", new="another pass phrase")
    assert answer.status_code == 401 and is_signed_in(other)
    answer = post(client, "/account/password", "/account", old=PASSWORD, new="another pass phrase")
    assert answer.status_code == 303
    assert is_signed_in(client) and not is_signed_in(other)
    signed_in(one_site, email, "another pass phrase")


def test_a_disabled_account_is_out_at_once(one_site):
    email = account(one_site)
    client = signed_in(one_site, email)
    disable(one_site, None, 1)
    assert not is_signed_in(client)
    answer = client.post("/sign-in", data={"email": email, "password": PASSWORD})
    assert answer.status_code == 401


def test_a_password_link_works_once_and_ends_sessions(one_site):
    client = signed_in(one_site, account(one_site))
    secret = password_link(one_site, None, 1)
    visitor = browser(one_site)
    page = f"/set-password/{secret}"
    assert "ada@example.org" in visitor.get(page).text
    assert post(visitor, page, password="short").status_code == 400
    assert post(visitor, page, password="another pass phrase").status_code == 303
    assert visitor.get(page).status_code == 404
    answer = visitor.post(page, data={"password": "yet another phrase"})
    assert answer.status_code == 404
    assert not is_signed_in(client)
    signed_in(one_site, "ada@example.org", "another pass phrase")


def test_a_password_link_ends_by_itself(one_site):
    account(one_site)
    secret = password_link(one_site, None, 1)
    one_site.clock.wait(days=8)
    assert browser(one_site).get(f"/set-password/{secret}").status_code == 404


@pytest.mark.parametrize(
    "to",
    ["//evil.example", "https://evil.example", "/\\evil.example", "\\\\evil.example", "/\tx",
     "javascript:alert(1)", "/%0d%0aSet-Cookie:x", "///evil.example", "/ /evil.example"],
)  # fmt: skip
def test_nobody_is_sent_to_another_site(one_site, to):
    fields = {"email": account(one_site), "password": PASSWORD, "next": to}
    answer = browser(one_site).post("/sign-in", data=fields)
    assert answer.status_code == 303
    location = answer.headers["location"]
    assert location == "/" or location.startswith("/%0d%0a")  # a path of ours, and no new header
    assert "x" not in answer.cookies


def test_accounts_by_invitation(new_site, tmp_path):
    site = new_site(tmp_path, accounts="invitation")
    client = browser(site)
    fields = {"email": "ada@example.org", "name": "Ada", "password": PASSWORD}
    assert client.get("/sign-up").status_code == 403
    assert client.post("/sign-up", data=fields).status_code == 403
    assert client.post("/sign-up", data=fields | {"link": "invented"}).status_code == 404
    site.close()
