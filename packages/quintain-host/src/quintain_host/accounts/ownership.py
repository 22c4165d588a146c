"""Ownership: whether somebody who is signed in is the owner, before what a thief would change."""

from __future__ import annotations

from datetime import timedelta

from quintain.wording.languages import say
from quintain_host.access import NotAllowed
from quintain_host.accounts.passwords import UNUSABLE, hash_secret, matches
from quintain_host.database.people import Account, SignIn
from quintain_host.site import Site

FRESH = timedelta(minutes=10)
"""How old the sign-in of somebody without a password may be."""


def shows_owner(site: Site, account: Account, cookie: str, password: str) -> bool:
    """Whether the password is right; without one, the sign-in has to be fresh, else it raises."""
    if account.password != UNUSABLE:
        return matches(account.password, password)
    with site.database.reading() as session:
        row = session.get(SignIn, hash_secret(cookie))
    if row is None or site.clock.now() - row.created > FRESH:
        raise NotAllowed(
            say(
                "you have no password here, so this takes a fresh sign-in: sign out, sign in "
                "again, and come back within 10 minutes"
            )
        )
    return True
