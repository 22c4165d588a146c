"""Second runs on a site: another worker makes them, if there is one; the team sees both."""

import pytest

from quintain_host.database.work import QueuedJob
from quintain_host.programs.queue_sandbox import KIND
from quintain_host.programs.workers import announce, claim_call
from quintain_host.queue import enqueue
from tests.host import contest_on_site as contest


@pytest.fixture
def site(new_site, tmp_path):
    opened = new_site(tmp_path)
    contest.edition(opened)
    yield opened
    opened.close()


def asked(site, before):
    """A call that a worker made before."""
    with site.database.writing("rounds") as session:
        given = {"call": "0" * 64, "before": before}
        now = site.clock.now()
        job = enqueue(session, "rounds", "program", KIND, now=now, team="red", arguments=given)
        return job.id


def test_a_second_run_waits_for_another_worker(site):
    number = asked(site, before="sandbox-1")
    announce(site, "sandbox-1", able=True)
    announce(site, "sandbox-2", able=True)
    assert claim_call(site, "sandbox-1") is None
    with site.database.reading() as session:
        job = session.get_one(QueuedJob, number)
        assert (job.state, job.reason) == (
            "waiting",
            "another worker should run the program for the second time",
        )
    site.clock.wait(seconds=5)
    assert claim_call(site, "sandbox-2").job == number


def test_alone_a_worker_makes_the_second_run_itself(site):
    number = asked(site, before="sandbox-1")
    announce(site, "sandbox-1", able=True)
    announce(site, "sandbox-2", able=False, why="no namespaces")
    assert claim_call(site, "sandbox-1").job == number
