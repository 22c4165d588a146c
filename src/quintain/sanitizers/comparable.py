"""Comparable: a sanitizer whose releases all have the same columns, for audits that compare runs.

A sanitizer may drop columns, add some, or release values that the data lack, and from run to run
others. An audit compares what records and releases have in common, and says what is left.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from quintain.accounting.split import Split
from quintain.data import Column, Data, Schema, Table, as_table
from quintain.data.arrays import Array
from quintain.data.codec import missing_value
from quintain.randomness.noise import Noise
from quintain.releases import Claim, FocalPoint, Sanitized
from quintain.sanitizers.sanitizer import Sanitizer


def is_comparable(column: Column, released: Schema) -> bool:
    """Whether a release has a column of the data as it was, but for gaps and further values.

    >>> sex = Column(name="sex", kind="category", values=("f", "m"))
    >>> more = sex.model_copy(update={"values": ("f", "m", "other"), "nullable": True})
    >>> is_comparable(sex, Schema(columns=(more,))), is_comparable(more, Schema(columns=(sex,)))
    (True, False)
    """
    if column.name not in released:
        return False
    own = released[column.name]
    changed = {"nullable": own.nullable, "values": own.values}
    begins = own.values[: len(column.values)] == column.values
    return begins and column.model_copy(update=changed) == own


class Comparable(Sanitizer):
    """A sanitizer, of whose releases only some columns of the data are looked at.

    Values that the data lack count as missing, and so does a column that a run does not release.
    Nobody publishes such a release.

    Parameters
    ----------
    sanitizer : what makes the release.
    columns : the columns that are looked at.
    """

    id: ClassVar[str] = "sanitizer/comparable-v0"

    sanitizer: Sanitizer
    columns: tuple[Column, ...]

    @classmethod
    def examples(cls) -> list[Any]:
        """None: it needs a sanitizer."""
        return []

    @property
    def aligned(self) -> bool:  # type: ignore[override]
        """As the sanitizer is."""
        return self.sanitizer.aligned

    def parameters(self) -> dict[str, Any]:
        """Those of the sanitizer."""
        return self.sanitizer.parameters()

    def facts_of_run(self) -> dict[str, Any]:
        """Those of the sanitizer, so that it has the same noise."""
        return self.sanitizer.facts_of_run()

    def require(self, schema: Schema) -> None:
        """Require what the sanitizer requires."""
        self.sanitizer.require(schema)

    def claim_for(self, schema: Schema) -> Claim | None:
        """The claim of the sanitizer."""
        return self.sanitizer.claim_for(schema)

    def split(self, *, measured: bool, rows: int) -> tuple[Split, Sanitizer]:
        """Divide the budget of the sanitizer."""
        return self.sanitizer.split(measured=measured, rows=rows)

    def tells_origins(self) -> bool:
        """Whether the sanitizer does."""
        return self.sanitizer.tells_origins()

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Run the sanitizer, and leave out of its release what nobody can compare."""
        return self.restrict(self.sanitizer.sanitize(data, rng=rng, noise=noise))

    def restrict(self, made: Sanitized) -> Sanitized:
        """A release of the sanitizer with the columns that are looked at."""
        released = _under(as_table(made.release.data), self.columns)
        return replace(made, release=replace(made.release, data=released))

    def choice(self, data: Data, *, noise: Noise) -> tuple[FocalPoint, ...]:
        """What the sanitizer chooses."""
        return self.sanitizer.choice(data, noise=noise)


def _under(release: Table, columns: tuple[Column, ...]) -> Table:
    """A release in these columns alone."""
    kept: list[Column] = []
    contents: dict[str, Array] = {}
    for column in columns:
        missing = missing_value(column)
        if is_comparable(column, release.schema):
            cells = release.columns[column.name]
            if column.listed:
                cells = np.where(cells < len(column.values), cells, missing)
        else:
            cells = np.full(len(release), missing)
        gaps = column.discrete and bool((cells == missing).any())
        kept.append(column.model_copy(update={"nullable": True}) if gaps else column)
        contents[column.name] = cells
    return Table(release.schema.model_copy(update={"columns": tuple(kept)}), contents)
