"""Whispers: whether one program can leave bits on the machine that the next one reads.

Pairs of programs try: one gets 300 random bits, the other says what they were. Guessing gives 150.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from quintain.programs.escape.calls import Speaker
from quintain.programs.limits import CallLimits
from quintain.programs.sandbox.provider import Sandbox

BITS = 300
MOST = 190
"""With more bits right, or more wrong, than this a pair counts as heard: by luck, 1 in 400,000."""
_LIMITS = CallLimits(seconds=600, memory_gib=0.5)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two programs that try to whisper.

    Parameters
    ----------
    title : what they use, in words.
    writer, reader : functions of the module with the attacks.
    size : how many bits one turn can leave.
    first : with which file they begin, if they use files.
    together : whether both run at the same time.
    """

    title: str
    writer: str
    reader: str
    size: int = BITS
    first: int = 0
    together: bool = False


PAIRS = {
    "reads": Pair("the time of reads", "read_some_pages", "time_pages"),
    "blocks": Pair("blocks read and major faults", "read_some_pages", "count_blocks", first=BITS),
    "names": Pair("the time to miss names", "look_for_names", "time_names"),
    "sockets": Pair("numbers of sockets", "count_sockets", "read_sockets", size=15),
    "counters": Pair("counters in /proc/vmstat", "free_pages", "read_counts", size=10),
    "locks": Pair("locks on files", "hold_locks", "read_locks", together=True),
}
"""Every pair by its name."""


@dataclass(frozen=True, slots=True)
class Whisper:
    """What a reader understood: how many of 300 bits are right."""

    pair: str
    right: int

    @property
    def heard(self) -> bool:
        """Whether this is more than guessing; bits that are all wrong say as much.

        >>> Whisper("names", 190).heard, Whisper("names", 191).heard, Whisper("names", 9).heard
        (False, True, True)
        """
        return max(self.right, BITS - self.right) > MOST


def listen(sandbox: Sandbox, rng: np.random.Generator) -> Iterator[Whisper]:
    """Let every pair try in a sandbox: all writers share one call, and all readers another one.

    The first call is alive while the second listens, which makes it no harder to hear something.
    """
    writer, reader = (Speaker(sandbox, "attacks.whispers.take_turns", _LIMITS) for _ in range(2))
    try:
        for name, pair in PAIRS.items():
            message = _coins(rng, BITS)
            heard = _hear(writer, reader, pair, message, token=_coins(rng, 64))
            heard += _coins(rng, BITS - len(heard))  # what cannot be read is guessed
            yield Whisper(name, sum(a == b for a, b in zip(message, heard, strict=True)))
    finally:
        writer.close()
        reader.close()


def _coins(rng: np.random.Generator, size: int) -> str:
    return "".join(map(str, rng.integers(0, 2, size)))


def _hear(writer: Speaker, reader: Speaker, pair: Pair, message: str, token: str) -> str:
    """The bits that the reader returns, up to the first turn in which it cannot look."""
    heard = ""
    for start in range(0, BITS, pair.size):
        bits = message[start : start + pair.size]
        given: dict[str, str | int] = {
            "first": pair.first,
            "token": f"{token}-{start}",
            "size": len(bits),
        }
        with ThreadPoolExecutor() as pool:
            writing = pool.submit(writer.say, pair.writer, {**given, "bits": bits})
            if not pair.together:
                writing.result()
            part = reader.say(pair.reader, given)
        if len(part) != len(bits):
            break
        heard += part
    return heard
