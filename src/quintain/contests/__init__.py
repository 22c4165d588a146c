"""Contests: editions as files that declare their rules, and the built-in editions.

What does not belong here: running anything, and any code that knows one particular contest.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quintain.contests.edition import Baseline, Edition, Population, Team, Track
    from quintain.contests.feedback import Feedback
    from quintain.contests.loading.load import builtin_names, load
    from quintain.contests.submitting import Phase

_PLACES = {
    "Baseline": "edition",
    "Edition": "edition",
    "Feedback": "feedback",
    "Phase": "submitting",
    "Population": "edition",
    "Team": "edition",
    "Track": "edition",
    "builtin_names": "loading.load",
    "load": "loading.load",
}

__all__ = [
    "Baseline",
    "Edition",
    "Feedback",
    "Phase",
    "Population",
    "Team",
    "Track",
    "builtin_names",
    "load",
]


def __getattr__(name: str) -> Any:
    """Load a name when it is first used: a journal can be read without the rules."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
    globals()[name] = value  # the next use need not come here
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
