"""Sandboxes: the same call gives the same bytes, limits hold, and nothing survives the caller."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from quintain.programs import CallLimits
from quintain.programs.escape.suite import kill_marked
from quintain.programs.failures import ProgramError, Reason
from quintain.programs.runner import call
from quintain.programs.sandbox.process import Process

ROOT = Path(__file__).resolve().parents[3]


def run(sandbox, body, given=None, *, seconds=600, memory_gib=1):
    text = f"import os, sys, time\nimport numpy as np\ndef f(d):\n    {body}\n"
    limits = CallLimits(seconds=seconds, memory_gib=memory_gib)
    return call({"m.py": text.encode()}, "m", "f", given or {}, limits, sandbox)


def failure(sandbox, body, **limits):
    with pytest.raises(ProgramError) as caught:
        run(sandbox, body, **limits)
    return caught.value


COMPUTING = """rng = np.random.default_rng(d['seed'])
    words = ','.join({'red', 'blue', 'green', 'grey'})
    return np.linalg.svd(rng.normal(size=(60, 60)) @ d['x'])[1], words
"""


def test_results_do_not_depend_on_the_sandbox(bubblewrap):
    given = {"seed": 3, "x": np.random.default_rng(1).normal(size=(60, 60))}
    (here, words), (there, same_words) = (
        run(one, COMPUTING, given) for one in (bubblewrap, Process())
    )
    assert here.tobytes() == there.tobytes()
    assert words == same_words, "sets have the same order in every process"


def test_a_large_argument_comes_back_whole(sandbox):
    array = np.arange(3_000_000, dtype=np.float32).reshape(1000, 3000)
    (back,) = run(sandbox, "return d['x'] + 1", {"x": array})
    assert np.array_equal(back, array + 1)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("time.sleep(3600)", Reason.OUT_OF_TIME),
        ("return len(np.ones(1 << 28))", Reason.OUT_OF_MEMORY),
        ("os.abort()", Reason.CRASHED),
        ("os.kill(os.getpid(), 9)", Reason.CRASHED),
        ("os._exit(0)", Reason.NOTHING),
        ("os.closerange(0, 256); time.sleep(3600)", Reason.OUT_OF_TIME),
        ("return 'x' * (1 << 26)", Reason.WRONG_SHAPE),
    ],
)
def test_the_same_end_has_the_same_reason_everywhere(sandbox, body, reason):
    seconds = 2 if reason is Reason.OUT_OF_TIME else 600
    assert failure(sandbox, body, seconds=seconds).reason is reason


def test_the_log_is_for_organisers_and_short(sandbox):
    error = failure(
        sandbox, "print('hello', flush=True); os.write(2, b'x' * (1 << 22)); os._exit(1)"
    )
    assert error.traceback.startswith(b"hello")
    assert len(error.traceback) == 1 << 20


def test_forked_memory_is_counted_once(sandbox):
    body = """block = np.ones(40_000_000)
    for _ in range(4):
        if os.fork() == 0:
            time.sleep(1.5)
            os._exit(int(block[0]))
    time.sleep(1)
    return len(block)"""
    assert run(sandbox, body, memory_gib=0.6) == [40_000_000], "305 MiB, shared by five processes"


CALLER = """
from quintain.programs import CallLimits
from quintain.programs.choice import SANDBOXES
from quintain.programs.runner import call
text = b'''
import subprocess, sys, time
def f(d):
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)", d["token"]])
    time.sleep(3600)
'''
call({"m.py": text}, "m", "f", {"token": %r}, CallLimits(), SANDBOXES[%r])
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_no_program_survives_its_caller(bubblewrap, number, tmp_path):
    assert _left_by(bubblewrap.name, number, tmp_path) == (0, [])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_caller_that_is_asked_to_end_tidies_up_without_a_sandbox(number, tmp_path):
    assert _left_by("process", number, tmp_path) == (0, [])


def _left_by(name, number, folder):
    """How many processes and which folders a caller leaves that gets a signal."""
    token = f"quintain-test-{os.getpid()}-{time.monotonic_ns()}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "TMPDIR": str(folder)}
    command = [sys.executable, "-c", CALLER % (token, name)]
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as caller:
        _wait_for(lambda: _marked(token))
        caller.send_signal(number)
        assert caller.wait(300) != 0
    _wait_for(lambda: not _marked(token))
    return kill_marked(token), sorted(path.name for path in folder.iterdir())


def _marked(token):
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes().rstrip(b"\0").endswith(token.encode()):
                return True
        except OSError:
            continue
    return False


def _wait_for(condition, seconds=300):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
