"""Benchmarks: each can be started by its name, and says how."""

import ast

import pytest
from benchmarks.bench.holm import sure_differences
from benchmarks.run import HERE, SLOW, names


@pytest.mark.parametrize("name", names())
def test_a_benchmark_says_how_to_start_it(name):
    path = HERE.joinpath(*name.split(".")).with_suffix(".py")
    assert f"python -m benchmarks.{name}" in ast.get_docstring(ast.parse(path.read_text()))


def test_slow_benchmarks_are_benchmarks():
    assert set(names()) >= SLOW


def test_holm_stops_at_the_first_comparison_that_could_be_chance():
    """With three comparisons the limits are .05 / 3, .05 / 2 and .05."""
    cell = ("mst", 1.0)
    chances = {(cell, "a"): 0.001, (cell, "b"): 0.03, (cell, "c"): 0.04}
    assert sure_differences(chances) == {(cell, "a")}
    assert len(sure_differences({**chances, (cell, "b"): 0.02})) == 3
