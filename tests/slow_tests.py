"""The slow tests: which there are, and whether the code that they test changed since they passed.

``make test`` leaves a group of tests/slow.toml out while its code is what it was when all slow
tests passed last; tests/slow.lock has the digest of that code. ``make test-all`` runs every group
and, if nothing fails, writes the digests again.
"""

import hashlib
import json
import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tests/slow.toml"
LOCK = ROOT / "tests/slow.lock"


@dataclass(frozen=True)
class SlowGroup:
    """Tests of one idea, why they may be left out, and the files and folders that they test."""

    name: str
    reason: str
    code: list[str]
    tests: list[str]

    def has(self, test: str) -> bool:
        """Whether a test belongs to the group, by its file, its name or its case."""
        return not _names(test).isdisjoint(self.tests)

    def all_passed(self, passed: Collection[str], others: Collection[str]) -> bool:
        """Whether all its tests are among those that passed, and none was skipped or failed."""
        ran = {name for test in passed for name in _names(test)}
        return ran.issuperset(self.tests) and not any(self.has(test) for test in others)

    def digest(self) -> str:
        """The SHA-256 of the code and of the tests' own files."""
        sha = hashlib.sha256()
        own = {test.partition("::")[0] for test in self.tests}
        for path in sorted({file for place in {*self.code, *own} for file in _files(ROOT / place)}):
            sha.update(f"{path.relative_to(ROOT).as_posix()} {_digest(path)}\n".encode())
        return sha.hexdigest()


def slow_groups() -> list[SlowGroup]:
    """Every group of tests/slow.toml."""
    return [SlowGroup(**group) for group in tomllib.loads(LIST.read_text())["group"]]


def unchanged_groups() -> list[SlowGroup]:
    """The groups whose code is what it was when they passed last."""
    recorded = _recorded()
    return [group for group in slow_groups() if group.digest() == recorded.get(group.name)]


def record_passed(passed: Collection[str], others: Collection[str]) -> None:
    """Note the code of today for every group that passed, given the tests that did and did not."""
    recorded, groups = _recorded(), slow_groups()
    kept = {group.name: recorded[group.name] for group in groups if group.name in recorded}
    new = {group.name: group.digest() for group in groups if group.all_passed(passed, others)}
    LOCK.write_text(json.dumps(kept | new, indent=2) + "\n")


def _recorded() -> dict[str, str]:
    return json.loads(LOCK.read_text()) if LOCK.exists() else {}


def _names(test: str) -> set[str]:
    """A test by its file, its name and its case."""
    return {test.partition("::")[0], test.partition("[")[0], test}


@cache
def _files(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    paths = (path for path in place.rglob("*") if "__pycache__" not in path.parts)
    return [path for path in paths if path.is_file()]


@cache
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
