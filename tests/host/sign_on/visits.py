"""Visits: what a browser does to sign in by a provider, step by step."""

import re
from html import unescape

import httpx2

from tests.host.security.people import browser, form_token


def visitor(campus):
    """Somebody at the site who is not signed in."""
    return browser(campus.site, campus.app)


def leave(client, path="/sign-on/campus", page="/sign-in", **fields):
    """Press the button; returns the address at the provider to which the browser goes."""
    token = form_token(client.get(page).text)
    answer = client.post(path, data={"csrf": token, **fields})
    assert answer.status_code == 200, answer.text
    return unescape(re.search(r'content="0; url=([^"]+)"', answer.text)[1])


def at_provider(url):
    """Let the provider sign the person in; returns the path with which the browser comes back."""
    answer = httpx2.get(url, follow_redirects=False)
    assert answer.status_code == 302, answer.text
    return answer.headers["location"].removeprefix("http://127.0.0.1:8000")


def come_back(client, **fields):
    """Go to the provider and come back."""
    return client.get(at_provider(leave(client, **fields)))


def joined(campus, name="Ada Lovelace"):
    """A browser of somebody who made an account by the provider."""
    client = visitor(campus)
    assert come_back(client).headers["location"] == "/sign-up/sign-on"
    token = form_token(client.get("/sign-up/sign-on").text)
    answer = client.post("/sign-up/sign-on", data={"csrf": token, "name": name})
    assert answer.status_code == 303, answer.text
    return client


def add_to_account(client):
    """Link the account of somebody who is signed in; returns the answer when they come back."""
    return client.get(at_provider(leave(client, "/account/sign-ons/campus", page="/account")))


def signed_in_as(client):
    """The address of the account that is signed in; empty if nobody is."""
    answer = client.get("/account")
    found = re.search(r"<dt>E-mail address</dt><dd>([^<]+)<", answer.text)
    return found[1] if answer.status_code == 200 and found else ""
