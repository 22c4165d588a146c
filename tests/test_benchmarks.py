"""Benchmarks: each can be started by its name, and says how."""

import ast

import pytest
from benchmarks.bench.kept import keep_line, kept_lines
from benchmarks.bench.means import mean_and_error, mean_and_reach
from benchmarks.run import HERE, SLOW, names


@pytest.mark.parametrize("name", names())
def test_a_benchmark_says_how_to_start_it(name):
    path = HERE.joinpath(*name.split(".")).with_suffix(".py")
    assert f"python -m benchmarks.{name}" in ast.get_docstring(ast.parse(path.read_text()))


def test_slow_benchmarks_are_benchmarks():
    assert set(names()) >= SLOW


def test_half_a_line_of_a_killed_run_is_left_out_and_stays_alone(tmp_path):
    path = tmp_path / "results" / "runs.jsonl"
    keep_line(path, {"draw": 0})
    with path.open("a") as file:
        file.write('{"draw": 1, "val')
    keep_line(path, {"draw": 2})
    assert kept_lines(path) == [{"draw": 0}, {"draw": 2}]


def test_means_have_standard_errors_or_intervals_of_t():
    assert mean_and_error([1.0, 2.0, 3.0], 2) == "2.00 ± 0.58"
    assert mean_and_error([0.5], sign="+") == "+0.500"
    assert mean_and_reach([1.0, 2.0, 3.0], 2) == "2.00 ± 2.48"
