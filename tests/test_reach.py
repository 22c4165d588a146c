"""What a test can reach: nothing that a process really imports is missing from it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from quintain import registry
from tests.reach import LOOK_UPS, Reach

ROOT = Path(__file__).resolve().parent.parent

LIST_IMPORTED = """
import json, sys, pytest
code = pytest.main(["-q", "-n", "0", "-p", "no:cacheprovider", "--slow", sys.argv[1]])
files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
print(json.dumps([code, [file for file in files if file]]))
"""

PARTS = {"attack/near-v1": "quintain.attacks.near:Near", "shape/set-v1": "quintain.data.sets:Set"}

MODULES = {
    "__init__": "",
    "__main__": "from quintain import cli",
    "registry": "",
    "builtin": "",
    "api/__init__": "from quintain.registry import find\ndef attack(name): find('attack', name)",
    "attacks/__init__": "",
    "attacks/near": "",
    "cli/__init__": "def run(name): import_module(f'quintain.cli.{name}')",
    "cli/play": "",
    "data/__init__": "",
    "data/sets": "",
    "data/shape": "from quintain.registry import Part, find\nfound = find(Shape.family, 'set')",
    "host/__init__": "",
    "host/pages": "",
    "host/start": "command = ['python', '-m', 'quintain']",
    "jobs/__init__": "",
    "jobs/job": "work = 'quintain.host.pages:show'",
    "runs/__init__": "",
    "runs/late": "def later():\n    from quintain.data import sets",
    "runs/program/__init__": "",
    "runs/program/copied": "",
    "runs/reader": "text = Path(__file__).with_name('program')",
}


@pytest.fixture
def reached(tmp_path):
    """A function: which modules of a small package a test of one line reaches."""
    package = tmp_path / "src/quintain"
    for name, text in MODULES.items():
        path = package / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (package / "parts.json").write_text(json.dumps(PARTS))
    (package / "host/templates").mkdir()
    (package / "host/templates/page.html").write_text("")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/page.md").write_text("")
    (tmp_path / "made").mkdir()
    (tmp_path / "made/page.html").write_text("")
    (tmp_path / ".gitignore").write_text("/made/\n*.pyc\n")

    def found(line: str) -> set[str]:
        test = tmp_path / "tests/test_it.py"
        test.parent.mkdir(exist_ok=True)
        test.write_text(line)
        paths = Reach(tmp_path).of(test) - {test}
        return {str(p.relative_to(package if package in p.parents else tmp_path)) for p in paths}

    return found


def test_imports_are_followed_with_the_packages_above(reached):
    assert reached("import os") == set()
    plain = {"__init__.py", "parts.json"}
    assert reached("from quintain.data import sets") == plain | {"data/__init__.py", "data/sets.py"}
    assert "data/sets.py" in reached("from quintain.runs.late import later")
    assert "host/pages.py" not in reached("from quintain.runs.late import later")


@pytest.mark.parametrize(
    ("line", "file"),
    [
        ("from quintain.attacks import Near", "attacks/near.py"),
        ("import quintain as q", "attacks/near.py"),
        ("from quintain import attack", "api/__init__.py"),
        ("from quintain import registry\nregistry.find('attack', 'near')", "attacks/near.py"),
        ("from quintain import registry\nall = map(registry.find, a, b)", "data/sets.py"),
        ("from quintain.data.shape import found", "data/sets.py"),
        ("from quintain.registry import find\nfind(Odd.family, name)", "attacks/near.py"),
        ("from quintain.jobs.job import work", "host/pages.py"),
        ("from quintain.host import start", "cli/play.py"),
        ("from quintain.cli import run", "cli/play.py"),
        ("import subprocess", "host/pages.py"),
        ("code = 'import quintain as q'", "host/pages.py"),
        ("from quintain.host.pages import show", "host/templates/page.html"),
        ("from quintain.runs import reader", "runs/program/copied.py"),
        ("page = ROOT / 'docs/page.md'", "docs/page.md"),
        ("pages = ROOT / 'docs'", "docs/page.md"),
    ],
)
def test_what_imports_do_not_show_is_reached(reached, line, file):
    assert file in reached(line)


def test_what_git_ignores_is_not_reached(reached):
    assert reached("page = ROOT / 'made/page.html'") == set()


def test_a_look_up_reaches_the_family_that_it_names(reached):
    assert "attacks/near.py" not in reached("from quintain.data.shape import found")
    found = reached("from quintain.registry import find\nfind('shape', 'set')")
    assert "data/sets.py" in found
    assert "attacks/near.py" not in found


def test_no_class_has_the_name_of_a_family_other_than_its_own():
    for family in registry.families():
        for cls in registry.parts(family):
            owner = next(base for base in cls.__mro__ if "family" in vars(base)).__name__.lower()
            assert owner == family or owner not in registry.families()


def test_every_function_of_the_registry_that_imports_parts_is_known():
    assert all(callable(getattr(registry, name)) for name in LOOK_UPS)


@pytest.mark.parametrize(
    "test",
    [
        "tests/measures/privacy/test_hit_rate.py",
        "tests/runs/organising/test_teams.py",
    ],
)
def test_nothing_that_a_test_imports_is_out_of_reach(test):
    done = subprocess.run(
        [sys.executable, "-c", LIST_IMPORTED, test],
        cwd=ROOT,
        env={k: v for k, v in os.environ.items() if not k.startswith("PYTEST")},
        capture_output=True,
        text=True,
        check=True,
    )
    code, files = json.loads(done.stdout.splitlines()[-1])
    assert code == 0, done.stdout
    imported = {path for file in files if (path := Path(file)).is_relative_to(ROOT)}
    own = {path for path in imported if ".venv" not in path.parts}
    assert len(own) > 20
    choosing = {ROOT / "tests/slow_tests.py", ROOT / "tests/reach.py"}
    assert not own - choosing - Reach(ROOT).of(ROOT / test)
