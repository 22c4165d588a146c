"""Bounds: attacks that scale differences by a column's range refuse columns without one."""

from __future__ import annotations

from quintain.attacks.attack import Attack
from quintain.data import Schema
from quintain.errors import PartError

_ADVICE = {
    "give low and high for {} in the schema": ("integer", "real"),
    "replace the times of {} by classes such as months": ("time",),
}


def require_bounds(attack: Attack, schema: Schema) -> None:
    """Refuse numbers and times without bounds, and say what to do about each of them."""
    unbounded = [c for c in schema.attributes if c.kind != "category" and None in (c.low, c.high)]
    advice = [
        words.format(", ".join(names))
        for words, kinds in _ADVICE.items()
        if (names := [column.name for column in unbounded if column.kind in kinds])
    ]
    if advice:
        raise PartError(f"{attack.id} needs bounds for every number: {'; '.join(advice)}")
