"""The overview says what is stuck and why; organisers retry jobs, cancel them, or score now."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from quintain.errors import FolderError
from quintain.journal.state import State
from quintain_host.access import Conflict, NotAllowed, NotThere
from quintain_host.database.contests import HostedEdition, RegisteredTeam
from quintain_host.database.work import Upload, WorkerRow
from quintain_host.intake.intake import take
from quintain_host.organising import overview, steps
from quintain_host.organising.overview import next_steps, overview_of
from quintain_host.work import check
from tests.host.contest_on_site import at, drain, jobs, release, request, upload, visitor
from tests.host.organising.played import EDITION, approved, begun, olga, registered


@pytest.fixture
def contest(one_site):
    begun(one_site)
    return one_site


def sentences(site):
    return [step.sentence for step in overview_of(site, olga(site), EDITION).steps]


@pytest.mark.slow
def test_a_failed_check_is_shown_and_tried_again(contest, monkeypatch):
    approved(contest, "red")
    with monkeypatch.context() as broken:

        def fail(*_):
            raise FolderError("the disk has a hole")

        broken.setattr(check, "_submit", fail)
        sent = take(contest, visitor(contest, "red"), EDITION, release(contest, EDITION, "red"))
        drain(contest)
    assert upload(contest, sent.upload).state == "failed"
    assert any("1 job failed" in text for text in sentences(contest))
    seen = overview_of(contest, olga(contest), EDITION)
    (failed,) = [job for job in seen.jobs if job.state == "failed"]
    assert failed.id == sent.job and "the disk has a hole" in failed.reason
    overview.retry_job(contest, olga(contest), EDITION, sent.job)
    assert upload(contest, sent.upload).state == "waiting"
    drain(contest)
    assert upload(contest, sent.upload).state == "accepted"
    with pytest.raises(Conflict, match="only a failed job"):
        overview.retry_job(contest, olga(contest), EDITION, sent.job)


@pytest.mark.slow
def test_a_job_that_waits_is_cancelled_and_the_upload_costs_nothing(contest):
    approved(contest, "red")
    sent = take(contest, visitor(contest, "red"), EDITION, release(contest, EDITION, "red"))
    assert overview_of(contest, olga(contest), EDITION).waiting == 1
    overview.cancel_job(contest, olga(contest), EDITION, sent.job)
    assert upload(contest, sent.upload).state == "failed"
    assert overview.job_of(contest, olga(contest), EDITION, sent.job).state == "cancelled"
    drain(contest)
    with contest.database.reading() as session:
        assert session.scalars(select(Upload.state)).all() == ["failed"]
    with pytest.raises(Conflict, match="cannot be cancelled"):
        overview.cancel_job(contest, olga(contest), EDITION, sent.job)


@pytest.mark.slow
def test_a_team_whose_joining_is_cancelled_waits_again(contest):
    from quintain_host.organising.registrations import approve

    registered(contest, "red")
    approve(contest, olga(contest), EDITION, "red")
    (job,) = jobs(contest, "join")
    overview.cancel_job(contest, olga(contest), EDITION, job.id)
    with contest.database.reading() as session:
        assert session.get_one(RegisteredTeam, (EDITION, "red")).state == "waiting"
    assert "1 team waits for your answer." in sentences(contest)


def test_jobs_of_others_cannot_be_touched(contest):
    (job, *_) = jobs(contest)
    with pytest.raises(NotAllowed):
        overview.retry_job(contest, visitor(contest, "red"), EDITION, job.id)
    with pytest.raises(NotThere):
        overview.cancel_job(contest, olga(contest), EDITION, 10_000)


def test_missing_workers_are_reported_when_something_waits(contest):
    person, now = olga(contest), contest.clock.now()
    steps.score(contest, person, EDITION)
    assert any("No worker is there for intake and scoring" in one for one in sentences(contest))
    with contest.database.writing("queue") as session:
        for name, seen in (("w1", now), ("w2", now - timedelta(minutes=5))):
            lanes = ["intake", "scoring"] if name == "w1" else ["program"]
            session.merge(WorkerRow(name=name, lanes=lanes, started=now, seen=seen, why="no bwrap"))
    seen = overview_of(contest, person, EDITION)
    assert {one.name: one.alive for one in seen.workers if one.name in ("w1", "w2")} == {
        "w1": True,
        "w2": False,
    }
    assert not any("No worker" in one for one in sentences(contest))
    drain(contest)
    assert jobs(contest, "score")[-1].state == "done"


def test_the_next_step_follows_from_state_and_time(contest):
    person = olga(contest)
    seen = overview_of(contest, person, EDITION)
    row, rules, state = seen.edition, seen.rules, seen.state

    def told_at(day, hour=12, **changes):
        return [one.sentence for one in next_steps(row, rules, state, at(day, hour))]

    assert told_at(1) == []
    assert "hand its releases over" in told_at(10)[0]
    assert "Every phase is over" in told_at(21)[1]
    draft = HostedEdition(id="x", title="X", toml="", state="draft")
    (step,) = next_steps(draft, None, State(), at(1))
    assert step.action == "/draft" and not step.urgent
    request(contest, EDITION, "scoring", "freeze", arguments={"reason": "enough"})
    drain(contest)
    assert "reveal its secrets" in sentences(contest)[-1]
