"""Contests: editions as files that declare their rules, and the built-in editions.

What does not belong here: running anything, and any code that knows one particular contest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quintain.on_demand import on_demand

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

# A journal can be read without the rules.
__getattr__, __dir__ = on_demand(__name__, _PLACES)
