"""Programs on a site with a store: calls and their key reach every machine, and nobody else."""

import threading

import pytest

from quintain.client.program_worker import ProgramWorker
from quintain.programs.choice import Ability
from quintain.programs.limits import CallLimits
from quintain.programs.runner import call
from quintain.programs.sandbox.process import Process
from quintain.runs.verification.verify import verify
from quintain_host.backups import back_up, restore
from quintain_host.intake.intake import take
from quintain_host.programs.call_files import calls_of, site_key
from quintain_host.programs.queue_sandbox import QueueSandbox
from quintain_host.programs.workers import make_worker_token
from quintain_host.sharing.moments import share_folder
from quintain_host.site import Site
from tests.host import contest_on_site as contest
from tests.host.programs.program_contest import EDITION, HIDER, is_here, program_worker
from tests.host.programs.test_remote_workers import PROGRAM, served
from tests.runs.tasks.program_cases import seeker, zipped

LIMITS = CallLimits(seconds=600, memory_gib=2)


@pytest.fixture(params=["folder", "bucket"])
def two(request, machines):
    store = [request.getfixturevalue("bucket")] if request.param == "bucket" else []
    return machines("one", *store), machines("two", *store)


@pytest.mark.slow
def test_a_call_of_one_machine_is_made_through_another(two):
    scoring, web = two
    contest.edition(scoring)
    sandbox = QueueSandbox(scoring.root, scoring.database.url, "rounds", "red", scoring.clock.now())
    with served(web.for_pages()) as address:
        token = make_worker_token(web, "far")
        worker = ProgramWorker(address, token, Ability(Process()), wait=1)
        thread = threading.Thread(target=worker.run)
        thread.start()
        results = call(PROGRAM, "m", "f", {"a": 41}, LIMITS, sandbox)
        worker.stop()
        thread.join()
    assert results == [42]
    assert scoring.contents.names("calls") == [], "inputs and results are removed"


def test_machines_have_one_key_that_web_processes_do_not_fetch(two):
    one, other = two
    key = site_key(one)
    assert site_key(other) == key
    (place,) = one.contents.names("closed")
    assert b"".join(one.contents.chunks(place)).decode() == key
    for site in two:
        assert not list(site.root.rglob("program.key"))


def test_of_several_machines_the_first_one_decides_on_the_key(machines):
    ready, keys = threading.Barrier(4), set()

    def ask(site):
        ready.wait()
        keys.add(site_key(site))

    threads = [threading.Thread(target=ask, args=(machines(f"{n}"),)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys) == 1


def test_workers_keep_their_tokens_when_a_site_moves_into_a_store(one_site, machines, tmp_path):
    key = site_key(one_site)
    store = machines("any").settings.store
    (one_site.root / "site.toml").write_text(f'store = "{store}"\n')
    shared = Site(one_site.root, database=one_site.database.url)
    assert share_folder(shared) == 1
    assert share_folder(shared) == 0
    assert site_key(shared) == key
    back_up(shared, tmp_path / "backup.zip")
    shared.close()
    database = f"sqlite:///{tmp_path}/new.db"
    restore(tmp_path / "backup.zip", tmp_path / "new", database)
    restored = Site(tmp_path / "new", database=database)
    assert site_key(restored) == key
    restored.close()


def test_calls_are_removed_whoever_made_them(two):
    name, (mine, others) = "0" * 64, map(calls_of, two)
    others.contents.write(f"calls/{name}.input", b"sealed")
    others.keep_result(name, 2, b"sealed")
    assert mine.has_result(name, 2)
    assert not mine.has_result(name, 1)
    mine.remove(name, 2)  # there was no result of the first attempt
    assert others.contents.names("calls") == []


@pytest.mark.slow
@pytest.mark.usefixtures("able")
def test_a_contest_of_programs_on_two_machines_is_verified(machines):
    scoring, running = machines("scoring"), machines("running")
    edition = contest.prepared(scoring, EDITION)
    red = contest.team(scoring, edition, "red")
    with program_worker(running):
        take(scoring, red, edition, {"program.zip": zipped(hider=HIDER)})
        contest.drain(scoring)
        scoring.clock.set(contest.at(10))
        contest.request(scoring, edition, "scoring", "hand-over")
        contest.drain(scoring)
        scoring.clock.set(contest.at(19))
        is_here(scoring)
        late = contest.team(scoring, edition, "late")
        take(scoring, late, edition, {"program.zip": seeker("1 - labels")})
        contest.drain(scoring)
        scoring.clock.set(contest.at(21))
        contest.request(scoring, edition, "scoring", "reveal")
        contest.drain(scoring)
    assert {job.state for job in contest.jobs(scoring)} == {"done"}
    calls = contest.jobs(scoring, "program")
    assert [job.team for job in calls] == ["red", "red", "late"], "red's hider ran twice"
    assert scoring.contents.names("calls") == []
    assert verify(scoring.folder(edition)).problems == ()
