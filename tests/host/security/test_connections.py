"""Connections: slow clients are closed, and half-open connections push out each other alone."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

import pytest
import uvicorn
from benchmarks.host.half_open import measure
from uvicorn.server import ServerState

from quintain_host.serving.connections import ConnectionLimits, Door, protocol_of
from quintain_host.settings import Settings
from quintain_host.web.app import make_app
from tests.host.security.people import browser

LIMITS = ConnectionLimits(20, 5, header_seconds=10, body_seconds=20, body_rate=500)
POST = b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n"


class Time:
    now = 0.0

    def __call__(self):
        return self.now


@dataclass(eq=False)
class Client:
    address: str
    since: float = 0.0
    stage: str = "header"
    open: bool = True

    def drop(self):
        self.open = False


def admit(door, clients):
    return [door.admit(client) for client in clients]


def test_an_address_pushes_out_its_own_connections():
    door = Door(LIMITS, Time())
    other = Client("b", since=-1)
    flood = [Client("a", since=number) for number in range(9)]
    assert all(admit(door, [other, *flood]))
    assert [client.open for client in flood] == [False] * 4 + [True] * 5
    assert other.open and len(door) == 6


def test_a_full_server_pushes_out_who_waits_longest_and_not_who_is_answered():
    door = Door(LIMITS, Time())
    answered = [Client(f"a{number}", stage="answer") for number in range(5)]
    upload = Client("u", since=-5, stage="body")
    waiting = [Client(f"w{number}", since=number) for number in range(14)]
    assert all(admit(door, [*answered, upload, *waiting, Client("new", since=20)]))
    assert not waiting[0].open and waiting[1].open
    assert upload.open and all(client.open for client in answered)


def test_whoever_has_many_connections_goes_first():
    door = Door(LIMITS, Time())
    greedy = [Client("greedy", since=10 + number) for number in range(5)]
    others = [Client(f"w{number}", since=number) for number in range(15)]
    assert all(admit(door, [*greedy, *others, Client("new", since=20)]))
    assert not greedy[0].open and all(client.open for client in others)


def test_a_body_gives_way_if_nobody_waits_and_answers_never_do():
    door = Door(LIMITS, Time())
    bodies = [Client(f"b{number}", since=number, stage="body") for number in range(2)]
    answered = [Client(f"a{number}", stage="answer") for number in range(18)]
    last = [Client(f"l{number}", stage="answer") for number in range(3)]
    assert admit(door, [*bodies, *answered]) == [True] * 20
    assert admit(door, last) == [True, True, False]
    assert not any(client.open for client in bodies) and all(client.open for client in answered)
    for client in answered:
        door.leave(client)
        door.leave(client)  # a second time changes nothing
    assert len(door) == 2


def test_behind_a_proxy_all_connections_come_from_one_address():
    assert ConnectionLimits.of(Settings(), 50).per_address == 100
    assert ConnectionLimits.of(Settings(proxies=1), 50).per_address == 50


# --- one connection -------------------------------------------------------------------------------


class Wire(asyncio.Transport):
    """What a client gets; it reads nothing if ``unread`` says so."""

    def __init__(self):
        super().__init__()
        self.sent, self.closing, self.aborted, self.unread = b"", False, False, 0

    def get_extra_info(self, name, default=None):
        return ("10.0.0.1", 5) if name == "peername" else default

    def write(self, data):
        self.sent += data

    def close(self):
        self.closing = True

    def abort(self):
        self.closing = self.aborted = True

    def is_closing(self):
        return self.closing

    def get_write_buffer_size(self):
        return self.unread

    def pause_reading(self):
        pass

    def resume_reading(self):
        pass


class Stage:
    """A connection to a server whose clock the test turns."""

    def __init__(self, limits=LIMITS):
        self.time, self.loop = Time(), asyncio.new_event_loop()
        self.door = Door(limits, self.time)
        self.calls = []
        self.ready = asyncio.Event()
        self.ready.set()
        self.protocol, self.wire = self.connect()

    def connect(self):
        config = uvicorn.Config(self._answer, interface="asgi3", ws="none", log_config=None)
        protocol = protocol_of(self.door)(
            config=config, server_state=ServerState(), app_state={}, _loop=self.loop
        )
        wire = Wire()
        protocol.connection_made(wire)
        return protocol, wire

    def end(self):
        self.protocol.connection_lost(None)
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        self.loop.run_until_complete(asyncio.sleep(0))
        self.loop.close()

    async def _answer(self, scope, receive, send):
        self.calls.append((scope["method"], scope["path"]))
        while (await receive()).get("more_body"):
            pass
        await self.ready.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"ok"})

    def send(self, data, wait=0.0):
        self.time.now += wait
        self.protocol.data_received(data)
        self.loop.run_until_complete(asyncio.sleep(0))
        self.loop.run_until_complete(asyncio.sleep(0))

    def look(self, wait=0.0):
        self.time.now += wait
        self.door.look_round()
        return self.wire


@pytest.fixture
def stage():
    stage = Stage()
    yield stage
    stage.end()


def test_a_header_has_a_deadline_however_often_a_byte_comes(stage):
    stage.send(b"GET / HTTP/1.1\r\n")
    for _ in range(9):
        stage.send(b"x", wait=1)
    assert not stage.look(wait=1).closing
    assert stage.look(wait=0.1).closing
    assert stage.wire.sent.startswith(b"HTTP/1.1 408 ")


def test_a_connection_without_a_request_is_closed_silently(stage):
    assert not stage.look(wait=10).closing
    assert stage.look(wait=0.1).closing
    assert stage.wire.sent == b""


def test_the_next_request_of_a_connection_has_a_deadline_as_well(stage):
    stage.send(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    assert b"200" in stage.wire.sent and stage.protocol.stage == "header"
    stage.send(b"G", wait=4)
    stage.send(b"E", wait=9)
    assert not stage.look(wait=1).closing
    assert stage.look(wait=0.1).closing


def test_a_slow_body_is_refused(stage):
    stage.send(POST)
    for _ in range(10):
        stage.send(b"x" * 10, wait=2)
    assert not stage.look().closing
    assert stage.look(wait=0.3).closing  # 100 bytes buy a fifth of a second
    assert stage.wire.sent.startswith(b"HTTP/1.1 408 ")


def test_a_body_that_comes_fast_enough_may_be_long(stage):
    stage.send(POST)
    for _ in range(99):
        stage.send(b"x" * 1000, wait=1.9)
        assert not stage.look().closing
    stage.send(b"x" * 1000)
    assert stage.calls == [("POST", "/x")] and b"200" in stage.wire.sent


def test_time_counts_only_while_the_site_reads(stage):
    stage.send(POST)
    stage.protocol.flow.pause_reading()
    assert not stage.look(wait=100).closing
    stage.protocol.flow.resume_reading()
    assert stage.look(wait=20.1).closing


def test_an_answer_has_to_be_read(stage):
    stage.ready.clear()
    stage.send(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    assert not stage.look(wait=1000).closing  # the site works on it
    for unread in (500, 400, 300):
        stage.wire.unread = unread
        assert not stage.look(wait=19).closing
    assert not stage.look(wait=20).closing
    assert stage.look(wait=0.1).aborted


def test_a_connection_that_is_closed_goes_even_if_nobody_reads(stage):
    stage.wire.closing, stage.wire.unread = True, 100
    assert not stage.look(wait=1).aborted
    assert stage.look(wait=20.1).aborted


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\ncontent-length: 5\r\n\r\n",
        b"POST /x HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        b"POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        b"POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n",
        b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\n",
    ],
)
def test_a_body_of_two_lengths_is_refused_and_nothing_follows(stage, request_bytes):
    stage.send(request_bytes + b"0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
    assert stage.wire.sent.startswith(b"HTTP/1.1 400 ") and stage.wire.closing
    assert stage.wire.sent.count(b"HTTP/1.1") == 1
    assert stage.calls == []


def test_there_is_no_room_only_if_everybody_is_answered():
    stage = Stage(ConnectionLimits(10, 1, 10, 20, 500))
    stage.ready.clear()
    stage.send(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    _, wire = stage.connect()
    assert wire.sent.startswith(b"HTTP/1.1 503 ") and wire.closing
    stage.end()


# --- requests behind a proxy, and the whole server ------------------------------------------------


@pytest.mark.parametrize("proxies", [0, 1])
def test_an_address_behind_a_proxy_has_few_requests_at_once(new_site, tmp_path, proxies):
    site = new_site(tmp_path, proxies=proxies, address_connections=1)
    app = make_app(site)
    client = browser(site, app)
    statuses = {}

    def nested():
        for address in ("1.1.1.1", "2.2.2.2"):
            inner = client.get("/healthz", headers={"X-Forwarded-For": address})
            statuses[address] = inner.status_code
        return {}

    # Without a proxy of ours nobody believes the header: all requests come from one address.
    app.get("/nested")(nested)
    outer = {"X-Forwarded-For": "1.1.1.1"}
    assert client.get("/nested", headers=outer).status_code == 200
    assert statuses == {"1.1.1.1": 429, "2.2.2.2": 200 if proxies else 429}
    assert client.get("/healthz", headers=outer).status_code == 200
    site.close()


@pytest.mark.parametrize("path", ["/sign-in", "/api/sign-in", "/contests/x/team/uploads"])
def test_nobody_makes_a_page_for_a_client_that_has_left(one_site, path):
    sent = []

    async def receive():
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    kind = b"application/json" if path.startswith("/api") else b"application/x-www-form-urlencoded"
    headers = [(b"host", b"127.0.0.1"), (b"content-length", b"9"), (b"content-type", kind)]
    scope = {"type": "http", "method": "POST", "path": path, "headers": headers}
    rest = {"query_string": b"", "client": ("10.0.0.1", 5), "scheme": "http", "root_path": ""}
    asyncio.run(make_app(one_site)({**scope, **rest}, receive, send))
    start, *bodies = sent
    assert start["status"] == 408
    assert b"".join(message["body"] for message in bodies) == b""


def test_the_proxies_have_the_same_limits():
    settings, deploy = Settings(), Path(__file__).resolve().parents[3] / "deploy"
    nginx, caddy = (deploy / "nginx.conf").read_text(), (deploy / "Caddyfile").read_text()
    for line in (
        f"client_header_timeout {settings.header_seconds:.0f}s;",
        f"client_body_timeout {settings.body_seconds:.0f}s;",
        f"limit_conn quintain_addresses {settings.address_connections};",
        "limit_req zone=quintain_requests burst=400 nodelay;",
    ):
        assert f"    {line}\n" in nginx
    assert f"read_header {settings.header_seconds:.0f}s\n" in caddy
    assert "read_body " in caddy


@pytest.mark.slow
def test_others_are_answered_while_some_hold_connections(tmp_path):
    visits = measure(tmp_path, "headers, an address each", 30, 0.5, pause=0.2)
    assert visits.errors == [] and visits.seconds
