"""Program workers on other machines: a real server, a token of their own, one job's input each."""

import threading
import time
from contextlib import contextmanager

import httpx2
import pytest
import uvicorn

from quintain.client.connection import Connection, SiteRefused, TokenNeeded
from quintain.client.program_worker import BadToken, ProgramWorker
from quintain.errors import QuintainError
from quintain.programs.choice import Ability
from quintain.programs.limits import CallLimits
from quintain.programs.remote import NotSealed, Seal
from quintain.programs.runner import call, request
from quintain.programs.sandbox.process import Process
from quintain_host.database.work import QueuedJob, WorkerRow
from quintain_host.programs.call_files import site_key
from quintain_host.programs.queue_sandbox import QueueSandbox
from quintain_host.programs.workers import make_worker_token, revoke_worker_token
from quintain_host.queue import LeaseWatch, claim
from quintain_host.web.app import make_app
from tests.host import contest_on_site as contest

PROGRAM = {"m.py": b"def f(given):\n    return given['a'] + 1\n"}
HERE = Ability(Process())


@contextmanager
def served(site):
    """The site, answered by uvicorn in a thread; yields its address."""
    config = uvicorn.Config(make_app(site), port=0, log_config=None, access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="module")
def running(new_site, tmp_path_factory):
    site = new_site(tmp_path_factory.mktemp("remote"))
    contest.edition(site)
    with served(site) as address:
        yield site, address
    site.close()


def sandbox(site, team="red"):
    return QueueSandbox(site.root, site.database.url, "rounds", team, site.clock.now())


@contextmanager
def calling(site, number, team="red"):
    """A call through the queue, in a thread; yields a list with its result."""
    results, before = [], len(contest.jobs(site, "program"))

    def made():
        try:
            limits = CallLimits(seconds=600, memory_gib=2)
            results.append(call(PROGRAM, "m", "f", {"a": number}, limits, sandbox(site, team)))
        except QuintainError as problem:
            results.append(problem)

    thread = threading.Thread(target=made, daemon=True)
    thread.start()
    while len(contest.jobs(site, "program")) == before:
        time.sleep(0.02)
    yield results
    thread.join(300)
    assert not thread.is_alive(), "nobody made the call"


def secret_of(token):
    return token.partition(".")[0]


@pytest.mark.slow
def test_a_worker_elsewhere_makes_the_call(running):
    site, address = running
    worker = ProgramWorker(address, make_worker_token(site, "far-1"), HERE, wait=1)
    thread = threading.Thread(target=worker.run)
    thread.start()
    with calling(site, 41) as results:
        pass
    worker.stop()
    thread.join()
    assert results == [[42]]
    (job,) = [job for job in contest.jobs(site, "program") if job.worker == "far-1"]
    assert (job.state, job.result) == ("done", {"attempt": 1})
    assert list((site.root / "calls").iterdir()) == []
    with site.database.reading() as session:
        assert session.get_one(WorkerRow, "far-1").able


def test_it_learns_nothing_but_its_call(running):
    site, address = running
    token = make_worker_token(site, "far-2")
    neighbour = contest.request(site, "rounds", "scoring", "lint")
    with calling(site, 1, team="secretive"), Connection(address, secret_of(token)) as away:
        assignment = away.json("POST", "work/claim", json={"able": True})
        assert set(assignment) == {"job", "attempt", "call", "lease"}
        place, attempt = f"work/{assignment['job']}", {"attempt": assignment["attempt"]}
        sealed = away.send("GET", f"{place}/input", params=attempt).content
        assert b"def f" not in sealed, "the web process hands on what it cannot read"
        seal = Seal(bytes.fromhex(site_key(site)))
        plain = seal.open(sealed, f"input {assignment['call']}")
        assert b"def f" in plain
        assert b"secretive" not in plain
        with pytest.raises(NotSealed):
            Seal(bytes(32)).open(sealed, f"input {assignment['call']}")
        for path in ("account", "account/tokens", "editions/rounds/team/kit"):
            with pytest.raises(TokenNeeded):
                away.get(path)
        for other in (neighbour, assignment["job"] + 1, 10**6):
            with pytest.raises(SiteRefused, match="is not in your hands"):
                away.send("GET", f"work/{other}/input", params=attempt)
        worker = ProgramWorker(address, token, HERE, wait=0)
        with pytest.raises(SiteRefused, match="is not in your hands"):
            away.send("POST", f"{place}/beat", params={"attempt": 7})
        _free(site)
        assert worker.work_once(away), "the same call goes to the next worker that asks"


