"""Sealing: inputs and results of calls that only the bench and program workers can read.

The web process of a site hands both on between machines. It has no key, so it can neither read nor
change them.
"""

from __future__ import annotations

import hmac
import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from quintain.errors import QuintainError

KEY_BYTES = 32
_NONCE_BYTES = 12


class NotSealed(QuintainError):
    """Bytes that were not sealed with this key, or not for this purpose."""

    status = 500


class Seal:
    """Seals bytes for a purpose, with a secret key."""

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_BYTES:
            raise NotSealed(f"a key has {KEY_BYTES} bytes, not {len(key)}")
        self._key = key

    def close(self, content: bytes, purpose: str) -> bytes:
        """Bytes that nobody without the key can read or change."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + ChaCha20Poly1305(self._key).encrypt(nonce, content, purpose.encode())

    def open(self, sealed: bytes, purpose: str) -> bytes:
        """The bytes that were sealed for this purpose; raises if they were not."""
        nonce, content = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
        try:
            return ChaCha20Poly1305(self._key).decrypt(nonce, content, purpose.encode())
        except (InvalidTag, ValueError):
            raise NotSealed(f"{purpose} was not sealed with the key of this site") from None

    def name(self, content: bytes) -> str:
        """A name for a content that tells nobody without the key anything about it."""
        return hmac.digest(self._key, content, "sha256").hex()
