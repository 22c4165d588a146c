"""Where work runs does not change the results; if a worker is lost, the others do its work."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from quintain import registry
from quintain.errors import QuintainError
from quintain.jobs.executor import SERIAL, Executor


def slowly(item):
    time.sleep(0.2)
    return item, os.getpid()


PLUGIN = """
from quintain.measures import ReleaseMeasure
from quintain.registry import register

@register("three-v{version}")
class Three(ReleaseMeasure):
    '''Three.'''

    def measure(self, original, release, test, *, rng):
        return {{}}
"""


def newest(name):
    return registry.find("measure", name).id


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("where", ["processes", "cluster"])
def test_workers_that_live_on_load_the_plugins_of_each_command(
    where, request, tmp_path, monkeypatch
):
    monkeypatch.setattr(registry, "_parts", {k: dict(v) for k, v in registry._parts.items()})
    monkeypatch.setattr(registry, "_files", {})
    monkeypatch.setenv(registry.PLUGIN_FILES, "")
    address = None
    if where == "cluster":
        address = request.getfixturevalue("cluster").scheduler_address
    executor = Executor(2, address)
    assert set(executor.run(newest, ["auc"] * 8)) == {"measure/auc-v1"}
    path = tmp_path / "three.py"
    path.write_text(PLUGIN.format(version=1))
    registry.load_file(path)
    assert set(executor.run(newest, ["three"] * 8)) == {"measure/three-v1"}
    path.write_text(PLUGIN.format(version=2))
    with pytest.raises(QuintainError, match=r"reads another plugin .*three\.py than this command"):
        monkeypatch.setitem(registry._files, path, "0" * 64)
        list(executor.run(newest, ["three"] * 8))


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_the_loss_of_a_worker_is_survived(cluster):
    executor = Executor(cluster=cluster.scheduler_address)
    victim = next(iter(cluster.workers.values())).pid
    threading.Timer(1.0, os.kill, (victim, signal.SIGKILL)).start()
    done = list(executor.run(slowly, list(range(20))))
    assert sorted(item for item, _ in done) == list(range(20))
    assert any(pid != victim for _, pid in done)


def test_a_scheduler_that_does_not_answer_is_a_sentence(monkeypatch):
    monkeypatch.setattr("quintain.jobs.cluster._PATIENCE", 0.5)
    pytest.importorskip("distributed", reason="needs distributed (quintain[cluster])")
    with pytest.raises(QuintainError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        list(Executor(cluster="tcp://127.0.0.1:9").run(slowly, [1]))


@pytest.mark.slow
def test_a_command_with_several_workers_ends_when_its_work_is_done(tmp_path):
    command = [sys.executable, "-m", "quintain", "play", "tiny", "--quick", "--seed", "5"]
    # Idle workers live for five minutes; the command must not wait for them.
    done = subprocess.run(
        [*command, "--out", tmp_path / "run", "--workers", "2"],
        check=False,
        capture_output=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run/results/report.html").is_file()


# --- what may go wrong on this machine ------------------------------------------------------------


def dies(item):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
def test_a_worker_that_the_system_kills_is_a_sentence():
    with pytest.raises(QuintainError, match="a worker process ended suddenly, most likely for"):
        list(Executor(2).run(dies, [1, 2]))


def outgrows_its_process(item):
    from joblib.externals.loky import process_executor

    process_executor._MEMORY_LEAK_CHECK_DELAY = 0
    process_executor._MAX_MEMORY_LEAK_SIZE = -1
    return item


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
def test_workers_that_are_replaced_lose_no_work_where_warnings_are_errors():
    done = Executor(2).run(outgrows_its_process, list(range(12)))
    first = next(done)
    assert sorted([first, *done]) == list(range(12))


def grows_by_the_size_of_a_library(item):
    from joblib.externals.loky import process_executor

    process_executor._MEMORY_LEAK_CHECK_DELAY = 0
    _library.append(b"x" * 400_000_000)
    return os.getpid()


_library = []


@pytest.mark.slow
def test_a_worker_that_loads_a_large_library_stays():
    broken_off = Executor(2).run(slowly, range(9))  # so that the next workers are new ones
    next(broken_off)
    broken_off.close()
    assert len(set(Executor(2).run(grows_by_the_size_of_a_library, list(range(6))))) <= 2


@pytest.mark.slow
def test_work_can_be_broken_off_at_any_time():
    for _ in range(5):
        broken_off = Executor(2).run(slowly, range(9))
        next(broken_off)
        broken_off.close()
        assert [item for item, _ in Executor(2).run(slowly, [3])] == [3]


# --- clusters elsewhere ---------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["tcp://10.0.0.7:8786", "judge.example.org:8786", "ws://a:1"])
def test_a_cluster_without_encryption_is_refused_and_the_reason_is_given(address):
    with pytest.raises(QuintainError, match=f"{address}: is not encrypted. Workers see truths"):
        Executor(cluster=address)
    assert Executor(cluster=address, without_tls=True).cluster == address


def test_encryption_without_a_certificate_is_refused():
    with pytest.raises(QuintainError, match=r"tls://10\.0\.0\.7:1: no certificate is given"):
        Executor(cluster="tls://10.0.0.7:1")


def test_work_goes_through_an_encrypted_connection(tmp_path):
    distributed = pytest.importorskip("distributed", reason="needs distributed (quintain[cluster])")
    security = distributed.Security.temporary()
    contents = (security.tls_ca_file, security.tls_client_cert, security.tls_client_key)
    files = tuple(tmp_path / name for name in ("ca.pem", "cert.pem", "key.pem"))
    for path, content in zip(files, contents, strict=True):
        path.write_text(content)
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        protocol="tls",
        security=security,
        dashboard_address=":0",
        silence_logs=50,
    ) as local:
        assert local.scheduler_address.startswith("tls://")
        executor = Executor(cluster=local.scheduler_address, tls=files)
        assert sorted(executor.run(double, [1, 2, 3])) == [2, 4, 6]


def double(item):
    return 2 * item


def test_workers_that_start_early_do_the_same_work():
    executor = Executor(workers=2)
    executor.warm("json", "decimal")
    assert sorted(executor.run(abs, [-3, 2, -1])) == [1, 2, 3]
    SERIAL.warm("no such module")  # there is nobody who would import it
