"""Devices: strangers with wrong passwords are limited, and never the owner on a known device."""

import pytest

from quintain_host.accounts.administration import forget, password_link
from quintain_host.accounts.devices import DAYS, device_cookie, known_device
from quintain_host.settings import Settings
from quintain_host.site import Site
from quintain_host.web.app import make_app
from quintain_host.web.security.rate_limits import Buckets, Limit
from tests.host.security.people import (
    PASSWORD,
    account,
    browser,
    code_now,
    post,
    set_up_second_factor,
    signed_in,
)


@pytest.fixture
def app(one_site):
    """The application of a site that believes its proxy, so that strangers have many addresses."""
    settings = Settings(proxies=1)
    site = Site(
        one_site.root, settings=settings, database=one_site.database.url, clock=one_site.clock
    )
    yield make_app(site)
    site.close()


def known(site, app, email):
    """A browser in which the owner of an account has signed in; the session is over."""
    client = signed_in(site, email, app=app)
    client.cookies.delete("quintain")
    return client


def attempt(client, email, password=PASSWORD, address="9.9.9.9"):
    fields = {"email": email, "password": password}
    headers = {"X-Forwarded-For": address}
    return client.post("/sign-in", data=fields, headers=headers).status_code


def guess(app, site, email, number):
    """Wrong passwords of strangers, each from an address of its own."""
    client = browser(site, app)
    return [attempt(client, email, "wrong", f"10.0.{n // 250}.{n % 250}") for n in range(number)]


@pytest.mark.slow
def test_a_hundred_wrong_passwords_do_not_keep_the_owner_out(one_site, app):
    email = account(one_site)
    owner = signed_in(one_site, email, app=app)  # a new device: one of 30 attempts of strangers
    assert post(owner, "/sign-out", "/account").status_code == 303
    statuses = guess(app, one_site, email, 100)
    assert statuses == [401] * 29 + [429] * 71  # strangers stay limited, from all addresses
    assert attempt(browser(one_site, app), email) == 429  # on a new device the owner waits, too
    assert attempt(owner, email) == 303
    assert "your account" in owner.get("/").text


def test_a_known_device_has_few_attempts_as_well(one_site, app):
    email = account(one_site)
    thief = known(one_site, app, email)
    statuses = [attempt(thief, email, "wrong", f"10.1.0.{n}") for n in range(15)]
    assert statuses == [401] * 10 + [429] * 5
    assert attempt(known(one_site, app, email), email) == 303  # the owner, elsewhere


def test_a_device_is_known_for_its_own_account_alone(one_site, app):
    email, other = account(one_site), account(one_site, "bob")
    client = known(one_site, app, email)
    guess(app, one_site, other, 40)
    assert attempt(client, other) == 429


def test_a_password_alone_makes_no_device_known(one_site, app):
    email = account(one_site)
    secret, _ = set_up_second_factor(one_site, signed_in(one_site, email, app=app))
    client = browser(one_site, app)
    assert attempt(client, email) == 303
    assert "device" not in client.cookies
    one_site.clock.wait(minutes=2)
    answer = post(client, "/sign-in/code", code=code_now(one_site, secret))
    assert answer.status_code == 303 and "device" in client.cookies


def test_codes_of_a_known_device_have_a_bucket_of_their_own(one_site, app):
    email = account(one_site)
    owner = signed_in(one_site, email, app=app)
    secret, _ = set_up_second_factor(one_site, owner)
    thief = browser(one_site, app)  # somebody with the password
    assert attempt(thief, email) == 303
    statuses = [post(thief, "/sign-in/code", code="000000").status_code for _ in range(8)]
    assert statuses[-1] == 429
    one_site.clock.wait(minutes=2)
    owner.cookies.delete("quintain")
    assert attempt(owner, email) == 303
    answer = post(owner, "/sign-in/code", code=code_now(one_site, secret))
    assert answer.status_code == 303


def test_a_link_of_an_operator_makes_a_device_known(one_site, app):
    email = account(one_site)
    guess(app, one_site, email, 40)
    client = browser(one_site, app)
    page = f"/set-password/{password_link(one_site, None, 1)}"
    assert post(client, page, password="another pass phrase").status_code == 303
    assert attempt(client, email, "another pass phrase") == 303


def test_a_cookie_cannot_be_invented_or_changed(one_site):
    account(one_site), account(one_site, "bob")
    cookie = device_cookie(one_site, 1)
    device = known_device(one_site, cookie)
    assert (device.account, device.email) == (1, "ada@example.org")
    _, issued, nonce, mac = cookie.split(".")
    flipped = f"{int(mac[0], 16) ^ 1:x}{mac[1:]}"
    for wrong in (
        "",
        "1",
        "...",
        f"2.{issued}.{nonce}.{mac}",
        f"1.{int(issued) + 1}.{nonce}.{mac}",
        f"1.{issued}.{nonce}0.{mac}",
        f"1.{issued}.{nonce}.{flipped}",
        f"1.{issued}.{nonce}.",
        f"99.{issued}.{nonce}.{mac}",
        f"{'9' * 30}.{issued}.{nonce}.{mac}",
        f"²³.{issued}.{nonce}.{mac}",
        f"-1.{issued}.{nonce}.{mac}",
        f"1.{issued}.{nonce}.é",
        "x" * 100_000,
    ):
        assert known_device(one_site, wrong) is None, wrong


def test_a_device_is_forgotten_in_time_and_with_the_password(one_site):
    email = account(one_site)
    client = signed_in(one_site, email)
    cookie = client.cookies["device"]
    one_site.clock.wait(days=DAYS - 1)
    assert known_device(one_site, cookie) is not None
    one_site.clock.wait(days=2)
    assert known_device(one_site, cookie) is None
    fresh = device_cookie(one_site, 1)
    client = signed_in(one_site, email)
    post(client, "/account/password", "/account", old=PASSWORD, new="another pass phrase")
    assert known_device(one_site, fresh) is None
    last = device_cookie(one_site, 1)
    forget(one_site, 1)
    assert known_device(one_site, last) is None


def test_the_cookie_is_for_this_host_and_not_for_scripts(one_site):
    settings = Settings(url="https://contests.example.org")
    site = Site(one_site.root, settings=settings, database=one_site.database.url)
    answer = browser(site).post("/sign-in", data={"email": account(site), "password": PASSWORD})
    (header,) = [h for h in answer.headers.get_list("set-cookie") if h.startswith("__Host-device=")]
    assert "HttpOnly" in header and "Secure" in header and "SameSite=lax" in header
    site.close()


def test_programs_are_strangers(one_site, app):
    app.state.limits.guesses = Buckets(Limit(2, 0.001))
    email = account(one_site)
    client = signed_in(one_site, email, app=app)  # the first of two attempts
    client.cookies.clear()
    form = {"email": email, "password": PASSWORD}
    headers = {"X-Forwarded-For": "8.8.8.8"}
    statuses = [
        client.post("/api/sign-in", json=form, headers=headers).status_code for _ in range(2)
    ]
    assert statuses == [201, 429]
