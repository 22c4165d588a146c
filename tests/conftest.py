"""Shared fixtures, and what makes a whole run of the tests cheap."""

import gc
import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

# No test depends on the speed of the machine. Hypothesis takes a third of the time of a run with
# 100 examples a test, its default.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("few", _PATIENT, max_examples=50)
settings.register_profile("many", _PATIENT, max_examples=100)
settings.load_profile("few")

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


# --- slow tests -----------------------------------------------------------------------------------


def pytest_addoption(parser):
    parser.addoption(
        "--slow",
        action="store_true",
        help="run the tests marked slow, too, and twice as many random examples",
    )


def pytest_configure(config):
    if config.getoption("--slow"):
        settings.load_profile("many")


LEFT_OUT = pytest.StashKey[int]()
"""How many slow tests do not run."""


def pytest_collection_modifyitems(config, items):
    """Leave the slow tests out, unless all are asked for."""
    if config.getoption("--slow"):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    config.stash[LEFT_OUT] = len(slow)
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if not item.get_closest_marker("slow")]


def pytest_terminal_summary(terminalreporter, config):
    """Say that slow tests did not run."""
    if not config.getoption("--slow"):
        count = config.stash.get(LEFT_OUT, None)
        number = "the tests" if count is None else f"{count} tests"
        terminalreporter.write_line(f"left out: {number} marked slow; `make test-all` runs them")


# --- fixtures -------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with the real data sets; tests that need one of them skip without it."""
    folder = Path(os.environ["QUINTAIN_DATA"])
    if not folder.is_dir():
        pytest.skip(f"no real data: {folder} does not exist (set QUINTAIN_DATA)")
    return folder


@pytest.fixture
def cluster():
    """A real scheduler with two busy worker processes, so every test starts one of its own."""
    distributed = pytest.importorskip("distributed", reason="needs distributed (quintain[cluster])")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
    ) as local:
        yield local
