"""Worker tokens: with one, a program worker on another machine pulls its jobs, and nothing else.

A token has two halves. The first says who asks; the site has only its hash. The second is the key
with which inputs and results are sealed; it is never sent, so the web process does not learn it.
"""

from __future__ import annotations

import re
from datetime import timedelta

from sqlalchemy import select

from quintain.host.access import NotAllowed, NotSignedIn
from quintain.host.accounts.registering import ACCOUNTS
from quintain.host.accounts.secret_text import fresh, hashed
from quintain.host.audit_log import log
from quintain.host.database.people import Token
from quintain.host.programs.site_key import site_key
from quintain.host.refusals import BadInput
from quintain.host.site import Site

SCOPE = "work"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")


def make_worker_token(site: Site, name: str) -> str:
    """A token for the worker of this name; earlier tokens of the name end. It is shown once."""
    if not _NAME.fullmatch(name):
        raise BadInput("the name of a worker has letters, digits, '.', '_' and '-' only")
    secret, now = fresh(), site.clock.now()
    with site.database.writing(ACCOUNTS) as session:
        for earlier in session.scalars(select(Token).where(Token.worker == name)):
            earlier.revoked = earlier.revoked or now
        session.add(
            Token(
                hash=hashed(secret),
                worker=name,
                label=f"worker {name}",
                scopes=[SCOPE],
                created=now,
                expires=now + timedelta(days=site.settings.token_days),
            )
        )
        log(session, site, None, "worker.token", worker=name)
    return f"{secret}.{site_key(site.root)}"


def revoke_worker_token(site: Site, name: str) -> int:
    """End every token of a worker; returns how many there were."""
    with site.database.writing(ACCOUNTS) as session:
        valid = select(Token).where(Token.worker == name, Token.revoked.is_(None))
        tokens = session.scalars(valid).all()
        for token in tokens:
            token.revoked = site.clock.now()
        log(session, site, None, "worker.revoke", worker=name)
    return len(tokens)


def worker_with_token(site: Site, secret: str | None) -> str:
    """The name of the worker with a token; raises if it is no valid token of a worker."""
    if not secret:
        raise NotSignedIn("a worker needs a token: quintain host worker-token")
    with site.database.reading() as session:
        token = session.scalars(select(Token).where(Token.hash == hashed(secret))).first()
    if token is None or token.revoked is not None or token.expires <= site.clock.now():
        raise NotSignedIn("the token is unknown, revoked or too old")
    if token.worker is None or SCOPE not in token.scopes:
        raise NotAllowed("this is no token of a worker")
    return token.worker
