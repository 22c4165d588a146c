"""Shared limits: the buckets of requests in the database, for several web processes.

What people may try, such as passwords, is limited for the whole site. How many requests an address
may send is a limit of each process: it protects that process, and a row of the database for every
page would cost more than most pages.
"""

from __future__ import annotations

import math
from itertools import count

from sqlalchemy import text

from quintain_host.site import Site
from quintain_host.web.security.rate_limits import Buckets, Limit, RateLimits, TooMany

_TAKE = """\
INSERT INTO rate_bucket (name, key, full_at) VALUES (:name, :key, :now + :step)
ON CONFLICT (name, key) DO UPDATE SET full_at = {from_} + :step WHERE {from_} + :step <= :latest
RETURNING full_at"""
_FROM = (
    "CASE WHEN rate_bucket.full_at BETWEEN :now AND :latest THEN rate_bucket.full_at ELSE :now END"
)
"""From when on a bucket fills up. One that would be full too late met a clock that was set back."""

_TIDY = 1000
"""After how many requests a process forgets the buckets that are full."""


class DatabaseBuckets(Buckets):
    """The buckets of one limit in the database of a site; what one process takes, all miss.

    Parameters
    ----------
    name : of the limit.
    """

    def __init__(self, site: Site, name: str, limit: Limit) -> None:
        super().__init__(limit)
        self._site = site
        self._name = name
        self._taken = count(1)

    def take(self, key: str) -> None:
        """Take one token; raises ``TooMany`` if there is none."""
        now, step = self._site.clock.now().timestamp(), 1 / self.limit.per_second
        latest = now + self.limit.burst * step
        facts = {"name": self._name, "key": key, "now": now, "step": step, "latest": latest}
        with self._site.database.engine.begin() as connection:
            if connection.dialect.name == "postgresql":
                # A limit need not survive a power failure.
                connection.execute(text("SET LOCAL synchronous_commit = off"))
            granted = connection.execute(text(_TAKE.format(from_=_FROM)), facts).first()
            full_at = None if granted else connection.scalar(text(_FULL_AT), facts)
            if next(self._taken) % _TIDY == 0:
                connection.execute(text("DELETE FROM rate_bucket WHERE full_at < :now"), facts)
        if full_at is not None:
            raise TooMany(math.ceil(max(full_at + step - latest, 0.001)))

    def __len__(self) -> int:
        """How many buckets are not full, or were not forgotten yet."""
        with self._site.database.reading() as session:
            number = session.scalar(text(_NUMBER), {"name": self._name})
        return int(number or 0)


_FULL_AT = "SELECT full_at FROM rate_bucket WHERE name = :name AND key = :key"
_NUMBER = "SELECT count(*) FROM rate_bucket WHERE name = :name"


def limits_of(site: Site) -> RateLimits:
    """The limits of a web process; shared with the others where several can run."""
    limits = RateLimits()
    if site.database.engine.dialect.name != "postgresql":
        return limits  # a file of SQLite has one web process
    for name, buckets in vars(limits).items():
        if name != "requests":
            setattr(limits, name, DatabaseBuckets(site, name, buckets.limit))
    return limits
