"""Foreign column: what another tool says about a column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from quintain.data.schema import Kind
from quintain.errors import Faults

DAY, SECOND = "%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True, slots=True)
class ForeignColumn:
    """A column as another tool describes it.

    Parameters
    ----------
    values : the categories; empty if the description does not list them.
    low, high : the bounds of a number, as far as they are given.
    required : whether a value must not be missing.
    time_format : how times are written; empty if the description does not say it.
    """

    name: str
    kind: Kind
    values: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    required: bool = False
    role: str = ""
    time_format: str = ""


def kind_of(name: str, written: object, kinds: Mapping[str, Kind], faults: Faults) -> Kind | None:
    """Our kind for the type of another tool; an unknown type is a fault."""
    kind = kinds.get(str(written))
    if kind is None:
        available = ", ".join(sorted(kinds))
        message = f"unknown kind of column; available: {available}"
        faults.add(message, column=name, got=str(written))
    return kind
