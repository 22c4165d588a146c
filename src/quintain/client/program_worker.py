"""Program worker: pull calls of programs from a site, make them in the sandbox, give back results.

It needs no access to the site but a token of its own, and it never sees more than the input of the
call that it makes.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from quintain.client.connection import Connection, NoAnswer, SiteRefused, TokenNeeded
from quintain.errors import QuintainError
from quintain.programs.choice import Ability
from quintain.programs.remote import Seal, run_sealed

LOG = logging.getLogger("quintain.client.worker")

_WAIT = 20.0
"""How many seconds one request waits for a job."""


class BadToken(QuintainError):
    """The token of a worker is not complete."""

    status = 401


class ProgramWorker:
    """A worker on another machine than the site.

    Parameters
    ----------
    token : what ``quintain host worker-token`` printed: who asks, a dot, and the key of the seal.
    ability : what this machine can do; see :func:`quintain.programs.choice.ability`.
    wait : how many seconds one request waits for a job.
    """

    def __init__(self, server: str, token: str, ability: Ability, wait: float = _WAIT) -> None:
        secret, dot, key = token.strip().partition(".")
        try:
            self._seal = Seal(bytes.fromhex(key))
        except (ValueError, QuintainError):
            raise BadToken("the token is not complete: copy both of its halves") from None
        if not secret or not dot:
            raise BadToken("the token is not complete: copy both of its halves")
        self._server, self._secret, self._ability, self._wait = server, secret, ability, wait
        self._stop = threading.Event()

    def run(self) -> None:
        """Work until :meth:`stop` is called."""
        with Connection(self._server, self._secret) as site:
            while not self._stop.is_set():
                try:
                    if not self.work_once(site) and not self._ability.able:
                        self._stop.wait(self._wait)
                except TokenNeeded:
                    raise
                except (NoAnswer, SiteRefused) as problem:
                    LOG.warning("the worker goes on: %s", problem)
                    self._stop.wait(5.0)

    def stop(self) -> None:
        """Finish the call in hand, then end."""
        self._stop.set()

    def work_once(self, site: Connection) -> bool:
        """Make one call; False if there is nothing to do."""
        offer = {"able": self._ability.able, "why": self._ability.why, "wait": self._wait}
        answer = site.send("POST", "work/claim", json=offer)
        if answer.status_code == 204:
            return False
        assignment = answer.json()
        place, attempt = f"work/{assignment['job']}", {"attempt": assignment["attempt"]}
        with self._alive(place, attempt, float(assignment["lease"])):
            sealed = site.send("GET", f"{place}/input", params=attempt).content
            assert self._ability.sandbox is not None  # else the site would have given no job
            call = str(assignment["call"])
            result = run_sealed(call, sealed, self._seal, self._ability.sandbox)
        site.send("POST", f"{place}/result", params=attempt, content=result)
        return True

    @contextmanager
    def _alive(self, place: str, attempt: dict[str, Any], lease: float) -> Iterator[None]:
        """Show signs of life while a program runs."""
        ended = threading.Event()

        def live() -> None:
            with Connection(self._server, self._secret) as site:
                while not ended.wait(lease / 3):
                    try:
                        site.send("POST", f"{place}/beat", params=attempt)
                    except (NoAnswer, SiteRefused) as problem:
                        LOG.warning("no sign of life: %s", problem)

        thread = threading.Thread(target=live, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
