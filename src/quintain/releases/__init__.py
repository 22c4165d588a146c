"""Stage 4, releases: sanitized data, the privacy claimed for them, and the rules they keep.

Sanitizers make releases, so sanitizers import this package. How a release is made belongs to
``sanitizers``, and how good it is to ``measures``.
"""

from __future__ import annotations

from quintain.builtin import offer_parts
from quintain.releases.numbered import NumberedRelease
from quintain.releases.release import (
    Claim,
    ClaimedKinds,
    ClaimedModel,
    Method,
    Release,
    ReleaseCard,
    make_claim,
)
from quintain.releases.rule import Rule
from quintain.releases.sanitized import (
    FocalPoint,
    Publication,
    Sanitized,
    Trace,
    origins_through,
    publication,
    publish,
)

__all__ = [
    "Claim",
    "ClaimedKinds",
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
    "make_claim",
    "origins_through",
    "publication",
    "publish",
]

__getattr__, __dir__ = offer_parts(__name__, __all__)
