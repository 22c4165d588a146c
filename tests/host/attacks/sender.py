"""Sender: a team that sends what it likes over HTTP, to a site whose intake worker is at work."""

import threading
from contextlib import contextmanager

from quintain_host.accounts.sessions import visitor_with_cookie
from quintain_host.web.app import make_app
from quintain_host.web.security.rate_limits import Buckets, Limit
from quintain_host.work.worker import Worker
from tests.host import contest_on_site as contest
from tests.host.security.people import browser

ENDED = ("accepted", "refused", "failed")


class Sender:
    """A browser of a team's captain."""

    def __init__(self, site, edition, name, app=None):
        self.site, self.edition, self.name = site, edition, name
        secret = contest.cookie(site, contest.account_of(site, name))
        self.client = browser(site, app or unlimited(site))
        self.client.cookies["quintain"] = secret
        self.client.headers["X-CSRF-Token"] = visitor_with_cookie(site, secret).csrf

    def api(self, path):
        return f"/api/editions/{self.edition}/{path}"

    def send(self, files, **fields):
        """Send files; returns the answer."""
        parts = [("file", (name, content)) for name, content in files.items()]
        return self.client.post(self.api("uploads"), files=parts, data=fields)

    def result(self, files, **fields):
        """Send files and wait for the intake worker; returns the upload as the team sees it."""
        answer = self.send(files, **fields)
        assert answer.status_code == 202, answer.text
        facts = answer.json()
        while facts["state"] not in ENDED:
            facts = self.client.get(self.api(f"uploads/{facts['id']}")).json()
        return facts


def unlimited(site):
    """The application without limits on how often people ask."""
    app = make_app(site)
    for name in ("requests", "changes", "sign_ins", "guesses", "accounts"):
        setattr(app.state.limits, name, Buckets(Limit(10**6, 10**6)))
    return app


@contextmanager
def working(site, *lanes):
    """Workers are at work inside."""
    worker = Worker(site, "attacks", lanes or ("intake",), pause=0.05)
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        yield
    finally:
        worker.stop()
        thread.join()
