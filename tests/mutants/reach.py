"""Which lines of the areas each test runs, and how long it takes: a plugin of pytest.

It writes one file a process into the folder that QUINTAIN_REACH names.
"""

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

from tests.mutants.areas import all_files
from tests.sources import ROOT


class ReachRecorder:
    """Records lines and seconds of each test of one process."""

    def __init__(self, folder: Path) -> None:
        self._target = folder / f"{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}.json"
        self._coverage = coverage.Coverage(
            data_file=None, config_file=False, include=[str(file) for file in all_files()]
        )
        self._seconds = defaultdict[str, float](float)
        self._failed = set[str]()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Record under the name of the test."""
        self._coverage.switch_context(item.nodeid)
        return (yield)

    def pytest_sessionstart(self) -> None:
        """Begin before tests import what they test."""
        self._coverage.start()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add what a phase of a test took."""
        self._seconds[report.nodeid] += report.duration
        if not report.passed:
            self._failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write it all down."""
        self._coverage.stop()
        data = self._coverage.get_data()
        lines = {
            Path(file).relative_to(ROOT).as_posix(): {
                str(line): [name for name in names if name and name not in self._failed]
                for line, names in data.contexts_by_lineno(file).items()
            }
            for file in data.measured_files()
        }
        record = {"seconds": self._seconds, "lines": lines}
        self._target.write_text(json.dumps(record))


def pytest_configure(config: pytest.Config) -> None:
    """Record in the processes that run tests."""
    if "PYTEST_XDIST_WORKER" in os.environ or not config.getoption("numprocesses", None):
        config.pluginmanager.register(ReachRecorder(Path(os.environ["QUINTAIN_REACH"])))


class Reach:
    """What was recorded, of all processes; of a test that was recorded again, the last record.

    Parameters
    ----------
    folder : has a folder for each time that tests were recorded, in order.
    tests : how the names of the tests begin that count.
    """

    def __init__(self, folder: Path, tests: tuple[str, ...] = ("",)) -> None:
        self.seconds = dict[str, float]()
        self._lines = defaultdict[tuple[str, int], set[str]](set)
        for run in sorted(folder.glob("*"), reverse=True):
            records = [json.loads(file.read_text()) for file in sorted(run.glob("*.json"))]
            new = {
                name: seconds
                for record in records
                for name, seconds in record["seconds"].items()
                if name not in self.seconds and name.startswith(tests)
            }
            self.seconds |= new
            for record in records:
                for file, lines in record["lines"].items():
                    for line, names in lines.items():
                        self._lines[file, int(line)].update(new.keys() & names)

    def tests_of(self, file: str, first: int, last: int) -> list[str]:
        """The tests that run one of these lines, cheapest first."""
        names = set[str]().union(*(self._lines[file, line] for line in range(first, last + 1)))
        return sorted(names, key=lambda name: (self.seconds[name], name))
