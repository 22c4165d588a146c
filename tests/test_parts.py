"""The battery of checks, on every registered part."""

import pytest

from quintain import registry
from quintain.testing import battery

CASES = [
    pytest.param(part, check, id=f"{part.id}:{number}:{check.__name__}")
    for family in registry.families()
    for cls in registry.parts(family)
    for number, (part, check) in enumerate(battery(cls))
]


@pytest.mark.parametrize(("part", "check"), CASES)
def test_every_part_passes_the_battery(part, check):
    check(part)


def test_every_family_has_parts():
    expected = {"attack", "goal", "measure", "ranking", "rule", "sample", "sanitizer", "source"}
    assert expected <= set(registry.families())
