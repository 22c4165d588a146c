"""Connections: how long a client may take for a request, and how many connections it may have.

A client that sends its request byte by byte costs one connection. Enough of them would leave none
for others. So a request has a deadline for its header and a lowest rate for its body, an answer has
to be read, and both an address and the whole server have a limit of connections. At a limit, the
connection that has waited longest without a request gives way to the new one: half-open connections
push each other out, and people whose request is complete stay.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from heapq import nsmallest
from itertools import chain
from typing import Any, ClassVar, Literal, Protocol

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from quintain_host.settings import Settings
from quintain_host.web.security.rate_limits import UNKNOWN, network_of

LOG = logging.getLogger("quintain_host.serving")

Stage = Literal["header", "body", "answer"]
"""What a connection waits for: the header of a request, the rest of its body, or our answer."""

HEADER_BYTES = 2**14
"""How large the header of a request may be."""

_LOG_EVERY = 10.0
"""How many seconds of closed connections one line of the log has."""

_AT_ONCE = 20
"""At the limit of the server, one of so many connections is pushed out at once.

To look through all of them for every new one would take too long in a flood.
"""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """What one server allows its clients.

    Parameters
    ----------
    most : how many connections there are at the same time.
    per_address : how many of them one address has.
    header_seconds : how long the header of a request may take, from its first byte.
    body_seconds, body_rate : how long a body may take, and one second more for each ``body_rate``
        bytes that came. An answer of which nothing is read for ``body_seconds`` ends.
    """

    most: int
    per_address: int
    header_seconds: float
    body_seconds: float
    body_rate: float

    @classmethod
    def of(cls, settings: Settings, most: int) -> ConnectionLimits:
        """The limits of a site. All connections of a proxy of ours come from one address."""
        return cls(
            most=most,
            per_address=most if settings.proxies else settings.address_connections,
            header_seconds=settings.header_seconds,
            body_seconds=settings.body_seconds,
            body_rate=settings.body_rate,
        )


class OpenConnection(Protocol):
    """A connection, as far as the door has to know it."""

    address: str
    since: float
    """When it began to wait for what it waits for."""

    @property
    def stage(self) -> Stage:
        """What it waits for."""

    def is_overdue(self, now: float) -> bool:
        """Whether its client takes too long."""

    def give_up(self) -> None:
        """Tell the client, if it listens, and close."""

    def drop(self) -> None:
        """Close at once."""


class Door:
    """The open connections of a server: who is let in, and who has to go.

    Parameters
    ----------
    steady : a clock that only goes forward.
    """

    def __init__(
        self, limits: ConnectionLimits, steady: Callable[[], float] = time.monotonic
    ) -> None:
        self.limits = limits
        self.steady = steady
        self._by_address: dict[str, dict[OpenConnection, None]] = {}
        self._number = 0
        self._closed: Counter[str] = Counter()
        self._next_line = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return self._number

    def admit(self, connection: OpenConnection) -> bool:
        """Let a connection in; at a limit, another one has to go. False if none can."""
        own = self._by_address.get(connection.address, {})
        if len(own) >= self.limits.per_address and not self._push_out(own, 1):
            return self._refuse()
        several = max(1, self.limits.most // _AT_ONCE)
        if self._number >= self.limits.most and not self._push_out(self._everybody(), several):
            return self._refuse()
        self._by_address.setdefault(connection.address, {})[connection] = None
        self._number += 1
        return True

    def leave(self, connection: OpenConnection) -> None:
        """Forget a connection that has ended."""
        own = self._by_address.get(connection.address, {})
        if connection in own:
            del own[connection]
            self._number -= 1
            if not own:
                del self._by_address[connection.address]

    def look_round(self) -> None:
        """Close every connection whose client takes too long."""
        now = self.steady()
        for connection in self._everybody():
            if connection.is_overdue(now):
                self._closed["slow"] += 1
                connection.give_up()
        if self._closed and now >= self._next_line:
            LOG.warning("connections were closed", extra=dict(self._closed))
            self._closed.clear()
            self._next_line = now + _LOG_EVERY

    def keep_looking(self, loop: asyncio.AbstractEventLoop) -> None:
        """Look round again and again, as long as there is a connection."""
        if self._timer is None:
            every = min(1.0, self.limits.header_seconds / 4, self.limits.body_seconds / 4)
            self._timer = loop.call_later(every, self._look_again, loop)

    def _look_again(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        self.look_round()
        if self._number or self._closed:
            self.keep_looking(loop)

    def _everybody(self) -> list[OpenConnection]:
        return list(chain.from_iterable(self._by_address.values()))

    def _push_out(self, connections: Collection[OpenConnection], number: int) -> bool:
        """Drop the connection that waits longest for a header, of the address with the most.

        A body is somebody's upload: it goes only if nobody waits for a header, and alone.
        """
        stages: dict[Stage, list[OpenConnection]] = {"header": [], "body": [], "answer": []}
        for connection in connections:
            stages[connection.stage].append(connection)
        waiting = stages["header"]
        worst = nsmallest(number if waiting else 1, waiting or stages["body"], key=self._standing)
        for connection in worst:
            self._closed["pushed_out"] += 1
            self.leave(connection)
            connection.drop()
        return bool(worst)

    def _standing(self, connection: OpenConnection) -> tuple[int, float]:
        return -len(self._by_address[connection.address]), connection.since

    def _refuse(self) -> bool:
        self._closed["refused"] += 1
        return False


class StrictConnection(h11.Connection):
    """Reads requests of one meaning only.

    A proxy and a server that disagree where a body ends take a part of it for the next request, in
    the name of somebody else. So a header with two lengths is refused, as RFC 9112, 6.1 allows.
    """

    def next_event(self) -> Any:
        """The next part of a request; raises ``RemoteProtocolError`` for two lengths of a body."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            names = {name.lower() for name, _ in event.headers}
            if b"transfer-encoding" in names and (
                b"content-length" in names or event.http_version < b"1.1"
            ):
                raise h11.RemoteProtocolError("a request has one way to say how long its body is")
        return event


