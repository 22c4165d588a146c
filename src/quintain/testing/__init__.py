"""Testing: the battery of checks that every part must pass, and small data to run it on."""

from quintain.testing.auditing import assert_audit
from quintain.testing.cases import case_of, membership_guess
from quintain.testing.checks.battery import battery
from quintain.testing.examples import (
    example,
    example_table,
    experiment,
    people,
    small_shop,
    unique_people,
)
from quintain.testing.results import example_board, example_results

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
