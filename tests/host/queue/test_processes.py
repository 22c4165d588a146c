"""Real worker processes: kill -9, a process that is stopped and goes on later, and signals."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from quintain_host.intake.intake import take
from quintain_host.queue import present
from quintain_host.site import SystemClock
from quintain_host.work.handler import HANDLERS
from quintain_host.work.worker import Worker
from tests.host import contest_on_site as contest

OPEN = "\n".join(
    line for line in contest.ROUNDS.splitlines() if not line.startswith(("opens", "closes"))
)
"""The contest without dates: real processes have a real clock."""

SLOW = """
import sys, time
from pathlib import Path
from quintain_host.serving.logs import set_up_logs
from quintain_host.site import Site
from quintain_host.work.handler import handler
from quintain_host.work.worker import Worker

root, url = Path(sys.argv[1]), sys.argv[2]

@handler("slow")
def slow(task):
    (root / "begun").touch()
    while not (root / "go-on").exists():
        time.sleep(0.02)
    return {"by": "zombie"}

set_up_logs("text")
Worker(Site(root, database=url), "zombie", ["intake"], pause=0.02).run()
"""
"""A worker with a job that lasts until a file is there."""


@pytest.fixture
def site(new_site, tmp_path):
    site = new_site(tmp_path, lease=1.0)
    site.clock = SystemClock()
    (tmp_path / "site.toml").write_text("lease = 1.0\n")
    yield site
    site.close()


def start(site, *command):
    environment = {**os.environ, "QUINTAIN_DATABASE": site.database.url}
    return subprocess.Popen(
        [sys.executable, *command], env=environment, stderr=subprocess.PIPE, text=True
    )


def wait_for(condition, seconds=300.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.02)


def is_done_within(site, seconds):
    end = time.monotonic() + seconds
    while contest.jobs(site)[0].state != "done" and time.monotonic() < end:
        time.sleep(0.02)
    return contest.jobs(site)[0].state == "done"


@pytest.mark.slow
def test_a_process_that_was_stopped_finishes_nothing(site, monkeypatch):
    edition = contest.edition(site)
    contest.request(site, edition, "intake", "slow")
    zombie = start(site, "-c", SLOW, str(site.root), site.database.url)
    heir = Worker(site, "heir", ["intake"], pause=0.02)
    thread = threading.Thread(target=heir.run)
    try:
        wait_for((site.root / "begun").exists)
        zombie.send_signal(signal.SIGSTOP)
        monkeypatch.setitem(HANDLERS, "slow", lambda _task: {"by": "heir"})
        thread.start()
        while not is_done_within(site, 10.0):
            # It was stopped while it wrote to the database, which keeps all others out.
            zombie.send_signal(signal.SIGCONT)
            time.sleep(0.05)
            zombie.send_signal(signal.SIGSTOP)
        (site.root / "go-on").touch()
        zombie.send_signal(signal.SIGCONT)
        line = ""
        while "in other hands" not in line:
            line = zombie.stderr.readline()
            assert line, "the process ended too early"
    finally:
        heir.stop()
        zombie.kill()
        zombie.communicate()
        thread.join()
    job = contest.jobs(site)[0]
    assert (job.state, job.worker, job.attempt, job.result) == ("done", "heir", 2, {"by": "heir"})


@pytest.mark.slow
def test_workers_that_are_killed_lose_nothing(site):
    edition = contest.prepared(site, OPEN)
    teams = {name: contest.team(site, edition, name) for name in ("red", "blue")}
    contest.drain(site)
    command = ("-m", "quintain", "worker", str(site.root), "--lanes", "intake")
    worker = start(site, *command, "--name", "first")
    uploads = []
    try:
        wait_for(lambda: present(site.database, site.clock.now()))
        for rows in range(10, 14):
            for name, captain in teams.items():
                files = contest.release(site, edition, name, rows)
                uploads.append(take(site, captain, edition, files, kind="release").upload)
            time.sleep(0.15)
            worker.kill()
            worker.communicate()
            worker = start(site, *command, "--name", f"after {rows}")
        wait_for(lambda: contest.uploads(site, "accepted") == len(uploads))
        wait_for(lambda: {job.state for job in contest.jobs(site, "check")} == {"done"})
        worker.send_signal(signal.SIGTERM)
        _, log = worker.communicate(timeout=300)
    finally:
        worker.kill()
    assert worker.returncode == 0, log
    assert "the worker ends" in log
    assert "after 13" not in [one.name for one in present(site.database, site.clock.now())]
    events = [contest.upload(site, number).event for number in uploads]
    recorded = [event.number for event in site.folder(edition).journal().submissions()]
    assert sorted(events) == recorded
    assert all(contest.upload(site, number).receipt for number in uploads)


@pytest.mark.slow
def test_a_worker_needs_the_newest_tables(tmp_path):
    worker = subprocess.run(
        [sys.executable, "-m", "quintain", "worker", str(tmp_path)], capture_output=True, text=True
    )
    assert worker.returncode != 0
    assert "quintain host upgrade" in worker.stderr


@pytest.mark.slow
def test_a_worker_ends_before_it_takes_work_from_newer_tables(site):
    edition = contest.prepared(site, OPEN)
    working = start(site, "-m", "quintain", "worker", str(site.root), "--name", "old")
    try:
        wait_for(lambda: present(site.database, site.clock.now()))
        with site.database.engine.begin() as connection:
            connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
        contest.request(site, edition, "intake", "join", team="red")
        _, log = working.communicate(timeout=300)
    finally:
        working.kill()
    assert working.returncode == 1, log
    assert "it has version 9999 and this process knows" in log
    assert {job.state for job in contest.jobs(site, "join")} == {"waiting"}


def test_an_unknown_lane_is_a_sentence(tmp_path):
    worker = subprocess.run(
        [sys.executable, "-m", "quintain", "worker", str(tmp_path), "--lanes", "intake,fast"],
        capture_output=True,
        text=True,
    )
    assert "unknown lane 'fast'; available: intake, scoring, program" in worker.stderr
