"""Shadow runs: the attacked sanitizer on samples of the attacker's own, to learn its habits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from quintain.attacks.threat import Knowledge
from quintain.data import Data, Table
from quintain.releases import Release, Sanitized, Trace


@dataclass(frozen=True, slots=True, eq=False)
class ShadowRun:
    """What a sanitizer made of a known sample."""

    sample: Data
    made: Sanitized

    @property
    def release(self) -> Release:
        """The shadow release."""
        return self.made.release

    @property
    def trace(self) -> Trace:
        """What the sanitizer remembers of this run."""
        return self.made.trace


def shadow_runs(
    knowledge: Knowledge,
    samples: Iterable[Data],
    *,
    rng: np.random.Generator,
    stop: Callable[[ShadowRun], bool] | None = None,
) -> Iterator[ShadowRun]:
    """Run the attacked sanitizer on samples of one's own, one after another as they are asked for.

    Parameters
    ----------
    samples : the private data of each run.
    stop : looks at each run after it was handed out; no further sample is drawn once it says yes.
    """
    code = knowledge.sanitizer_code()
    for sample in samples:
        run = ShadowRun(sample, code(sample, rng=rng))
        yield run
        if stop is not None and stop(run):
            return


def random_samples(
    base: Table, *, count: int, rows: int, rng: np.random.Generator
) -> Iterator[Table]:
    """Random samples of the base data."""
    for _ in range(count):
        yield base.take(np.sort(rng.choice(len(base), min(rows, len(base)), replace=False)))


def without_ids(table: Table) -> Table:
    """The table as sanitizers see it."""
    return table.select([column.name for column in table.schema.attributes])
