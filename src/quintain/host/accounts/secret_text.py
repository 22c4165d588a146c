"""Secret texts: random values that only their owner has; the database has their hashes."""

from __future__ import annotations

import hashlib
import secrets


def fresh() -> str:
    """A text with 256 random bits, for a cookie, a token or a link."""
    return secrets.token_urlsafe(32)


def hashed(text: str) -> bytes:
    """What is stored of a secret text. It has too many bits to be guessed, so no salt is needed."""
    return hashlib.sha256(text.encode()).digest()
