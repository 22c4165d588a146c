"""Receipt: a team's proof that the journal has its submission, signed by the organisers.

Nobody can invent a receipt without the organisers' key, and the organisers cannot deny one: every
later journal must contain the line, or contradict the signed checkpoint.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from quintain.commitment import canonical_json
from quintain.errors import NotVerified
from quintain.journal.checkpoint import Checkpoint
from quintain.journal.tree import is_included, leaf_hash

FORMAT = "quintain.receipt/1"
LONGEST_RECEIPT = 1_000_000
"""How many bytes a receipt may have; a submission with a thousand files fits."""

_HASH = re.compile("[0-9a-f]{64}")
_KEYS = {"format", "line", "proof", "checkpoint"}


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a team gets when its submission is accepted.

    Parameters
    ----------
    line : the event, as the journal has it.
    proof : the inclusion proof of the line in the tree of the checkpoint.
    checkpoint : the signed text of a checkpoint.
    """

    line: bytes
    proof: tuple[bytes, ...]
    checkpoint: str

    def to_bytes(self) -> bytes:
        """The receipt as a JSON file."""
        return canonical_json(
            {
                "format": FORMAT,
                "line": self.line.decode(),
                "proof": [value.hex() for value in self.proof],
                "checkpoint": self.checkpoint,
            }
        )

    @classmethod
    def from_bytes(cls, content: bytes) -> Receipt:
        """Read a receipt from a file; its signature and its proof are not checked yet."""
        if len(content) > LONGEST_RECEIPT:
            raise _malformed(f"it has {len(content)} bytes; the limit is {LONGEST_RECEIPT}")
        fields = _json_object(content)
        if fields.get("format") != FORMAT:
            shown = repr(fields.get("format"))[:60]
            raise _malformed(f"the format is {shown}; this version of quintain reads {FORMAT!r}")
        if set(fields) != _KEYS:
            raise _malformed(f"expected the fields {', '.join(sorted(_KEYS))}")
        line, checkpoint, proof = fields["line"], fields["checkpoint"], fields["proof"]
        if not isinstance(line, str) or not isinstance(checkpoint, str):
            raise _malformed("line and checkpoint must be text")
        if not isinstance(proof, list) or not all(map(_is_hash, proof)):
            raise _malformed("the proof must be a list of hashes, each with 64 hexadecimal digits")
        return cls(_encode(line), tuple(map(bytes.fromhex, proof)), checkpoint)

    def check(self, public: str) -> Checkpoint:
        """The checkpoint of the receipt, if its key signed it and the line is in its journal."""
        checkpoint = Checkpoint.read(self.checkpoint, public)
        number = _json_object(self.line).get("number")
        if type(number) is not int or not 0 < number <= checkpoint.size:
            raise NotVerified(
                f"the event of the receipt must have a number from 1 to {checkpoint.size}, the "
                f"size of its checkpoint; it has {str(number)[:30]!r}"
            )
        leaf = leaf_hash(self.line)
        if not is_included(leaf, number - 1, checkpoint.size, self.proof, checkpoint.root):
            raise NotVerified(
                f"event {number} of the receipt is not in the journal of {checkpoint.origin} with "
                f"{checkpoint.size} events that its checkpoint is about"
            )
        return checkpoint


def _is_hash(value: object) -> bool:
    return isinstance(value, str) and _HASH.fullmatch(value) is not None


def _json_object(content: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(content)
    except (ValueError, RecursionError):
        raise _malformed("it is not JSON") from None
    if not isinstance(fields, dict):
        raise _malformed("expected a JSON object")
    return fields


def _encode(line: str) -> bytes:
    try:
        return line.encode()
    except UnicodeEncodeError:
        raise _malformed("the line has half a character") from None


def _malformed(problem: str) -> NotVerified:
    return NotVerified(f"this is not a receipt: {problem}")