class DoorProtocol(H11Protocol):
    """One connection of the server, with the limits of its door."""

    door: ClassVar[Door]

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.conn = StrictConnection(h11.SERVER, HEADER_BYTES)
        self.address = UNKNOWN
        self.since = self.door.steady()
        self._received = 0  # bytes of the present header or body
        self._unread, self._read_at = 0, self.since

    @property
    def stage(self) -> Stage:
        """What the connection waits for."""
        if self.conn.their_state is h11.IDLE:
            return "header"
        return "body" if self.conn.their_state is h11.SEND_BODY else "answer"

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Let the client in, or say that there is no room."""
        super().connection_made(transport)
        self.address = network_of(self.client[0]) if self.client else UNKNOWN
        self.door.keep_looking(self.loop)
        if not self.door.admit(self):
            self._say("503 Service Unavailable", "too many connections: try again later")

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place to somebody else."""
        self.door.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read a part of a request, and note how much of it came since when."""
        before = self.stage
        if before == "header" and not self._received:
            self._begin()
        super().data_received(data)
        if self.stage == before:
            self._received += len(data)
        else:
            self._begin()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._begin()

    def is_overdue(self, now: float) -> bool:
        """Whether the client takes too long to send its request, or to read our answer."""
        limits = self.door.limits
        if self.transport.is_closing() or self.stage == "answer":
            return self._is_unread(now)
        if self.stage == "header":
            return now - self.since > limits.header_seconds
        if self.flow.read_paused:  # the site itself does not read on
            self._begin()
        return now - self.since > limits.body_seconds + self._received / limits.body_rate

    def give_up(self) -> None:
        """Close; a client that has begun a request is told why."""
        if self.transport.is_closing() or self.stage == "answer":
            self.drop()
        elif self._has_begun and self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._say("408 Request Timeout", "the request took too long")
        else:
            self.transport.close()

    def drop(self) -> None:
        """Close at once; what the client has not read is lost."""
        self.transport.abort()

    @property
    def _has_begun(self) -> bool:
        """Whether a part of a request is here; browsers open connections that they may not use."""
        return bool(self._received) or self.stage == "body"

    def _begin(self) -> None:
        self.since, self._received = self.door.steady(), 0

    def _is_unread(self, now: float) -> bool:
        """Whether the client has read nothing for long although there is something to read."""
        unread = self.transport.get_write_buffer_size()
        if unread != self._unread or not unread:
            self._unread, self._read_at = unread, now
        return now - self._read_at > self.door.limits.body_seconds

    def _say(self, status: str, sentence: str) -> None:
        text = f"{sentence}\n"
        head = (
            f"HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\n"
            f"Content-Length: {len(text)}\r\nConnection: close\r\nRetry-After: 5\r\n\r\n"
        )
        self.transport.write((head + text).encode())
        self.transport.close()


def protocol_of(door: Door) -> type[asyncio.Protocol]:
    """The class of the connections behind a door; the server makes one for each client."""
    return type("SiteProtocol", (DoorProtocol,), {"door": door})
