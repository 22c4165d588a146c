"""A machine that fails: full disks, a database that restarts, faults of the host."""

import errno
import os
import subprocess
import threading
import time

import pytest

from quintain.errors import QuintainError
from quintain.journal.file_store import FileStore
from quintain_host.intake.intake import take
from quintain_host.queue import NOT_CHECKED
from quintain_host.work.handler import HANDLERS
from quintain_host.work.worker import Worker
from tests.host import contest_on_site as contest


def full(*_args, **_options):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def broken(*_args, **_options):
    raise KeyError("a fault of ours")


@pytest.fixture(scope="module")
def site(new_site, tmp_path_factory):
    site = new_site(tmp_path_factory.mktemp("site"))
    contest.prepared(site)
    yield site
    site.close()


def sent(site, name):
    captain = contest.team(site, "rounds", name)
    return take(site, captain, "rounds", contest.release(site, "rounds", name)).upload


def check_of(site, upload):
    return next(one for one in contest.jobs(site, "check") if one.arguments == {"upload": upload})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("team", "place"),
    [
        ("store", "quintain.runs.submissions.submit.store"),
        ("copy", "quintain.journal.file_store.FileStore.append"),
        ("tree", "quintain.runs.folder.record.write"),
    ],
)
def test_a_full_disk_makes_an_upload_wait_and_nothing_else(site, monkeypatch, team, place):
    upload = sent(site, team)
    with monkeypatch.context() as patch:
        patch.setattr(place, full)
        for _ in range(5):
            Worker(site, "one").work_once("intake")
            site.clock.wait(seconds=31)
    if contest.upload(site, upload).receipt is None:
        assert "No space left on device" in check_of(site, upload).reason
    contest.drain(site, "intake")
    assert check_of(site, upload).state == "done"
    assert contest.upload(site, upload).receipt is not None
    assert len(list(site.folder("rounds").journal().submissions(team))) == 1


def test_a_fault_of_the_host_is_tried_three_times_and_costs_no_attempt(site, monkeypatch):
    upload = sent(site, "faulty")
    monkeypatch.setattr("quintain_host.work.check.submit", broken)
    for _ in range(4):
        Worker(site, "one").work_once("intake")
        site.clock.wait(seconds=5)
    check = check_of(site, upload)
    assert (check.state, check.attempt) == ("failed", 3)
    assert "a fault of the host: KeyError" in check.reason
    assert contest.upload(site, upload).state == "failed"
    assert contest.upload(site, upload).faults == [NOT_CHECKED]


def test_a_reason_with_a_path_is_not_for_teams(site, monkeypatch):
    upload = sent(site, "path")

    def refuse(*_args, **_options):
        error = QuintainError("/secret/place is missing")
        error.status = 500
        raise error

    monkeypatch.setattr("quintain_host.work.check.submit", refuse)
    Worker(site, "one").work_once("intake")
    assert "/secret/place" in check_of(site, upload).reason
    assert contest.upload(site, upload).faults == [NOT_CHECKED]


def test_a_kind_of_job_that_nobody_knows_fails_with_a_reason(site):
    contest.request(site, "rounds", "intake", "unknown kind")
    for _ in range(3):
        Worker(site, "one").work_once("intake")
        site.clock.wait(seconds=5)
    job = contest.jobs(site, "unknown kind")[0]
    assert job.state == "failed"
    assert "unknown kind" in job.reason


def test_a_database_that_restarts_loses_no_job(postgres, postgres_site, monkeypatch):
    edition = contest.edition(postgres_site)
    numbers = [contest.request(postgres_site, edition, "intake", "slow") for _ in range(12)]
    done = []

    def slow(task):
        time.sleep(0.05)
        with task.site.database.reading() as session:
            session.connection()
        done.append(task.claim.job)
        return {}

    monkeypatch.setitem(HANDLERS, "slow", slow)
    worker = Worker(postgres_site, "one", ["intake"], pause=0.02)
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        while len(done) < 3:
            time.sleep(0.01)
        postgres.restart()
        end = time.monotonic() + 300
        while {job.state for job in states(postgres_site)} != {"done"}:
            assert time.monotonic() < end
            postgres_site.clock.wait(seconds=10)
            time.sleep(0.05)
    finally:
        worker.stop()
        thread.join()
    assert set(done) == set(numbers)


def states(site):
    try:
        return contest.jobs(site)
    except Exception:
        return [type("Unknown", (), {"state": "unknown"})]


@pytest.fixture
def small_disk(tmp_path):
    """A disk of a few megabytes."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("only root can make a small disk, and not everywhere")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.mark.slow
def test_a_disk_that_is_really_full(new_site, small_disk):
    site = new_site(small_disk, "sqlite")
    contest.prepared(site)
    red = contest.team(site, "rounds", "red")
    files = contest.release(site, "rounds", "red")
    upload = take(site, red, "rounds", files).upload
    filler = small_disk / "filler"
    with pytest.raises(OSError, match="No space"), filler.open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)
    with pytest.raises(Exception, match=r"No space|disk is full|disk I/O"):
        for number in range(100):
            take(site, red, "rounds", {"release.csv": files["release.csv"] + b"\n" * number})
    worker = Worker(site, "one", ["intake"], pause=0.05)
    thread = threading.Thread(target=worker.run)
    thread.start()
    time.sleep(0.5)
    filler.unlink()
    end = time.monotonic() + 300
    while contest.upload(site, upload).receipt is None:
        assert time.monotonic() < end
        site.clock.wait(seconds=31)
        time.sleep(0.05)
    worker.stop()
    thread.join()
    contest.drain(site)
    assert contest.upload(site, upload).state == "accepted"
    assert FileStore(site.edition_root("rounds") / "journal.jsonl").size() == len(
        site.folder("rounds").journal().lines()
    )
    site.close()
