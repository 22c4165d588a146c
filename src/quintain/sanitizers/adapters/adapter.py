"""Adapter: what sanitizers of other makers have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from quintain.data import Data, Table, as_table
from quintain.noise import Noise
from quintain.releases import Method, Release, Sanitized, Trace
from quintain.sanitizers.adapters.coercion import coerced
from quintain.sanitizers.sanitizer import Sanitizer


class Adapter(Sanitizer):
    """A sanitizer that somebody else wrote; we see what it makes, and nothing of how.

    Its noise is its own. We can give it a seed, but nothing proves that its noise protects anybody,
    so a release of an adapter claims nothing.
    """

    label: ClassVar[str] = "sanitizer of another maker"

    @classmethod
    def examples(cls) -> list[Any]:
        """None: an adapter needs something to adapt."""
        return []

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Run it, and put what it made under the schema of the data."""
        table = as_table(data)
        arrow = self.run(table, seed=int(rng.integers(2**32)))
        released, remarks = coerced(arrow, table.schema, self.label)
        detail = "; ".join([self.describe(), *remarks])
        method = Method(name="sanitizer of another maker", detail=detail)
        return Sanitized(Release(released, methods=(method,)), Trace())

    @abstractmethod
    def run(self, table: Table, *, seed: int) -> pa.Table:
        """What it makes of a table."""

    @abstractmethod
    def describe(self) -> str:
        """What is adapted, in words."""

    def parameters(self) -> dict[str, Any]:
        """What is adapted, in words: a live object cannot be written to a file."""
        return {"adapts": self.describe()}
