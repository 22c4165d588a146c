"""Pool: the people of the original and of the control, mixed so that no attack can tell them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.data import Table
from quintain.data.arrays import Mask, Rows
from quintain.samples import Sample


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Records of the original and of the control in random order.

    Attacks get the records alone. Whatever they compute is then independent of who is a member, if
    the release does not depend on it. That makes a test by permuted labels exact.

    Parameters
    ----------
    records : all people, without ids.
    members : secret: which of them are in the original.
    rows : for each record its row in the original or in the control.
    units : for each record the number of its person; None if every record is a person.
    """

    records: Table
    members: Mask
    rows: Rows
    units: Rows | None = None

    @classmethod
    def of(
        cls,
        original: Table,
        control: Table,
        units: Rows | None = None,
        *,
        rng: np.random.Generator,
    ) -> Pool:
        """Mix two tables with the same schema; ``units`` are those of both, one after the other."""
        order = rng.permutation(len(original) + len(control))
        names = original.schema.names
        both = {n: np.concatenate([original.columns[n], control.columns[n]])[order] for n in names}
        rows = np.concatenate([np.arange(len(original)), np.arange(len(control))])[order]
        people = None if units is None else units[order]
        return cls(Table(original.schema, both), order < len(original), rows, people)

    def __len__(self) -> int:
        return len(self.members)

    def sample(self, targets: Rows | None = None) -> Sample:
        """The pool as the sample of a contest: the population is the pool, its members private.

        Parameters
        ----------
        targets : the rows of the pool that attackers are asked about; by default all of them.
        """
        rows = np.arange(len(self)) if targets is None else targets
        inside = np.flatnonzero(self.members)
        private = self.records.take(inside)
        return Sample(self.records, private, rows, np.arange(len(rows)), self.members[rows], inside)
