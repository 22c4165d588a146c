"""The graph of jobs: what is ready starts, whatever the slowest job of its stage does."""

import time

import pytest

from quintain.jobs.executor import SERIAL, Executor
from quintain.jobs.graph import Ready
from quintain.jobs.job import Job, run_jobs


def first_letter(name):
    return name[0]


# --- the order ------------------------------------------------------------------------------------


def test_every_kind_is_tried_before_any_is_repeated():
    ready = Ready(2, kind=first_letter)
    ready.add(["a1", "a2", "b1", "c1"])
    assert [ready.take() for _ in range(3)] == [["a1"], ["b1"], ["c1"]]


def test_the_longest_kind_comes_first():
    ready = Ready(2, kind=first_letter)
    ready.add(["a1", "b1", "a2", "b2"])
    ready.take(), ready.take()
    ready.took("a1", 1)
    ready.took("b1", 2)
    assert [ready.take(), ready.take()] == [["b2"], ["a2"]]


def test_small_pieces_go_together_and_long_ones_do_not():
    ready = Ready(2, kind=first_letter)
    ready.add([f"a{i}" for i in range(100)])
    ready.take()
    ready.took("a0", 0.01)
    assert len(ready.take()) == 99 // 8
    ready.took("a1", 30)
    assert len(ready.take()) == 1


def test_without_kinds_nothing_goes_together():
    ready = Ready(1)
    ready.add(range(50))
    ready.take()
    ready.took(0, 0.001)
    assert ready.take() == [1]


def test_every_piece_is_taken_once():
    ready = Ready(3, kind=first_letter)
    pieces = [f"{letter}{i}" for letter in "abc" for i in range(40)]
    ready.add(pieces)
    taken = []
    while ready:
        batch = ready.take()
        taken += batch
        for piece in batch:
            ready.took(piece, 0.001)
    assert sorted(taken) == sorted(pieces)


# --- what follows ---------------------------------------------------------------------------------


def halve(number):
    return number // 2


def rest(number):
    return [number] if number else []


@pytest.mark.parametrize("executor", [SERIAL, Executor(2)], ids=["alone", "workers"])
def test_what_follows_from_a_result_is_done_too(executor):
    done = list(executor.run(halve, [8, 3], then=rest, kind=str))
    assert sorted(done) == [0, 0, 1, 1, 2, 4]


def touch_or_wait(path):
    """Make a file; the slow item waits for the last one of another chain."""
    if path.name == "slow":
        end = time.monotonic() + 300
        while not (path.parent / "last").exists() and time.monotonic() < end:
            time.sleep(0.01)
        assert (path.parent / "last").exists()
    path.touch()
    return path


def test_nobody_waits_for_the_slowest_of_a_stage(tmp_path):
    after = {"quick": "next", "next": "last"}

    def then(path):
        return [tmp_path / after[path.name]] if path.name in after else []

    first = [tmp_path / "slow", tmp_path / "quick"]
    done = [path.name for path in Executor(2).run(touch_or_wait, first, then=then)]
    assert done == ["quick", "next", "last", "slow"]


@pytest.mark.slow
def test_a_cluster_takes_the_graph_as_well(cluster):
    executor = Executor(cluster=cluster.scheduler_address)
    assert sorted(executor.run(halve, [8, 3], then=rest, kind=str)) == [0, 0, 1, 1, 2, 4]


def write_name(root, name):
    return {f"out/{name}": name.encode()}


def job(name):
    return Job.of(name, write_name, (name,), "key")


def after_a(of):
    return [job("b1"), job("b2")] if of.name == "a" else []


def run(root, executor=SERIAL):
    jobs = [job("a")]
    return run_jobs(root, jobs, stamps="s", executor=executor, label="w", then=after_a)


@pytest.mark.parametrize("executor", [SERIAL, Executor(2)], ids=["alone", "workers"])
def test_jobs_that_follow_run_and_are_counted(tmp_path, executor):
    assert run(tmp_path, executor) == 3
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a", "b1", "b2"]


def test_what_follows_from_a_finished_job_is_done_if_it_is_missing(tmp_path):
    run(tmp_path)
    (tmp_path / "out/b2").unlink()
    assert run(tmp_path) == 1
    assert run(tmp_path) == 0
