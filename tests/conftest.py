"""Shared fixtures, and what makes a whole run of the tests cheap."""

import gc
import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.slow_tests import names_of, record_passed, slow_files, slow_groups, unchanged_tests

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
        help="run all tests of tests/slow.toml, changed or not, and twice as many random examples",
    )


def pytest_configure(config):
    if config.getoption("--slow"):
        settings.load_profile("many")


LEFT_OUT = pytest.StashKey[dict[str, list[str]]]()
"""The slow tests that do not run, by their group."""


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    """Find out once, for all processes that will run tests, which slow tests need not run."""
    config = node.config
    if LEFT_OUT not in config.stash:
        chosen = set() if config.getoption("--slow") else slow_files()
        config.stash[LEFT_OUT] = unchanged_tests(chosen)
    node.workerinput["left_out"] = config.stash[LEFT_OUT]


def pytest_collection_modifyitems(config, items):
    """Leave out the slow tests whose code did not change, unless all are asked for."""
    if hasattr(config, "workerinput"):
        config.stash[LEFT_OUT] = config.workerinput["left_out"]
    elif not config.getoption("--slow"):
        config.stash[LEFT_OUT] = unchanged_tests({item.nodeid.split("::")[0] for item in items})
    names = {test for tests in config.stash.get(LEFT_OUT, {}).values() for test in tests}
    left_out = [item for item in items if names & names_of(item.nodeid)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not names & names_of(item.nodeid)]


PASSED, OTHERS = set[str](), set[str]()
"""The tests that passed, and those that failed or were skipped."""


def pytest_runtest_logreport(report):
    """Remember how a test ended."""
    if not report.passed:
        OTHERS.add(report.nodeid)
    elif report.when == "call":
        PASSED.add(report.nodeid)


def pytest_sessionfinish(session):
    """After a run of everything that was not left out, note with which code slow tests passed."""
    config = session.config
    chosen = config.getoption("keyword") or config.getoption("markexpr") not in ("", "not static")
    whole = config.args == config.getini("testpaths") and not chosen
    if whole and "PYTEST_XDIST_WORKER" not in os.environ:
        record_passed(PASSED, OTHERS)


def pytest_terminal_summary(terminalreporter, config):
    """Say what did not run, also where processes of their own collected the tests."""
    if not config.getoption("--slow"):
        all_of = {group.name: len(group.tests) for group in slow_groups()}
        left_out = config.stash.get(LEFT_OUT, {}).items()
        names = [f"{name} ({len(tests)} of {all_of[name]})" for name, tests in left_out]
        terminalreporter.write_line(
            f"left out, as their code did not change since they passed: "
            f"{', '.join(names) or 'nothing'}; tests/slow.toml says why, `make test-all` runs them"
        )


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
