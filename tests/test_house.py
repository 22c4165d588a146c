"""The house: imports point one way, and files say what they are."""

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

import quintain
from quintain.data.column import kind_names
from tests.sources import ENGINE, ROOT, SITE, SOURCES, code_at, module_name

TESTS = sorted((ROOT / "tests").rglob("*.py"))
SCRIPTS = sorted([*(ROOT / "benchmarks").rglob("*.py"), *(ROOT / "scripts").rglob("*.py")])

pytestmark = pytest.mark.static


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


def contract_of_imports():
    lint = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (layers,) = (c for c in lint["contracts"] if c.get("containers") == ["quintain"])
    return layers


def test_the_contract_of_imports_names_every_stage():
    contract = contract_of_imports()
    assert contract["exhaustive"] is True
    stages = {p.parent.name for p in ENGINE.glob("*/__init__.py")}
    stages |= {p.stem for p in ENGINE.glob("*.py")} - {"__init__"}
    assert {name.strip() for layer in contract["layers"] for name in layer.split("|")} == stages


def test_the_page_about_the_inside_has_the_layers_of_the_contract():
    page = (ROOT / "docs/reference/inside-the-engine.md").read_text()
    _, _, section = page.partition("A module may import what is below it:\n\n")
    shown = [line.strip() for line in section.partition("\n\n")[0].splitlines()]
    assert shown == [layer for layer in contract_of_imports()["layers"] if layer != "__main__"]


def test_the_map_shows_imports_in_the_order_of_the_contract():
    page = (ROOT / "docs/architecture.md").read_text()
    chain = re.search(r"    quintain_host > (.*?)\n\n", page, re.DOTALL)[1]
    shown = [set(re.findall(r"\w+", names)) for names in chain.split(">")]
    layers = [set(re.findall(r"\w+", layer)) for layer in contract_of_imports()["layers"]]
    places = [[n for n, layer in enumerate(layers) if names <= layer] for names in shown]
    assert all(len(found) == 1 for found in places), "a name of the map is in no layer"
    assert places == sorted(places)


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


# --- pages ----------------------------------------------------------------------------------------


def test_the_pages_of_the_architecture_name_what_exists():
    names = ("architecture", "reference/inside-the-engine", "reference/inside-the-site")
    page = "\n".join((ROOT / f"docs/{name}.md").read_text() for name in names)
    stages = {path.name for path in (*ENGINE.iterdir(), SITE) if path.is_dir()}
    words = re.findall(r"`([\w./-]+/[\w./-]*)`", page)
    paths = {path for path in words if path.partition("/")[0] in stages}
    assert len(paths) > 50
    assert not sorted(path for path in paths if not code_at(path).exists())
    files = {path.name for path in SOURCES}
    assert not set(re.findall(r"`([a-z_]+\.py)`", page)) - files
    for room, text in re.findall(r"^\| `([a-z_]+)` \| (.*?) \|", page, re.MULTILINE):
        inside = [path for path in SOURCES if room in (*path.parent.parts, path.stem)]
        known = {name for path in inside for name in (*path.parent.parts, path.stem)}
        known |= {node.name for p in inside for node in tree(p).body if hasattr(node, "name")}
        words = {word.split("/")[-1] for word in re.findall(r"`([a-z_/]+)`", text)}
        assert inside, room
        assert not words - known, room


# --- files ----------------------------------------------------------------------------------------


def test_every_file_says_what_it_is():
    for path in [*SOURCES, *SCRIPTS, *TESTS]:
        if path.name != "__init__.py" or path in SOURCES:
            assert ast.get_docstring(tree(path)), f"{named(path)} does not say what it is"


KINDS = {"Table", "Transactions", "Series", "Columns"}


