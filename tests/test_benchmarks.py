"""Benchmarks: each can be started by its name, and says how."""

import ast

import pytest
from benchmarks.run import HERE, SLOW, names


@pytest.mark.parametrize("name", names())
def test_a_benchmark_says_how_to_start_it(name):
    path = HERE.joinpath(*name.split(".")).with_suffix(".py")
    assert f"python -m benchmarks.{name}" in ast.get_docstring(ast.parse(path.read_text()))


def test_slow_benchmarks_are_benchmarks():
    assert set(names()) >= SLOW
