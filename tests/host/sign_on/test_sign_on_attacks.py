"""Attacks on sign-on: every forged, stolen, old or foreign proof is refused, and opens nothing."""

import asyncio
import base64
import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import select

from quintain_host.database.people import Account, LinkedSignOn
from quintain_host.sign_on import calls
from tests.host.security.people import account, post, signed_in
from tests.host.sign_on.issuer import CLIENT, rsa_key
from tests.host.sign_on.visits import (
    at_provider,
    come_back,
    joined,
    leave,
    signed_in_as,
    visitor,
)


def is_refused(client, answer, words="does not accept"):
    assert answer.status_code == 400, answer.text
    assert words in answer.text
    assert signed_in_as(client) == ""
    return True


def encoded(value):
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"nonce": "of another attempt"}, "nonce"),
        ({"nonce": None}, "nonce"),
        ({"aud": "another-client"}, "aud"),
        ({"aud": None}, "aud"),
        ({"aud": [CLIENT, "another-client"]}, "azp"),
        ({"aud": [CLIENT, "another-client"], "azp": "another-client"}, "azp"),
        ({"iss": "https://elsewhere.example"}, "iss"),
        ({"iss": None}, "iss"),
        ({"exp": 1_000_000_000}, "xpired"),
        ({"exp": None}, "exp"),
        ({"exp": "later"}, "exp"),
        ({"iat": 4_000_000_000}, "refused"),
        ({"nbf": 4_000_000_000}, "refused"),
        ({"sub": None}, "sub"),
        ({"sub": ""}, "sub"),
        ({"sub": 7}, "sub"),
        ({"sub": "x" * 256}, "names nobody"),
        ({"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}, "at_hash"),
    ],
)
def test_wrong_claims_are_refused(campus, caplog, changes, reason):
    joined(campus)
    campus.issuer.claims = changes
    client = visitor(campus)
    assert is_refused(client, come_back(client))
    assert reason in caplog.text


def unsigned(claims):
    return f"{encoded({'alg': 'none'})}.{encoded(claims)}."


def signed_with_the_public_key(issuer):
    """HS256 with the text of the public key as its secret, as old libraries accepted."""
    import hashlib
    import hmac

    def sign(claims):
        header = encoded({"alg": "HS256", "kid": issuer.key.kid})
        signed = f"{header}.{encoded(claims)}"
        key = issuer.key.as_pem(private=False)
        digest = hmac.new(key, signed.encode(), hashlib.sha256).digest()
        return f"{signed}.{encoded(digest)}"

    return sign


def signed_with_an_own_key(header):
    def sign(claims):
        from joserfc import jws

        key = rsa_key("of an attacker")
        extra = {"jwk": key.as_dict(private=False)} if "jwk" in header else {}
        head = {"alg": "RS256", **{n: v for n, v in header.items() if n != "jwk"}, **extra}
        return jws.serialize_compact(head, json.dumps(claims).encode(), key)

    return sign


def changed_after_signing(issuer):
    honest = issuer.sign

    def sign(claims):
        header, _, signature = honest(claims).split(".")
        return f"{header}.{encoded({**claims, 'sub': 'somebody else'})}.{signature}"

    return sign


@pytest.mark.parametrize(
    "forge",
    [
        lambda _issuer: unsigned,
        signed_with_the_public_key,
        lambda _issuer: signed_with_an_own_key({"kid": "first"}),
        lambda _issuer: signed_with_an_own_key({"jwk": True, "kid": "first"}),
        lambda _issuer: signed_with_an_own_key({"kid": "unknown"}),
        changed_after_signing,
        lambda _issuer: lambda _claims: "a.b.c.d.e",
        lambda _issuer: lambda _claims: "..",
        lambda _issuer: lambda _claims: None,
        lambda _issuer: lambda _claims: ["x"],
    ],
)
def test_forged_signatures_are_refused(campus, forge):
    joined(campus)
    campus.issuer.sign = forge(campus.issuer)
    client = visitor(campus)
    assert is_refused(client, come_back(client))


def test_a_wrong_state_is_refused(campus):
    joined(campus)
    client = visitor(campus)
    back = at_provider(leave(client))
    wrong = re.sub(r"state=[^&]+", "state=" + "A" * 43, back)
    assert is_refused(client, client.get(wrong), "begin again")


