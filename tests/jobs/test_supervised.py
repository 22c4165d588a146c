"""Supervised programs: they end with their caller, with everything that they started."""

import os
import sys
import time
from pathlib import Path

import pytest

from quintain.jobs.supervised import CannotStart, Supervised


def start(script, folder):
    return Supervised(["sh", "-c", script], folder=folder, environment=os.environ)


def is_running(process):
    """Whether a process runs; one that nobody has waited for counts as ended."""
    state = Path("/proc", str(process), "stat")
    try:
        return state.read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def read_number(path):
    while not path.exists() or not path.read_text().strip():
        time.sleep(0.01)
    return int(path.read_text())


def test_the_exit_code_is_that_of_the_program(tmp_path):
    for script, code in (("exit 0", 0), ("exit 7", 7), ("exit 127", 127), ("kill -9 $$", 137)):
        with start(script, tmp_path) as program:
            assert program.wait() == code


def test_a_program_that_does_not_exist_says_so(tmp_path):
    with (
        Supervised(["no-such-program"], folder=tmp_path, environment=os.environ) as program,
        pytest.raises(CannotStart, match="no-such-program"),
    ):
        program.wait()


def test_leaving_ends_the_program_and_its_children(tmp_path):
    with start("sleep 3600 & echo $! > child; wait", tmp_path) as program:
        child = read_number(tmp_path / "child")
        assert program.wait(0.05) is None and is_running(child)
    while is_running(child):
        time.sleep(0.01)


def test_children_of_a_program_that_ended_are_killed(tmp_path):
    with start("sleep 3600 & echo $! > child", tmp_path) as program:
        assert program.wait() == 0
        child = read_number(tmp_path / "child")
        while is_running(child):
            time.sleep(0.01)


def test_a_closed_stream_is_seen_although_the_program_goes_on(tmp_path):
    read, write = os.pipe()
    program = Supervised(
        [sys.executable, "-S", "-c", "import os, time; os.close(1); time.sleep(3600)"],
        folder=tmp_path,
        environment=os.environ,
        stdout=write,
    )
    os.close(write)
    with program:
        assert os.read(read, 1) == b""
    os.close(read)
