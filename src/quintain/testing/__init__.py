"""Testing: the battery of checks every part must pass, and small data to run it on."""

from quintain.testing.checks.battery import battery
from quintain.testing.examples import example, example_table, people

__all__ = ["battery", "example", "example_table", "people"]