def test_a_browser_that_did_not_begin_is_refused(campus):
    """Somebody sends a victim the address with which the attacker's own browser would come back."""
    joined(campus)
    attacker, victim = visitor(campus), visitor(campus)
    back = at_provider(leave(attacker))
    assert is_refused(victim, victim.get(back), "begin again")
    leave(victim)
    assert is_refused(victim, victim.get(back), "begin again")


def test_nobody_comes_back_twice(campus):
    joined(campus)
    client = visitor(campus)
    back = at_provider(leave(client))
    kept = client.cookies["sign-on"]
    assert client.get(back).status_code == 303
    again = visitor(campus)
    again.cookies.set("sign-on", kept, domain="127.0.0.1")
    assert is_refused(again, again.get(back), "begin again")


def test_a_code_that_was_used_or_stolen_is_refused(campus):
    joined(campus)
    thief, victim = visitor(campus), visitor(campus)
    stolen = parse_qs(urlsplit(at_provider(leave(victim))).query)["code"][0]
    back = at_provider(leave(thief))
    mixed = re.sub(r"code=[^&]+", f"code={stolen}", back)
    assert is_refused(thief, thief.get(mixed))  # PKCE: the thief has another verifier


def test_an_answer_of_another_issuer_is_refused(campus, caplog):
    joined(campus)
    for change in (
        lambda url: re.sub(r"iss=[^&]+", "iss=https://evil.example", url),
        lambda url: re.sub(r"&iss=[^&]+", "", url),
    ):
        client = visitor(campus)
        assert is_refused(client, client.get(change(at_provider(leave(client)))))
    assert "another issuer" in caplog.text


def test_a_provider_with_another_name_is_not_called_further(campus, caplog):
    campus.issuer.facts = {"issuer": "https://login.example.org"}
    answer = visitor(campus).post("/sign-on/campus")
    assert answer.status_code == 400
    assert "calls itself" in caplog.text


@pytest.mark.parametrize(
    "address",
    [
        "http://169.254.169.254/latest/meta-data",
        "http://127.0.0.1:22/",
        "file:///etc/passwd",
        "https://127.0.0.1/keys",
        "http://user@127.0.0.1/keys",
        "//evil.example/keys",
        "javascript:alert(1)",
        "http://[::1",
        "",
        None,
        7,
    ],
)
def test_only_configured_hosts_are_called(open_campus, caplog, address):
    campus = open_campus()
    campus.issuer.facts = {"jwks_uri": address, "token_endpoint": address}
    client = visitor(campus)
    assert is_refused(client, come_back(client))
    campus.issuer.facts = {"authorization_endpoint": address}
    campus.app.state.providers["campus"]._facts = None
    assert visitor(campus).post("/sign-on/campus").status_code == 400


def test_a_redirect_of_the_provider_is_not_followed(campus, caplog):
    campus.issuer.facts = {"jwks_uri": f"{campus.issuer.url}/authorize?client_id={CLIENT}"}
    client = visitor(campus)
    campus.issuer.authorize, honest = (
        (
            lambda query, **_: (
                "http://127.0.0.1:9/inside" if "redirect_uri" not in query else honest(query)
            )
        ),
        campus.issuer.authorize,
    )
    assert is_refused(client, come_back(client))
    assert "no JSON object" in caplog.text


def test_a_long_answer_is_cut_off(campus, caplog, monkeypatch):
    campus.issuer.facts = {"more": "x" * (calls.MOST_BYTES + 1)}
    assert visitor(campus).post("/sign-on/campus").status_code == 400
    assert "more than" in caplog.text


def test_a_provider_that_never_ends_is_left(campus, caplog, monkeypatch):
    monkeypatch.setattr(calls, "SECONDS", 0.2)

    async def drip(_answer):
        while True:
            await asyncio.sleep(0.01)

    monkeypatch.setattr(calls, "_read", drip)
    assert visitor(campus).post("/sign-on/campus").status_code == 400
    assert "took more than" in caplog.text


