"""Connection: every failure of a site is a sentence that says what to do."""

import json
import ssl
import stat

import httpx2
import pytest

from quintain.client import connection as tokens
from quintain.client.connection import (
    Connection,
    NoAnswer,
    SiteRefused,
    TokenNeeded,
    normalise,
)
from quintain.client.contest import RemoteContest, read_files, require_accepted
from quintain.errors import FolderError, QuintainError, SubmissionError

SERVER = "https://contests.example.org"


def connection(answer, token=""):
    """A connection to a site that always gives one answer, or raises."""

    def handler(request):
        value = answer(request) if callable(answer) else answer
        if isinstance(value, Exception):
            raise value
        return value

    return Connection(SERVER, token, transport=httpx2.MockTransport(handler))


def refusal(answer):
    with connection(answer) as site, pytest.raises(QuintainError) as caught:
        site.json("GET", "editions")
    return caught.value


def test_requests_go_to_the_api_with_the_token():
    seen = []

    def answer(request):
        seen.append(request)
        return httpx2.Response(200, json=[])

    with connection(answer, "secret") as site:
        assert site.json("GET", "editions") == []
    assert str(seen[0].url) == f"{SERVER}/api/editions"
    assert seen[0].headers["authorization"] == "Bearer secret"


def test_a_site_that_is_away():
    assert "cannot be reached" in str(refusal(httpx2.ConnectError("refused")))
    assert "does not answer" in str(refusal(httpx2.ReadTimeout("slow")))


def test_a_site_that_leaves_something_out():
    answer = httpx2.Response(200, json={"uploads": [{"id": 1}]})
    with connection(answer) as site:
        (upload,) = site.json("GET", "uploads")["uploads"]
        assert upload == {"id": 1} and json.dumps(upload) == '{"id": 1}'
        with pytest.raises(NoAnswer, match="answers without 'files'; is it a quintain site"):
            upload["files"]


def test_a_bad_certificate():
    cause = ssl.SSLCertVerificationError(1, "failed")
    cause.verify_message = "self-signed certificate"
    problem = httpx2.ConnectError("ssl")
    problem.__cause__ = cause
    sentence = str(refusal(problem))
    assert "certificate" in sentence
    assert "self-signed" in sentence


def test_an_old_token_says_how_to_get_a_new_one():
    problem = refusal(httpx2.Response(401, json={"detail": "sign in first"}))
    assert isinstance(problem, TokenNeeded)
    assert f"quintain login --server {SERVER}" in str(problem)


def test_the_reason_of_the_site_is_shown():
    answer = httpx2.Response(403, json={"detail": "the phase is closed", "faults": []})
    assert str(refusal(answer)) == "the phase is closed"


def test_every_fault_is_shown():
    answer = httpx2.Response(422, json={"detail": "faults", "faults": ["a: one", "b: two"]})
    problem = refusal(answer)
    assert isinstance(problem, SubmissionError)
    assert str(problem) == "a: one\nb: two"


def test_a_problem_of_the_site_names_the_request():
    answer = httpx2.Response(500, text="oops", headers={"x-request-id": "77"})
    assert "request 77" in str(refusal(answer))


@pytest.mark.parametrize(
    "answer",
    [
        httpx2.Response(200, text="<html>"),
        httpx2.Response(404, text="<html>"),
        httpx2.Response(302, headers={"location": "https://evil.example.org"}),
    ],
)
def test_another_kind_of_site(answer):
    assert "not a quintain site" in str(refusal(answer))


@pytest.mark.parametrize(
    ("given", "server"),
    [
        ("contests.example.org", SERVER),
        ("https://Contests.Example.org/", SERVER),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://localhost:8000/", "http://localhost:8000"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_addresses(given, server):
    assert normalise(given) == server


@pytest.mark.parametrize(
    "given", ["http://contests.example.org", "ftp://example.org", "https://", "https://me@host"]
)
def test_addresses_that_are_refused(given):
    with pytest.raises(SiteRefused):
        normalise(given)


# --- tokens ---------------------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv(tokens.TOKEN_VARIABLE, raising=False)
    return tmp_path


def test_a_token_is_private_and_comes_back(home, monkeypatch):
    assert tokens.token_for(SERVER) == ""
    place = tokens.keep_token(SERVER, "one")
    tokens.keep_token("https://other.example.org", "two")
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert tokens.token_for(f"{SERVER}/") == "one"
    monkeypatch.setenv(tokens.TOKEN_VARIABLE, "from the environment")
    assert tokens.token_for(SERVER) == "from the environment"


def test_a_token_is_forgotten(home):
    tokens.keep_token(SERVER, "one")
    assert tokens.forget_token(SERVER)
    assert not tokens.forget_token(SERVER)
    assert tokens.token_for(SERVER) == ""


def test_a_damaged_file_is_a_sentence(home):
    tokens.keep_token(SERVER, "one").write_text("[")
    with pytest.raises(QuintainError, match="damaged"):
        tokens.token_for(SERVER)


# --- submissions ----------------------------------------------------------------------------------


def test_waiting_survives_a_restart_of_the_site():
    answers = [
        httpx2.Response(200, json={"id": 1, "state": "waiting"}),
        httpx2.ConnectError("restart"),
        httpx2.Response(200, json={"id": 1, "state": "accepted"}),
    ]
    pauses = []
    with connection(lambda request: answers.pop(0)) as site:
        contest = RemoteContest(site, "amic", pauses.append)
        states = [one["state"] for one in contest.outcome({"id": 1, "state": "waiting"})]
    assert states[-1] == "accepted"
    assert len(pauses) == 3


def test_a_submission_that_is_lost_on_the_way_says_what_to_do(tmp_path):
    (tmp_path / "a.csv").write_text("x")
    with connection(httpx2.ReadTimeout("slow")) as site, pytest.raises(NoAnswer, match="arrived"):
        RemoteContest(site, "amic").submit(tmp_path / "a.csv", {})


def test_other_bytes_are_noticed(tmp_path):
    (tmp_path / "a.csv").write_text("x")
    answer = httpx2.Response(202, json={"id": 1, "state": "waiting", "files": {"a.csv": "00"}})
    with connection(answer) as site, pytest.raises(SiteRefused, match="other bytes"):
        RemoteContest(site, "amic").submit(tmp_path / "a.csv", {})


def test_a_folder_is_sent_as_one_zip(tmp_path):
    folder = tmp_path / "guesses"
    folder.mkdir()
    (folder / "a.csv").write_text("x")
    assert list(read_files(folder)) == ["guesses.zip"]
    with pytest.raises(FolderError, match="cannot be read"):
        read_files(tmp_path / "missing.csv")


def test_a_refused_upload_raises_with_every_fault():
    fault = {"text": "no number", "file": "a.csv", "line": 3, "column": "age", "got": "x"}
    with pytest.raises(SubmissionError, match=r"a\.csv"):
        require_accepted({"state": "refused", "faults": [fault]})
    with pytest.raises(SubmissionError, match="failed"):
        require_accepted({"state": "failed", "faults": []})
    require_accepted({"state": "accepted", "faults": []})
