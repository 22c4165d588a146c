"""Visits: requests at fixed times, whether or not earlier ones are answered.

The time of an answer counts from the moment for which the request was planned, so a server that
stops for a second is late for everybody who came in that second.
"""

from __future__ import annotations

import http.client
import queue
import random
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from benchmarks.host.crowd.played_site import EDITION, Player

_THREADS = 24

PAGES = {
    "home": (3, "/"),
    "contest": (3, f"/contests/{EDITION}"),
    "rules": (1, f"/contests/{EDITION}/rules"),
    "standings": (3, f"/contests/{EDITION}/standings"),
    "matrix": (2, f"/contests/{EDITION}/matrix"),
    "teams": (1, f"/contests/{EDITION}/teams"),
    "own team": (2, f"/contests/{EDITION}/team"),
    "own history": (2, f"/contests/{EDITION}/team/history"),
    "api standings": (1, f"/api/editions/{EDITION}/standings"),
    "api history": (1, f"/api/editions/{EDITION}/team/history"),
    "api editions": (1, "/api/editions"),
}
"""The weight and the path of each kind of visit."""

UPLOAD = "upload"


@dataclass(slots=True)
class Tally:
    """How long the answers of each kind took, in seconds, and what went wrong."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    def note(self, kind: str, seconds: float, status: int | str) -> None:
        """Note one answer."""
        self.seconds.setdefault(kind, []).append(seconds)
        if not isinstance(status, int) or status >= 400:
            self.errors.append(f"{kind}: {status}")


class Visitors:
    """A crowd that sends requests to a site.

    Parameters
    ----------
    kinds : the kinds of visits that this site offers.
    guesses : makes an upload, by its number.
    """

    def __init__(
        self, port: int, players: list[Player], kinds: list[str], guesses: Callable[[int], bytes]
    ) -> None:
        self._port = port
        self._players = players
        self._kinds = kinds
        self._guesses = guesses
        self._planned: queue.Queue[tuple[float, str, int] | None] = queue.Queue()
        self.tally = Tally()

    def come(self, seconds: float, rate: float) -> None:
        """Send requests for some seconds; one of them per second is an upload."""
        threads = [threading.Thread(target=self._visit, daemon=True) for _ in range(_THREADS)]
        for thread in threads:
            thread.start()
        began = time.perf_counter()
        for number, (moment, kind) in enumerate(plan(self._kinds, seconds, rate)):
            wait = began + moment - time.perf_counter()
            if wait > 0:
                time.sleep(wait)
            self._planned.put((began + moment, kind, number))
        for _ in threads:
            self._planned.put(None)
        for thread in threads:
            thread.join()

    def _visit(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        while (one := self._planned.get()) is not None:
            moment, kind, number = one
            status: int | str
            try:
                status = self._ask(connection, kind, number)
            except (OSError, http.client.HTTPException) as problem:
                status = repr(problem)
                connection.close()
            self.tally.note(kind, time.perf_counter() - moment, status)
        connection.close()

    def _ask(self, connection: http.client.HTTPConnection, kind: str, number: int) -> int:
        # Uploads come at regular numbers, and each of them is of another team.
        player = self._players[(number + number // 20) % len(self._players)]
        # Each team has an address of its own, as behind a reverse proxy.
        headers = {"X-Forwarded-For": f"10.1.{player.account // 250}.{player.account % 250}"}
        if kind == UPLOAD:
            body, headers["Content-Type"] = form(self._guesses(number))
            headers["Authorization"] = f"Bearer {player.token}"
            connection.request("POST", f"/api/editions/{EDITION}/uploads", body, headers)
        else:
            if kind.startswith("api"):
                headers["Authorization"] = f"Bearer {player.token}"
            elif kind.startswith("own"):
                headers["Cookie"] = f"quintain={player.cookie}"
            connection.request("GET", PAGES[kind][1], headers=headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status


def plan(kinds: list[str], seconds: float, rate: float) -> Iterator[tuple[float, str]]:
    """The moment and the kind of each visit, the same in every run."""
    chance = random.Random(1)
    weights = [PAGES[kind][0] for kind in kinds]
    for number in range(int(seconds * rate)):
        upload = number % int(rate) == 0
        yield number / rate, UPLOAD if upload else chance.choices(kinds, weights)[0]


def form(content: bytes) -> tuple[bytes, str]:
    """The body of an upload, and its type."""
    edge = "b0und4ry"
    head = (
        f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="guesses.zip"\r\n'
        "Content-Type: application/zip\r\n\r\n"
    )
    return head.encode() + content + f"\r\n--{edge}--\r\n".encode(), (
        f"multipart/form-data; boundary={edge}"
    )
