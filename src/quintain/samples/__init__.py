"""Stage 2, samples: draw the private records that a sanitizer gets from a population.

A sample has a secret: who is in it. The question that attackers answer about this secret is a
goal and belongs to ``guesses``.
"""

from __future__ import annotations

from typing import Any

from quintain.builtin import part_class, part_classes
from quintain.samples.sample import Design, Sample

__all__ = ["Design", "Sample"]


def __getattr__(name: str) -> Any:
    """Import a built-in part by its class name when it is first used."""
    return part_class(__name__, name)


def __dir__() -> list[str]:
    return sorted([*__all__, *part_classes(__name__)])
