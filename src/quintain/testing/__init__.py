"""Testing: the battery of checks that every part must pass, and small data to run it on."""

from quintain.testing.auditing import assert_audit
from quintain.testing.checks.battery import battery
from quintain.testing.examples import (
    case_of,
    example,
    example_board,
    example_results,
    example_table,
    experiment,
    membership_guess,
    people,
    small_shop,
    unique_people,
)

__all__ = [
    "assert_audit",
    "battery",
    "case_of",
    "example",
    "example_board",
    "example_results",
    "example_table",
    "experiment",
    "membership_guess",
    "people",
    "small_shop",
    "unique_people",
]
