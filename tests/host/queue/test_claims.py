"""Claims: one worker per job; a worker that has lost its job changes nothing."""

import threading

import pytest

from quintain_host.queue import (
    LeaseWatch,
    Stale,
    beat,
    claim,
    enqueue_once,
    fail,
    finish,
    leave,
    present,
    put_back,
    show_presence,
    try_again,
)
from tests.host import contest_on_site as contest


class Steady:
    """A clock that only goes forward, when a test says so."""

    def __init__(self):
        self.moment = 0.0

    def __call__(self):
        return self.moment


@pytest.fixture
def edition(site):
    return contest.edition(site)


def taken(site, worker="one", lane="intake"):
    return claim(site.database, worker, [lane], site.clock.now())


def job(site, number):
    return next(one for one in contest.jobs(site) if one.id == number)


def passed_on(site, steady, watch, seconds=11.0):
    """Let a lease pass without a sign of life."""
    watch.free(site.clock.now())
    for _ in range(4):
        steady.moment += seconds / 4
        freed = watch.free(site.clock.now())
    return freed


@pytest.mark.slow
def test_twenty_workers_take_each_job_once(site):
    editions = [contest.edition(site, contest.ROUNDS.replace("rounds", f"r{n}")) for n in range(6)]
    for name in editions:
        contest.request(site, name, "intake", "nothing")
    claims = []

    def work(number):
        while (one := taken(site, f"worker {number}")) is not None:
            claims.append(one.job)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claims) == sorted(one.id for one in contest.jobs(site))


def test_an_edition_has_one_intake_worker(site, edition):
    first, second = (contest.request(site, edition, "intake", "nothing") for _ in range(2))
    held = taken(site)
    assert held.job == first
    assert taken(site, "two") is None
    finish(site.database, held, {}, site.clock.now())
    assert taken(site, "two").job == second


def test_a_zombie_can_change_nothing(site, edition):
    number = contest.request(site, edition, "intake", "nothing")
    steady = Steady()
    watch = LeaseWatch(site.database, 10.0, steady)
    zombie = taken(site, "zombie")
    assert passed_on(site, steady, watch) == [number]
    assert "worker zombie stopped during attempt 1" in job(site, number).reason
    heir = taken(site, "heir")
    assert (heir.job, heir.attempt) == (number, 2)
    now = site.clock.now()
    for late in (
        lambda: beat(site.database, zombie),
        lambda: finish(site.database, zombie, {"zombie": True}, now),
        lambda: fail(site.database, zombie, "zombie", now),
        lambda: put_back(site.database, zombie, "zombie", now),
        lambda: try_again(site.database, zombie, "zombie", now),
    ):
        with pytest.raises(Stale):
            late()
    finish(site.database, heir, {"heir": True}, now)
    with pytest.raises(Stale):
        finish(site.database, heir, {"twice": True}, now)
    assert job(site, number).result == {"heir": True}


def test_a_sign_of_life_keeps_a_job(site, edition):
    contest.request(site, edition, "intake", "nothing")
    steady = Steady()
    watch = LeaseWatch(site.database, 10.0, steady)
    held = taken(site)
    for _ in range(10):
        steady.moment += 4.0
        assert watch.free(site.clock.now()) == []
        beat(site.database, held)


def test_a_watch_that_slept_itself_frees_nothing_at_once(site, edition):
    contest.request(site, edition, "intake", "nothing")
    steady = Steady()
    watch = LeaseWatch(site.database, 10.0, steady)
    taken(site)
    watch.free(site.clock.now())
    steady.moment += 100.0
    assert watch.free(site.clock.now()) == []
    assert len(passed_on(site, steady, watch)) == 1


def test_the_clock_of_the_machine_does_not_matter_for_a_lease(site, edition):
    contest.request(site, edition, "intake", "nothing")
    steady = Steady()
    watch = LeaseWatch(site.database, 10.0, steady)
    taken(site)
    watch.free(site.clock.now())
    site.clock.wait(days=3)
    assert watch.free(site.clock.now()) == []
    site.clock.wait(days=-300)
    assert len(passed_on(site, steady, watch)) == 1


def test_a_job_that_stops_every_worker_fails_with_a_reason(site, edition):
    number = contest.request(site, edition, "intake", "nothing")
    steady = Steady()
    watch = LeaseWatch(site.database, 10.0, steady)
    for _ in range(3):
        taken(site)
        passed_on(site, steady, watch)
    assert job(site, number).state == "failed"
    assert "this was attempt 3 and the last" in job(site, number).reason
    assert taken(site) is None


def test_waiting_for_something_costs_no_attempt(site, edition):
    number = contest.request(site, edition, "intake", "nothing")
    for _ in range(5):
        put_back(site.database, taken(site), "waits for a friend", site.clock.now())
        assert taken(site) is None
        site.clock.wait(seconds=1)
    assert job(site, number).reason == "waits for a friend"
    assert job(site, number).state == "waiting"
    for _ in range(3):
        try_again(site.database, taken(site), "bad luck", site.clock.now())
    assert job(site, number).state == "failed"


def test_a_clock_that_is_set_back_makes_nobody_wait(site, edition):
    contest.request(site, edition, "intake", "nothing")
    put_back(site.database, taken(site), "waits", site.clock.now(), seconds=30)
    site.clock.wait(hours=-5)
    assert taken(site) is not None


def test_a_job_that_was_cancelled_is_not_taken(site, edition):
    number = contest.request(site, edition, "intake", "nothing")
    with site.database.writing(edition) as session:
        session.get_one(type(job(site, number)), number).state = "cancelled"
    assert taken(site) is None


def test_a_job_that_waits_already_is_not_put_into_the_queue_twice(site, edition):
    with site.database.writing(edition) as session:
        first = enqueue_once(session, edition, "scoring", "score", now=site.clock.now()).id
        assert enqueue_once(session, edition, "scoring", "score", now=site.clock.now()).id == first
    assert taken(site, lane="scoring").job == first
    with site.database.writing(edition) as session:  # the one that runs may not see what is new
        again = enqueue_once(session, edition, "scoring", "score", now=site.clock.now()).id
    assert again != first


def test_workers_are_seen_and_forgotten(site):
    now = site.clock.now()
    show_presence(site.database, "old", ["intake"], now)
    site.clock.wait(days=2)
    show_presence(site.database, "new", ["scoring"], site.clock.now(), able=True)
    assert [
        (one.name, one.lanes, one.able) for one in present(site.database, site.clock.now())
    ] == [("new", ["scoring"], True)]
    leave(site.database, "new")
    assert present(site.database, site.clock.now()) == []
