"""Stage 3, sanitizers: one algorithm per file, private data in, release and trace out.

What does not belong here: any knowledge of attacks, of truths or of scores. Sanitizers and
attacks never import each other.
"""

from __future__ import annotations

from typing import Any

from quintain.builtin import part_class, part_classes
from quintain.sanitizers.sanitizer import Sanitizer, sanitize

__all__ = ["Sanitizer", "sanitize"]


def __getattr__(name: str) -> Any:
    """Import a built-in part by its class name when it is first used."""
    return part_class(__name__, name)


def __dir__() -> list[str]:
    return sorted([*__all__, *part_classes(__name__)])
