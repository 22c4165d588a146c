"""Finds: which records an attacker found in an entry, as one bit per record.

A reading says how many people an attacker found, and two attackers with equal readings may have
found different people. A rule that looks at single records needs to know which.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from quintain.data.arrays import Ints, Mask

_COUNT_BYTES = 8


def pack_finds(records: Mask) -> bytes:
    """The number of records, then one bit for each: whether it was found.

    >>> pack_finds(np.array([True, False, True])).hex()
    '0300000000000000a0'
    """
    return len(records).to_bytes(_COUNT_BYTES, "little") + np.packbits(records).tobytes()


def unpack_finds(content: bytes) -> Mask:
    """What :func:`pack_finds` packed.

    >>> unpack_finds(bytes.fromhex("0300000000000000a0")).tolist()
    [True, False, True]
    """
    count = int.from_bytes(content[:_COUNT_BYTES], "little")
    bits = np.frombuffer(content, np.uint8, offset=_COUNT_BYTES)
    records: Mask = np.unpackbits(bits, count=count).astype(np.bool_)
    return records


@dataclass(frozen=True)
class EntryFinds:
    """The records of one entry that each attacker found.

    Parameters
    ----------
    by_attacker : for each attacker, whether each record was found; in one order of records.
    """

    by_attacker: Mapping[str, Mask] = field(default_factory=dict)

    @cached_property
    def attackers_per_record(self) -> Ints:
        """How many attackers found each record."""
        masks = list(self.by_attacker.values())
        counts: Ints = np.sum(masks, axis=0, dtype=np.int64) if masks else np.zeros(0, np.int64)
        return counts

    def without(self, attacker: str | None) -> Ints:
        """How many attackers other than this one found each record."""
        own = self.by_attacker.get(attacker or "")
        return self.attackers_per_record if own is None else self.attackers_per_record - own
