"""Administration: operators look after accounts, on pages and by commands."""

import re

import pytest
from click.testing import CliRunner
from sqlalchemy import update

from quintain.cli.main import cli
from quintain_host.database.people import Account
from tests.host.security.people import PASSWORD, account, browser, post, set_up_second_factor
from tests.host.security.people import signed_in as signed


@pytest.fixture
def operator(one_site):
    client = signed(one_site, account(one_site, "operator"))
    with one_site.database.writing("accounts") as session:
        session.execute(update(Account).values(operator=True))
    set_up_second_factor(one_site, client)
    return client


def link_in(answer):
    return re.search(r'<code id="link">http://127.0.0.1:8000([^<]+)</code>', answer.text)[1]


def test_an_account_for_somebody_else(one_site, operator):
    answer = post(operator, "/accounts", email="bob@example.org", name="Bob")
    link = link_in(answer)
    visitor = browser(one_site)
    fields = {"email": "bob@example.org", "password": "!"}
    assert visitor.post("/sign-in", data=fields).status_code == 401
    assert post(visitor, link, password=PASSWORD).status_code == 303
    signed(one_site, "bob@example.org")
    again = post(operator, "/accounts", email="BOB@example.org", name="Bob")
    assert again.status_code == 400 and "there is an account" in again.text.lower()


def test_an_invitation_works_once(one_site, operator):
    link = link_in(post(operator, "/accounts/invite", "/accounts"))
    visitor = browser(one_site)
    fields = {"name": "Bob", "password": PASSWORD, "link": link.partition("=")[2]}
    assert visitor.get(link).status_code == 200
    answer = visitor.post("/sign-up", data={**fields, "email": "bob@example.org"})
    assert answer.status_code == 303
    answer = browser(one_site).post("/sign-up", data={**fields, "email": "eve@example.org"})
    assert answer.status_code == 404


def test_an_operator_keeps_people_out_and_lets_them_in(one_site, operator):
    email = account(one_site, "bob")
    client = signed(one_site, email)
    assert post(operator, "/accounts/2/disable", "/accounts").status_code == 303
    assert client.get("/account").status_code == 401
    assert post(operator, "/accounts/2/enable", "/accounts").status_code == 303
    signed(one_site, email)


def test_an_operator_cannot_shut_the_own_door(operator):
    for path in ("/accounts/1/disable", "/accounts/1/operator"):
        assert post(operator, path, "/accounts").status_code == 403
    assert post(operator, "/accounts/99/disable", "/accounts").status_code == 404


def test_others_see_and_change_nothing(one_site, operator):
    client = signed(one_site, account(one_site, "bob"))
    assert client.get("/accounts").status_code == 403
    assert client.get("/api/accounts").status_code == 403
    for path in ("/accounts", "/accounts/1/disable", "/accounts/2/operator", "/accounts/invite"):
        answer = post(client, path, "/account", operator="yes", email="x@y.org", name="X")
        assert answer.status_code == 403, path
    assert operator.get("/api/accounts").json()[1]["operator"] is False


def run(*arguments):
    done = CliRunner().invoke(cli, ["host", "account", *map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_commands(tmp_path, new_site):
    root = tmp_path / "site"
    root.mkdir()
    site = new_site(root, "sqlite")
    link = run("add", root, "Ada@example.org", "--name", "Ada", "--operator").strip()
    visitor = browser(site)
    path = link.removeprefix("http://127.0.0.1:8000")
    site.clock.moment = site.clock.moment.replace(year=2000)  # the link is of today
    assert post(visitor, path, password=PASSWORD).status_code == 303
    listed = run("list", root)
    assert "ada@example.org" in listed and "yes" in listed
    run("operator", root, "ada@example.org", "--no")
    assert "yes" not in run("list", root)
    run("disable", root, "ada@example.org")
    assert "yes" in run("list", root)
    run("enable", root, "ada@example.org")
    assert "/set-password/" in run("reset", root, "ada@example.org", "--second-factor")
    site.close()


def test_an_unknown_account_is_a_sentence(one_site, tmp_path):
    root = tmp_path / "other"
    root.mkdir()
    done = CliRunner().invoke(cli, ["host", "account", "disable", str(root), "x@example.org"])
    assert done.exit_code != 0
