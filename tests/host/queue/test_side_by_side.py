"""Uploads of different teams are examined side by side, and recorded in the order of arrival."""

import threading

import pytest

from quintain_host.database.work import QueuedJob, Upload
from quintain_host.intake.intake import take
from quintain_host.queue import JobClaim, RetryLater, claim, finish, put_back, wait_for_turn
from quintain_host.work import worker
from quintain_host.work.worker import Worker, do_job
from tests.host import contest_on_site as contest


def taken(site):
    return claim(site.database, "one", ["intake"], site.clock.now())


def checks(site, edition, *teams):
    return [contest.request(site, edition, "intake", "check", team=team) for team in teams]


@pytest.fixture
def edition(site):
    return contest.edition(site)


def test_only_uploads_of_other_teams_are_examined_side_by_side(site, edition):
    first, second, third = checks(site, edition, "red", "blue", "red")
    join = contest.request(site, edition, "intake", "join", team="green")
    held = [taken(site), taken(site)]
    assert [one.job for one in held] == [first, second]
    assert taken(site) is None  # the next is of the team red again
    finish(site.database, held[0], {}, site.clock.now())
    held.append(taken(site))
    assert held[-1].job == third
    assert taken(site) is None  # a team joins when every upload before it is recorded
    for one in held[1:]:
        finish(site.database, one, {}, site.clock.now())
    assert taken(site).job == join


def test_an_upload_waits_for_those_that_came_first(site, edition):
    checks(site, edition, "red", "blue")
    first, second = taken(site), taken(site)
    through = threading.Event()

    def wait():
        wait_for_turn(site.database, second, site.clock.now)
        through.set()

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    wait_for_turn(site.database, first, site.clock.now)
    assert not through.wait(0.2)
    finish(site.database, first, {}, site.clock.now())
    assert through.wait(30)
    waiting.join()


def test_who_waits_for_a_lost_upload_takes_that_one_first(site, edition):
    checks(site, edition, "red", "blue")
    first, second = taken(site), taken(site)
    put_back(site.database, first, "its worker was lost", site.clock.now(), seconds=0)
    with pytest.raises(RetryLater) as problem:
        wait_for_turn(site.database, second, site.clock.now)
    assert problem.value.seconds == 0
    put_back(site.database, second, "waits", site.clock.now(), seconds=0)
    assert taken(site).job == first.job
    again = JobClaim.of(row(site, first.job))
    put_back(site.database, again, "a full disk", site.clock.now(), seconds=30)
    assert taken(site).job == second.job
    wait_for_turn(site.database, second, site.clock.now)  # nobody waits for a machine to be mended


def row(site, number):
    with site.database.reading() as session:
        return session.get_one(QueuedJob, number)


@pytest.mark.slow
def test_two_workers_record_in_the_order_of_arrival(one_site):
    site = one_site
    edition = contest.prepared(site)
    teams = [f"t{number}" for number in range(4)]
    captains = {name: contest.team(site, edition, name) for name in teams}
    sent = [
        take(site, captains[name], edition, contest.release(site, edition, name)).upload
        for name in teams
    ]
    workers = [Worker(site, f"w{number}") for number in range(2)]

    def work(one):
        while one.work_once("intake"):
            pass

    threads = [threading.Thread(target=work, args=(one,)) for one in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with site.database.reading() as session:
        events = [session.get_one(Upload, number).event for number in sent]
    assert None not in events
    assert events == sorted(events)


def test_a_job_that_hangs_is_given_up_and_the_worker_ends(site, edition, monkeypatch):
    number = contest.request(site, edition, "intake", "hang")
    later = contest.request(site, edition, "intake", "join", team="red")
    hanging, given_up = threading.Event(), threading.Event()
    monkeypatch.setitem(worker.every_handler(), "hang", lambda task: hanging.wait(60) and {})
    monkeypatch.setattr(worker, "time_limit", lambda site, lane: 0.05)
    held = taken(site)
    thread = threading.Thread(
        target=do_job, args=(site, held, threading.Event(), given_up.set), daemon=True
    )
    thread.start()
    assert given_up.wait(30)
    assert row(site, number).state == "failed"
    assert "time limit of the intake lane" in row(site, number).reason
    assert taken(site).job == later  # nobody waits for it
    hanging.set()
    thread.join()
    assert row(site, number).state == "failed"  # what it says in the end does not count


def test_the_time_limits_are_those_of_the_settings(one_site):
    assert worker.time_limit(one_site, "intake") == 600
    assert worker.time_limit(one_site, "scoring") == 24 * 3600
