"""A job that crashes says in one sentence which job it was, what happened and where."""

import pickle
from pathlib import Path

import pytest

from quintain.errors import DataError, Fault, JobFailed
from quintain.jobs.executor import Executor
from quintain.jobs.job import Job, explain_crash, run_jobs


def crash(root, key):
    return {key: {}[key]}


def refuse(root, key):
    raise DataError([Fault("is no number", "a.csv", 3, "age", key)])


@pytest.mark.parametrize("workers", [1, 2])
def test_a_crash_names_the_job_the_place_and_the_file_with_the_traceback(tmp_path, workers):
    jobs = [Job.of(f"attack/main/mine/task{i}", crash, ("gone",), f"key{i}") for i in range(2)]
    with pytest.raises(JobFailed) as caught:
        run_jobs(tmp_path, jobs, stamps="stamps", executor=Executor(workers), label="attacks")
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert "attack/main/mine/task" in sentence
    assert "failed: KeyError: 'gone' (test_failure.py, line 14)" in sentence
    (path,) = {word for word in sentence.split() if word.endswith(".txt")}
    assert "return {key: {}[key]}" in Path(path).read_text()
    assert "return {key: {}[key]}" in caught.value.traceback


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_that_is_a_sentence_passes_unchanged(tmp_path, workers):
    jobs = [Job.of(f"data{i}", refuse, ("x",), f"key{i}") for i in range(2)]
    with pytest.raises(DataError, match=r"^a\.csv:3 age='x': is no number$"):
        run_jobs(tmp_path, jobs, stamps="stamps", executor=Executor(workers), label="data")


def test_only_the_first_line_of_a_reason_is_shown():
    with pytest.raises(JobFailed) as caught, explain_crash("attack/main/mine/task"):
        raise ValueError("first\nsecond")
    assert str(caught.value).startswith("attack/main/mine/task failed: ValueError: first (")
    assert "second" in caught.value.traceback


def test_a_failure_crosses_the_border_between_processes():
    error = pickle.loads(pickle.dumps(JobFailed("a failed", "the traceback")))
    assert (str(error), error.traceback) == ("a failed", "the traceback")
