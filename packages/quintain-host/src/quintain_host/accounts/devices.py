"""Devices: browsers that signed in before, so that strangers cannot keep an owner out.

Guesses at a password have to be limited for the whole account, because an attacker has many
addresses. If its owner shared that limit, anybody could lock the owner out with wrong passwords. So
a complete sign-in leaves a cookie in the browser that names the account and this device, and a
device that is known has a limit of its own ("device cookies" of OWASP).

Why that is safe:

- The cookie signs nobody in. It only chooses the bucket from which an attempt is taken.
- Nobody can invent one: it has an HMAC whose key is what the database stores of the password, with
  128 random bits of salt that never leave it. Nothing else has to be kept, and every web process of
  a site can check it. A new password makes every earlier cookie worthless.
- A browser gets one after password and second factor, or with a link of an operator. An attacker
  gets one only by knowing the password, and then has nothing to guess.
- A stolen cookie allows a few guesses per hour beside those of all strangers together. It is one
  bucket, however many addresses use it, and it ends after ``DAYS``.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import timedelta

from quintain_host.accounts.passwords import UNUSABLE
from quintain_host.database.people import Account
from quintain_host.site import Site

DAYS = 180
"""How long a device is known after the last sign-in with it."""

_LONGEST = 200
_MOST_DIGITS = 9
"""Of an account; databases have no larger numbers. A time has one more."""


@dataclass(frozen=True, slots=True)
class KnownDevice:
    """A device from which the owner of an account has signed in; ``name`` names its bucket."""

    account: int
    email: str
    name: str


def device_cookie(site: Site, account: int) -> str:
    """What the browser of an owner gets after a complete sign-in."""
    with site.database.reading() as session:
        stored = session.get_one(Account, account).password
    name = f"{account}.{int(site.clock.now().timestamp())}.{secrets.token_hex(16)}"
    return f"{name}.{_sign(stored, name)}"


def known_device(site: Site, cookie: str) -> KnownDevice | None:
    """The device with a cookie; None if the cookie is invented, too old, or of an old password."""
    name, _, given = cookie[:_LONGEST].rpartition(".")
    number, _, rest = name.partition(".")
    issued = rest.partition(".")[0]
    if not (_is_number(number, _MOST_DIGITS) and _is_number(issued, _MOST_DIGITS + 1)):
        return None
    with site.database.reading() as session:
        account = session.get(Account, int(number))
    if account is None or account.password == UNUSABLE:
        return None
    right = hmac.compare_digest(_sign(account.password, name).encode(), given.encode())
    age = timedelta(seconds=site.clock.now().timestamp() - int(issued))
    if not right or age > timedelta(days=DAYS):
        return None
    return KnownDevice(account.id, account.email, name)


def _sign(stored: str, name: str) -> str:
    return hmac.new(stored.encode(), f"device {name}".encode(), hashlib.sha256).hexdigest()


def _is_number(text: str, most: int) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= most
