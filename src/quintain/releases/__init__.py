"""Stage 4, releases: sanitized data, what is claimed of them, and which rules they keep.

Sanitizers make releases, so this noun stands below that verb in the imports. What does not
belong here: how a release was made, and how good it is (a measure).
"""

from __future__ import annotations

from typing import Any

from quintain.builtin import part_class, part_classes
from quintain.releases.publication import publish
from quintain.releases.release import Claim, Method, Release, ReleaseCard
from quintain.releases.rule import Rule
from quintain.releases.sanitized import FocalPoint, Sanitized, Trace

__all__ = [
    "Claim",
    "FocalPoint",
    "Method",
    "Release",
    "ReleaseCard",
    "Rule",
    "Sanitized",
    "Trace",
    "publish",
]


def __getattr__(name: str) -> Any:
    """Built-in parts by class name, imported when they are first used."""
    return part_class(__name__, name)


def __dir__() -> list[str]:
    return sorted([*__all__, *part_classes(__name__)])
