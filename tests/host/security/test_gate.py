"""The gate: hosts, sizes and rates are checked before anything is read."""

import pytest
from fastapi import Request

from quintain_host.programs.workers import make_worker_token
from quintain_host.web.app import make_app
from quintain_host.web.pages.account import local_path
from quintain_host.web.security.downloads import download, safe_name
from quintain_host.web.security.middleware import FRAME, SMALL_BODY
from quintain_host.web.security.rate_limits import UNKNOWN, Buckets, Limit, TooMany, address_of
from tests.host.security.people import browser


@pytest.fixture
def app(one_site):
    app = make_app(one_site)

    async def size(request: Request) -> dict:
        return {"size": len(await request.body())}

    for path in ("/size", "/api/size", "/api/uploads"):
        app.post(path)(size)
    return app


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost", "LOCALHOST:1", "[::1]:8000"])
def test_hosts_of_ours(one_site, app, host):
    assert browser(one_site, app).get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "", "127.0.0.1:8000@evil.example", "::1"]
)
def test_other_hosts_are_refused(one_site, app, host):
    assert browser(one_site, app).get("/", headers={"Host": host}).status_code == 400


@pytest.mark.parametrize("path", ["/size", "/api/size"])
def test_a_large_body_is_refused(one_site, app, path):
    client = browser(one_site, app)
    assert client.post(path, content=bytes(SMALL_BODY)).json() == {"size": SMALL_BODY}
    assert client.post(path, content=bytes(SMALL_BODY + 1)).status_code == 413

    def parts():
        for _ in range(SMALL_BODY // 2**16 + 1):
            yield bytes(2**16)

    assert client.post(path, content=parts()).status_code == 413  # nobody said how long it is
    lie = {"Content-Length": "-1"}
    assert client.post(path, content=b"x", headers=lie).status_code == 400


def test_uploads_may_be_larger(new_site, tmp_path):
    site = new_site(tmp_path, upload_bytes=3 * SMALL_BODY)
    app = make_app(site)

    async def size(request: Request) -> dict:
        return {"size": len(await request.body())}

    app.post("/api/x/uploads")(size)
    client = browser(site, app)
    most = 3 * SMALL_BODY + FRAME
    answer = client.post("/api/x/uploads", content=bytes(most))
    assert answer.json() == {"size": most}
    answer = client.post("/api/x/uploads", content=bytes(most + 1))
    assert answer.status_code == 413
    assert answer.json()["detail"] == f"a request to this address may have at most {most} bytes"
    site.close()


def test_a_form_has_few_parts(one_site, app):
    client = browser(one_site, app)
    many = {f"f{number}": "x" for number in range(1100)}
    assert client.post("/sign-in", data=many, files={"a": b""}).status_code == 400
    long = {"email": "x" * (SMALL_BODY - 1000)}
    assert client.post("/sign-in", data=long, files={"a": b""}).status_code in {400, 422}


class Time:
    now = 0.0

    def __call__(self):
        return self.now


def test_a_bucket_empties_and_fills_again():
    time = Time()
    buckets = Buckets(Limit(3, 0.5), time)
    for _ in range(3):
        buckets.take("a")
    with pytest.raises(TooMany) as problem:
        buckets.take("a")
    assert problem.value.wait == 2
    buckets.take("b")
    time.now = 2
    buckets.take("a")
    with pytest.raises(TooMany):
        buckets.take("a")
    time.now = 1000
    for _ in range(3):
        buckets.take("a")
    with pytest.raises(TooMany):
        buckets.take("a")


def test_buckets_take_little_room():
    buckets = Buckets(Limit(3, 1), Time(), most=100)
    for number in range(1000):
        buckets.take(str(number))
    assert len(buckets) == 100


def test_an_address_asks_too_often(one_site, app):
    app.state.limits.requests = Buckets(Limit(2, 0.1), Time())
    client = browser(one_site, app)
    assert [client.get("/healthz").status_code for _ in range(3)] == [200, 200, 429]
    assert client.get("/api/editions").headers["retry-after"] == "10"
    assert client.get("/api/editions").json()["detail"] == "too many requests: try again in 10 s"


def test_changes_are_limited_by_account(one_site, app):
    app.state.limits.changes = Buckets(Limit(2, 0.1), Time())
    client = browser(one_site, app)
    assert [client.post("/api/size").status_code for _ in range(3)] == [200, 200, 429]
    assert client.get("/").status_code == 200
    secret = make_worker_token(one_site, "far").partition(".")[0]
    token = {"Authorization": f"Bearer {secret}"}
    assert client.post("/api/size", headers=token).status_code == 200


@pytest.mark.parametrize(
    ("forwarded", "proxies", "address"),
    [
        ("", 0, "10.0.0.1"),
        ("1.1.1.1", 0, "10.0.0.1"),  # nobody of ours has written it
        ("1.1.1.1", 1, "1.1.1.1"),
        ("6.6.6.6, 1.1.1.1", 1, "1.1.1.1"),  # the client has written the first
        ("6.6.6.6, 1.1.1.1, 2.2.2.2", 2, "1.1.1.1"),
        ("1.1.1.1", 2, "10.0.0.1"),
        ("2001:db8::1:2", 1, "2001:db8::/64"),
        ("::ffff:1.1.1.1", 1, "1.1.1.1"),
        ("<script>", 1, UNKNOWN),
    ],
)
def test_the_address_of_a_client(forwarded, proxies, address):
    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
    scope = {"type": "http", "client": ("10.0.0.1", 5), "headers": headers}
    assert address_of(scope, proxies) == address


def test_a_download_is_stored_and_never_shown():
    answer = download(b"<script>", '..\\"evil\r\nX: y".html')
    assert answer.headers["content-disposition"] == 'attachment; filename="evil-X-y-.html"'
    assert answer.headers["content-type"] == "application/octet-stream"
    assert safe_name("a" * 300 + ".csv") == "a" * 96 + ".csv"


@pytest.mark.parametrize("text", ["/", "/contests/amic", "/a?b=c", "/%2e%2e"])
def test_paths_of_this_site(text):
    assert local_path(text) == text
