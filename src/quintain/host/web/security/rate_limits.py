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

from quintain.errors import QuintainError

MOST_BUCKETS = 20_000
"""How many buckets a limit remembers; the one that was used least recently goes first."""


class TooMany(QuintainError):
    """Somebody asks too often; ``wait`` says for how many seconds to wait."""

    status = 429

    def __init__(self, wait: int) -> None:
        super().__init__(f"too many requests: try again in {wait} s")
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
        self._limit = limit
        self._steady = steady
        self._most = most
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, key: str) -> None:
        """Take one token; raises ``TooMany`` if there is none."""
        with self._lock:
            now = self._steady()
            level, since = self._levels.pop(key, (float(self._limit.burst), now))
            level = min(self._limit.burst, level + (now - since) * self._limit.per_second)
            enough = level >= 1
            self._levels[key] = (level - 1 if enough else level, now)
            while len(self._levels) > self._most:
                self._levels.popitem(last=False)
        if not enough:
            raise TooMany(math.ceil((1 - level) / self._limit.per_second))

    def __len__(self) -> int:
        return len(self._levels)


class RateLimits:
    """The limits of a web process.

    Parameters
    ----------
    requests : of one address.
    changes : of one account, or of one address without an account: uploads and forms.
    sign_ins : of one account from one address.
    guesses : at the password or the code of one account, from everywhere.
    accounts : that one address makes.
    """

    def __init__(self, steady: Callable[[], float] = time.monotonic) -> None:
        self.requests = Buckets(Limit(400, 100), steady)
        self.changes = Buckets(Limit(300, 10), steady)
        self.sign_ins = Buckets(Limit(5, 5 / 60), steady)
        self.guesses = Buckets(Limit(30, 30 / 3600), steady)
        self.accounts = Buckets(Limit(20, 20 / 3600), steady)
