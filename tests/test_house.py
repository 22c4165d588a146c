"""The house: imports point one way, names say what they are, files and functions stay short."""

import ast
import importlib
import re
import statistics
import subprocess
import sys
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import quintain

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src/quintain"
SOURCES = sorted(PACKAGE.rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
SCRIPTS = sorted([*(ROOT / "benchmarks").rglob("*.py"), *(ROOT / "scripts").rglob("*.py")])
NO_CONCEPT = {"utils", "util", "common", "helpers", "helper", "manager", "misc"}
LONGEST_FILE, LONGEST_FUNCTION, MEDIAN_FUNCTION, MOST_FILES = 300, 60, 8, 14


@cache
def tree(path):
    return ast.parse(path.read_text())


def named(path):
    return path.relative_to(ROOT).as_posix()


# --- imports --------------------------------------------------------------------------------------


def test_imports_point_down_the_flow():
    lint = Path(sys.executable).parent / "lint-imports"
    done = subprocess.run([lint], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_contract_of_imports_names_every_stage():
    lint = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (layers,) = (c for c in lint["contracts"] if c["type"] == "layers")
    assert layers["exhaustive"] is True
    stages = {p.parent.name for p in PACKAGE.glob("*/__init__.py")}
    stages |= {p.stem for p in PACKAGE.glob("*.py")} - {"__init__"}
    assert {name.strip() for layer in layers["layers"] for name in layer.split("|")} == stages


def module_name(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in SOURCES}


def imports(path):
    """The modules of ours that are loaded when this one is: imports outside of any function."""
    queue = list(tree(path).body)
    while queue:
        node = queue.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{named(path)}:{node.lineno} imports relatively"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name for name in inner if name in MODULES)
            if node.module in MODULES and not all(name in MODULES for name in inner):
                yield node.module
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            queue += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]


def circles(graph):
    """Sets of more than one node that reach each other (strongly connected components)."""
    reached = {}

    def reach(node):
        seen, queue = set(), [node]
        while queue:
            for other in graph[queue.pop()]:
                if other not in seen:
                    seen.add(other)
                    queue.append(other)
        return seen

    for node in graph:
        reached[node] = reach(node)
    return {
        tuple(sorted({node, *(o for o in reached[node] if node in reached[o])}))
        for node in graph
        if node in reached[node]
    }


def test_a_circle_is_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == {("b", "c")}
    assert circles({"a": {"b"}, "b": set()}) == set()


def test_no_module_imports_itself_by_way_of_others():
    # A package's own __init__ may list what is in it; what is in it asks its neighbours directly.
    graph = {
        name: {other for other in imports(path) if not name.startswith(f"{other}.")} - {name}
        for name, path in MODULES.items()
    }
    assert circles(graph) == set()


# --- names and sizes ------------------------------------------------------------------------------


def test_every_file_is_named_after_a_concept_and_says_which():
    for path in [*SOURCES, *SCRIPTS]:
        assert path.stem not in NO_CONCEPT and path.parent.name not in NO_CONCEPT, named(path)
        assert ast.get_docstring(tree(path)), f"{named(path)} does not say what it is"
    for path in TESTS:
        assert path.stem not in NO_CONCEPT, named(path)
        assert path.name == "__init__.py" or ast.get_docstring(tree(path)), named(path)


def test_no_file_is_long():
    lengths = {
        named(path): path.read_text().count("\n")
        for path in [*SOURCES, *TESTS, *SCRIPTS]
        if path.parent.name != "versions"
    }
    long = {name for name, length in lengths.items() if length > LONGEST_FILE}
    assert not long, {name: lengths[name] for name in long}


def test_no_folder_holds_many_files():
    for paths in (SOURCES, TESTS, SCRIPTS):
        counts = Counter(path.parent for path in paths if path.name != "__init__.py")
        full = {named(folder): count for folder, count in counts.items() if count > MOST_FILES}
        assert not full


def test_functions_stay_short():
    lengths = {
        f"{named(path)}:{node.lineno} {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path in SOURCES
        if path.parent.name != "versions"  # a step of the database is one long list
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {name: n for name, n in lengths.items() if n > LONGEST_FUNCTION} == {}
    assert statistics.median(lengths.values()) <= MEDIAN_FUNCTION


def test_nothing_is_left_to_do():
    for path in [*SOURCES, *SCRIPTS]:
        marks = re.findall(r"\b(?:TODO|FIXME|XXX)\b", path.read_text())
        assert not marks, f"{named(path)}: {marks}"


# --- promises -------------------------------------------------------------------------------------


def test_the_library_never_uses_global_randomness():
    for path in SOURCES:
        text = path.read_text()
        assert not re.search(r"np\.random\.(seed|rand|randn|choice|normal|shuffle)\b", text), path
        assert not re.search(r"^import random$", text, re.MULTILINE), path


def test_every_extra_that_is_asked_for_exists():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = {
        ast.literal_eval(node.args[-1])
        for path in SOURCES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "MissingExtra"
    }
    assert asked
    assert asked <= set(project["optional-dependencies"])


def test_public_names_come_from_the_package_and_say_what_they_are():
    assert quintain.__all__ == sorted(set(quintain.__all__), key=quintain.__all__.index)
    assert set(quintain.__all__) <= set(dir(quintain))
    for name in quintain.__all__:
        value = getattr(quintain, name)
        if isinstance(value, type(quintain)):
            assert value is importlib.import_module(f"quintain.{name}")
        elif name != "__version__":
            assert value.__name__ == name, f"quintain.{name} is called {value.__name__}"
            assert value.__module__.startswith("quintain."), f"quintain.{name} is not ours"
            assert value.__doc__, f"quintain.{name} has no docstring"
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert quintain.__version__ == version
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = quintain.nothing
