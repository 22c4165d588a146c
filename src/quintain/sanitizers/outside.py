"""Outside: what a sanitizer does with cells that a stated schema does not allow, and says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from quintain.data import Data, Learned, Schema, as_table
from quintain.data.learning.input_table import InputTable
from quintain.data.outside import Outside
from quintain.data.plain import plain_schema
from quintain.errors import PartError
from quintain.releases import Method, Release
from quintain.sanitizers.mechanism import DomainSource
from quintain.sanitizers.sanitizer import Sanitizer

METHODS: Mapping[Outside, Method] = {
    "clip": Method(
        name="values outside the schema",
        detail="a value that the schema does not allow is moved by a rule that depends on it and "
        "on the schema alone; a row that belongs to nobody is left out",
    ),
    "refuse": Method(
        name="values outside the schema",
        detail="refused: that there is a release tells that no value was outside, and no claim "
        "covers that",
    ),
}
"""What the card of a release says, whether there are such values or not."""


def choose_outside(
    sanitizer: Sanitizer,
    schema: Schema,
    outside: Outside | None,
    domain: DomainSource | None = None,
) -> Outside:
    """What becomes of such values: by default, a claim of differential privacy moves them.

    >>> import quintain as q
    >>> from quintain.testing import example_table
    >>> schema = example_table().schema
    >>> [choose_outside(q.part(name), schema, None) for name in ("mst", "swapping")]
    ['clip', 'refuse']
    """
    if outside is not None:
        return outside
    if domain == "learned" or sanitizer.refusal(schema.private):
        return "refuse"
    claim = sanitizer.claim_for(plain_schema(schema.private))
    return "refuse" if claim is None else "clip"


def read_private(
    sanitizer: Sanitizer,
    table: InputTable,
    learned: Learned,
    *,
    outside: Outside | None,
    domain: DomainSource | None = None,
    unit: str | None = None,
) -> tuple[Data, Outside]:
    """The private records as a sanitizer wants them, and what became of values outside."""
    chosen = choose_outside(sanitizer, learned.schema, outside, domain)
    data = learned.read(replace(table, outside=chosen))
    if unit is not None and chosen == "refuse" and unit in data.schema:
        require_owners(data, unit)
    return data, chosen


def tell_outside(release: Release, outside: Outside) -> Release:
    """The release, whose card says what became of values outside, if it claims anything."""
    if release.claim is None:
        return release
    return replace(release, methods=(*release.methods, METHODS[outside]))


def require_owners(data: Data, unit: str) -> None:
    """Raise if rows do not say whose they are.

    >>> from quintain.data import Column, Table
    >>> schema = Schema(columns=(Column(name="pid", kind="id", nullable=True),))
    >>> require_owners(Table.of(schema, {"pid": ["a", None]}), "pid")
    Traceback (most recent call last):
    ...
    quintain.errors.PartError: pid is missing in 1 rows, so nobody knows whose they are
    """
    gaps = int((as_table(data).columns[unit].astype(np.str_) == "").sum())
    if gaps:
        raise PartError(f"{unit} is missing in {gaps} rows, so nobody knows whose they are")
