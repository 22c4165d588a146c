"""Stage: a site that really runs, with its worker and its visitors, in this process."""

import socket
import threading
from collections.abc import Sequence
from datetime import datetime
from time import monotonic, sleep
from typing import TypeVar

import uvicorn
from playwright.sync_api import Browser
from sqlalchemy import func, select

from quintain_host.accounts.administration import add_account
from quintain_host.accounts.links import set_password_url
from quintain_host.database.work import QueuedJob
from quintain_host.queue import UNFINISHED, show_presence
from quintain_host.site import Site
from quintain_host.web.app import make_app
from quintain_host.work.worker import Worker
from tests.host.browser.captain import Captain
from tests.host.browser.organiser import Organiser
from tests.host.browser.person import Person

P = TypeVar("P", bound=Person)

PATIENCE = 600.0
"""How many seconds the work of one step may take on a busy machine."""


class Stage:
    """A site behind an open socket, and a worker beside it; both see the clock that a test sets.

    Parameters
    ----------
    lanes : the kinds of work that the worker does.
    """

    def __init__(
        self,
        site: Site,
        door: socket.socket,
        browser: Browser,
        lanes: Sequence[str] = ("intake", "scoring"),
    ) -> None:
        self.site, self._browser = site, browser
        self.people: list[Person] = []
        config = uvicorn.Config(make_app(site), log_config=None, access_log=False, ws="none")
        self._server = uvicorn.Server(config)
        self._lanes = lanes
        self._worker = Worker(site, "stage", lanes, pause=0.1, able=True)
        serving = threading.Thread(target=self._server.run, kwargs={"sockets": [door]})
        self._threads = [serving, threading.Thread(target=self._worker.run)]
        for thread in self._threads:
            thread.start()

    def at(self, moment: datetime) -> None:
        """Let it be another time for everybody; the worker was seen just before."""
        self.site.clock.set(moment)
        show_presence(self.site.database, "stage", self._lanes, moment, able=True)

    def settle(self) -> None:
        """Wait until nothing waits for the worker, and nothing is in its hands."""
        busy = select(func.count()).where(QueuedJob.state.in_(UNFINISHED))
        end = monotonic() + PATIENCE
        while True:
            with self.site.database.reading() as session:
                if not session.scalar(busy):
                    return
            assert monotonic() < end, "the worker does not come to an end"
            sleep(0.05)

    def complaints(self) -> list[str]:
        """What the browser had to complain of on all pages so far."""
        return [text for person in self.people for text in person.complaints]

    def person(self, name: str, role: type[P] = Person) -> P:
        """Somebody with a browser, who is not known to the site yet."""
        url = self.site.settings.url
        window = self._browser.new_context(base_url=url, accept_downloads=True, **role.window)
        person = role(name, window.new_page(), self.site.clock, self.settle)
        self.people.append(person)
        return person

    def organiser(self, name: str) -> Organiser:
        """Somebody who runs the site, with a second factor; the account is made on its machine."""
        person = self.person(name, Organiser)
        added = add_account(self.site, None, person.email, name, operator=True)
        person.set_password(set_password_url(self.site, added.secret))
        person.sign_in()
        person.turn_on_second_factor()
        return person

    def captain(self, name: str, role: type[Captain] = Captain) -> Captain:
        """Somebody who wants to play."""
        return self.person(name, role)

    def close(self) -> None:
        """Close the windows, and end the server and the worker."""
        for person in self.people:
            person.page.context.close()
        self._worker.stop()
        self._server.should_exit = True
        for thread in self._threads:
            thread.join()
        self.site.close()
