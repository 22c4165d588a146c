"""Forgery: a page of another site cannot act in the name of a visitor of ours.

The matrix of routes and visitors tries it with every route.
"""

import pytest
from fastapi import Request
from fastapi.testclient import TestClient

from quintain_host.accounts.passwords import hash_secret
from quintain_host.database.people import Account, SignIn
from quintain_host.web.app import make_app
from quintain_host.web.pages.render import ENVIRONMENT
from quintain_host.web.requests import VisitorOf
from tests.host.clocks import START
from tests.host.security.people import browser

FORM = "the-token-of-the-session"
TOO_OLD = "form is too old"
ELSEWHERE = "comes from a page of another site"


@pytest.fixture(scope="module")
def app(new_site, tmp_path_factory):
    """The application, with two routes that say who asks; one account has a session."""
    site = new_site(tmp_path_factory.mktemp("csrf"))
    with site.database.writing("accounts") as session:
        session.add(Account(id=1, email="a@example.org", name="A", password="-", created=START))
        session.flush()
        row = SignIn(hash=hash_secret("cookie"), account=1, csrf=FORM, created=START)
        row.expires = START.replace(year=2028)
        session.add(row)
    app = make_app(site)

    async def who(request: Request, visitor: VisitorOf) -> dict:
        fields = (await request.form()).items()
        form = {name: value for name, value in fields if isinstance(value, str)}
        return {"account": visitor.account, "form": form}

    app.post("/who")(who)
    app.post("/api/who")(who)
    yield app
    site.close()


@pytest.fixture
def visitor(app):
    """A browser with a session."""
    client = browser(app.state.site, app)
    client.cookies["quintain"] = "cookie"
    return client


def test_a_form_with_the_token_of_its_session_is_accepted(visitor):
    answer = visitor.post("/who", data={"csrf": FORM, "x": "1"})
    assert answer.json() == {"account": 1, "form": {"csrf": FORM, "x": "1"}}
    answer = visitor.post("/who", data={"csrf": FORM}, files={"f": b"data"})
    assert answer.json()["account"] == 1


@pytest.mark.parametrize("fields", [{}, {"csrf": ""}, {"csrf": "wrong"}, {"csrf": "ü"}])
def test_a_form_without_the_token_is_refused(visitor, fields):
    answer = visitor.post("/who", data=fields)
    assert answer.status_code == 403
    assert TOO_OLD in answer.text


def test_the_api_takes_the_header_only(visitor):
    assert visitor.post("/api/who", data={"csrf": FORM}).status_code == 403
    assert visitor.post("/api/who?csrf=" + FORM).status_code == 403
    answer = visitor.post("/api/who", headers={"X-CSRF-Token": FORM})
    assert answer.json()["account"] == 1


def test_a_bearer_token_replaces_the_cookie(visitor):
    answer = visitor.post("/api/who", headers={"Authorization": "bearer unknown"})
    assert answer.json()["account"] is None  # the cookie does not count beside it


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:8001"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://127.0.0.1:8000"},
    ],
)
def test_a_page_of_another_site_is_refused(visitor, headers):
    sent = {"csrf": FORM}
    answer = visitor.post("/who", data=sent, headers=headers)
    assert answer.status_code == 403
    assert ELSEWHERE in answer.text
    visitor.cookies.clear()  # a sign-in in the name of somebody else begins without a session
    assert visitor.post("/who", data=sent, headers=headers).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [{"Sec-Fetch-Site": "same-origin", "Origin": "null"}, {"Origin": "http://127.0.0.1:8000"}, {}],
)
def test_a_page_of_ours_is_accepted(visitor, headers):
    assert visitor.post("/who", data={"csrf": FORM}, headers=headers).status_code == 200
    visitor.cookies.clear()
    assert visitor.post("/who", headers=headers).json()["account"] is None


def test_templates_write_the_field(visitor):
    template = ENVIRONMENT.from_string("{{ csrf() }} {{ csrf_token() }}")

    class Person:
        csrf = '"><script>'

    field = '<input type="hidden" name="csrf" value="&#34;&gt;&lt;script&gt;">'
    place = '<input type="hidden" name="shown-on" value="/team?name=%22%3E&amp;b=1">'
    scope = {"type": "http", "method": "GET", "path": "/team", "headers": []}
    request = Request(scope | {"query_string": b"name=%22%3E&b=1", "server": ("host", 80)})
    text = template.render(visitor=Person, request=request)
    assert text == f"{field}{place} &#34;&gt;&lt;script&gt;"


def test_a_client_of_the_tests_sends_what_a_browser_sends(visitor):
    assert isinstance(visitor, TestClient)
    assert visitor.get("/").status_code == 200
