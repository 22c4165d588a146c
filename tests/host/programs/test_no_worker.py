"""No worker runs programs: the scoring worker does not wait for one for ever."""

import pytest

from quintain_host.programs import queue_sandbox
from quintain_host.queue import RetryLater
from quintain_host.work.handler import HANDLERS
from quintain_host.work.worker import Worker
from tests.host import contest_on_site as contest

OTHER = contest.ROUNDS.replace('id = "rounds"', 'id = "other"')


def test_a_program_that_nobody_runs_does_not_stop_other_contests(one_site, monkeypatch):
    edition, other = contest.edition(one_site), contest.edition(one_site, OTHER)
    call = contest.request(one_site, edition, "program", "program", team="red")
    monkeypatch.setattr(queue_sandbox, "_PATIENCE", 0.1)

    def waits(task):
        if task.claim.edition == edition:
            queue_sandbox._wait(task.site.database, call)
        return {"done": True}

    monkeypatch.setitem(HANDLERS, "waits", waits)
    first = contest.request(one_site, edition, "scoring", "waits")
    second = contest.request(one_site, other, "scoring", "waits")
    worker = Worker(one_site, "one")
    for _ in range(4):
        worker.work_once("scoring")
        one_site.clock.wait(seconds=2)
    jobs = {job.id: job for job in contest.jobs(one_site)}
    assert jobs[second].state == "done"
    assert jobs[first].state == "waiting"
    assert jobs[first].reason == "waits for a worker that runs the program of team red"


def test_a_program_that_failed_on_every_worker_is_a_fault_of_the_host(one_site):
    edition = contest.edition(one_site)
    call = contest.request(one_site, edition, "program", "program", team="red")
    with one_site.database.writing(edition) as session:
        job = session.get_one(type(contest.jobs(one_site)[0]), call)
        job.state, job.reason = "failed", "the sandbox does not start"
    with pytest.raises(queue_sandbox.SandboxError, match="the sandbox does not start") as problem:
        queue_sandbox._wait(one_site.database, call)
    assert not isinstance(problem.value, RetryLater)
