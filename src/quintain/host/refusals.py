"""Refusals: why a service does not do what people want; each has the status of its answer."""

from __future__ import annotations

from quintain.errors import Refused


class BadInput(Refused):
    """A name, a text or a number that cannot be used; another one would do."""

    status = 422


class Conflict(Refused):
    """Something else is there already, or in the way."""

    status = 409
