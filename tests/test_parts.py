"""The battery of checks, on every registered part."""

import pytest

from quintain import registry
from quintain.measures import GuessMeasure
from quintain.registry import Part
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


@pytest.mark.parametrize("family", registry.families())
def test_every_family_is_checked_for_more_than_names_and_parameters(family):
    (cls, *_) = (cls for cls in registry.parts(family) if cls.examples())
    part = cls.examples()[0]
    every = {check for _, check in battery(_Plain)}
    assert {check for one, check in battery(type(part))} > every


@pytest.mark.parametrize("goal", list(registry.parts("goal")), ids=lambda goal: goal.id)
def test_every_goal_has_a_measure_that_reads_it(goal):
    measures = [m for m in registry.parts("measure") if issubclass(m, GuessMeasure)]
    readable = any(issubclass(goal, measure.reads_goal) for measure in measures)
    assert readable != goal.asks_nothing


def test_every_built_in_part_has_an_executed_example_in_its_docstring():
    missing = [
        cls.id
        for family in registry.families()
        for cls in registry.parts(family)
        if cls.__module__.startswith("quintain.") and ">>>" not in (cls.__dict__["__doc__"] or "")
    ]
    assert not missing, "\n".join(["no example (>>>) in the docstring of:", *missing])


class _Plain(Part):
    """A part of no family."""
