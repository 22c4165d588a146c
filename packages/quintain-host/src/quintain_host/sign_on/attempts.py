"""Attempts: a browser goes to a provider and comes back, once.

The cookie of the browser has one secret. What the provider gets follows from it: the state, which
shows that the same browser comes back; the nonce, which is in the proof; and the verifier of PKCE,
without which a stolen code is worth nothing. The database has only the hash of the secret.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import delete

from quintain_host.accounts.passwords import hash_secret, new_secret
from quintain_host.database.people import ACCOUNTS, SignOnAttempt
from quintain_host.sign_on.calls import SignOnFailed
from quintain_host.site import Site

MINUTES = 15
"""How long somebody may take at the provider, or to make an account afterwards."""

_BEGIN_AGAIN = "this sign-on was not begun in this browser, is too old, or was used: begin again"


@dataclass(frozen=True, slots=True)
class AttemptSecrets:
    """What follows from the secret in the cookie of a browser."""

    cookie: str

    def __repr__(self) -> str:
        return "AttemptSecrets()"

    @property
    def state(self) -> str:
        """Comes back with the browser."""
        return self._derive("state")

    @property
    def nonce(self) -> str:
        """Comes back in the proof."""
        return self._derive("nonce")

    @property
    def verifier(self) -> str:
        """Is shown with the code."""
        return self._derive("verifier")

    def _derive(self, purpose: str) -> str:
        digest = hmac.new(self.cookie.encode(), purpose.encode(), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def new_attempt() -> AttemptSecrets:
    """The secrets of a browser that is about to go to a provider."""
    return AttemptSecrets(new_secret())


def note_attempt(
    site: Site,
    secrets: AttemptSecrets,
    provider: str,
    place: str,
    *,
    account: int | None = None,
    person: dict[str, Any] | None = None,
) -> None:
    """Remember that a browser goes to a provider, or that somebody came back without an account.

    Parameters
    ----------
    place : the page of this site to which the person wants to go in the end.
    account : the account to link; None signs in.
    person : who came back.
    """
    now = site.clock.now()
    with site.database.writing(ACCOUNTS) as session:
        session.execute(delete(SignOnAttempt).where(SignOnAttempt.expires <= now))
        session.add(
            SignOnAttempt(
                hash=hash_secret(secrets.cookie),
                provider=provider,
                account=account,
                place=place,
                person=person,
                expires=now + timedelta(minutes=MINUTES),
            )
        )


def see_attempt(site: Site, secrets: AttemptSecrets) -> SignOnAttempt:
    """The attempt of a browser; raises ``SignOnFailed`` if it has none that counts."""
    with site.database.reading() as session:
        row = session.get(SignOnAttempt, hash_secret(secrets.cookie))
    if row is None or row.expires <= site.clock.now():
        raise SignOnFailed(_BEGIN_AGAIN)
    return row


def take_attempt(site: Site, secrets: AttemptSecrets, provider: str, state: str) -> SignOnAttempt:
    """The attempt of a browser that comes back; it ends here, whatever follows."""
    if not hmac.compare_digest(secrets.state.encode(), state.encode()):
        raise SignOnFailed(_BEGIN_AGAIN)
    row = end_attempt(site, secrets)
    if row.provider != provider or row.person is not None:
        raise SignOnFailed(_BEGIN_AGAIN)
    return row


def end_attempt(site: Site, secrets: AttemptSecrets) -> SignOnAttempt:
    """End an attempt; of two at the same time one is refused, because writers take turns."""
    with site.database.writing(ACCOUNTS) as session:
        row = session.get(SignOnAttempt, hash_secret(secrets.cookie))
        if row is not None:
            session.delete(row)
    if row is None or row.expires <= site.clock.now():
        raise SignOnFailed(_BEGIN_AGAIN)
    return row
