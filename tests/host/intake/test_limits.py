"""Limits of submissions on a site: attempts, deadlines and the clock."""

from datetime import timedelta

import pytest

from quintain.errors import PhaseClosed, QuotaUsed
from quintain_host.intake.intake import take
from tests.host import contest_on_site as contest

ONE_RELEASE = contest.ROUNDS.replace('submit = "release"', 'submit = "release"\ntotal = 1')
ONE_GUESS = contest.ROUNDS.replace('submit = "guess"', 'submit = "guess"\nper_file = 1')
CLOSES = contest.at(10, 0)
INSTANT = timedelta(milliseconds=1)


@pytest.fixture(scope="module")
def site(new_site, tmp_path_factory):
    site = new_site(tmp_path_factory.mktemp("site"))
    yield site
    site.close()


def played(site, name, text=ONE_RELEASE):
    """A contest of its own for a test, with a team."""
    site.clock.set(contest.at(1))
    edition = contest.prepared(site, text.replace('id = "rounds"', f'id = "{name}"'))
    return edition, contest.team(site, edition, f"red-{name}")


def test_an_upload_that_is_refused_costs_no_attempt(site):
    edition, red = played(site, "again")
    first = take(site, red, edition, {"release.csv": b"no table"})
    with pytest.raises(QuotaUsed):
        take(site, red, edition, {"release.csv": b"no table"})
    contest.drain(site, "intake")
    assert contest.upload(site, first.upload).state == "refused"
    second = take(site, red, edition, contest.release(site, edition, "red-again"))
    contest.drain(site, "intake")
    assert contest.upload(site, second.upload).state == "accepted"


def test_a_millisecond_decides_at_the_deadline(site):
    edition, red = played(site, "deadline")
    files = contest.release(site, edition, "red-deadline")
    site.clock.set(CLOSES)
    with pytest.raises(PhaseClosed):
        take(site, red, edition, files)
    site.clock.set(CLOSES + INSTANT)
    with pytest.raises(PhaseClosed):
        take(site, red, edition, files)
    site.clock.set(CLOSES - INSTANT)
    upload = take(site, red, edition, files).upload
    site.clock.set(contest.at(30))  # the intake worker comes late; the upload did not
    contest.drain(site, "intake")
    assert contest.upload(site, upload).state == "accepted"
    event = next(site.folder(edition).journal().submissions("red-deadline"))
    assert event.moment == CLOSES - INSTANT


def test_a_clock_that_is_set_back_turns_no_time_back(site):
    edition, red = played(site, "clock")
    site.clock.set(contest.at(5))
    contest.team(site, edition, "late-clock")
    site.clock.set(contest.at(2))
    upload = take(site, red, edition, contest.release(site, edition, "red-clock")).upload
    contest.drain(site, "intake")
    assert contest.upload(site, upload).state == "accepted"
    moments = [event.moment for event in site.folder(edition).journal().events()]
    assert moments == sorted(moments)
    assert moments[-1] == contest.at(5)


@pytest.mark.slow
def test_attempts_at_a_file_count_while_they_wait(site):
    edition, red = played(site, "file", ONE_GUESS)
    contest.team(site, edition, "blue-file")
    blue = contest.visitor(site, "blue-file")
    for team, captain in (("red-file", red), ("blue-file", blue)):
        take(site, captain, edition, contest.release(site, edition, team))
    contest.drain(site, "intake")
    site.clock.set(contest.at(10, 1))
    contest.request(site, edition, "scoring", "hand-over")
    contest.drain(site)
    site.clock.set(contest.at(12))
    files = contest.guess(site, edition, "red-file")
    take(site, red, edition, files)
    with pytest.raises(QuotaUsed, match="1 attempt at"):
        take(site, red, edition, files)
    hidden = take(site, red, edition, contest.zipped(files)).upload  # nobody has read the zip yet
    contest.drain(site, "intake")
    assert contest.upload(site, hidden).state == "refused"
    assert "attempt" in str(contest.upload(site, hidden).faults)
