"""Stage 4, releases: sanitized data, the privacy claimed for them, and the rules they keep.

Sanitizers make releases, so sanitizers import this package. How a release is made belongs to
``sanitizers``, and how good it is to ``measures``.
"""

from __future__ import annotations

from typing import Any

from quintain.builtin import part_class, part_classes
from quintain.releases.claims import Claim, ClaimedModel
from quintain.releases.numbered import NumberedRelease
from quintain.releases.publication import Publication, publication, publish
from quintain.releases.release import Method, Release, ReleaseCard
from quintain.releases.rule import Rule
from quintain.releases.sanitized import FocalPoint, Sanitized, Trace, origins_through

__all__ = [
    "Claim",
    "ClaimedModel",
    "FocalPoint",
    "Method",
    "NumberedRelease",
    "Publication",
    "Release",
    "ReleaseCard",
    "Rule",
    "Sanitized",
    "Trace",
    "origins_through",
    "publication",
    "publish",
]


def __getattr__(name: str) -> Any:
    """Import a built-in part by its class name when it is first used."""
    return part_class(__name__, name)


def __dir__() -> list[str]:
    return sorted([*__all__, *part_classes(__name__)])
