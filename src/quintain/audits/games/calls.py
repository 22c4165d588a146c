"""Calls: a sanitizer as its user calls it, from the cells to everything that is published."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from quintain.audits.games.published import PublishedCall
from quintain.audits.games.records import Records
from quintain.data import Data, Schema
from quintain.errors import QuintainError
from quintain.randomness.noise import Noise
from quintain.samples.sample import private_part
from quintain.sanitizers import Sanitizer, sanitize
from quintain.sanitizers.adapters.adapter import Adapter, reads_cells, with_cells
from quintain.sanitizers.mechanism import (
    DomainSource,
    choose_mechanism,
    tell_lost_columns,
)


@dataclass(frozen=True, slots=True)
class ReadyCall:
    """A call that has read its data; only noise and chance are missing.

    Parameters
    ----------
    part : the sanitizer with its step before; None if the call was refused.
    says : what the user is told before the sanitizer runs; the refusal, if it was refused.
    """

    part: Sanitizer | None
    data: Data | None
    says: tuple[str, ...]

    def publish(self, *, rng: np.random.Generator, noise: Noise) -> PublishedCall:
        """Run the sanitizer; what its user sees."""
        if self.part is None or self.data is None:
            return PublishedCall(None, self.says)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                release = sanitize(self.part, self.data, rng=rng, noise=noise).release
            except QuintainError as refusal:
                return PublishedCall(None, (*self.says, f"refused: {refusal}"))
        lost = tell_lost_columns(self.part, release.data)
        also = [*(str(one.message) for one in caught), *([lost] if lost else [])]
        return PublishedCall(release, (*self.says, *also))


@dataclass(frozen=True)
class PlayedCall:
    """A call of a sanitizer, before anybody has read the data.

    Parameters
    ----------
    domain : where domains come from, as the user says it; None if they say nothing.
    """

    sanitizer: Sanitizer
    domain: DomainSource | None = None

    def ready(self, records: Records) -> ReadyCall:
        """Read the records and choose the mechanism, as a call does; chance plays no part in it."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                part, data, says = self._read(records)
            except QuintainError as refusal:
                return ReadyCall(None, None, (f"refused: {refusal}",))
        return ReadyCall(part, data, (*says, *(str(one.message) for one in caught)))

    def _read(self, records: Records) -> tuple[Sanitizer, Data, tuple[str, ...]]:
        read = records.read()
        data = private_part(read.data, np.arange(len(read.data)))
        data = with_cells(self.sanitizer, data, records.cells)
        adapts = isinstance(self.sanitizer, Adapter)  # which learns domains of its own
        called = self.sanitizer
        if adapts:  # it publishes cells, and no domain that we learned from private records
            called = called.model_copy(update={"own_columns": True})
        part = choose_mechanism(
            called,
            data.schema,
            learned=() if adapts else read.unstated,
            kinds_stated=read.kinds_stated,
            domain=self.domain,
        )
        return part, data, () if reads_cells(self.sanitizer) else read.says


def same_kinds(one: ReadyCall, other: ReadyCall) -> bool:
    """Whether two data sets have the same tables, columns and kinds.

    A claim about kinds "as in the data" compares only such data.
    """
    if one.data is None or other.data is None:
        return False
    return _kinds(one.data.schema) == _kinds(other.data.schema)


def _kinds(schema: Schema) -> list[tuple[str, str, bool, str]]:
    return [(c.name, c.kind, c.ordered, c.time_format) for c in schema.columns]
