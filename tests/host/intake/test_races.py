"""Intake while many things happen at once: quotas, deadlines and the hand-over are exact."""

import threading
from datetime import timedelta

import pytest

from quintain.errors import PhaseClosed, QuotaUsed
from quintain_host.intake.intake import take
from tests.host import contest_on_site as contest
from tests.host.conftest import DATABASES

ONE_RELEASE = contest.ROUNDS.replace('submit = "release"', 'submit = "release"\ntotal = 1')
CLOSES = contest.at(10, 0)
INSTANT = timedelta(milliseconds=1)


@pytest.fixture(scope="module", params=DATABASES)
def site(request, new_site, tmp_path_factory):
    site = new_site(tmp_path_factory.mktemp("site"), request.param)
    yield site
    site.close()


def played(site, name):
    """A contest of its own for a test, with a team."""
    site.clock.set(contest.at(1))
    edition = contest.prepared(site, ONE_RELEASE.replace('id = "rounds"', f'id = "{name}"'))
    return edition, contest.team(site, edition, f"red-{name}")


def at_once(calls):
    """Call functions in as many threads; returns what each one returned or raised."""
    ready, results = threading.Barrier(len(calls)), [None] * len(calls)

    def run(number, call):
        ready.wait()
        try:
            results[number] = call()
        except Exception as problem:
            results[number] = problem

    threads = [threading.Thread(target=run, args=one) for one in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.mark.slow
def test_of_twenty_uploads_at_limit_one_exactly_one_is_accepted(site):
    edition, red = played(site, "limit")
    files = contest.release(site, edition, "red-limit")
    results = at_once([lambda: take(site, red, edition, files)] * 20)
    assert sorted(type(one).__name__ for one in results) == ["QueuedUpload"] + ["QuotaUsed"] * 19
    contest.drain(site, "intake")
    assert len(list(site.folder(edition).journal().submissions("red-limit"))) == 1
    with pytest.raises(QuotaUsed):
        take(site, red, edition, files)


def test_an_event_after_the_deadline_waits_for_uploads_before_it(site):
    edition, red = played(site, "order")
    contest.team(site, edition, "blue-order")
    site.clock.set(CLOSES - INSTANT)
    upload = take(site, red, edition, contest.release(site, edition, "red-order")).upload
    site.clock.set(CLOSES + INSTANT)
    contest.request(site, edition, "scoring", "hand-over")
    for _ in range(3):
        contest.drain(site)
        site.clock.wait(seconds=2)
    assert contest.upload(site, upload).state == "accepted"
    assert "red-order" in str(site.folder(edition).owners(site.folder(edition).edition().track[0]))


@pytest.mark.slow
def test_a_submission_beside_the_hand_over_is_in_it_or_refused(site):
    edition, red = played(site, "beside")
    contest.team(site, edition, "blue-beside")
    blue = contest.visitor(site, "blue-beside")
    take(site, red, edition, contest.release(site, edition, "red-beside"))
    contest.drain(site, "intake")
    files = contest.release(site, edition, "blue-beside")
    site.clock.set(CLOSES - INSTANT)

    def hand_over():
        site.clock.set(CLOSES + INSTANT)
        contest.request(site, edition, "scoring", "hand-over")
        for _ in range(5):
            contest.drain(site)
            site.clock.wait(seconds=2)

    _, result = at_once([hand_over, lambda: take(site, blue, edition, files)])
    contest.drain(site, "intake")
    track = site.folder(edition).edition().track[0]
    owners = set(site.folder(edition).owners(track).values())
    accepted = len(list(site.folder(edition).journal().submissions("blue-beside"))) == 1
    assert "red-beside" in owners
    assert ("blue-beside" in owners) == accepted
    assert accepted != isinstance(result, PhaseClosed)
