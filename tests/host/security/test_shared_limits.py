"""Limits in the database: several web processes share them."""

import pytest

from quintain_host.web.security.rate_limits import Buckets, Limit, TooMany
from quintain_host.web.security.shared_limits import DatabaseBuckets, limits_of


def test_two_processes_share_a_bucket(site):
    one, two = (DatabaseBuckets(site, "sign_ins", Limit(3, 0.1)) for _ in range(2))
    one.take("red")
    two.take("red")
    one.take("red")
    with pytest.raises(TooMany) as refused:
        two.take("red")
    assert refused.value.wait == 10
    two.take("blue")  # somebody else
    DatabaseBuckets(site, "accounts", Limit(1, 0.1)).take("red")  # another limit
    site.clock.wait(seconds=10)
    one.take("red")
    with pytest.raises(TooMany):
        two.take("red")
    assert len(one) == 2


def test_the_database_limits_as_the_memory_does(site):
    limit = Limit(4, 0.5)
    shared = DatabaseBuckets(site, "changes", limit)
    start = site.clock.now()
    own = Buckets(limit, lambda: (site.clock.now() - start).total_seconds())
    for pause in (0, 0, 0, 0, 0, 1, 1, 0.5, 0.5, 8, 0, 0, 0, 0, 0):
        site.clock.wait(seconds=pause)
        assert outcome(shared) == outcome(own)


def outcome(buckets):
    try:
        buckets.take("red")
    except TooMany as refused:
        return refused.wait
    return 0


def test_a_clock_that_was_set_back_locks_nobody_out(site):
    shared = DatabaseBuckets(site, "sign_ins", Limit(1, 1.0))
    shared.take("red")
    site.clock.wait(days=-1)
    shared.take("red")
    with pytest.raises(TooMany):
        shared.take("red")


def test_a_site_on_postgresql_shares_what_people_may_try(site):
    limits = limits_of(site)
    shared = site.database.engine.dialect.name == "postgresql"
    assert isinstance(limits.sign_ins, DatabaseBuckets) == shared
    assert isinstance(limits.guesses, DatabaseBuckets) == shared
    assert not isinstance(limits.requests, DatabaseBuckets)
