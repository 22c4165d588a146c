"""Known columns: what an attacker knows of a target before looking at a release."""

from __future__ import annotations

from quintain.data import Schema
from quintain.errors import PartError


def known_columns(
    part: str, schema: Schema, names: tuple[str, ...] | None, hidden: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """The named columns, or all attributes that are not hidden; refuse what is not there.

    >>> from quintain.testing.examples import TABLE
    >>> known_columns("goal", TABLE, None, hidden=("size",))
    ('colour', 'flag')
    >>> known_columns("goal", TABLE, ("home",))
    Traceback (most recent call last):
    ...
    quintain.errors.PartError: goal: attackers cannot know 'home'; available: colour, size, flag
    """
    attributes = [column.name for column in schema.attributes if column.name not in hidden]
    if names is None:
        if not attributes:
            raise PartError(f"{part}: no column is left that attackers can know")
        return tuple(attributes)
    for name in names:
        if name not in attributes:
            available = ", ".join(attributes)
            raise PartError(f"{part}: attackers cannot know {name!r}; available: {available}")
    return names
