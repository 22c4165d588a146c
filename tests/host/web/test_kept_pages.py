"""Kept pages: one page for all who are not signed in, and nothing that is for one person."""

import asyncio

import pytest
from fastapi.testclient import TestClient

from quintain.wording.languages import speaking
from quintain_host.settings import Settings
from quintain_host.site import Site
from quintain_host.web.app import make_app
from quintain_host.web.kept_pages import KeptPages
from tests.host import contest_on_site as contest


class Inner:
    """An application that counts its answers, and can be made to wait."""

    def __init__(self, status=200, headers=(), size=0):
        self.made = 0
        self._status, self._headers, self._size = status, headers, size
        self.waiting = asyncio.Event()
        self.waiting.set()

    async def __call__(self, scope, receive, send):
        self.made += 1
        number = self.made
        await self.waiting.wait()
        headers = [(b"content-type", b"text/html; charset=utf-8"), *self._headers]
        await send({"type": "http.response.start", "status": self._status, "headers": headers})
        headers.append((b"x-request-id", b"added further out"))
        body = f"page {number}".encode() + b" " * self._size
        await send({"type": "http.response.body", "body": body, "more_body": False})


class Steady:
    """A clock that a test turns."""

    now = 0.0

    def __call__(self):
        return self.now


async def ask(app, path="/", method="GET", query=b"", **headers):
    """The body of an answer, and its headers."""
    sent = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "path": path, "query_string": query, "headers": sent}
    parts = []

    async def send(message):
        parts.append(message)

    await app(scope, None, send)
    return parts[1]["body"].decode().strip(), dict(parts[0]["headers"])


def answers(app, *requests):
    """The bodies of answers to some requests, one after the other."""

    async def every():
        return [(await ask(app, **request))[0] for request in requests]

    return asyncio.run(every())


def test_a_page_is_made_once_a_second():
    clock = Steady()
    app = KeptPages(Inner(), 1.0, clock)
    assert answers(app, {}, {}) == ["page 1", "page 1"]
    clock.now = 0.99
    assert answers(app, {}) == ["page 1"]
    clock.now = 1.0
    assert answers(app, {}, {}) == ["page 2", "page 2"]


def test_each_path_and_language_has_its_page():
    app = KeptPages(Inner(), 1.0, Steady())
    assert answers(app, {}, {"path": "/contests/a"}, {}) == ["page 1", "page 2", "page 1"]
    with speaking("fr"):
        assert answers(app, {}) == ["page 3"]


@pytest.mark.parametrize(
    "request_",
    [
        {"cookie": "quintain=secret"},
        {"authorization": "Bearer secret"},
        {"hx_request": "true"},
        {"query": b"code=secret"},
        {"method": "POST"},
        {"path": "/account"},
        {"path": "/api/contests"},
    ],
)
def test_what_may_be_for_one_person_is_not_kept(request_):
    app = KeptPages(Inner(), 1.0, Steady())
    assert answers(app, request_, request_) == ["page 1", "page 2"]
    place = {"path": request_.get("path", "/")}
    assert answers(app, {**place}) == ["page 3"]  # nor did anybody else's page come from it


@pytest.mark.parametrize(
    "inner",
    [
        Inner(status=404),
        Inner(headers=[(b"set-cookie", b"a=b")]),
        Inner(size=300_000),
    ],
)
def test_what_is_no_plain_page_is_not_kept(inner):
    assert answers(KeptPages(inner, 1.0, Steady()), {}, {}) == ["page 1", "page 2"]


def test_zero_seconds_keep_nothing():
    assert answers(KeptPages(Inner(), 0.0, Steady()), {}, {}) == ["page 1", "page 2"]


def test_headers_that_are_added_further_out_are_not_kept():
    async def twice():
        app = KeptPages(Inner(), 1.0, Steady())
        await ask(app)
        return (await ask(app))[1]

    assert b"x-request-id" not in asyncio.run(twice())


def test_who_asks_while_a_page_is_made_waits_for_it():
    async def crowd():
        inner = Inner()
        inner.waiting.clear()
        app = KeptPages(inner, 1.0, Steady())
        asked = [asyncio.create_task(ask(app)) for _ in range(50)]
        await asyncio.sleep(0.01)
        inner.waiting.set()
        return inner.made, {body for body, _ in await asyncio.gather(*asked)}

    assert asyncio.run(crowd()) == (1, {"page 1"})


def test_a_page_that_fails_leaves_nobody_waiting():
    async def crowd():
        inner = Inner(status=500)
        inner.waiting.clear()
        app = KeptPages(inner, 1.0, Steady())
        asked = [asyncio.create_task(ask(app)) for _ in range(5)]
        await asyncio.sleep(0.01)
        inner.waiting.set()
        await asyncio.gather(*asked)
        return inner.made

    assert asyncio.run(crowd()) == 5


def test_an_error_leaves_nobody_waiting():
    async def broken(scope, receive, send):
        raise RuntimeError("broken")

    app = KeptPages(broken, 1.0, Steady())
    for _ in range(2):
        with pytest.raises(RuntimeError, match="broken"):
            answers(app, {})


def test_a_site_shows_a_change_to_members_at_once_and_to_others_in_time(one_site):
    settings = Settings(page_seconds=60)
    site = Site(
        one_site.root, settings=settings, database=one_site.database.url, clock=one_site.clock
    )
    edition = contest.prepared(site)
    with TestClient(make_app(site), site.settings.url) as web:
        first = web.get(f"/contests/{edition}/teams")
        captain = contest.team(site, edition, "red")
        contest.drain(site)
        kept = web.get(f"/contests/{edition}/teams")
        assert kept.text == first.text
        assert kept.headers["Content-Security-Policy"] == first.headers["Content-Security-Policy"]
        assert kept.headers["X-Request-Id"] != first.headers["X-Request-Id"]
        assert "Red" not in kept.text
        cookie = contest.cookie(site, captain.account)
        own = web.get(f"/contests/{edition}/teams", headers={"Cookie": f"quintain={cookie}"})
        assert "Red" in own.text
        metrics = web.app.state.metrics.text().decode()
        assert 'route="/contests/{edition}/teams",status="200"} 3' in metrics
    site.close()
