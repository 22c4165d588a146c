"""Names: two people cannot have what looks like one e-mail address."""

import pytest

from quintain_host.accounts.administration import accounts, sign_up
from quintain_host.accounts.names import BadName, email_address, plain_name
from tests.host.security.people import PASSWORD


@pytest.mark.parametrize(
    "text",
    [
        "ada@example.org",
        " ada@example.org\t",
        "ADA@EXAMPLE.ORG",
        "ａｄａ@example.org",
        "ada＠example.org",
        "Ada@ex\u00aample.org",  # an a as an ordinal
    ],
)
def test_addresses_that_are_the_same(text):
    assert email_address(text) == "ada@example.org"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ada",
        "@example.org",
        "ada@",
        "ada b@example.org",
        "ada@example.org ada@evil.example",
        "ada@exam ple.org",
        "a\u0430a@example.org",  # a letter of another alphabet that looks like an a
        "ada\u200b@example.org",  # a space of no width
        "ada\u0000@example.org",
        "ada\r\nBcc: x@example.org",
        "ad\u0131@example.org",
        "a" * 65 + "@example.org",
        "ada@" + "a." * 130 + "org",
        "a@" * 200,
        "ada@.org",
    ],
)
def test_what_is_no_address(text):
    with pytest.raises(BadName):
        email_address(text)


def test_an_address_of_another_alphabet_is_another_account(one_site):
    sign_up(one_site, "ada@example.org", "Ada", PASSWORD)
    assert email_address("ada@ex\u0430mple.org") == "ada@xn--exmple-4nf.org"
    sign_up(one_site, "ADA@example.org ", "Not Ada", PASSWORD)
    assert [account.name for account in accounts(one_site, None)] == ["Ada"]


@pytest.mark.parametrize("text", ["", " ", "\u200b", "a\u202eb", "a\x1b[31mb", "x" * 81, "\ud800"])
def test_what_is_no_name(text):
    with pytest.raises(BadName):
        plain_name(text)
