"""Sign-on: people make accounts, come again, link and remove, and read why something failed."""

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import func, select

from quintain.errors import MissingExtra
from quintain_host.access import Visitor
from quintain_host.accounts.administration import add_account, disable, forget, invite
from quintain_host.database.people import Account, LinkedSignOn, SignOnAttempt
from quintain_host.database.work import LogLine
from quintain_host.settings import Settings, SettingsError, read_settings
from quintain_host.sign_on.providers import open_providers
from tests.host.security.people import (
    PASSWORD,
    account,
    code_now,
    post,
    set_up_second_factor,
    signed_in,
)
from tests.host.sign_on.issuer import rsa_key
from tests.host.sign_on.visits import (
    add_to_account,
    at_provider,
    come_back,
    joined,
    leave,
    signed_in_as,
    visitor,
)


def count(site, table):
    with site.database.reading() as session:
        return session.scalar(select(func.count()).select_from(table))


def test_somebody_new_makes_an_account_and_comes_again(campus):
    client = joined(campus)
    assert signed_in_as(client) == "ada@campus.example"
    again = visitor(campus)
    answer = come_back(again, next="/audit-log")
    assert (answer.status_code, answer.headers["location"]) == (303, "/audit-log")
    assert signed_in_as(again) == "ada@campus.example"
    assert count(campus.site, Account) == count(campus.site, LinkedSignOn) == 1
    assert count(campus.site, SignOnAttempt) == 0


def test_the_request_has_what_the_standard_asks_for(campus):
    url = urlsplit(leave(visitor(campus)))
    query = {name: values[0] for name, values in parse_qs(url.query).items()}
    assert query["redirect_uri"] == "http://127.0.0.1:8000/sign-on/campus/back"
    assert query["response_type"] == "code"
    assert query["code_challenge_method"] == "S256"
    secrets = query["state"], query["nonce"], query["code_challenge"]
    assert len(set(secrets)) == 3 and all(len(text) == 43 for text in secrets)


def test_a_new_account_has_a_checked_address_and_no_password(campus):
    client = joined(campus)
    assert "You have no password here" in client.get("/account").text
    answer = visitor(campus).post("/sign-in", data={"email": "ada@campus.example", "password": "!"})
    assert answer.status_code == 401


def test_claims_may_come_from_user_info_alone(campus):
    campus.issuer.in_token = ()
    assert signed_in_as(joined(campus)) == "ada@campus.example"


def test_an_account_is_linked_by_its_owner_and_the_link_removed(campus):
    client = signed_in(campus.site, account(campus.site, "bob"), app=campus.app)
    answer = add_to_account(client)
    assert answer.headers["location"] == "/account"
    assert "You can sign in by Campus now." in client.get("/account").text
    other = visitor(campus)
    come_back(other)
    assert signed_in_as(other) == "bob@example.org"
    linked = client.get("/api/account/sign-ons").json()
    assert [(row["issuer"], row["email"]) for row in linked] == [
        (campus.issuer.url, "ada@campus.example")
    ]
    path = f"/account/sign-ons/{linked[0]['id']}/remove"
    assert post(client, path, page="/account").status_code == 303
    assert come_back(visitor(campus)).headers["location"] == "/sign-up/sign-on"


def test_a_link_belongs_to_one_account(campus):
    joined(campus)
    client = signed_in(campus.site, account(campus.site, "bob"), app=campus.app)
    answer = add_to_account(client)
    assert answer.status_code == 400
    assert "belongs to another account" in answer.text


def test_the_only_way_to_sign_in_cannot_be_removed(campus):
    client = joined(campus)
    number = client.get("/api/account/sign-ons").json()[0]["id"]
    path = f"/account/sign-ons/{number}/remove"
    answer = post(client, path, page="/account")
    assert answer.status_code == 403
    assert "set a password first" in answer.text
    assert post(client, "/account/password", page="/account", new=PASSWORD).status_code == 303
    assert post(client, path, page="/account").status_code == 303
    assert signed_in_as(signed_in(campus.site, "ada@campus.example", app=campus.app))


def test_without_a_password_a_fresh_sign_in_shows_the_owner(campus):
    client = joined(campus)
    campus.site.clock.wait(minutes=11)
    answer = post(client, "/account/password", page="/account", new=PASSWORD)
    assert answer.status_code == 403
    assert "sign in again" in answer.text


def test_the_second_factor_of_the_site_is_still_needed(campus):
    client = joined(campus)
    secret, _codes = set_up_second_factor(campus.site, client, password="")
    again = visitor(campus)
    answer = come_back(again, next="/audit-log")
    assert answer.headers["location"] == "/sign-in/code?next=/audit-log"
    assert signed_in_as(again) == ""
    campus.site.clock.wait(minutes=1)
    code = code_now(campus.site, secret)
    answer = post(again, "/sign-in/code", code=code, next="/audit-log")
    assert answer.headers["location"] == "/audit-log"
    assert signed_in_as(again) == "ada@campus.example"


def test_signing_out_says_that_the_provider_may_remember(campus):
    client = joined(campus)
    post(client, "/sign-out", page="/account")
    assert "At Campus you may still be signed in." in client.get("/").text
    assert signed_in_as(client) == ""


