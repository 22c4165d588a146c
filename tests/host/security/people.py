"""People: visitors of a site under test, each with a browser of their own."""

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from fastapi.testclient import TestClient

from quintain.host.database.upgrade import upgrade
from quintain.host.site import Site
from quintain.host.web.app import make_app

START = datetime(2027, 3, 1, 12, tzinfo=UTC)


class SetClock:
    """A clock that a test moves."""

    def __init__(self, time=START):
        self.time = time

    def now(self):
        return self.time

    def wait(self, **span):
        self.time += timedelta(**span)


@contextmanager
def site_in(root, **options):
    """A new site in a folder, on SQLite, with a clock that stands still."""
    root.mkdir(parents=True, exist_ok=True)
    site = Site(root, clock=SetClock(), **options)
    upgrade(site.database)
    try:
        yield site
    finally:
        site.close()


def browser(site, app=None, **options):
    """Somebody who is not signed in and follows no redirect."""
    return TestClient(
        app or make_app(site), base_url=site.settings.url, follow_redirects=False, **options
    )
