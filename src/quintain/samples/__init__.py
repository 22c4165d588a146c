"""Stage 2, samples: from a population to the private records a sanitizer is given.

A sample holds a secret: who is in it. What does not belong here: how the secret is asked about
(that is a goal, in ``guesses``).
"""

from __future__ import annotations

from typing import Any

from quintain.builtin import part_class, part_classes
from quintain.samples.sample import Design, Sample

__all__ = ["Design", "Sample"]


def __getattr__(name: str) -> Any:
    """Built-in parts by class name, imported when they are first used."""
    return part_class(__name__, name)


def __dir__() -> list[str]:
    return sorted([*__all__, *part_classes(__name__)])