def test_an_invitation_goes_along(open_campus):
    campus = open_campus(accounts="invitation")
    uninvited = visitor(campus)
    assert come_back(uninvited).headers["location"] == "/sign-up/sign-on"
    assert "you need an invitation" in uninvited.get("/sign-up/sign-on").text
    assert post(uninvited, "/sign-up/sign-on", page="/sign-in", name="Ada").status_code == 403
    olga = add_account(campus.site, None, "olga@example.org", "Olga", operator=True)
    link = invite(campus.site, Visitor(account=olga.number, operator=True))
    client = visitor(campus)
    come_back(client, page=f"/sign-up?link={link}", link=link)
    assert post(client, "/sign-up/sign-on", name="Ada").status_code == 303
    assert signed_in_as(client) == "ada@campus.example"


def test_who_stops_at_the_provider_reads_that_nothing_changed(campus):
    client = visitor(campus)
    url = urlsplit(leave(client))
    query = {name: values[0] for name, values in parse_qs(url.query).items()}
    back = campus.issuer.authorize(query, denied=True).removeprefix("http://127.0.0.1:8000")
    answer = client.get(back)
    assert answer.status_code == 400
    assert "you stopped there. Nothing changed." in answer.text


def test_a_provider_that_is_away_is_no_fault_of_the_site(open_campus, caplog):
    campus = open_campus(table={"issuer": "http://127.0.0.1:9"})
    answer = visitor(campus).post("/sign-on/campus")
    assert answer.status_code == 400
    assert "Campus cannot be used at the moment" in answer.text
    assert "does not answer" in caplog.text


def test_a_new_key_of_the_provider_is_looked_for(campus, monkeypatch):
    from joserfc.jwk import KeySet

    joined(campus)
    campus.issuer.key = rsa_key("next")
    campus.issuer.keys = KeySet([campus.issuer.key])
    monkeypatch.setattr("quintain_host.sign_on.provider.PAUSE", 0.0)
    client = visitor(campus)
    assert come_back(client).status_code == 303
    assert signed_in_as(client)
    assert campus.issuer.calls.count("/keys") == 2
    assert campus.issuer.calls.count("/.well-known/openid-configuration") == 1


def test_a_disabled_account_stays_closed(campus):
    joined(campus)
    disable(campus.site, None, 1)
    answer = come_back(visitor(campus))
    assert answer.status_code == 400
    assert "disabled your account" in answer.text


def test_who_is_forgotten_is_forgotten_here_too(campus):
    joined(campus)
    forget(campus.site, 1)
    assert count(campus.site, LinkedSignOn) == 0
    assert come_back(visitor(campus)).headers["location"] == "/sign-up/sign-on"


def test_old_attempts_are_removed(campus):
    for _ in range(3):
        leave(visitor(campus))
    assert count(campus.site, SignOnAttempt) == 3
    campus.site.clock.wait(minutes=16)
    leave(visitor(campus))
    assert count(campus.site, SignOnAttempt) == 1


def test_the_log_has_every_step_and_no_address(campus):
    joined(campus)
    with campus.site.database.reading() as session:
        lines = session.scalars(select(LogLine).order_by(LogLine.number)).all()
    assert [line.action for line in lines] == ["account.sign-on", "session.begin"]
    text = repr([line.details for line in lines])
    assert "campus" in text and "ada@campus" not in text and "ada-1815" not in text


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('issuer = "http://login.example.org"', "http:// is for 127.0.0.1 alone"),
        ('issuer = "https://user@login.example.org"', "https:// and a host"),
        ('issuer = "https://login.example.org"\nid = "New!"', "id"),
    ],
)
def test_settings_are_checked(tmp_path, line, fault):
    path = tmp_path / "site.toml"
    known = "" if "id =" in line else 'id = "campus"\n'
    path.write_text(f'[[sign_on]]\n{known}title = "Campus"\nclient_id = "x"\n{line}\n')
    with pytest.raises(SettingsError, match="sign_on") as problem:
        read_settings(path)
    assert fault in str(problem.value)


def test_two_providers_differ():
    table = {"title": "A", "issuer": "https://a.example", "client_id": "x"}
    with pytest.raises(ValueError, match="same id or the same issuer"):
        Settings(sign_on=[{"id": "a", **table}, {"id": "b", **table}])


def test_without_authlib_the_server_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "quintain_host.sign_on.provider", None)
    monkeypatch.delitem(sys.modules, "quintain_host.sign_on.provider")
    monkeypatch.setitem(sys.modules, "authlib.oauth2.auth", None)
    table = {"id": "a", "title": "A", "issuer": "https://a.example", "client_id": "x"}
    with pytest.raises(MissingExtra, match="oidc"):
        open_providers(Settings(sign_on=[table]))
    assert open_providers(Settings()) == {}


def test_the_page_of_a_new_account_needs_an_attempt(campus):
    answer = visitor(campus).get("/sign-up/sign-on")
    assert answer.status_code == 400
    assert "begin again" in answer.text


def test_the_answer_comes_late(campus):
    client = visitor(campus)
    back = at_provider(leave(client))
    campus.site.clock.moment += timedelta(minutes=16)
    answer = client.get(back)
    assert answer.status_code == 400
    assert "too old" in answer.text
