"""A cluster whose machines cannot do the work, or whose scheduler dies, is told in one sentence."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from quintain.errors import QuintainError
from quintain.jobs import cluster
from quintain.jobs.executor import Executor
from quintain.jobs.job import Job, run_jobs


def slowly(item):
    time.sleep(0.2)
    return item


class OneWorker:
    """A client of a cluster with a single worker, which answers as it is told to."""

    def __init__(self, answer):
        self.answer = answer

    def run(self, work, *given):
        return {"tcp://far:1": self.answer(work, *given)}


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_scheduler_that_dies_is_a_sentence(tmp_path):
    pytest.importorskip("distributed", reason="needs distributed (quintain[cluster])")
    file = tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    started = []
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    local = ["--host", "127.0.0.1"]
    try:
        for command in (
            [
                "scheduler",
                "--port",
                "0",
                "--dashboard-address",
                ":0",
                "--scheduler-file",
                file,
                *local,
            ],
            [
                "worker",
                "--nthreads",
                "1",
                "--dashboard-address",
                ":0",
                "--scheduler-file",
                file,
                *local,
            ],
        ):
            started.append(subprocess.Popen([*dask, *command], start_new_session=True, **quiet))
            while not file.exists():
                time.sleep(0.1)
                assert started[0].poll() is None
        address = address_in(file)
        work = Executor(cluster=address).run(slowly, range(1000), shared=tmp_path)
        assert next(work) in range(1000)
        threading.Timer(0.5, os.killpg, (started[0].pid, signal.SIGKILL)).start()
        with pytest.raises(
            QuintainError, match=f"the scheduler at {address} is gone, .* continues"
        ):
            list(work)
    finally:
        for process in started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def address_in(file):
    return json.loads(file.read_text())["address"]


@pytest.mark.filterwarnings("default")
def test_a_scheduler_without_workers_is_a_sentence(monkeypatch):
    distributed = pytest.importorskip("distributed", reason="needs distributed (quintain[cluster])")
    monkeypatch.setattr(cluster, "_PATIENCE", 0.5)
    with distributed.LocalCluster(
        n_workers=0, processes=False, dashboard_address=":0", silence_logs=50
    ) as local:
        address = local.scheduler_address
        with pytest.raises(QuintainError, match="has no workers: start one with `dask worker"):
            list(Executor(cluster=address, without_tls=True).run(slowly, [1]))


def test_a_worker_that_does_not_see_the_folder_is_named(tmp_path):
    far = OneWorker(lambda work, path: ("far", work(f"{path}-elsewhere")[1]))
    with pytest.raises(QuintainError, match=f"on far do not see the folder {tmp_path}; share it"):
        cluster._check_folder(far, tmp_path)
    cluster._check_folder(OneWorker(lambda work, path: work(path)), tmp_path)
    assert not list(Path(tmp_path).iterdir())


def report_place(root):
    return {"place": f"{Path.cwd() != root.parent} {root.is_dir()}".encode()}


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_workers_need_not_run_in_the_folder_where_the_command_was_given(
    cluster, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("run").mkdir()
    executor, job = Executor(cluster=cluster.scheduler_address), Job.of("a", report_place, (), "")
    assert run_jobs(Path("run"), [job], stamps="stamps", executor=executor, label="work") == 1
    assert Path("run/place").read_text() == "True True"


@pytest.mark.slow
@pytest.mark.filterwarnings("error:Mismatched")
def test_other_versions_are_told_once(cluster, monkeypatch):
    """Dask warns, too, with a table of all versions in the middle of ours."""
    monkeypatch.setattr("distributed.versions.get_package_info", lambda _: {"numpy": "1.0"})
    assert list(Executor(cluster=cluster.scheduler_address).run(slowly, [1])) == [1]


def test_workers_with_other_versions_are_named():
    def older(work):
        return {**work(), "numpy": "1.0"}

    with pytest.raises(QuintainError, match=r"tcp://far:1 has numpy 1\.0, this machine has 2"):
        cluster._check_versions(OneWorker(older))
    cluster._check_versions(OneWorker(lambda work: work()))


def test_workers_without_an_installed_plugin_are_named(monkeypatch):
    dist = SimpleNamespace(name="quintain-cup", version="2.1")
    monkeypatch.setattr(cluster, "entry_points", lambda group: [SimpleNamespace(dist=dist)])

    def without(work):
        return {name: text for name, text in work().items() if name != dist.name}

    with pytest.raises(QuintainError, match=r"has quintain-cup not at all, this machine has 2\.1"):
        cluster._check_versions(OneWorker(without))
    cluster._check_versions(OneWorker(lambda work: work()))


def test_a_worker_without_quintain_is_a_sentence():
    def cannot(work):
        raise ModuleNotFoundError("No module named 'quintain'")

    with pytest.raises(QuintainError, match="install the same quintain on all machines"):
        cluster._check_versions(OneWorker(cannot))
