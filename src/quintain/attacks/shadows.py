"""Shadow runs: an attacker runs the sanitizer on other samples to learn what it does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from quintain.attacks.threat import Knowledge
from quintain.data import Data, Table, as_table
from quintain.releases import Release, Sanitized, Trace


@dataclass(frozen=True, slots=True, eq=False)
class ShadowRun:
    """A sample that the attacker knows, and what the sanitizer made of it."""

    sample: Data
    made: Sanitized

    @property
    def release(self) -> Release:
        """The release that the attacker made."""
        return self.made.release

    @property
    def trace(self) -> Trace:
        """What the sanitizer remembers of this run."""
        return self.made.trace

    def encoded(self, encode: Callable[[Table], Table]) -> ShadowRun:
        """The same run with numbers cut into bins, in the sample and in the release."""
        release = replace(self.release, data=encode(as_table(self.release.data)))
        return ShadowRun(encode(as_table(self.sample)), Sanitized(release, self.trace))


def shadow_runs(
    knowledge: Knowledge,
    samples: Iterable[Data],
    *,
    rng: np.random.Generator,
) -> Iterator[ShadowRun]:
    """Run the attacked sanitizer on known samples, each one only when the caller needs it.

    Parameters
    ----------
    samples : the private data of each run.
    """
    code = knowledge.sanitizer_code()
    for sample in samples:
        yield ShadowRun(sample, code(sample, rng=rng))


def random_samples(
    base: Table, *, count: int, rows: int, rng: np.random.Generator
) -> Iterator[Table]:
    """Draw random samples of the base data, each with up to ``rows`` records."""
    for _ in range(count):
        yield base.take(np.sort(rng.choice(len(base), min(rows, len(base)), replace=False)))


def without_ids(table: Table) -> Table:
    """Drop the id columns, which sanitizers never see."""
    return table.select([column.name for column in table.schema.attributes])
