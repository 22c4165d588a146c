"""What follows from the cookie of an attempt, and what is said of people and of links."""

import base64
import hashlib
import hmac

import pytest

from quintain_host.access import NotThere, Visitor
from quintain_host.settings import SignOnProvider
from quintain_host.sign_on.attempts import AttemptSecrets
from quintain_host.sign_on.identities import own_sign_ons, remove_sign_on
from quintain_host.sign_on.provider import Provider
from tests.host.security.people import account
from tests.host.sign_on.visits import come_back, joined, signed_in_as, visitor


@pytest.mark.parametrize("purpose", ["state", "nonce", "verifier"])
def test_each_secret_is_keyed_with_the_cookie(purpose):
    digest = hmac.digest(b"cookie", purpose.encode(), hashlib.sha256)
    expected = base64.urlsafe_b64encode(digest).decode().rstrip("=")
    assert getattr(AttemptSecrets("cookie"), purpose) == expected
    assert "cookie" not in repr(AttemptSecrets("cookie"))


@pytest.fixture
def provider():
    settings = {"id": "campus", "issuer": "https://campus.example", "client_id": "site"}
    return Provider(SignOnProvider(title="Campus", **settings), "https://site.example")


@pytest.mark.parametrize(
    ("claims", "email"),
    [
        ({"email": "a@b.example", "email_verified": True}, "a@b.example"),
        ({"email": "a@b.example", "email_verified": "true"}, "a@b.example"),
        ({"email": "a@b.example", "email_verified": "false"}, ""),
        ({"email": "a@b.example", "email_verified": 1}, ""),
        ({"email": "a@b.example"}, ""),
        ({"email": ["a@b.example"], "email_verified": True}, ""),
        ({"email_verified": True}, ""),
    ],
)
def test_an_address_counts_if_the_provider_checked_it(provider, caplog, claims, email):
    person = provider._person({"sub": "7", **claims})
    assert (person.issuer, person.subject) == ("https://campus.example", "7")
    assert person.email == email
    assert not caplog.records


def test_an_address_that_cannot_be_used_is_told_to_the_operators(provider, caplog):
    person = provider._person({"sub": "7", "email": "nobody", "email_verified": True})
    assert person.email == ""
    assert caplog.messages == ["sign-on by campus: an e-mail address cannot be used"]


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ({"name": "Ada", "nickname": "a"}, "Ada"),
        ({"name": "", "preferred_username": "ada", "nickname": "a"}, "ada"),
        ({"name": "A\u202eda", "nickname": "a"}, "a"),
        ({}, ""),
    ],
)
def test_the_first_name_that_can_be_used_is_taken(provider, claims, name):
    assert provider._person({"sub": "7", **claims}).name == name


def test_a_subject_may_have_255_characters(campus):
    campus.issuer.claims = {"sub": "x" * 255}
    assert signed_in_as(joined(campus)) == "ada@campus.example"
    campus.issuer.claims = {"sub": "x" * 256}
    assert come_back(visitor(campus)).status_code == 400


def test_only_an_own_sign_on_can_be_removed(campus):
    joined(campus)
    bob = Visitor(account=account(campus.site, "bob"))
    (other,) = own_sign_ons(campus.site, Visitor(account=1))
    for number in (other.id, 4711):
        with pytest.raises(NotThere, match=f"you have no sign-on {number}"):
            remove_sign_on(campus.site, bob, number)
    assert len(own_sign_ons(campus.site, Visitor(account=1))) == 1
