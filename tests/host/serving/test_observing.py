"""What operators see of a running site: health, metrics and one line for each request."""

import json
import logging

import pytest
from starlette.testclient import TestClient

from quintain_host.serving.logs import JsonLines, TextLines
from quintain_host.settings import Settings
from quintain_host.site import Site
from quintain_host.web.app import make_app
from tests.host import contest_on_site as contest

TOKEN = "a-token-for-the-metrics"


@pytest.fixture
def client(one_site):
    with TestClient(
        make_app(one_site), "http://127.0.0.1:8000", client=("127.0.0.1", 5000)
    ) as client:
        yield client


def test_a_site_lives_and_is_ready(client):
    assert client.get("/healthz").text == "ok\n"
    assert client.get("/readyz").text == "ready\n"


def test_a_site_without_tables_is_not_ready(tmp_path):
    site = Site(tmp_path)
    with TestClient(make_app(site), "http://127.0.0.1:8000") as client:
        answer = client.get("/readyz")
    site.close()
    assert answer.status_code == 503
    assert "upgrade" in answer.text


def test_metrics_count_requests_jobs_and_uploads(client, one_site):
    edition = contest.edition(one_site)
    contest.request(one_site, edition, "intake", "join", team="red")
    one_site.clock.wait(seconds=30)
    client.get("/api/editions")
    lines = client.get("/metrics").text.splitlines()
    assert 'quintain_requests_total{method="GET",route="/api/editions",status="200"} 1.0' in lines
    assert 'quintain_jobs{lane="intake",state="waiting"} 1.0' in lines
    assert 'quintain_oldest_waiting_job_seconds{lane="intake"} 30.0' in lines
    assert "quintain_database_up 1.0" in lines
    assert any(line.startswith("quintain_disk_free_bytes") for line in lines)


def test_metrics_say_when_the_database_is_away(tmp_path):
    site = Site(tmp_path, database="postgresql+psycopg://nobody@/none?host=/nowhere")
    with TestClient(make_app(site), "http://127.0.0.1:8000", client=("::1", 5000)) as client:
        text = client.get("/metrics").text
        assert client.get("/readyz").status_code == 503
    assert "quintain_database_up 0.0" in text


@pytest.mark.parametrize(
    ("address", "headers", "status"),
    [
        ("127.0.0.1", {}, 200),
        ("192.0.2.7", {}, 404),
        ("127.0.0.1", {"X-Forwarded-For": "192.0.2.7"}, 404),
        ("192.0.2.7", {"Authorization": f"Bearer {TOKEN}"}, 200),
        ("192.0.2.7", {"Authorization": "Bearer another"}, 404),
    ],
)
def test_metrics_are_for_this_machine_or_for_a_token(new_site, tmp_path, address, headers, status):
    site = new_site(tmp_path, metrics_token=TOKEN)
    with TestClient(make_app(site), "http://127.0.0.1:8000", client=(address, 5000)) as client:
        assert client.get("/metrics", headers=headers).status_code == status
    site.close()


def test_an_empty_token_opens_nothing(one_site):
    assert Settings().metrics_token == ""
    with TestClient(
        make_app(one_site), "http://127.0.0.1:8000", client=("192.0.2.7", 5000)
    ) as client:
        assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


def test_the_log_has_a_request_without_its_secrets(client, caplog):
    secret = "s" * 43
    with caplog.at_level(logging.INFO, "quintain_host.web"):
        answer = client.get(
            f"/links/{secret}/a%0Ab?token={secret}", headers={"Authorization": f"Bearer {secret}"}
        )
    (record,) = (one for one in caplog.records if one.message == "request")
    for formatter in (JsonLines(), TextLines()):
        line = formatter.format(record)
        assert secret not in line
        assert "\n" not in line
    facts = json.loads(JsonLines().format(record))
    assert facts["request"] == answer.headers["x-request-id"]
    assert (facts["method"], facts["path"]) == ("GET", "/links/.../a%0Ab")
    assert facts["status"] == answer.status_code
    assert facts["ms"] >= 0


def test_a_message_stays_on_its_line():
    record = logging.makeLogRecord({"msg": "one\ntwo", "levelname": "INFO", "levelno": 20})
    assert TextLines().format(record).endswith("one\\ntwo")
    assert json.loads(JsonLines().format(record))["message"] == "one\ntwo"
