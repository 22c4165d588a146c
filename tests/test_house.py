"""The house: imports point one way, names say what they are, files stay short."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "src/quintain").rglob("*.py"))


def test_imports_point_down_the_flow():
    lint = Path(sys.executable).parent / "lint-imports"
    done = subprocess.run([lint], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_file_holds_one_concept(path):
    text = path.read_text()
    assert path.stem not in {"utils", "util", "common", "helpers", "manager", "misc"}
    assert text.count("\n") <= 400, f"{path} has {text.count(chr(10))} lines"
    assert ast.get_docstring(ast.parse(text)), f"{path} does not say what it is"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_functions_stay_short_and_nothing_is_a_stub(path):
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            length = (node.end_lineno or 0) - node.lineno + 1
            assert length <= 70, f"{path}:{node.lineno} {node.name} has {length} lines"
    assert not re.search(r"\b(TODO|FIXME|XXX)\b", path.read_text())


def test_the_library_never_uses_global_randomness():
    for path in SOURCES:
        text = path.read_text()
        assert not re.search(r"np\.random\.(seed|rand|randn|choice|normal|shuffle)\b", text), path
        assert not re.search(r"^import random$", text, re.MULTILINE), path


def test_every_extra_that_is_asked_for_exists():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "MissingExtra":
                asked.add(ast.literal_eval(node.args[-1]))
    assert asked
    assert asked <= set(project["optional-dependencies"])


def test_public_names_are_what_they_say():
    import quintain

    for name in quintain.__all__:
        assert getattr(quintain, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = quintain.nothing
