"""Names: e-mail addresses and names of people, in one form, so that none looks like another."""

from __future__ import annotations

import re
import unicodedata

from quintain.errors import QuintainError
from quintain.wording.languages import say

LONGEST_EMAIL = 254
LONGEST_NAME = 80

_EMAIL = re.compile(r"[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[a-z0-9-]{1,63}\.)*[a-z0-9-]{1,63}")


class BadName(QuintainError):
    """A name or an e-mail address that cannot be used."""


def email_address(text: str) -> str:
    """An e-mail address in the form in which accounts are compared.

    Examples
    --------
    >>> email_address(" Ada@Example.ORG")
    'ada@example.org'
    >>> email_address("ｆｕｌｌ@example.org")
    'full@example.org'
    """
    if len(text) > LONGEST_EMAIL:
        raise BadName(
            say(
                "an e-mail address has at most %(longest_email)s characters",
                longest_email=LONGEST_EMAIL,
            )
        ).about("email")
    local, at, domain = unicodedata.normalize("NFKC", text).strip().rpartition("@")
    address = f"{local}{at}{_ascii_domain(domain)}".casefold()
    # Letters outside ASCII can look like others, so that two people seem to have one address.
    if len(address) > LONGEST_EMAIL or not local.isascii() or not _EMAIL.fullmatch(address):
        raise BadName(say("this is not an e-mail address that the site can use")).about("email")
    return address


def _ascii_domain(domain: str) -> str:
    try:
        return domain.encode("idna").decode()
    except UnicodeError:
        return ""


def plain_name(text: str) -> str:
    """A name that people read: one line, without characters that nobody sees.

    Examples
    --------
    >>> plain_name("  Ada   Lovelace ")
    'Ada Lovelace'
    """
    name = " ".join(unicodedata.normalize("NFKC", text).split())
    if not name:
        raise BadName(say("a name has at least one character")).about("name")
    if len(name) > LONGEST_NAME:
        fault = say("a name has at most %(most)s characters", most=LONGEST_NAME)
        raise BadName(fault).about("name")
    if any(unicodedata.category(letter)[0] == "C" for letter in name):
        raise BadName(say("a name has a character that nobody can see")).about("name")
    return name
