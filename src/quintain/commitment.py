"""Commit and reveal: the organisers cannot change hidden files, and the public cannot read them.

Before a phase opens, the organisers publish one *leaf* for every hidden file::

    leaf = SHA-256( 0x00 || nonce || SHA-256(file) )        nonce: 256 secret bits for each file

and the Merkle *root* over all leaves in order of path. After the contest they reveal the files and
the key that gives the nonces, and anybody can recompute the root. Without its nonce, a leaf says
nothing about its file. An unsalted hash would: for a file of twenty yes-or-no labels, a computer
tries all possible contents in a fraction of a second.

The organisers can reveal a single file to a single team with the nonce of that file alone.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from json.encoder import encode_basestring
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from quintain.errors import NotVerified

NONCE_BYTES = 32


def canonical_json(value: Any) -> bytes:
    """The same bytes for the same value: JSON with sorted keys, UTF-8, two spaces, LF at the end.

    JSON has no infinity, so it is written as 1e999, which JSON readers turn into infinity.
    Not-a-number is written as null.

    >>> canonical_json({"b": 1.5, "a": float("inf")})
    b'{\\n  "a": 1e999,\\n  "b": 1.5\\n}\\n'
    """
    return f"{_json_text(value, chr(10))}\n".encode()


def _json_text(value: Any, line: str) -> str:
    """JSON on lines that begin with ``line``: the encoder of Python is slow when it indents."""
    if isinstance(value, str):
        return encode_basestring(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return _SPELLED.get(text := float.__repr__(value), text)
    inner = f"{line}  "
    if isinstance(value, dict):
        open_, close = "{", "}"
        items = [
            f"{_json_key(key)}: {_json_text(one, inner)}" for key, one in sorted(value.items())
        ]
    elif isinstance(value, list | tuple):
        open_, close = "[", "]"
        items = [_json_text(one, inner) for one in value]
    else:
        raise TypeError(f"{type(value).__name__} cannot be written as JSON")
    if not items:
        return open_ + close
    return f"{open_}{inner}{f',{inner}'.join(items)}{line}{close}"


def _json_key(key: Any) -> str:
    return encode_basestring(key if isinstance(key, str) else json.dumps(key))


_SPELLED = {"inf": "1e999", "-inf": "-1e999", "nan": "null"}


def sha256(content: bytes | memoryview) -> str:
    """The SHA-256 of some bytes, as 64 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def nonce(key: bytes, path: str) -> bytes:
    """The nonce of one file; it reveals nothing about the key or about any other nonce."""
    return hmac.digest(key, path.encode(), "sha256")


def leaf(content: bytes, salt: bytes) -> str:
    """The public leaf of a hidden file; it says nothing about the file without the salt."""
    return leaf_of(sha256(content), salt)


def leaf_of(digest: str, salt: bytes) -> str:
    """The public leaf of a hidden file, given the SHA-256 of its content."""
    if len(salt) != NONCE_BYTES:
        raise NotVerified(f"a nonce is {NONCE_BYTES} bytes, not {len(salt)}")
    return hashlib.sha256(b"\x00" + salt + bytes.fromhex(digest)).hexdigest()


def merkle_root(leaves: Mapping[str, str]) -> str:
    """The root over leaves in order of path; a root commits to the paths as well."""
    level = [
        hashlib.sha256(b"\x02" + path.encode() + b"\x00" + bytes.fromhex(leaves[path])).digest()
        for path in sorted(leaves)
    ]
    if not level:
        return hashlib.sha256(b"").hexdigest()
    while len(level) > 1:
        pairs = [
            hashlib.sha256(b"\x01" + level[i] + level[i + 1]).digest()
            for i in range(0, len(level) - 1, 2)
        ]
        level = pairs + level[2 * len(pairs) :]
    return level[0].hex()


def unsalted_sums(files: Mapping[str, bytes]) -> bytes:
    """Plain SHA-512 sums, one line per file, as the command ``sha512sum`` writes them.

    For contests that repeat an older one. Anybody who can list the possible contents of a file
    can find out which of them it has.

    >>> unsalted_sums({"truth.csv": b"1"})[:14]
    b'4dff4ea340f0a8'
    """
    lines = (f"{hashlib.sha512(files[path]).hexdigest()}  {path}\n" for path in files)
    return "".join(lines).encode()


class Commitment(BaseModel):
    """What the organisers publish before a phase opens: a leaf per hidden file, and the root."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["quintain.commitment/1"] = "quintain.commitment/1"
    algorithm: Literal["sha256-salted-merkle"] = "sha256-salted-merkle"
    root: str
    leaves: dict[str, str]

    @classmethod
    def over(cls, files: Mapping[str, bytes], key: bytes) -> Commitment:
        """Commit to files, with nonces from a secret key."""
        leaves = {path: leaf(content, nonce(key, path)) for path, content in files.items()}
        return cls(root=merkle_root(leaves), leaves=leaves)

    def to_bytes(self) -> bytes:
        """The content of the published file."""
        return canonical_json(self.model_dump())

    def check_digest(self, path: str, digest: str, salt: bytes) -> bool:
        """Whether a revealed file, given its SHA-256, is the one committed to."""
        return hmac.compare_digest(self.leaves.get(path, ""), leaf_of(digest, salt))

    def check_root(self) -> bool:
        """Whether the published leaves give the published root."""
        return hmac.compare_digest(self.root, merkle_root(self.leaves))
