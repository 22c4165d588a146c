"""Typed doors: a type checker passes right user code and names every wrong line of wrong code."""

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import quintain
from quintain.builtin import OPEN_STAGES, part_classes

ROOT = Path(__file__).resolve().parents[1]

# What users import is checked as they would check it: only their own lines are judged. Torch, which
# alone takes longer than all the rest, and numpy are not looked into.
SETTINGS = """
[mypy]
strict = true

[mypy-quintain.*]
ignore_errors = true

[mypy-torch.*,numpy.*,scipy.*,sklearn.*,narwhals.*]
follow_imports = skip

[mypy-pyarrow.*,joblib.*,threadpoolctl.*,distributed.*,pandas.*,polars.*]
ignore_missing_imports = true
"""

RIGHT = """
import quintain as q
from quintain.attacks import Nearest

schema = q.Schema(columns=(q.Column(name="age", kind="integer", low=0, high=99),))
people = q.Table.of(schema, {"age": [20, 30, 40]})
release: q.Release = q.sanitize("mst", people, schema=schema, seed=1, epsilon=1)
again = q.sanitize(q.sanitizers.Mst(epsilon=2.0), release, seed=1).to_frame()
guess: q.Guess = q.attack(Nearest(), release, targets=people, seed=0)
reading: q.Reading = q.measure(q.measures.Auc, guess, [True, False, True])["auc"]
names: list[str] = q.parts("attack") + [q.part("mst", epsilon=1).id, q.__version__]
verdict: str = q.audit(people, release, seed=1, permutations=99).verdict
entries = {"mst": q.sanitizers.Mst(epsilon=2.0), "mine": lambda frame: frame, "file": "r.csv"}
sure: list[bool] = [
    pair.more_than_luck for pair in q.compare(entries, people, people, repetitions=3).differences
]
made: q.Release = q.sanitize(lambda frame: frame, people, seed=1)
title: str = q.load("tiny").title
"""

WRONG = {
    "from quintain.attacks import Nearst": 'maybe "Nearest"?',
    'q.attak("nearest", table, targets=table)': 'maybe "attack"',
    "q.sanitize(1, 2, 3, nonsense=True)": "No overload variant",
    "q.sanitize(1, table)": 'matches argument types "int", "Table"',
    'q.sanitize("mst", [1, 2])': 'matches argument types "str", "list[int]"',
    'q.sanitize("mst", table, seed="one")': 'matches argument types "str", "Table", "str"',
    'q.sanitize("mst", table, schema={"age": "integer"})': '"dict[str, str]"',
    "q.sanitize(q.sanitizers.Mst(), table, epsilon=1)": '"Mst", "Table", "int"',
    'q.attack("nearest")': 'Missing positional argument "release"',
    "q.audit(table, table, permutation=99)": 'did you mean "permutations"?',
    "q.audit_sanitizer(table, table, runs=1.5)": 'Argument "runs"',
    'q.compare(["rr", "mst"], table, repetition=3)': 'did you mean "repetitions"?',
    "q.sanitizers.Mst(epsilonn=1.0)": 'did you mean "epsilon"?',
    'q.sanitizers.Mst(epsilon="one")': 'incompatible type "str"; expected "float"',
    "q.sanitizers.MST(epsilon=1.0)": 'has no attribute "MST"',
    'number: int = q.measure("auc", table, table)': "Incompatible types in assignment",
    'q.read("people.csv").nothing': "",
    'q.load("tiny").titel': 'maybe "title"?',
    "q.parts(1)": 'incompatible type "int"; expected "str"',
}

HEAD = ["import quintain as q", "table = q.Table.of(q.Schema(columns=()), {})"]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """What mypy says of both files, in one run."""
    folder = tmp_path_factory.mktemp("user")
    (folder / "mypy.ini").write_text(SETTINGS)
    (folder / "right.py").write_text(RIGHT)
    (folder / "wrong.py").write_text("\n".join([*HEAD, *WRONG, ""]))
    # The cache is shared by all runs: the first one takes ten seconds, the next ones less than two.
    cache = ["--cache-dir", str(ROOT / ".mypy_cache" / "user_code")]
    command = [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", *cache]
    done = subprocess.run(
        [*command, "right.py", "wrong.py"],
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr and done.returncode == 1, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_right_code_has_no_errors(report):
    assert "right.py" not in report


@pytest.mark.parametrize("line", WRONG)
def test_every_wrong_line_is_named(report, line):
    number = 1 + len(HEAD) + list(WRONG).index(line)
    errors = re.findall(rf"^wrong\.py:{number}: error: (.*)", report, re.M)
    assert any(WRONG[line] in error for error in errors), errors


def test_nothing_else_is_called_wrong(report):
    numbers = {int(number) for number in re.findall(r"^wrong\.py:(\d+): error", report, re.M)}
    assert numbers == {1 + len(HEAD) + place for place in range(len(WRONG))}


def test_the_stub_of_a_stage_has_its_names_and_parts():
    for stage in OPEN_STAGES:
        offered = dir(import_module(f"quintain.{stage}"))
        text = (ROOT / "src/quintain" / stage / "__init__.pyi").read_text()
        assert set(part_classes(f"quintain.{stage}")) <= set(offered)
        assert set(re.findall(r" as (\w+)", text)) == set(offered)


def test_the_stub_of_quintain_has_its_public_names():
    text = (ROOT / "src/quintain/__init__.pyi").read_text()
    assert {*re.findall(r" as (\w+)", text), "__version__"} == set(dir(quintain))


def test_a_mistyped_part_class_gets_a_suggestion():
    with pytest.raises(AttributeError, match=r"has no attribute 'MST'; did you mean 'Mst'\?"):
        _ = quintain.sanitizers.MST
    assert not hasattr(quintain.attacks, "__nothing__")