def asks_for_a_kind(node):
    """Whether code asks for the class of data, or compares the name of a shape with a text."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "issubclass"):
        return bool({n.id for n in ast.walk(node.args[1]) if isinstance(n, ast.Name)} & KINDS)
    if isinstance(node, ast.MatchClass):
        return getattr(node.cls, "id", "") in KINDS
    if not isinstance(node, ast.Compare):
        return False
    sides = [node.left, *node.comparators]
    shapes = any(isinstance(side, ast.Attribute) and side.attr == "shape" for side in sides)
    texts = any(isinstance(n, ast.Constant) and isinstance(n.value, str) for n in ast.walk(node))
    types = any(getattr(getattr(side, "func", None), "id", "") == "type" for side in sides)
    names = {n.id for side in sides for n in ast.walk(side) if isinstance(n, ast.Name)}
    return (shapes and texts) or (types and bool(names & KINDS))


@pytest.mark.parametrize(
    "code",
    [
        "isinstance(data, Table)",
        "isinstance(data, (Release, Series))",
        "issubclass(type(data), Table | Transactions)",
        "type(data) is Series",
        "data.schema.shape == 'table'",
        "schema.shape in ('series', 'table')",
        "match data:\n    case Table(): pass",
    ],
)
def test_a_question_for_a_kind_of_data_is_found(code):
    assert any(asks_for_a_kind(node) for node in ast.walk(ast.parse(code)))
    other = (
        code.replace("Table", "Guess").replace("Series", "Guess").replace("Transactions", "Guess")
    )
    other = other.replace(".shape", ".title")
    assert not any(asks_for_a_kind(node) for node in ast.walk(ast.parse(other)))


def test_outside_the_data_nobody_asks_for_a_kind_of_data():
    # The shape knows what code has to do with its data, and a plugin may add a shape.
    asking = [
        f"{named(path)}:{node.lineno}"
        for path in SOURCES
        if ENGINE / "data" not in path.parents
        for node in ast.walk(tree(path))
        if asks_for_a_kind(node)
    ]
    assert not asking, "\n".join(["ask data.shape instead, or take the data through see:", *asking])


COLUMN_KINDS = set(kind_names())
ASKS_NO_KIND = "src/quintain/kit/codabench/program/"
"""A program on CodaBench imports nothing of ours."""


def compares_a_kind_of_column(node):
    """Whether code compares the name of a kind of column, instead of asking the column."""
    if isinstance(node, ast.MatchValue):
        node = node.value
        return isinstance(node, ast.Constant) and node.value in COLUMN_KINDS
    if not isinstance(node, ast.Compare):
        return False
    sides = [node.left, *node.comparators]
    kinds = any("kind" in ast.unparse(side).rsplit(".", 1)[-1] for side in sides)
    texts = [n for side in sides for n in (side, *getattr(side, "elts", ()))]
    return kinds and any(getattr(text, "value", None) in COLUMN_KINDS for text in texts)


@pytest.mark.parametrize(
    ("code", "compares"),
    [
        ("column.kind == 'category'", True),
        ("columns[0].kind not in ('integer', 'real')", True),
        ("line['kind'] != 'id'", True),
        ("kinds <= {'integer', 'real'}", True),
        ("match kind:\n    case 'time': pass", True),
        ("wide.kind == column.kind", False),
        ("job.kind == 'score'", False),
        ("column.listed", False),
    ],
)
def test_a_comparison_of_the_name_of_a_kind_is_found(code, compares):
    assert any(compares_a_kind_of_column(node) for node in ast.walk(ast.parse(code))) == compares


def test_nobody_compares_the_name_of_a_kind_of_column():
    found = [
        f"{named(path)}:{node.lineno}"
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text()))
        if compares_a_kind_of_column(node) and not named(path).startswith(ASKS_NO_KIND)
    ]
    assert not found, "\n".join(["ask the column, such as column.numeric:", *found])


# --- promises -------------------------------------------------------------------------------------


SEEDS_OTHERS = "global_seeds.py"
"""The one file that seeds global generators, because libraries of other makers draw from them."""


def test_the_library_never_uses_global_randomness():
    for path in SOURCES:
        if path.name == SEEDS_OTHERS:
            continue
        text = path.read_text()
        assert not re.search(r"np\.random\.(seed|rand|randn|choice|normal|shuffle)\b", text), path
        assert not re.search(r"^import random$", text, re.MULTILINE), path


def test_every_extra_that_is_asked_for_exists():
    asked = {
        (*map(ast.literal_eval, node.args[2:]), "quintain")[:2]
        for path in SOURCES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "MissingExtra"
    }
    known = set()
    for folder in (ROOT, SITE.parents[1]):
        project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
        known |= {(extra, project["name"]) for extra in project["optional-dependencies"]}
    assert {name for _, name in asked} == {name for _, name in known}
    assert asked <= known


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
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = quintain.nothing
