"""Workers that crash: whatever the moment, an upload is recorded once and gets its receipt."""

import pkgutil

import pytest

from quintain.journal.database_store import DatabaseStore
from quintain.journal.events import read_event
from quintain.journal.file_store import FileStore
from quintain.journal.receipt import Receipt
from quintain.runs.submissions.submit import submit
from quintain_host.intake.intake import take
from quintain_host.queue import LeaseWatch
from quintain_host.work.worker import Worker
from tests.host import contest_on_site as contest
from tests.host.conftest import DATABASES


class Killed(BaseException):
    """What a test raises where a real worker would be killed."""


@pytest.fixture(scope="module", params=DATABASES)
def site(request, new_site, tmp_path_factory):
    site = new_site(tmp_path_factory.mktemp("site"), request.param)
    contest.prepared(site)
    yield site
    site.close()


def sent(site, name):
    """The upload of a new team, which waits for the intake worker."""
    captain = contest.team(site, "rounds", name)
    return take(site, captain, "rounds", contest.release(site, "rounds", name)).upload


def killed(site, monkeypatch, place, name, *, after=False):
    """Let a worker do one job of the intake worker, and die when it calls a function."""
    original = getattr(place, name)

    def die(*args, **options):
        if after:
            original(*args, **options)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(place, name, die)
        with pytest.raises(Killed):
            Worker(site, "victim").work_once("intake")


def lease_over(site):
    """What the watch of another worker does when the lease of a dead one is over."""
    clock = iter(range(0, 1000, 4))
    watch = LeaseWatch(site.database, 10.0, lambda: float(next(clock)))
    for _ in range(6):
        watch.free(site.clock.now())


def require_accepted_once(site, number):
    upload, folder = contest.upload(site, number), site.folder("rounds")
    assert upload.state == "accepted"
    assert set(upload.shown) == {"readings", "gate_failures", "warnings", "left"}
    events = list(folder.journal().submissions(upload.team))
    assert [event.number for event in events] == [upload.event]
    receipt = Receipt.from_bytes(upload.receipt.encode())
    assert read_event(receipt.line) == events[0]
    receipt.check(folder.state().key)


def rows_of(site):
    """The journal as the database has it."""
    return list(DatabaseStore(site.database.engine, "rounds").lines())


@pytest.mark.parametrize(
    ("team", "place", "name", "after"),
    [
        ("early", "quintain_host.work.check", "submit", False),
        ("row", "quintain.journal.database_store:DatabaseStore", "append", True),
        ("copy", "quintain.journal.file_store:FileStore", "append", False),
        ("publish", "quintain.runs.folder.record", "_publish_tree", False),
        ("receipt", "quintain_host.work.check", "_give_receipt", False),
        ("finish", "quintain_host.work.worker", "finish", False),
    ],
)
def test_a_worker_that_is_killed_loses_nothing(site, monkeypatch, team, place, name, after):
    upload = sent(site, team)
    killed(site, monkeypatch, pkgutil.resolve_name(place), name, after=after)
    lease_over(site)
    contest.drain(site, "intake")
    require_accepted_once(site, upload)
    assert site.folder("rounds").journal().lines() == rows_of(site)


def test_what_a_crash_left_out_of_the_folder_is_copied_later(site, monkeypatch):
    upload = sent(site, "lag")
    killed(site, monkeypatch, FileStore, "append")
    folder = site.folder("rounds")
    assert folder.journal().lines() == rows_of(site)[:-1]
    folder.store.catch_up()
    assert folder.journal().lines() == rows_of(site)
    lease_over(site)
    contest.drain(site, "intake")
    require_accepted_once(site, upload)


def test_a_receipt_is_made_although_every_attempt_was_killed(site, monkeypatch):
    from quintain_host.work import check

    upload = sent(site, "unlucky")
    for _ in range(4):
        killed(site, monkeypatch, check, "_give_receipt")
        lease_over(site)
    contest.drain(site, "intake")
    require_accepted_once(site, upload)


def test_a_worker_that_wakes_up_late_records_nothing(site, monkeypatch):
    upload, other = sent(site, "zombie"), Worker(site, "other")

    def late(*args, **options):
        """The worker sleeps here until its lease is over and another one has done the job."""
        monkeypatch.undo()
        lease_over(site)
        assert other.work_once("intake")
        require_accepted_once(site, upload)
        return submit(*args, **options)

    monkeypatch.setattr("quintain_host.work.check.submit", late)
    assert Worker(site, "sleeper").work_once("intake")
    require_accepted_once(site, upload)
    check = next(one for one in contest.jobs(site, "check") if one.arguments == {"upload": upload})
    assert (check.worker, check.attempt, check.state) == ("other", 2, "done")


def test_old_results_do_not_replace_newer_ones(site, monkeypatch):
    contest.drain(site)
    contest.request(site, "rounds", "scoring", "score")
    other = Worker(site, "other")
    seen = []

    def late(folder, **options):
        monkeypatch.undo()
        lease_over(site)
        assert other.work_once("scoring")
        try:
            folder.run([], executor=None, label="late")
        except Exception as problem:
            seen.append(type(problem).__name__)
            raise

    monkeypatch.setattr("quintain_host.work.scoring.score_folder", late)
    assert Worker(site, "sleeper").work_once("scoring")
    assert seen == ["Stale"]
    assert {job.state for job in contest.jobs(site, "score")} == {"done"}
