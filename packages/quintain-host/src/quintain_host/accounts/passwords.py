"""Passwords and other secrets: what people know, what they carry, and what is stored of both.

Passwords are hashed with argon2id, a few at a time, so that many sign-ins fit the machine.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from quintain.errors import QuintainError
from quintain.wording.languages import say

SHORTEST, LONGEST = 12, 1000
"""How many characters a password has."""

FEWEST_DIFFERENT = 5
"""How many different characters a password has at least."""

UNUSABLE = "!"
"""Stored for an account whose owner has set no password yet; nothing matches it."""

PARAMETERS = {"time_cost": 2, "memory_cost": 19 * 1024, "parallelism": 1}
"""Of argon2id: passes, KiB of memory, threads."""
_HASHER = PasswordHasher(
    time_cost=PARAMETERS["time_cost"],
    memory_cost=PARAMETERS["memory_cost"],
    parallelism=PARAMETERS["parallelism"],
)
_UNKNOWN = _HASHER.hash("the password of nobody")
_AT_ONCE = BoundedSemaphore(max(1, min(4, os.cpu_count() or 1)))
_PATIENCE = 10.0


class BadPassword(QuintainError):
    """A new password that is too easy to guess."""


class Busy(QuintainError):
    """Too many people sign in at this moment."""

    status = 429


def require_good(password: str, *known: str) -> None:
    """Refuse a new password that is short, simple, or part of what others know of its owner."""
    if len(password) < SHORTEST:
        raise BadPassword(
            say("a password has at least %(shortest)s characters", shortest=SHORTEST)
        ).about("password")
    if len(password) > LONGEST:
        raise BadPassword(
            say("a password has at most %(longest)s characters", longest=LONGEST)
        ).about("password")
    if len(set(password)) < FEWEST_DIFFERENT:
        raise BadPassword(
            say(
                "a password has at least %(fewest_different)s different characters",
                fewest_different=FEWEST_DIFFERENT,
            )
        ).about("password")
    if any(password.casefold() in fact.casefold() for fact in known):
        raise BadPassword(
            say("others know this: choose a password that is not your name or address")
        ).about("password")


def hash_password(password: str) -> str:
    """What is stored of a password."""
    with _turn():
        return _HASHER.hash(password)


def matches(stored: str | None, password: str) -> bool:
    """Whether a password is right. It takes as long if there is no such account."""
    usable = stored is not None and stored != UNUSABLE
    password = password[: LONGEST + 1]  # nobody has a longer one; hashing it would take long
    with _turn():
        try:
            right = _HASHER.verify(stored if stored and usable else _UNKNOWN, password)
        except (VerificationError, InvalidHashError):
            return False
    return right and usable


def is_outdated(stored: str) -> bool:
    """Whether a password should be hashed again, because the parameters have changed since."""
    return _HASHER.check_needs_rehash(stored)


@contextmanager
def _turn() -> Iterator[None]:
    """Wait until few enough others hash a password."""
    if not _AT_ONCE.acquire(timeout=_PATIENCE):
        raise Busy(say("many people sign in at this moment; try again in a minute"))
    try:
        yield
    finally:
        _AT_ONCE.release()


def new_secret() -> str:
    """A text with 256 random bits, for a cookie, a token or a link."""
    return secrets.token_urlsafe(32)


def hash_secret(text: str) -> bytes:
    """What is stored of a secret text. It has too many bits to be guessed, so no salt is needed."""
    return hashlib.sha256(text.encode()).digest()
