"""Headers: every answer has them, also errors; a page has nothing that they forbid."""

import re

import pytest
from sqlalchemy.exc import OperationalError

from quintain_host.web.app import make_app
from quintain_host.web.security.middleware import ALWAYS
from tests.host.security.people import account, browser, signed_in

PATHS = (
    "/",
    "/sign-in",
    "/nothing",
    "/api/editions",
    "/api/nothing",
    "/static/site.js",
    "/account",
)


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_every_answer_has_them(one_site, path):
    headers = browser(one_site).get(path).headers
    for name, value in ALWAYS.items():
        assert headers.get_list(name) == [value], name
    assert "strict-transport-security" not in headers  # this site has no TLS
    assert "server" not in headers and "x-powered-by" not in headers


def test_an_error_of_ours_has_them_and_says_nothing(one_site):
    app = make_app(one_site)

    def broken() -> None:
        raise RuntimeError("/secret/path")

    app.get("/broken")(broken)
    app.get("/api/broken")(broken)
    client = browser(one_site, app, raise_server_exceptions=False)
    for path in ("/broken", "/api/broken"):
        answer = client.get(path)
        assert answer.status_code == 500
        assert "secret" not in answer.text and "Traceback" not in answer.text
        assert answer.headers["content-security-policy"] == ALWAYS["Content-Security-Policy"]


def test_a_database_that_is_away_is_a_reason_to_come_again(one_site, monkeypatch):
    def away(*_: object) -> None:
        raise OperationalError("SELECT secret", {}, Exception("the connection is closed"))

    client = browser(one_site)
    monkeypatch.setattr(type(one_site.database), "reading", away)
    for path in ("/", "/api/editions"):
        answer = client.get(path)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert "does not answer at the moment; try again" in answer.text
        assert "secret" not in answer.text
        assert answer.headers["content-security-policy"] == ALWAYS["Content-Security-Policy"]


def test_the_policy_allows_no_script_in_a_page(one_site):
    policy = ALWAYS["Content-Security-Policy"]
    assert "unsafe" not in policy and "http" not in policy and "*" not in policy
    client = signed_in(one_site, account(one_site))
    paths = ("/", "/sign-in", "/sign-up", "/account", "/account/tokens", "/account/second-factor")
    for path in paths:
        html = client.get(path).text
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:|<script>", html), path


def test_nobody_keeps_a_page_of_a_person(one_site):
    assert browser(one_site).get("/").headers["cache-control"] == "no-cache"
    client = signed_in(one_site, account(one_site))
    for path in ("/", "/account", "/api/account"):
        assert client.get(path).headers["cache-control"] == "no-store"
        assert "Cookie" in client.get(path).headers["vary"]


def test_other_sites_may_not_read_the_api(one_site):
    answer = browser(one_site).get("/api/editions", headers={"Origin": "https://evil.example"})
    assert not [name for name in answer.headers if name.startswith("access-control")]
