"""Timestamp: a clock outside of the contest says when a checkpoint existed at the latest.

A timestamp authority gets the hash of a checkpoint, adds the time and signs both. It learns nothing
about the contest. Organisers who write another history later cannot get a timestamp of that day any
more. ``openssl ts -verify -data 001.txt -in 001.tsr -CAfile tsa.pem`` checks the same file.

References
----------
Adams, C., Cain, P., Pinkas, D. and Zuccherato, R. (2001). RFC 3161, Internet X.509 Public Key
Infrastructure Time-Stamp Protocol (TSP).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from types import ModuleType
from typing import Any

from quintain.errors import MissingExtra, NotVerified

LONGEST_TIMESTAMP = 200_000
"""How many bytes a timestamp may have; the certificates of a long chain fit."""

_HASHES = {
    "2.16.840.1.101.3.4.2.1": "sha256",
    "2.16.840.1.101.3.4.2.2": "sha384",
    "2.16.840.1.101.3.4.2.3": "sha512",
}
"""The hashes of an authority that count, by their number in the standard."""


@dataclass(frozen=True, slots=True)
class TimestampRequest:
    """What is sent to a timestamp authority; ``nonce`` is a number that its answer must repeat."""

    content: bytes
    nonce: int


def request_timestamp(message: bytes) -> TimestampRequest:
    """Make the request for a timestamp of some bytes; only their hash is in it."""
    client = require_client()
    builder = client.TimestampRequestBuilder().data(message)
    request = builder.hash_algorithm(client.HashAlgorithm.SHA256).build()
    return TimestampRequest(request.as_bytes(), request.nonce)


@dataclass(frozen=True, slots=True)
class Timestamp:
    """The answer of a timestamp authority.

    Parameters
    ----------
    time : when the authority saw the hash; in UTC.
    """

    time: datetime
    _response: Any = field(repr=False)

    @classmethod
    def from_bytes(cls, content: bytes) -> Timestamp:
        """Read a timestamp; its signature is not checked yet."""
        client = require_client()
        if len(content) > LONGEST_TIMESTAMP:
            raise _not_a_timestamp(f"it has {len(content)} bytes; the limit is {LONGEST_TIMESTAMP}")
        try:
            response = client.decode_timestamp_response(content)
            if client.PKIStatus(response.status) != client.PKIStatus.GRANTED:
                words = "; ".join(response.status_string) or f"status {response.status}"
                raise _not_a_timestamp(f"the authority refused the request: {words[:200]}")
            return cls(response.tst_info.gen_time, response)
        except ValueError as problem:
            raise _not_a_timestamp(str(problem)[:200]) from None

    @property
    def authority(self) -> str:
        """Who says so, as the authority calls itself."""
        name = self._response.tst_info.name
        return "an authority without a name" if name is None else _name_in_words(name.value)

    def is_about(self, message: bytes) -> bool:
        """Whether the timestamp names the hash of these bytes."""
        imprint = self._response.tst_info.message_imprint
        algorithm = _HASHES.get(imprint.hash_algorithm.dotted_string)
        return algorithm is not None and imprint.message == hashlib.new(algorithm, message).digest()

    def require_answer(self, request: TimestampRequest, message: bytes) -> None:
        """Refuse an answer to another question; whether the signature is right is another one."""
        if not self.is_about(message) or self._response.tst_info.nonce != request.nonce:
            raise NotVerified("the timestamp is not an answer to the request")

    def check(self, message: bytes, certificates: bytes) -> None:
        """Refuse a timestamp that no authority of these certificates (PEM) signed."""
        client = require_client()
        builder = client.VerifierBuilder(roots=_certificates(certificates))
        try:
            builder.build().verify_message(self._response, message)
        except (ValueError, client.VerificationError) as problem:
            raise NotVerified(f"the timestamp is not valid: {_reason(problem)}") from None


def _certificates(content: bytes) -> list[Any]:
    from cryptography.x509 import load_pem_x509_certificates

    try:
        return load_pem_x509_certificates(content)
    except ValueError:
        raise NotVerified("the certificates of the authority are not PEM") from None


def _reason(problem: Exception) -> str:
    """What the package says, without the traces of its library."""
    text = str(problem)
    if "Verify error" in text:
        return "no certificate that you gave leads to its signature"
    return text.partition(": ErrorStack")[0][:200]


def _name_in_words(name: Any) -> str:
    return name.rfc4514_string() if hasattr(name, "rfc4514_string") else str(name)[:200]


def require_client() -> ModuleType:
    """The package that reads timestamps; raises ``MissingExtra`` where it is not installed."""
    try:
        import rfc3161_client
    except ImportError:
        raise MissingExtra("a timestamp", "rfc3161-client", "timestamps") from None
    package: ModuleType = rfc3161_client
    return package


def _not_a_timestamp(problem: str) -> NotVerified:
    return NotVerified(f"this is not a timestamp: {problem}")
