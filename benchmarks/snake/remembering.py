"""Remembering: a sanitizer's code that does not repeat a shadow run.

All attacks of the benchmark start from the same seed, so some of them make the same shadow runs.
With a slow sanitizer these take nearly all of the time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from quintain.attacks.threat import SanitizerCode
from quintain.commitment import sha256
from quintain.data import Data
from quintain.data.arrays import array_bytes
from quintain.releases import FocalPoint, Sanitized

T = TypeVar("T")


class Remembering:
    """Runs the code of a sanitizer, or gives the result of the same run before.

    ``saved`` has the CPU seconds of the runs that were not repeated, so that each attack can be
    charged for them.
    """

    def __init__(self, code: SanitizerCode) -> None:
        self.code, self.saved = code, 0.0
        self._done: dict[str, tuple[Any, float]] = {}

    def __call__(self, data: Data, *, rng: np.random.Generator) -> Sanitized:
        """Make a shadow release; afterwards ``rng`` stands where a real run leaves it."""

        def run() -> tuple[Sanitized, Mapping[str, Any]]:
            return self.code(data, rng=rng), rng.bit_generator.state

        made, after = self._once(f"run {rng.bit_generator.state} {_digest(data)}", run)
        rng.bit_generator.state = after
        return made

    def structure(self, data: Data) -> tuple[FocalPoint, ...]:
        """What the sanitizer would choose on these data."""
        return self._once(f"structure {_digest(data)}", lambda: self.code.structure(data))

    def _once(self, key: str, run: Callable[[], T]) -> T:
        if key in self._done:
            result, seconds = self._done[key]
            self.saved += seconds
            return result  # type: ignore[no-any-return]
        begin = time.process_time()
        made = run()
        self._done[key] = made, time.process_time() - begin
        return made


def _digest(data: Data) -> str:
    return sha256(b"".join(array_bytes(column) for column in data.columns.values()))
