"""Shown site: contests in all stages on one site, for tests that look at pages and change nothing.

The clock stands still and the seeds are fixed, so every page says the same whenever it is opened.
"""

import socket
from datetime import datetime, timedelta

from playwright.sync_api import Browser, Page

from quintain_host.site import Site
from tests.host import contest_on_site as contest
from tests.host import played
from tests.host.browser.person import Person
from tests.host.browser.stage import Stage

OPEN, OVER, DRAFT = "rounds", "spring", "autumn"
"""A contest in its attack phase, one that is revealed, and one that is a draft."""

EARLIER = 30
"""How many days before the open contest the other one was played."""


class ShownSite:
    """The site, and windows of the people who look at it.

    ``opal`` runs the site, ``olga`` organises the contests, ``red``, ``blue`` and ``green`` are
    captains, and everybody else is only signed in.
    """

    def __init__(self, site: Site, door: socket.socket, browser: Browser) -> None:
        contest.account(site, "opal", operator=True)
        played.attacking(site, played.running(site))
        played.closed(site)
        now = site.clock.now()
        self._play_earlier_contest(site)
        site.clock.set(now)
        contest.edition(site, _text(DRAFT), title="Autumn contest", visible=False)
        self._stage = Stage(site, door, browser, lanes=())
        self._people: dict[str, Person] = {}

    def _play_earlier_contest(self, site: Site) -> None:
        site.clock.set(contest.at(1) - timedelta(days=EARLIER))
        text = _text(OVER).replace("2026-05-", "2026-04-")
        edition = played.running(site, text=text, title="Spring contest")
        played.attacking(site, edition, earlier=EARLIER)
        played.closed(site)
        played.revealed(site, edition, earlier=EARLIER)
        played.closed(site)

    @property
    def url(self) -> str:
        """The address of the site."""
        return self._stage.site.settings.url

    @property
    def now(self) -> datetime:
        """The time on the site."""
        return self._stage.site.clock.now()

    def person(self, name: str = "") -> Person:
        """Somebody who is signed in, or an unknown visitor; each has one window."""
        if name not in self._people:
            person = self._people[name] = self._stage.person(name or "Nobody")
            if name:
                site = self._stage.site
                secret = contest.cookie(site, contest.account_of(site, name))
                cookie = {"name": "quintain", "value": secret, "url": self.url}
                person.page.context.add_cookies([cookie])
        return self._people[name]

    def page(self, name: str = "") -> Page:
        """The window of a person."""
        return self.person(name).page

    def close(self) -> None:
        """Close the windows, and end the server."""
        self._stage.close()


def _text(edition: str) -> str:
    return contest.ROUNDS.replace('id = "rounds"', f'id = "{edition}"', 1)
