"""Holm's procedure, beside its definition and beside corrections that it must not fall behind."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.measures.holm import adjust_p, sure_differences


def test_holm_stops_at_the_first_comparison_that_could_be_chance():
    """With three comparisons the limits are .05 / 3, .05 / 2 and .05."""
    cell = ("mst", 1.0)
    chances = {(cell, "a"): 0.001, (cell, "b"): 0.03, (cell, "c"): 0.04}
    assert sure_differences(chances) == {(cell, "a")}
    assert len(sure_differences({**chances, (cell, "b"): 0.02})) == 3


def slow_sure_differences(chances, level):
    """Step by step, as Holm (1979) has it."""
    sure, left = set(), dict(chances)
    while left:
        pair = min(left, key=left.__getitem__)
        if not left[pair] * len(left) < level:
            break
        sure.add(pair)
        del left[pair]
    return sure


@given(st.lists(st.floats(0, 1), max_size=8), st.sampled_from([0.01, 0.05, 0.2]))
def test_adjusted_values_say_what_the_steps_say(values, level):
    chances = dict(enumerate(values))
    assert sure_differences(chances, level) == slow_sure_differences(chances, level)
    for number, adjusted in adjust_p(chances).items():
        bonferroni = min(1.0, len(values) * values[number])
        assert values[number] <= adjusted <= bonferroni


def test_adjusted_values_by_hand():
    """Four values are multiplied by 4, 3, 2 and 1; none becomes smaller than one before it."""
    raw = {"a": 0.01, "b": 0.02, "c": 0.03, "d": 0.04}
    assert adjust_p(raw) == pytest.approx({"a": 0.04, "b": 0.06, "c": 0.06, "d": 0.06})
