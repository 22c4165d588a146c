"""Limits hold for people who change how they look: another address, token or path each time."""

import secrets

import pytest

from quintain_host.programs.workers import make_worker_token
from quintain_host.web.app import make_app
from quintain_host.web.security.middleware import SMALL_BODY
from quintain_host.web.security.rate_limits import Buckets, Limit
from tests.host import contest_on_site as contest
from tests.host.security.people import account, browser, set_up_second_factor, signed_in


@pytest.fixture
def app(one_site):
    return make_app(one_site)


def test_other_ways_to_write_an_address_are_no_other_account(one_site, app):
    account(one_site)
    client = browser(one_site, app)
    ways = ["ada@example.org", "Ada@example.org", " ada@example.org", "ａda@example.org"]
    ways += ["aｄa@example.org", "adａ@example.org", "ada@ｅxample.org"]
    answers = [
        client.post("/sign-in", data={"email": way, "password": "wrong horse"}).status_code
        for way in ways
    ]
    assert answers == [401] * 5 + [429] * 2


def test_a_new_token_each_time_is_nobody_new(one_site, app):
    app.state.limits.changes = Buckets(Limit(3, 0.001))
    client = browser(one_site, app)
    answers = [
        client.post(
            "/api/sign-in",
            json={},
            headers={"Authorization": f"Bearer {secrets.token_hex()}"},
        ).status_code
        for _ in range(5)
    ]
    assert answers[3:] == [429, 429]
    worker = make_worker_token(one_site, "far").partition(".")[0]
    answer = client.post(
        "/api/work/claim", json={"able": False}, headers={"Authorization": f"Bearer {worker}"}
    )
    assert answer.status_code == 204


@pytest.mark.parametrize("path", ["/api/work/claim", "/api/work/1/beat", "/sign-in/uploads/x"])
def test_only_routes_for_files_take_large_bodies(one_site, app, path):
    answer = browser(one_site, app).post(path, content=bytes(SMALL_BODY + 1))
    assert answer.status_code == 413


@pytest.mark.slow
def test_codes_cannot_be_guessed_at_the_reveal(one_site, app):
    email = account(one_site, "olga")
    edition = contest.prepared(one_site)
    one_site.clock.set(contest.at(30))  # all phases are over
    client = signed_in(one_site, email, app=app)
    set_up_second_factor(one_site, client)
    page = client.get("/account").text
    token = page.partition('name="csrf" value="')[2].partition('"')[0]
    answers = [
        client.post(
            f"/organise/{edition}/steps/reveal",
            data={"csrf": token, "confirmed": edition, "code": f"{guess:06}"},
        ).status_code
        for guess in range(11)  # a known device has ten attempts, then one every two minutes
    ]
    assert answers[-1] == 429
    assert 303 not in answers
