"""Browsers of people in teams: signed in, with the token that forms of the site bring."""

from weakref import WeakKeyDictionary

from fastapi.testclient import TestClient

from quintain_host.accounts.sessions import visitor_with_cookie
from quintain_host.web.app import make_app
from quintain_host.web.requests import cookie_name
from tests.host import contest_on_site as contest

APPS = WeakKeyDictionary()
"""The application of each site; to make one takes a moment."""


def browser(site, name=None):
    """A browser of a person; of nobody without a name. It follows no redirect."""
    app = APPS.get(site) or APPS.setdefault(site, make_app(site))
    client = TestClient(app, base_url=site.settings.url, follow_redirects=False)
    if name is not None:
        secret = contest.cookie(site, contest.account_of(site, name))
        client.cookies.set(cookie_name(site.settings), secret)
        client.headers["X-CSRF-Token"] = visitor_with_cookie(site, secret).csrf
    return client


def parts(files):
    """Files as the parts of a form."""
    return [("file", (name, content)) for name, content in files.items()]
