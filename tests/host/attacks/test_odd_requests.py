"""Odd requests: addresses that lead nowhere, tokens for one purpose, many who wait."""

import threading

import pytest

from quintain_host.access import NotThere
from quintain_host.accounts.sessions import make_token
from quintain_host.intake import submitting, uploads_shown
from quintain_host.intake.intake import take
from tests.host import contest_on_site as contest
from tests.host.attacks.sender import Sender, unlimited
from tests.host.security.people import browser


@pytest.fixture(scope="module")
def site(new_site, tmp_path_factory):
    made = new_site(tmp_path_factory.mktemp("odd"))
    contest.team(made, contest.prepared(made), "red")
    yield made
    made.close()


LONG = "a" * 300
ODD = ["..", ".", "", LONG, "a\x00b", "a/../b", "\\..", ".rounds.unready", "é" * 300]


@pytest.mark.parametrize("name", ODD)
def test_no_odd_id_is_a_folder(site, name):
    with pytest.raises(NotThere):
        site.edition_root(name)


@pytest.mark.parametrize("odd", ["%2e%2e", LONG, f"{LONG}/x", "x/" * 700, "%00", "%F0%9F%92%A9"])
def test_odd_addresses_are_nowhere(site, odd):
    red, anybody = Sender(site, "rounds", "red").client, browser(site)
    for client in (red, anybody):
        for path in (
            f"/api/editions/rounds/team/files/{odd}",
            f"/contests/rounds/team/files/{odd}",
            f"/contests/rounds/files/public/{odd}",
            f"/contests/rounds/files/public/rules/{odd}",
            f"/contests/{odd}",
            f"/contests/{odd}/join?link=x",
            f"/api/editions/{odd}/standings",
        ):
            assert client.get(path).status_code in (401, 403, 404, 422), path
    for path in (f"/contests/{odd}/join", f"/contests/{odd}/register"):
        assert red.post(path, data={"link": "x", "name": "x"}).status_code in (404, 405, 422), path


def test_a_token_that_only_submits_gets_the_answer_and_nothing_else(site, monkeypatch):
    monkeypatch.setattr(submitting, "PATIENCE", 0.0)
    made = make_token(site, contest.visitor(site, "red"), "robot", ["submit"])
    client = browser(site, unlimited(site))
    client.headers["Authorization"] = f"Bearer {made.secret}"
    path, content = "/api/editions/rounds/uploads", contest.release(site, "rounds", "red")
    answer = client.post(path, files=[("file", ("release.csv", content["release.csv"]))])
    assert (answer.status_code, answer.json()["state"]) == (202, "waiting")
    contest.drain(site)
    for other in (path, f"{path}/{answer.json()['id']}", "/api/editions/rounds/team/files"):
        assert client.get(other).status_code == 403


def test_many_who_wait_leave_threads_for_others(site, monkeypatch):
    monkeypatch.setattr(uploads_shown, "_WAITING", threading.BoundedSemaphore(1))
    red = contest.visitor(site, "red")
    files = {"release.csv": b"nothing\n"}
    number = take(site, red, "rounds", files).upload
    first = threading.Thread(
        target=uploads_shown.wait_for_worker, args=(site, red, "rounds", number, 60.0)
    )
    first.start()
    while uploads_shown._WAITING._value:
        pass
    assert uploads_shown.wait_for_worker(site, red, "rounds", number, 60.0).state == "waiting"
    contest.drain(site)
    first.join()
    assert uploads_shown.wait_for_worker(site, red, "rounds", number, 60.0).state == "refused"