def test_an_address_alone_opens_no_account(campus):
    """The provider says that somebody has the address of an account; the account stays closed."""
    account(campus.site, "bob")
    campus.issuer.person["email"] = "Bob@Example.org"
    client = visitor(campus)
    assert come_back(client).headers["location"] == "/sign-up/sign-on"
    assert signed_in_as(client) == ""
    assert "Its owner alone can add this" in client.get("/sign-up/sign-on").text
    answer = post(client, "/sign-up/sign-on", page="/sign-in", name="Bob")
    assert answer.status_code == 409
    assert signed_in_as(client) == ""
    with campus.site.database.reading() as session:
        assert session.scalars(select(LinkedSignOn)).all() == []
        assert len(session.scalars(select(Account)).all()) == 1


@pytest.mark.parametrize("checked", [False, None, "no", 1])
def test_an_address_that_nobody_checked_makes_no_account(campus, checked):
    campus.issuer.person["email_verified"] = checked
    client = visitor(campus)
    come_back(client)
    assert "does not say that it has checked" in client.get("/sign-up/sign-on").text
    assert post(client, "/sign-up/sign-on", page="/sign-in", name="Ada").status_code == 409


def test_a_provider_that_vouches_needs_no_word_about_it(open_campus):
    campus = open_campus(table={"vouches": True})
    del campus.issuer.person["email_verified"]
    assert signed_in_as(joined(campus)) == "ada@campus.example"


def test_user_info_about_somebody_else_is_refused(campus):
    campus.issuer.in_token = ()
    campus.issuer.info = {"sub": "somebody else", "email": "bob@example.org"}
    client = visitor(campus)
    assert is_refused(client, come_back(client))


def test_two_issuers_with_one_subject_are_two_people(campus):
    joined(campus)
    with campus.site.database.writing("accounts") as session:
        session.scalars(select(LinkedSignOn)).one().issuer = "https://elsewhere.example"
    assert come_back(visitor(campus)).headers["location"] == "/sign-up/sign-on"


def test_an_account_is_linked_only_while_its_owner_is_signed_in(campus):
    client = signed_in(campus.site, account(campus.site, "bob"), app=campus.app)
    back = at_provider(leave(client, "/account/sign-ons/campus", page="/account"))
    post(client, "/sign-out", page="/account")
    answer = client.get(back)
    assert answer.status_code == 400
    assert "in the meantime" in answer.text
    nobody = visitor(campus)
    assert nobody.post("/account/sign-ons/campus").status_code == 401
    with campus.site.database.reading() as session:
        assert session.scalars(select(LinkedSignOn)).all() == []


def test_a_page_of_somebody_else_links_nothing(campus):
    client = signed_in(campus.site, account(campus.site, "bob"), app=campus.app)
    foreign = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert client.post("/account/sign-ons/campus", headers=foreign).status_code == 403
    assert client.post("/account/sign-ons/campus").status_code == 403
    assert visitor(campus).post("/sign-on/campus", headers=foreign).status_code == 403


@pytest.mark.parametrize(
    "place", ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)"]
)
def test_nobody_is_sent_elsewhere_afterwards(campus, place):
    joined(campus)
    client = visitor(campus)
    assert come_back(client, next=place).headers["location"] == "/"


def test_the_secret_of_the_site_is_not_sent_to_browsers(campus):
    client = visitor(campus)
    url = leave(client)
    assert "secret" not in url
    assert client.cookies["sign-on"].split(".")[0] not in url


def test_an_error_of_the_provider_is_not_repeated_as_it_is(campus):
    client = visitor(campus)
    state = parse_qs(urlsplit(leave(client)).query)["state"][0]
    answer = client.get(
        "/sign-on/campus/back",
        params={"state": state, "error": "<b>call 555</b>", "error_description": "call 555"},
    )
    assert answer.status_code == 400
    assert "555" not in answer.text


def test_no_row_of_an_attempt_has_a_secret(campus):
    from quintain_host.database.people import SignOnAttempt

    client = visitor(campus)
    url = leave(client)
    query = parse_qs(urlsplit(url).query)
    with campus.site.database.reading() as session:
        row = session.scalars(select(SignOnAttempt)).one()
    stored = repr([row.hash.hex(), row.provider, row.place, row.person])
    for text in (client.cookies["sign-on"], query["state"][0], query["nonce"][0]):
        assert text not in stored
