"""Checkpoint: the organisers sign how long the journal is and what its root is.

Teams keep checkpoints. Organisers who later show another history contradict their own signature.
The text is a signed note, which the tools of other logs can read, too::

    quintain/snake1
    42
    CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

    — quintain/snake1 Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo...

References
----------
C2SP, https://c2sp.org/tlog-checkpoint and https://c2sp.org/signed-note.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass
from typing import NamedTuple

from quintain.errors import NotVerified
from quintain.journal.signing import SigningKey, is_signed
from quintain.journal.tree import HASH_BYTES, LARGEST_SIZE

KEY_ID_BYTES = 4
LONGEST_TEXT = 100_000
"""How many characters a checkpoint may have; the signatures of a hundred witnesses fit."""

_ED25519 = b"\x01"
_SIZE = re.compile("0|[1-9][0-9]{0,18}")
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A journal at one moment.

    Parameters
    ----------
    origin : the name of the journal, and of the key that signs it: ``quintain/EDITION``.
    size : how many lines the journal has.
    root : the root of the tree over these lines.
    extension : further lines that are signed with it, such as what it was signed for.
    """

    origin: str
    size: int
    root: bytes
    extension: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not _is_name(self.origin):
            raise ValueError(
                f"the origin {self.origin!r} is empty, or has a space, a plus or "
                "an invisible character"
            )

    def signed(self, key: SigningKey) -> str:
        """The text that the organisers publish."""
        if not all(line.isprintable() and line for line in self.extension):
            raise ValueError("a further line is empty, or has an invisible character")
        lines = (self.origin, str(self.size), _base64(self.root), *self.extension)
        body = "".join(f"{line}\n" for line in lines)
        signature = key_id(self.origin, key.public) + key.sign(body.encode())
        return f"{body}\n— {self.origin} {_base64(signature)}\n"

    @classmethod
    def read(cls, text: str, public: str) -> Checkpoint:
        """The checkpoint in a text, if the owner of the public key signed it.

        Signatures of other keys are ignored.
        """
        body, signatures = _note(text)
        checkpoint = _head(body)
        expected = key_id(checkpoint.origin, public)
        known = [s for s in signatures if (s.name, s.key_id) == (checkpoint.origin, expected)]
        if not known:
            raise NotVerified(
                f"the checkpoint of {checkpoint.origin} is not signed with the public key {public}"
            )
        if not all(is_signed(public, body.encode(), line.signature) for line in known):
            raise NotVerified(f"the signature of the checkpoint of {checkpoint.origin} is wrong")
        return checkpoint


def key_id(name: str, public: str) -> bytes:
    """Four bytes that say which key signed; they save trying all keys and prove nothing."""
    try:
        key = bytes.fromhex(public)
    except ValueError:
        raise NotVerified(f"the public key {public!r} is not hexadecimal") from None
    return hashlib.sha256(name.encode() + b"\n" + _ED25519 + key).digest()[:KEY_ID_BYTES]


class _Signature(NamedTuple):
    """One signature line of a note."""

    name: str
    key_id: bytes
    signature: bytes


def _note(text: str) -> tuple[str, list[_Signature]]:
    """The signed part of a note and its signatures; the last blank line is between them."""
    if len(text) > LONGEST_TEXT:
        raise _malformed(f"it has {len(text)} characters; the limit is {LONGEST_TEXT}")
    if _CONTROL.search(text):
        raise _malformed("it has a control character")
    body, blank, signatures = text.rpartition("\n\n")
    if not blank or not signatures.endswith("\n"):
        raise _malformed("expected a blank line, then lines with signatures")
    return f"{body}\n", [_signature(line) for line in signatures[:-1].split("\n")]


def _signature(line: str) -> _Signature:
    dash, *rest = line.split(" ")
    if dash != "—" or len(rest) != 2 or not _is_name(rest[0]):
        raise _malformed("expected a signature line '— NAME SIGNATURE'")
    content = _bytes(rest[1])
    return _Signature(rest[0], content[:KEY_ID_BYTES], content[KEY_ID_BYTES:])


def _head(body: str) -> Checkpoint:
    """What a note says about a journal: origin, size and root on its first three lines."""
    lines = body[:-1].split("\n")
    if len(lines) < 3 or not all(lines):
        raise _malformed("expected three lines: origin, size, root")
    origin, size, root, *extension = lines
    if not _is_name(origin):
        raise _malformed("the origin has a space, a plus or an invisible character")
    if not _SIZE.fullmatch(size) or int(size) > LARGEST_SIZE:
        raise _malformed(f"the size {size[:30]!r} is not the number of lines of a journal")
    if len(_bytes(root)) != HASH_BYTES:
        raise _malformed(f"the root does not have {HASH_BYTES} bytes")
    return Checkpoint(origin, int(size), _bytes(root), tuple(extension))


def _is_name(text: str) -> bool:
    """Whether a key may have this name: the only space that can be printed is the plain one."""
    return text.isprintable() and text != "" and " " not in text and "+" not in text


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _bytes(text: str) -> bytes:
    """Decode Base64, of which only one spelling is accepted."""
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        content = b""
    if not content or _base64(content) != text:
        raise _malformed(f"{text[:60]!r} is not Base64")
    return content


def _malformed(problem: str) -> NotVerified:
    return NotVerified(f"this is not a checkpoint: {problem}")
