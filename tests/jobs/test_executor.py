"""Where work runs does not change the results; if a worker is lost, the others do its work."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from quintain.errors import QuintainError
from quintain.jobs.executor import Executor


def slowly(item):
    time.sleep(0.2)
    return item, os.getpid()


@pytest.mark.filterwarnings("default")
def test_the_loss_of_a_worker_is_survived(cluster):
    executor = Executor(cluster=cluster.scheduler_address)
    victim = next(iter(cluster.workers.values())).pid
    threading.Timer(1.0, os.kill, (victim, signal.SIGKILL)).start()
    done = list(executor.run(slowly, list(range(20))))
    assert sorted(item for item, _ in done) == list(range(20))
    assert any(pid != victim for _, pid in done)


def test_a_scheduler_that_does_not_answer_is_a_sentence():
    pytest.importorskip("distributed", reason="needs distributed (quintain[cluster])")
    with pytest.raises(QuintainError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        list(Executor(cluster="tcp://127.0.0.1:9").run(slowly, [1]))


def test_a_command_with_several_workers_ends_when_its_work_is_done(tmp_path):
    command = [sys.executable, "-m", "quintain", "play", "tiny", "--quick", "--seed", "5"]
    # Idle workers live for five minutes; the command must not wait for them.
    done = subprocess.run(
        [*command, "--out", tmp_path / "run", "--workers", "2"],
        check=False,
        capture_output=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run/results/report.html").is_file()
