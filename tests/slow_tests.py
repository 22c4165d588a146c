"""The slow tests: which there are, and whether the code that they test changed since they passed.

``make test`` leaves a group of tests/slow.toml out while its code is what it was when all its
tests passed last on this kind of machine; tests/slow.lock has the digests for each kind.
``make test-all`` runs every group. Both note the digest of each group that ran and passed whole.

The code of a group is what its tests can reach. Imports point one way, so a layer reaches itself
and the layers below it; the contract in pyproject.toml states them, and tests hold the code to it.
"""

import ast
import hashlib
import json
import platform
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tests/slow.toml"
LOCK = ROOT / "tests/slow.lock"
PACKAGE = ROOT / "src/quintain"
VERSIONS = "uv.lock"
"""The versions of all libraries, on which every test depends."""


@dataclass(frozen=True)
class SlowGroup:
    """Tests that may be left out, why, and the code that they can reach.

    Parameters
    ----------
    code : files and folders.
    layer : the highest layer that the tests reach; they also reach all layers below it.
    """

    name: str
    reason: str
    tests: list[str]
    code: list[str] = field(default_factory=list)
    layer: str = ""

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
        paths = {file for test in self.files() for file in _used_by(ROOT / test)}
        for place in (VERSIONS, *self.code, *_reached_from(self.layer)):
            paths.update(_files(ROOT / place))
        for path in sorted(paths):
            sha.update(f"{path.relative_to(ROOT).as_posix()} {_digest(path)}\n".encode())
        return sha.hexdigest()

    def files(self) -> set[str]:
        """The files of its tests."""
        return {test.partition("::")[0] for test in self.tests}

    def out_of_reach(self) -> Iterator[str]:
        """What its tests use above its layer, in sentences; the digest would not see a change."""
        for file in sorted(self.files()) if self.layer else ():
            above = imported_rooms(ROOT / file) - {Path(r).stem for r in _reached_from(self.layer)}
            if above:
                yield f"{file} imports {', '.join(sorted(above))}"


def slow_groups() -> list[SlowGroup]:
    """Every group of tests/slow.toml."""
    return [SlowGroup(**group) for group in tomllib.loads(LIST.read_text())["group"]]


def unchanged_groups() -> list[SlowGroup]:
    """The groups whose code is what it was when they passed last."""
    recorded = _recorded().get(machine_kind(), {})
    return [group for group in slow_groups() if group.digest() == recorded.get(group.name)]


def record_passed(passed: Collection[str], others: Collection[str]) -> None:
    """Note the code of today for every group that passed, given the tests that did and did not."""
    recorded, groups = _recorded(), slow_groups()
    here = recorded.get(machine_kind(), {})
    kept = {group.name: here[group.name] for group in groups if group.name in here}
    new = {group.name: group.digest() for group in groups if group.all_passed(passed, others)}
    recorded[machine_kind()] = kept | new
    LOCK.write_text(json.dumps(recorded, indent=2, sort_keys=True) + "\n")


def machine_kind() -> str:
    """The processor and the version of Python: what passed on one kind may fail on another."""
    return " ".join([platform.machine(), *platform.python_version_tuple()[:2]])


def _recorded() -> dict[str, dict[str, str]]:
    return json.loads(LOCK.read_text()) if LOCK.exists() else {}


def _names(test: str) -> set[str]:
    """A test by its file, its name and its case."""
    return {test.partition("::")[0], test.partition("[")[0], test}


def imported_rooms(test: Path) -> set[str]:
    """The packages and modules of quintain that a test imports, itself or through other tests."""
    return {room for file in _imported_tests(test) for room in _rooms(file)}


def _imported_tests(test: Path) -> set[Path]:
    """A test, its fixtures, and the modules beside tests that they import."""
    found: set[Path] = set()
    waiting = [test, *(folder / "conftest.py" for folder in test.parents if folder != ROOT)]
    while waiting:
        file = ROOT / waiting.pop()
        if file.is_file() and file not in found:
            found.add(file)
            waiting += [Path(*name.split(".")).with_suffix(".py") for name in _imports(file)]
    return found


def _used_by(test: Path) -> set[Path]:
    """The files beside the code on which a test depends: modules, and data in its folder."""
    beside = {path for path in _files(test.parent) if path.suffix != ".py"} - {LIST, LOCK}
    return _imported_tests(test) | beside


def _rooms(file: Path) -> set[str]:
    """The rooms that one file imports; it may also start a command in another process."""
    rooms = {"cli"} if "subprocess" in _imports(file) else set()
    for name in _imports(file):
        package, _, rest = name.partition(".")
        if package == "quintain":
            room = rest.partition(".")[0]
            rooms.add(room if room and _room(room).exists() else "api")  # import quintain as q
    return rooms


@cache
def _imports(file: Path) -> set[str]:
    """The names of all modules that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


@cache
def _reached_from(layer: str) -> list[str]:
    """The rooms of a layer and of all layers below it, and what checks parts in tests."""
    if not layer:
        return []
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = [line.split(" | ") for line in contracts["contracts"][0]["layers"]]
    first = next(number for number, rooms in enumerate(layers) if layer in rooms)
    reached = {room for rooms in layers[first:] for room in rooms} | {"testing"}
    return sorted(_room(room).relative_to(ROOT).as_posix() for room in reached)


def _room(name: str) -> Path:
    folder = PACKAGE / name
    return folder if folder.is_dir() else folder.with_suffix(".py")


@cache
def _files(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    paths = (path for path in place.rglob("*") if "__pycache__" not in path.parts)
    return [path for path in paths if path.is_file()]


@cache
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