def _free(site):
    """Let every lease end."""
    return LeaseWatch(site.database, lease=-1).free(site.clock.now())


def test_the_late_result_of_a_lost_worker_is_refused(running):
    site, address = running
    lost, other = (secret_of(make_worker_token(site, name)) for name in ("lost", "other"))
    with (
        calling(site, 9) as results,
        Connection(address, lost) as zombie,
        Connection(address, other) as away,
    ):
        first = zombie.json("POST", "work/claim", json={"able": True})
        assert _free(site) == [first["job"]]
        place = f"work/{first['job']}"
        late = {"params": {"attempt": first["attempt"]}, "content": b"late"}
        with pytest.raises(SiteRefused, match="is not in your hands"):
            zombie.send("POST", f"{place}/result", **late)
        token = f"{other}.{site_key(site)}"
        assert ProgramWorker(address, token, HERE, wait=0).work_once(away)
        with pytest.raises(SiteRefused, match="is not in your hands"):
            zombie.send("POST", f"{place}/result", **late)
        with pytest.raises(SiteRefused, match="is not in your hands"):
            zombie.send("POST", f"{place}/beat", params={"attempt": 2})
    assert results == [[10]], "the scoring worker did not notice"


def test_only_tokens_of_workers_open_these_routes(running):
    site, address = running
    captain = contest.account_of(site, "ada")
    cookie = contest.cookie(site, captain)
    revoked = make_worker_token(site, "gone")
    assert revoke_worker_token(site, "gone") == 1
    with httpx2.Client(base_url=f"{address}/api/work/") as anybody:
        for headers in ({}, {"Authorization": f"Bearer {secret_of(revoked)}"}):
            for path in ("claim", "1/beat?attempt=1", "1/result?attempt=1"):
                answer = anybody.post(path, headers=headers, json={"able": True})
                assert answer.status_code == 401, path
            assert anybody.get("1/input?attempt=1", headers=headers).status_code == 401
        signed_in = {"Cookie": f"quintain={cookie}"}
        answer = anybody.post("claim", headers=signed_in, json={"able": True})
        assert answer.status_code in (401, 403)
    with pytest.raises(TokenNeeded), Connection(address, secret_of(revoked)) as gone:
        ProgramWorker(address, revoked, HERE).work_once(gone)


def test_a_token_of_a_person_is_refused(running):
    from quintain_host.accounts.sessions import make_token

    site, address = running
    person = contest.visitor(site, "eve")
    made = make_token(site, person, "laptop", ["read", "submit"])
    with (
        pytest.raises(SiteRefused, match="this is not a token of a worker"),
        Connection(address, made.secret) as away,
    ):
        away.send("POST", "work/claim", json={"able": True})


def test_half_a_token_is_refused_at_once(running):
    site, address = running
    for token in ("", secret_of(make_worker_token(site, "half")), "a.b", f".{'0' * 64}"):
        with pytest.raises(BadToken, match="copy both of its halves"):
            ProgramWorker(address, token, HERE)


def test_a_machine_that_cannot_contain_programs_gets_none(running):
    site, address = running
    unable = ProgramWorker(
        address, make_worker_token(site, "weak"), Ability(None, "no namespaces"), wait=0
    )
    with calling(site, 3):
        token = make_worker_token(site, "weak")
        with Connection(address, secret_of(token)) as away:
            assert not unable.work_once(away)
            assert ProgramWorker(address, token, HERE, wait=0).work_once(away)
    with site.database.reading() as session:
        assert session.get(WorkerRow, "weak") is not None


def test_a_call_is_not_made_twice_if_the_bench_starts_again(one_site):
    site = one_site
    contest.edition(site)
    message = request(PROGRAM, ("m", "f"), {"a": 5}, {})
    limits = CallLimits(seconds=600, memory_gib=2)
    first = threading.Thread(target=_quiet, args=(sandbox(site), message, limits))
    again = threading.Thread(target=_quiet, args=(sandbox(site), message, limits))
    for thread in (first, again):
        thread.start()
    while not contest.jobs(site, "program"):
        time.sleep(0.02)
    time.sleep(0.3)  # a second job would come now
    (job,) = contest.jobs(site, "program")
    assert job.state == "waiting"
    with site.database.writing("queue") as session:
        session.get_one(QueuedJob, job.id).state = "cancelled"
    first.join()
    again.join()
    assert claim(site.database, "any", ["program"], site.clock.now()) is None


def _quiet(where, message, limits):
    with pytest.raises(QuintainError, match="no worker could run a program of team red"):
        where.run(message, limits, 1000)
