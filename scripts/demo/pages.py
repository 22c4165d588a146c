"""Pages: the 25 main pages of the demonstration, and windows of the people who look at them."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from playwright.sync_api import Browser, BrowserContext, sync_playwright
from starlette.middleware.gzip import GZipMiddleware
from tests.figures.browser import CHROMIUM

from quintain_host.site import Site
from quintain_host.web.app import make_app

PLAYED, OPEN = "/contests/amic-demo", "/contests/open-demo"
GUIDE, LED = "/organise/register-demo/guide", "/organise/open-demo"

NOBODY, CAPTAIN, LATE, ORGANISER = "", "ada", "dara", "olga"

PAGES = {
    "start": (NOBODY, "/"),
    "contest": (NOBODY, OPEN),
    "contest-over": (NOBODY, PLAYED),
    "rules": (NOBODY, f"{OPEN}/rules"),
    "results": (NOBODY, f"{PLAYED}/standings"),
    "matrix": (NOBODY, f"{PLAYED}/matrix"),
    "teams": (NOBODY, f"{PLAYED}/teams"),
    "news": (NOBODY, f"{PLAYED}/news"),
    "questions": (NOBODY, f"{OPEN}/questions"),
    "own-page": (NOBODY, f"{OPEN}/pages/prizes"),
    "trust": (NOBODY, f"{PLAYED}/trust"),
    "sign-in": (NOBODY, "/sign-in"),
    "register": (LATE, f"{OPEN}/register"),
    "team": (CAPTAIN, f"{OPEN}/team"),
    "submit": (CAPTAIN, f"{OPEN}/team/submit"),
    "upload-refused": (CAPTAIN, f"{OPEN}/team/uploads/19"),
    "notices": (CAPTAIN, "/notices"),
    "contact": (CAPTAIN, "/account/notices"),
    "guide-columns": (ORGANISER, f"{GUIDE}/columns"),
    "guide-dates": (ORGANISER, f"{GUIDE}/dates"),
    "guide-rehearsal": (ORGANISER, f"{GUIDE}/rehearsal"),
    "organise": (ORGANISER, LED),
    "organise-dashboard": (ORGANISER, f"{LED}/dashboard"),
    "organise-team": (ORGANISER, f"{LED}/teams/mirror-makers"),
    "organise-steps": (ORGANISER, f"{LED}/steps"),
}
"""Who looks, and at which address."""


class Windows:
    """Windows of a browser on the demonstration: each person signs in once."""

    def __init__(self, browser: Browser, url: str, passwords: dict[str, str]) -> None:
        self.browser, self._url, self._passwords = browser, url, passwords
        self._known: dict[str, BrowserContext] = {}

    def of(self, person: str) -> BrowserContext:
        """The window of a person, or of nobody in particular."""
        if person not in self._known:
            self._known[person] = self.browser.new_context(base_url=self._url)
            if person:
                self._sign_in(person)
        return self._known[person]

    def _sign_in(self, person: str) -> None:
        page = self._known[person].new_page()
        page.goto("/sign-in")
        email = f"{person}@example.org"
        page.fill("input[name=email]", email)
        page.fill("input[name=password]", self._passwords[email])
        page.press("input[name=password]", "Enter")
        page.wait_for_url("**/")
        page.close()


@contextmanager
def opened(demo: Path) -> Iterator[Windows]:
    """The site of the demonstration, served as behind a server that compresses, and a browser."""
    site = Site(demo / "site")
    door = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{door.getsockname()[1]}"
    app = GZipMiddleware(make_app(site))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [door]})
    thread.start()
    lines = (demo / "people.txt").read_text().splitlines()
    passwords = dict(line.split()[:2] for line in lines)
    try:
        with sync_playwright() as playwright:
            flags = ["--no-sandbox", "--disable-gpu"]
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
            yield Windows(browser, url, passwords)
            browser.close()
    finally:
        server.should_exit = True
        thread.join()
        site.close()


def chosen(words: Sequence[str]) -> dict[str, tuple[str, str]]:
    """The pages whose name has one of some words; without words, all of them."""
    return {name: at for name, at in PAGES.items() if not words or any(w in name for w in words)}
