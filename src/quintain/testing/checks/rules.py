"""Checks of release rules: they leave the release unchanged."""

from __future__ import annotations

from quintain.errors import Faults
from quintain.releases import Rule
from quintain.testing.examples import inputs


def check_rule(part: Rule) -> None:
    """A rule does not change the data that it checks."""
    for data in inputs(part.shapes):
        before = data.digest()
        part.check(data, data, Faults())
        assert data.digest() == before, f"{part.id} changed what it was given"
