"""Quintain: privacy contests and audits of sanitized data.

The folders stand for the stages of a contest, in this order::

    data -> samples -> sanitizers -> releases -> attacks -> guesses -> measures -> rankings

In a notebook ``quintain.sanitize``, ``quintain.attack``, ``quintain.measure``, ``quintain.audit``
and ``quintain.compare`` take data frames.
``contests`` describes editions, ``runs`` plays them, ``kit`` packs what participants need, ``cli``
is the command line, and ``testing`` checks parts, including your own.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

PUBLIC = {
    "Attack": "attacks",
    "Claim": "releases",
    "Column": "data",
    "Design": "samples",
    "Edition": "contests",
    "Goal": "guesses",
    "Guess": "guesses",
    "GuessMeasure": "measures",
    "Knowledge": "attacks",
    "Noise": "randomness.noise",
    "RankingRule": "rankings",
    "Reading": "measures",
    "Release": "releases",
    "ReleaseMeasure": "measures",
    "Sample": "samples",
    "Sanitizer": "sanitizers",
    "Schema": "data",
    "SeedTree": "randomness.seeds",
    "Series": "data",
    "Shape": "data",
    "Table": "data",
    "Transactions": "data",
    "attack": "api",
    "audit": "api",
    "audit_accounting": "api",
    "audit_everybody": "api",
    "audit_sanitizer": "api",
    "compare": "api",
    "decimal_mark": "data",
    "from_frame": "data",
    "learn_schema": "api",
    "load": "contests",
    "measure": "api",
    "part": "api",
    "parts": "api",
    "read": "data",
    "register": "registry",
    "sanitize": "api",
    "write": "data",
}
"""The package of each public name."""

ROOMS = (
    "attacks",
    "contests",
    "data",
    "guesses",
    "measures",
    "rankings",
    "releases",
    "samples",
    "sanitizers",
)
"""The stages whose names users write, such as ``quintain.attacks.Nearest``."""

__all__ = ["__version__", *PUBLIC]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that ``import quintain`` is quick."""
    if name in PUBLIC:
        return getattr(import_module(f"quintain.{PUBLIC[name]}"), name)
    if name in ROOMS:
        return import_module(f"quintain.{name}")
    raise AttributeError(f"module 'quintain' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *ROOMS])
