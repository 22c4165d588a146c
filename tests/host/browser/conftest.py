"""Fixtures of the browser tests: one browser, sites that really run, and one to look at."""

import shutil
import socket

import pytest
from playwright.sync_api import sync_playwright

from quintain_host.settings import Settings
from quintain_host.site import DATABASE, Site
from tests.figures.browser import CHROMIUM
from tests.host.browser.shown_site import ShownSite
from tests.host.browser.stage import Stage
from tests.host.clocks import RunningClock

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]


@pytest.fixture(scope="package")
def chromium():
    """A browser; every person has a window of it with cookies of their own."""
    if CHROMIUM is None:
        pytest.skip("no chromium or chromium-browser on PATH")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def new_stage(chromium, sqlite_template, tmp_path_factory):
    """Starts an empty site: ``new_stage(lanes=("intake", "scoring", "program"))``.

    ``mail`` is the table of a mail server, ``sign_on`` those of providers, if the site has some;
    ``creators`` are those who can make contests.
    """
    stages = []

    def started(mail=None, sign_on=(), creators="operators", **options) -> Stage:
        root = tmp_path_factory.mktemp("site")
        shutil.copy(sqlite_template, root / DATABASE)
        door = socket.create_server(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{door.getsockname()[1]}"
        longer = 24 * 60  # than any play
        given = {"mail": mail, "sign_on": sign_on, "creators": creators}
        settings = Settings(url=url, session_hours=longer, **given)
        site = Site(root, settings=settings, clock=RunningClock())
        stages.append(Stage(site, door, chromium, **options))
        return stages[-1]

    yield started
    for stage in stages:
        stage.close()


@pytest.fixture(scope="package")
def shown(new_site, chromium, tmp_path_factory):
    """A site with contests in all stages, for tests that only look at pages."""
    door = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{door.getsockname()[1]}"
    site = new_site(tmp_path_factory.mktemp("site"), "sqlite", url=url)
    shown = ShownSite(site, door, chromium)
    yield shown
    shown.close()
