"""Shared fixtures, and what makes a whole run of the tests cheap."""

import gc
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


# Real data sets are looked for beside the repository unless the environment says otherwise.
os.environ.setdefault("QUINTAIN_DATA", str(ROOT.parent / "shared" / "data"))

# Compiled modules are kept whatever the environment says: rewriting the assertions of all tests
# takes nearly half of collecting them, in every process that runs tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def _stay_on_one_core(worker: str) -> None:
    """Keep a process that runs tests, and the commands it starts, on one core.

    All cores are busy with such processes already. Commands would start more processes on each of
    them, which costs twice the time; tests of several workers name their number.
    """
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[int(worker.removeprefix("gw")) % len(cores)]})


if "PYTEST_XDIST_WORKER" in os.environ and hasattr(os, "sched_setaffinity"):
    _stay_on_one_core(os.environ["PYTEST_XDIST_WORKER"])


def pytest_collection_finish(session):
    """Leave everything that was collected out of garbage collection, which would walk it often."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Run the tests of a file in one process, so that what they share is made once."""
    from xdist.scheduler import LoadFileScheduling

    return LoadFileScheduling(config, log)


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with the real data sets; tests that need one of them skip without it."""
    folder = Path(os.environ["QUINTAIN_DATA"])
    if not folder.is_dir():
        pytest.skip(f"no real data: {folder} does not exist (set QUINTAIN_DATA)")
    return folder


@pytest.fixture(scope="session")
def cluster():
    """A real scheduler with two worker processes."""
    distributed = pytest.importorskip("distributed", reason="needs distributed (quintain[cluster])")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as local:
        yield local
