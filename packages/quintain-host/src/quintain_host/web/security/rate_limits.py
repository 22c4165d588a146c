"""Rate limits: how often an address or an account may ask, so that nobody can guess or flood.

Each limit is a bucket of tokens that fills again with time. The buckets are in the memory of one
process; they take little room, however many addresses ask. The library ``limits`` has windows
instead of buckets, forgets no key before its window ends, and reads the clock of the machine, which
a test cannot turn.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import Scope

from quintain.errors import QuintainError
from quintain.wording.languages import say
from quintain_host.accounts.names import BadName, email_address
from quintain_host.accounts.passwords import hash_secret
from quintain_host.programs.workers import worker_with_token
from quintain_host.web.requests import bearer_token, device_of, site_of, visitor_of
from quintain_host.web.security.csrf import SAFE

MOST_BUCKETS = 20_000
"""How many buckets a limit remembers; the one that was used least recently goes first."""


class TooMany(QuintainError):
    """Somebody asks too often; ``wait`` says for how many seconds to wait."""

    status = 429

    def __init__(self, wait: int) -> None:
        super().__init__(say("too many requests: try again in %(wait)s s", wait=wait))
        self.wait = wait


@dataclass(frozen=True, slots=True)
class Limit:
    """How many requests may come at once, and how many per second in the long run."""

    burst: int
    per_second: float


class Buckets:
    """The buckets of one limit, by key.

    Parameters
    ----------
    steady : a clock that only goes forward.
    """

    def __init__(
        self,
        limit: Limit,
        steady: Callable[[], float] = time.monotonic,
        most: int = MOST_BUCKETS,
    ) -> None:
        self.limit = limit
        self._steady = steady
        self._most = most
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, key: str) -> None:
        """Take one token; raises ``TooMany`` if there is none."""
        with self._lock:
            now = self._steady()
            level, since = self._levels.pop(key, (float(self.limit.burst), now))
            level = min(self.limit.burst, level + (now - since) * self.limit.per_second)
            enough = level >= 1
            self._levels[key] = (level - 1 if enough else level, now)
            while len(self._levels) > self._most:
                self._levels.popitem(last=False)
        if not enough:
            raise TooMany(math.ceil((1 - level) / self.limit.per_second))

    def __len__(self) -> int:
        return len(self._levels)


class RateLimits:
    """The limits of a web process.

    Parameters
    ----------
    requests : of one address.
    changes : of one account, or of one address without an account: uploads and forms.
    sign_ins : of one account from one address.
    guesses : at the password or the code of one account, by all strangers together.
    devices : attempts at one account with one device that its owner has used before.
    accounts : that one address makes.
    resets : mails with a link for a new password, to one address and from one.
    """

    def __init__(self, steady: Callable[[], float] = time.monotonic) -> None:
        self.requests = Buckets(Limit(400, 100), steady)
        self.changes = Buckets(Limit(300, 10), steady)
        self.sign_ins = Buckets(Limit(5, 5 / 60), steady)
        self.guesses = Buckets(Limit(30, 30 / 3600), steady)
        self.devices = Buckets(Limit(10, 30 / 3600), steady)
        self.accounts = Buckets(Limit(20, 20 / 3600), steady)
        self.resets = Buckets(Limit(5, 5 / 3600), steady)


UNKNOWN = "unknown"


def address_of(scope: Scope, proxies: int) -> str:
    """The address of the client; of IPv6 the network, because a client has a whole one.

    Parameters
    ----------
    proxies : how many proxies of ours add an address to ``X-Forwarded-For``. What stands before
        those can be invented by the client, and does not count.
    """
    client = scope.get("client")
    last = client[0] if client else UNKNOWN
    if proxies:
        given = ",".join(Headers(scope=scope).getlist("x-forwarded-for"))
        chain = [address.strip() for address in given.split(",") if address.strip()]
        last = chain[-proxies] if len(chain) >= proxies else last
    return network_of(last)


def network_of(text: str) -> str:
    """An address by which clients are counted; of IPv6 the network, and a fixed word for others."""
    try:
        address = ip_address(text.strip("[]"))
    except ValueError:
        return UNKNOWN
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ip_network((address, 64), strict=False))


async def limit_changes(request: Request) -> None:
    """Refuse requests that change something if they come too often; asked before every route."""
    if request.method not in SAFE:
        await run_in_threadpool(_limit_change, request)


def _limit_change(request: Request) -> None:
    account = visitor_of(request).account
    key = _sender(request) if account is None else f"account {account}"
    _limits(request).changes.take(key)


def _sender(request: Request) -> str:
    """A worker, or the address; who invents a new token each time is not somebody new."""
    token = bearer_token(request)
    if token is None:
        return _address(request)
    try:
        return f"worker {worker_with_token(site_of(request), token)}"
    except QuintainError:
        return _address(request)


def limit_sign_in(request: Request, email: str) -> None:
    """Refuse guesses at a password: those of all strangers together, or of one known device."""
    email, device = _one_form(email), device_of(request)
    if device is not None and device.email == email:
        _limits(request).devices.take(device.name)
        return
    name = hash_secret(email).hex()  # a long key would fill the memory
    _limits(request).sign_ins.take(f"{name} {_address(request)}")
    _limits(request).guesses.take(name)


def _one_form(email: str) -> str:
    """An address as accounts have it: another way to write it is not another account."""
    try:
        return email_address(email)
    except BadName:
        return email[:300]


def limit_codes(request: Request, account: int) -> None:
    """Refuse guesses at a code, or at the password of somebody who is signed in."""
    device = device_of(request)
    if device is not None and device.account == account:
        _limits(request).devices.take(device.name)
        return
    _limits(request).sign_ins.take(f"account {account}")
    _limits(request).guesses.take(f"account {account}")


def limit_new_accounts(request: Request) -> None:
    """Refuse an address that makes many accounts."""
    _limits(request).accounts.take(_address(request))


def limit_resets(request: Request, email: str) -> None:
    """Refuse somebody who fills the mailbox of another, or tries many addresses."""
    _limits(request).resets.take(f"to {hash_secret(_one_form(email)).hex()}")
    _limits(request).accounts.take(f"reset {_address(request)}")


def _limits(request: Request) -> RateLimits:
    limits: RateLimits = request.app.state.limits
    return limits


def _address(request: Request) -> str:
    return address_of(request.scope, site_of(request).settings.proxies)
