"""Limiting: which limits count for a request; see ``rate_limits``."""

from __future__ import annotations

from fastapi import Request
from fastapi.concurrency import run_in_threadpool

from quintain.errors import QuintainError
from quintain.host.accounts.names import BadName, email_address
from quintain.host.accounts.secret_text import hashed
from quintain.host.programs.worker_tokens import worker_with_token
from quintain.host.web.requests import bearer_token, site_of, visitor_of
from quintain.host.web.security.addresses import address_of
from quintain.host.web.security.csrf import SAFE
from quintain.host.web.security.rate_limits import RateLimits


async def limit_changes(request: Request) -> None:
    """Refuse requests that change something if they come too often; asked before every route."""
    if request.method not in SAFE:
        await run_in_threadpool(_limit_change, request)


def _limit_change(request: Request) -> None:
    account = visitor_of(request).account
    key = _sender(request) if account is None else f"account {account}"
    _limits(request).changes.take(key)


def _sender(request: Request) -> str:
    """A worker, or the address; who invents a new token each time is not somebody new."""
    token = bearer_token(request)
    if token is None:
        return _address(request)
    try:
        return f"worker {worker_with_token(site_of(request), token)}"
    except QuintainError:
        return _address(request)


def limit_sign_in(request: Request, email: str) -> None:
    """Refuse guesses at a password."""
    name = hashed(_one_form(email)).hex()  # a long key would fill the memory
    _limits(request).sign_ins.take(f"{name} {_address(request)}")
    _limits(request).guesses.take(name)


def _one_form(email: str) -> str:
    """An address as accounts have it: another way to write it is no other account."""
    try:
        return email_address(email)
    except BadName:
        return email[:300]


def limit_codes(request: Request, account: int) -> None:
    """Refuse guesses at a code, or at the password of somebody who is signed in."""
    _limits(request).sign_ins.take(f"account {account}")
    _limits(request).guesses.take(f"account {account}")


def limit_new_accounts(request: Request) -> None:
    """Refuse an address that makes many accounts."""
    _limits(request).accounts.take(_address(request))


def _limits(request: Request) -> RateLimits:
    limits: RateLimits = request.app.state.limits
    return limits


def _address(request: Request) -> str:
    return address_of(request.scope, site_of(request).settings.proxies)
