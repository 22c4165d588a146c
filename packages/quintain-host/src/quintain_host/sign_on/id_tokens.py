"""ID tokens: whether a provider's statement about a person is signed, fresh, and meant for us."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet

from quintain_host.sign_on.calls import BadAnswer

ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA", "Ed25519"),
)
"""Signatures with a private key. With "none" or a shared key anybody could write a token."""

LEEWAY = 60
"""How many seconds the clocks of the provider and of the site may be apart."""

LONGEST_SUBJECT = 255


class UnknownKey(BadAnswer):
    """A token is signed with a key that was not known when the keys were read."""


def signing_keys(published: Mapping[str, Any]) -> KeySet:
    """The keys of a provider that can sign; those of other kinds are left out."""
    rows = published.get("keys")
    usable = [row for row in rows if _can_sign(row)] if isinstance(rows, list) else []
    if not usable:
        raise BadAnswer("the provider publishes no key that signs")
    try:
        return KeySet.import_key_set({"keys": usable})
    except (JoseError, ValueError, TypeError, KeyError) as problem:
        raise BadAnswer(f"a key of the provider is broken: {type(problem).__name__}") from None


def _can_sign(row: object) -> bool:
    return (
        isinstance(row, dict)
        and row.get("kty") in {"RSA", "EC", "OKP"}
        and row.get("use", "sig") == "sig"
        and row.get("crv") not in {"X25519", "X448"}
    )


def read_id_token(
    text: object,
    keys: KeySet,
    *,
    issuer: str,
    client: str,
    nonce: str,
    access_token: str,
    now: datetime,
) -> dict[str, Any]:
    """What a token says, if the issuer signed it for this client and this attempt, not long ago.

    Raises ``UnknownKey`` if the key of the signature is new, else ``BadAnswer``.
    """
    if not isinstance(text, str) or text.count(".") != 2:
        raise BadAnswer("the provider sent no signed ID token")
    wanted = {
        "iss": {"essential": True, "value": issuer},
        "aud": {"essential": True, "value": client},
        "sub": {"essential": True},
    }
    params = {"nonce": nonce, "client_id": client, "access_token": access_token}
    try:
        token = jwt.decode(text, keys, algorithms=list(ALGORITHMS))
        claims = CodeIDToken(token.claims, token.header, wanted, params)
        claims.validate(now=int(now.timestamp()), leeway=LEEWAY)
    except InvalidKeyIdError:
        raise UnknownKey("the ID token is signed with a key that is not published") from None
    except (JoseError, ValueError, TypeError, KeyError) as problem:
        raise BadAnswer(f"the ID token is refused: {type(problem).__name__}: {problem}") from None
    subject = claims["sub"]
    if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT:
        raise BadAnswer("the ID token names nobody")
    return dict(claims)
