"""Second factor: a code from a phone that changes every 30 seconds, and codes for a lost phone."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass

import pyotp
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from quintain.errors import QuintainError
from quintain.wording.languages import say
from quintain_host.access import Visitor
from quintain_host.accounts.ownership import shows_owner
from quintain_host.accounts.passwords import hash_secret
from quintain_host.audit_log import log
from quintain_host.database.people import ACCOUNTS, Account, SignIn, Token
from quintain_host.site import Site

STEP = 30
RECOVERY_CODES = 10

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that looks like another


class WrongCode(QuintainError):
    """A code is wrong, was used already, or is too old."""

    status = 403


@dataclass(frozen=True, slots=True)
class SecondFactorOffer:
    """A shared secret that the owner of an account brings to a phone; ``uri`` is for a QR code."""

    secret: str
    uri: str


def offer(site: Site, visitor: Visitor) -> SecondFactorOffer:
    """A new secret; it counts when its owner has sent a code with it."""
    number = visitor.require_browser()
    with site.database.writing(ACCOUNTS) as session:
        account = session.get_one(Account, number)
        account.totp_offer = account.totp_offer or pyotp.random_base32()
        secret, email = account.totp_offer, account.email
    uri = pyotp.TOTP(secret).provisioning_uri(name=email, issuer_name=site.settings.title)
    return SecondFactorOffer(secret, uri)


def confirm(site: Site, visitor: Visitor, cookie: str, password: str, code: str) -> list[str]:
    """Turn the second factor on; returns the recovery codes, which are shown this one time.

    Sessions that have not given a code end being trusted. So do tokens that may organise.
    """
    number = visitor.require_browser()
    with site.database.reading() as session:
        owner = session.get_one(Account, number)
    if not shows_owner(site, owner, cookie, password):
        raise WrongCode(say("the password is wrong")).about("password")
    codes = [_recovery_code() for _ in range(RECOVERY_CODES)]
    with site.database.writing(ACCOUNTS) as session:
        account = session.get_one(Account, number)
        step = None if account.totp_offer is None else _step(site, account.totp_offer, code, 0)
        if step is None:
            problem = say("the code is wrong: check the clock of your phone, then try again")
            raise WrongCode(problem).about("code")
        account.totp, account.totp_used, account.totp_offer = account.totp_offer, step, None
        account.recovery = [hash_secret(recovery).hex() for recovery in codes]
        session.get_one(SignIn, hash_secret(cookie)).second_factor = True
        _revoke_organising_tokens(session, site, number)
        log(session, site, visitor, "second-factor.on")
    return codes


def accept_code(session: Session, site: Site, account: Account, code: str) -> bool:
    """Whether a code is right; it is used up then. The caller has a transaction."""
    code = "".join(code.split()).replace("-", "").casefold()
    if account.totp is None:
        return False
    step = _step(site, account.totp, code, account.totp_used)
    if step is not None:
        account.totp_used = step
        return True
    known, digest = list(account.recovery or []), hash_secret(code).hex()
    if digest not in known:
        return False
    known.remove(digest)
    account.recovery = known
    session.flush()
    return True


def remove(session: Session, account: Account) -> None:
    """Turn the second factor off, for somebody who has lost phone and codes."""
    account.totp = account.totp_offer = account.recovery = None
    session.execute(delete(SignIn).where(SignIn.account == account.id))


def _step(site: Site, secret: str, code: str, used: int) -> int | None:
    """The time step of a code; a phone's clock may be one step off. None if it does not count."""
    if len(code) != 6 or not code.isascii() or not code.isdecimal():
        return None
    now = int(site.clock.now().timestamp()) // STEP
    totp = pyotp.TOTP(secret)
    for step in (now - 1, now, now + 1):
        if step > used and hmac.compare_digest(totp.generate_otp(step), code):
            return step
    return None


def _recovery_code() -> str:
    return "".join(secrets.choice(_LETTERS) for _ in range(16))  # 79 bits


def _revoke_organising_tokens(session: Session, site: Site, number: int) -> None:
    for token in session.scalars(select(Token).where(Token.account == number)):
        if "organise" in token.scopes and token.revoked is None:
            token.revoked = site.clock.now()
