"""People: visitors of a site under test, each with a browser of their own."""

import re

import pyotp
from fastapi.testclient import TestClient

from quintain_host.accounts.administration import sign_up
from quintain_host.web.app import make_app

PASSWORD = "correct horse battery"


def browser(site, app=None, **options):
    """Somebody who is not signed in and follows no redirect."""
    return TestClient(
        app or make_app(site), base_url=site.settings.url, follow_redirects=False, **options
    )


def form_token(html):
    """The hidden field of the first form of a page."""
    return re.search(r'name="csrf" value="([^"]*)"', html)[1]


def post(client, path, page=None, **fields):
    """Send a form as a browser does: with the token of the page that has it."""
    token = form_token(client.get(page or path).text)
    return client.post(path, data={"csrf": token, **fields})


def account(site, name="ada", password=PASSWORD):
    """An account on the site; returns its address."""
    sign_up(site, f"{name}@example.org", name.title(), password)
    return f"{name}@example.org"


def signed_in(site, email, password=PASSWORD, app=None):
    """A browser of somebody who has signed in with a password."""
    client = browser(site, app)
    answer = client.post("/sign-in", data={"email": email, "password": password})
    assert answer.status_code == 303, answer.text
    return client


def set_up_second_factor(site, client, password=PASSWORD):
    """Turn the second factor on; returns the shared secret and the recovery codes."""
    secret = re.search(r"<code>([A-Z2-7]{32})</code>", client.get("/account/second-factor").text)[1]
    answer = post(client, "/account/second-factor", password=password, code=code_now(site, secret))
    assert answer.status_code == 200, answer.text
    return secret, re.findall(r"<code>([a-z0-9-]{19})</code>", answer.text)


def code_now(site, secret, steps=0):
    """The code that a phone shows, some steps from now."""
    return pyotp.TOTP(secret).at(site.clock.now(), steps)
