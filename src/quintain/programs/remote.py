"""Remote calls: programs that another machine runs; input and result travel sealed, as bytes.

The web process of a site hands both on between machines. It has no key, so it can neither read nor
change them.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from quintain.errors import QuintainError
from quintain.programs.failures import Reason
from quintain.programs.limits import CallLimits
from quintain.programs.runner import with_process
from quintain.programs.sandbox.provider import Ending, Sandbox

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


_LENGTH = 8


@dataclass(frozen=True, slots=True)
class RemoteCall:
    """What a sandbox needs for one call.

    Parameters
    ----------
    message : what the process of the program reads.
    most : how many bytes it may answer.
    """

    message: bytes
    limits: CallLimits
    most: int

    def to_bytes(self) -> bytes:
        """The call as bytes."""
        return _pack({"limits": self.limits.model_dump(), "most": self.most}, self.message)

    @classmethod
    def from_bytes(cls, content: bytes) -> RemoteCall:
        """The call that :meth:`to_bytes` wrote."""
        facts, message = _unpack(content)
        return cls(message, CallLimits(**facts["limits"]), int(facts["most"]))


def ending_bytes(ending: Ending) -> bytes:
    """How a call ended, as bytes."""
    facts = {
        "answer": len(ending.answer),
        "code": ending.code,
        "stopped": None if ending.stopped is None else ending.stopped.name,
        "seconds": ending.seconds,
    }
    return _pack(facts, ending.answer + ending.log)


def read_ending(content: bytes) -> Ending:
    """The ending that :func:`ending_bytes` wrote."""
    facts, data = _unpack(content)
    size, stopped = int(facts["answer"]), facts["stopped"]
    reason = None if stopped is None else Reason[stopped]
    return Ending(data[:size], data[size:], int(facts["code"]), reason, float(facts["seconds"]))


def _pack(facts: Mapping[str, Any], content: bytes) -> bytes:
    text = json.dumps(facts).encode()
    return len(text).to_bytes(_LENGTH, "big") + text + content


def _unpack(content: bytes) -> tuple[dict[str, Any], bytes]:
    end = _LENGTH + int.from_bytes(content[:_LENGTH], "big")
    return json.loads(content[_LENGTH:end]), content[end:]


def input_of(name: str) -> str:
    """The purpose for which the input of a call is sealed."""
    return f"input {name}"


def result_of(name: str) -> str:
    """The purpose for which the result of a call is sealed."""
    return f"result {name}"


def run_sealed(name: str, sealed: bytes, seal: Seal, sandbox: Sandbox) -> bytes:
    """Make a call whose input is sealed; returns the sealed result.

    A program that kills its sandbox, or that does not end, has a result, too: it says so.
    """
    call = RemoteCall.from_bytes(seal.open(sealed, input_of(name)))
    message = with_process(call.message, sandbox.settings(call.limits))
    ending = sandbox.run(message, call.limits, call.most)
    return seal.close(ending_bytes(ending), result_of(name))
