"""Signing: what the organisers sign, anybody can check with their public key, and nobody can forge.

References
----------
Josefsson, S. and Liusvaara, I. (2017). RFC 8032, Edwards-Curve Digital Signature Algorithm (EdDSA).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

SEED_BYTES = 32

_PRIME = 2**255 - 19
_PUBLIC_KEY = re.compile("[0-9a-f]{64}")

_Y_OF_ORDER_8 = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_WEAK = frozenset({0, 1, _PRIME - 1, _Y_OF_ORDER_8, _PRIME - _Y_OF_ORDER_8})
"""The points of order 1, 2, 4 and 8, by y. With such a public key, anybody can sign something."""


@dataclass(frozen=True, slots=True)
class SigningKey:
    """The secret key of the organisers, for Ed25519."""

    _seed: bytes = field(repr=False)

    @classmethod
    def from_seed(cls, seed: bytes) -> SigningKey:
        """The key that belongs to 32 secret bytes; the same seed gives the same signatures."""
        if len(seed) != SEED_BYTES:
            raise ValueError(f"the seed of a signing key has {SEED_BYTES} bytes, not {len(seed)}")
        return cls(seed)

    @property
    def public(self) -> str:
        """The public key, as 64 hexadecimal digits."""
        return self._key().public_key().public_bytes_raw().hex()

    def sign(self, message: bytes) -> bytes:
        """The signature of a message: 64 bytes."""
        return self._key().sign(message)

    def _key(self) -> Ed25519PrivateKey:
        # Most commands sign nothing, and the package takes long to import.
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(self._seed)


def is_signed(public: str, message: bytes, signature: bytes) -> bool:
    """Whether the owner of a public key signed the message; False if anything is malformed."""
    if not _PUBLIC_KEY.fullmatch(public) or _is_weak(bytes.fromhex(public)):
        return False
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _is_weak(public: bytes) -> bool:
    without_sign = int.from_bytes(public, "little") & (2**255 - 1)
    return without_sign % _PRIME in _WEAK
