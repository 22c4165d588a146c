"""The slow tests: which there are, and whether the code that they test changed since they passed.

``make test`` leaves the tests of one file in a group of tests/slow.toml out while all that they can
reach (:mod:`tests.reach`) is what it was when they passed last on this kind of machine;
tests/slow.lock has the digests for each kind. ``make test-all`` runs them all. Both note the digest
of each file of which all slow tests ran and passed.
"""

import hashlib
import json
import platform
import tomllib
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.reach import Reach, files_below

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tests/slow.toml"
LOCK = ROOT / "tests/slow.lock"
VERSIONS = "uv.lock"
"""The versions of all libraries, on which every test depends."""


@dataclass(frozen=True)
class SlowGroup:
    """Tests that may be left out, why, and what they reach beside their imports.

    Parameters
    ----------
    code : files and folders.
    """

    name: str
    reason: str
    tests: list[str]
    code: list[str] = field(default_factory=list)

    def of_file(self, file: str) -> list[str]:
        """Its tests in one file."""
        return [test for test in self.tests if test.partition("::")[0] == file]

    def files(self) -> list[str]:
        """The files of its tests."""
        return sorted({test.partition("::")[0] for test in self.tests})

    def digest(self, file: str, reach: Reach) -> str:
        """The SHA-256 of its tests in one file and of all that they can reach."""
        paths = reach.of(ROOT / file) - {LIST, LOCK}
        for place in (VERSIONS, *self.code):
            paths.update(files_below(ROOT / place))
        lines = [*self.of_file(file), *sorted(_digest(path, ROOT) for path in paths)]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def slow_groups() -> list[SlowGroup]:
    """Every group of tests/slow.toml."""
    return [SlowGroup(**group) for group in tomllib.loads(LIST.read_text())["group"]]


def unchanged_tests(files: Collection[str]) -> dict[str, list[str]]:
    """The slow tests of these files that reach only what they reached when they passed last."""
    reach, recorded = Reach(ROOT), _recorded().get(machine_kind(), {})
    unchanged = {
        group.name: [
            test
            for file, digest in recorded.get(group.name, {}).items()
            if file in files and digest == group.digest(file, reach)
            for test in group.of_file(file)
        ]
        for group in slow_groups()
    }
    return {name: tests for name, tests in unchanged.items() if tests}


def slow_files() -> set[str]:
    """The files of all slow tests."""
    return {file for group in slow_groups() for file in group.files()}


def record_passed(passed: Collection[str], others: Collection[str]) -> None:
    """Note the code of today for what passed, given the tests that did and did not."""
    reach, recorded = Reach(ROOT), _recorded()
    before, now = recorded.get(machine_kind(), {}), dict[str, dict[str, str]]()
    ran = {name for test in passed for name in names_of(test)}
    failed = {name for test in others for name in names_of(test)}
    for group in slow_groups():
        digests = now[group.name] = {}
        for file in group.files():
            tests = group.of_file(file)
            if ran.issuperset(tests) and failed.isdisjoint(tests):
                digests[file] = group.digest(file, reach)
            elif old := before.get(group.name, {}).get(file):
                digests[file] = old
    recorded[machine_kind()] = now
    LOCK.write_text(json.dumps(recorded, indent=2, sort_keys=True) + "\n")


def machine_kind() -> str:
    """The processor and the version of Python: what passed on one kind may fail on another."""
    return " ".join([platform.machine(), *platform.python_version_tuple()[:2]])


def _recorded() -> dict[str, dict[str, dict[str, str]]]:
    return json.loads(LOCK.read_text()) if LOCK.exists() else {}


def names_of(test: str) -> set[str]:
    """A test by its file, its name and its case."""
    return {test.partition("::")[0], test.partition("[")[0], test}


@cache
def _digest(path: Path, root: Path) -> str:
    """One file, by its path below the root and its content."""
    return f"{path.relative_to(root).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}"
