"""Stage: a site that really runs, with its worker and its visitors, in this process."""

import socket
import threading
from collections.abc import Sequence
from datetime import datetime

import uvicorn
from playwright.sync_api import Browser

from quintain.host.site import Site
from quintain.host.web.app import make_app
from quintain.host.work.worker import Worker
from tests.host.browser.person import Person


class Stage:
    """A site on a free port, and a worker beside it; both see the clock that a test sets.

    Parameters
    ----------
    lanes : the kinds of work that the worker does.
    """

    def __init__(
        self, site: Site, browser: Browser, lanes: Sequence[str] = ("clerk", "bench")
    ) -> None:
        self.site, self._browser = site, browser
        self.people: list[Person] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        config = uvicorn.Config(make_app(site), log_config=None, access_log=False, ws="none")
        self._server = uvicorn.Server(config)
        self._worker = Worker(site, "stage", lanes, pause=0.02)
        serving = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]})
        self._threads = [serving, threading.Thread(target=self._worker.run)]
        for thread in self._threads:
            thread.start()

    def at(self, moment: datetime) -> None:
        """Let it be another time; sign-ins stay valid for a week only, so people may sign in."""
        self.site.clock.set(moment)

    def person(self, name: str) -> Person:
        """Somebody with a browser, who is not known to the site yet."""
        window = self._browser.new_context(base_url=self.url, accept_downloads=True)
        person = Person(name, window.new_page(), self.site.clock)
        self.people.append(person)
        return person

    def close(self) -> None:
        """Close the windows, and end the server and the worker."""
        for person in self.people:
            person.page.context.close()
        self._worker.stop()
        self._server.should_exit = True
        for thread in self._threads:
            thread.join()
        self.site.close()
