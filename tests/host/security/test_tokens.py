"""Tokens: hashed, for some purposes, and for some time."""

import pytest
from sqlalchemy import select, update

from quintain_host.accounts.passwords import hash_secret
from quintain_host.database.people import Account, Token
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
def program(one_site):
    return browser(one_site)


def token(program, email, **more):
    answer = program.post("/api/sign-in", json={"email": email, "password": PASSWORD, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()


def bearer(made):
    return {"Authorization": f"Bearer {made['token']}"}


def test_a_program_signs_in(one_site, program):
    made = token(program, account(one_site), label="my laptop")
    assert made["scopes"] == ["read", "submit"]
    facts = program.get("/api/account", headers=bearer(made)).json()
    assert (facts["email"], facts["second_factor"]) == ("ada@example.org", False)
    (listed,) = program.get("/api/account/tokens", headers=bearer(made)).json()
    assert listed == {key: value for key, value in made.items() if key != "token"}
    with one_site.database.reading() as session:
        assert session.scalars(select(Token.hash)).all() == [hash_secret(made["token"])]


def test_a_token_ends(one_site, program):
    made = token(program, account(one_site))
    one_site.clock.wait(days=89)
    assert program.get("/api/account", headers=bearer(made)).status_code == 200
    one_site.clock.wait(days=2)
    assert program.get("/api/account", headers=bearer(made)).status_code == 401


def test_a_token_is_revoked(one_site, program):
    made = token(program, account(one_site))
    path = f"/api/account/tokens/{made['id']}"
    assert program.delete(path, headers=bearer(made)).status_code == 204
    assert program.get("/api/account", headers=bearer(made)).status_code == 401


def test_a_token_of_somebody_else_does_not_exist(one_site, program):
    made, other = token(program, account(one_site)), token(program, account(one_site, "bob"))
    answer = program.delete(f"/api/account/tokens/{made['id']}", headers=bearer(other))
    assert answer.status_code == 404
    assert program.get("/api/account", headers=bearer(made)).status_code == 200


def test_a_token_makes_no_other_one(one_site, program):
    made = token(program, account(one_site), scopes=["read", "submit", "organise"])
    for scope in ("read", "submit", "organise"):
        form = {"label": "x", "scopes": [scope]}
        answer = program.post("/api/account/tokens", json=form, headers=bearer(made))
        assert answer.status_code == 403, answer.text


@pytest.mark.parametrize("scopes", [[], ["work"], ["everything"], ["read", "work"]])
def test_people_get_no_other_scopes(one_site, program, scopes):
    form = {"email": account(one_site), "password": PASSWORD, "scopes": scopes}
    assert program.post("/api/sign-in", json=form).status_code == 422


def test_a_token_without_a_purpose_reads_nothing(one_site, program):
    made = token(program, account(one_site), scopes=["submit"])
    assert program.get("/api/account", headers=bearer(made)).status_code == 403
    assert program.get("/account", headers=bearer(made)).status_code == 403


def test_no_token_changes_the_account_itself(one_site, program):
    made = token(program, account(one_site), scopes=["read", "submit", "organise"])
    for path in ("/account/password", "/account/name", "/account/sessions"):
        assert program.post(path, headers=bearer(made), data={"name": "x"}).status_code == 403
    assert program.get("/account/second-factor", headers=bearer(made)).status_code == 403


def test_the_second_factor_is_needed(one_site, program):
    email = account(one_site)
    secret, _codes = set_up_second_factor(one_site, signed_in(one_site, email))
    form = {"email": email, "password": PASSWORD}
    assert program.post("/api/sign-in", json=form).status_code == 403
    one_site.clock.wait(seconds=30)
    made = token(program, email, code=code_now(one_site, secret), scopes=["organise", "read"])
    with one_site.database.writing("accounts") as session:
        session.execute(update(Account).values(operator=True))
    assert program.get("/api/accounts", headers=bearer(made)).status_code == 200


def test_a_token_of_before_operates_nothing(one_site, program):
    made = token(program, account(one_site), scopes=["organise", "read"])
    with one_site.database.writing("accounts") as session:
        session.execute(update(Account).values(operator=True))
    assert program.get("/api/accounts", headers=bearer(made)).status_code == 403


def test_a_token_of_a_worker_signs_nobody_in(one_site, program):
    now = one_site.clock.now()
    with one_site.database.writing("accounts") as session:
        row = Token(hash=hash_secret("w"), worker="w1", label="w", scopes=["work"], created=now)
        row.expires = now.replace(year=2030)
        session.add(row)
    assert program.get("/api/account", headers={"Authorization": "Bearer w"}).status_code == 401


def test_guesses_are_limited(one_site, program):
    account(one_site)
    form = {"email": "ADA@example.org", "password": "wrong"}
    statuses = [program.post("/api/sign-in", json=form).status_code for _ in range(6)]
    assert statuses == [401] * 5 + [429]
    answer = program.post("/sign-in", data={"email": "ada@example.org ", "password": PASSWORD})
    assert answer.status_code == 429  # pages and programs share the limit
    assert 1 <= int(answer.headers["retry-after"]) <= 60
    assert program.post("/api/sign-in", json=form | {"email": "bob@x.org"}).status_code == 401


def test_tokens_end_with_the_password(one_site, program):
    email = account(one_site)
    made = token(program, email)
    fields = {"old": PASSWORD, "new": "another pass phrase"}
    answer = post(signed_in(one_site, email), "/account/password", "/account", **fields)
    assert answer.status_code == 303
    assert program.get("/api/account", headers=bearer(made)).status_code == 401
