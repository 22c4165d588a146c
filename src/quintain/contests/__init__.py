"""Contests: editions as files that declare their rules, and the built-in editions.

What does not belong here: running anything, and any code that knows one particular contest.
"""

from quintain.contests.edition import Baseline, Edition, Population, Team, Track
from quintain.contests.feedback import Feedback
from quintain.contests.load import builtin_names, load
from quintain.contests.submitting import Phase

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
