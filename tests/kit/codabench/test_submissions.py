"""Submissions on CodaBench: valid where our own judge finds them valid, refused with a sentence."""

import ast
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.contests.submitting import FileFormat
from quintain.data import Column, Schema
from quintain.data.files import foreign
from quintain.data.files.limits import Limits
from quintain.errors import QuintainError
from quintain.kit.codabench import program
from quintain.kit.codabench.plan import written_columns
from quintain.kit.codabench.program.faults import Faults
from quintain.kit.codabench.program.table import read_table
from quintain.rankings import trimming
from quintain.runs.submissions.checking import check
from tests.kit.codabench.sentences import our_sentences, program_sentences
from tests.kit.conftest import answers, track_of, unpacked
from tests.kit.scoring_run import run_scoring

SCRIPTS = [
    path for path in Path(program.__file__).parent.rglob("*.py") if path.name != "__init__.py"
]
SCRIPTS += [Path(foreign.__file__), Path(trimming.__file__)]


def faulty(folder):
    """Submissions that must not be scored, with a piece of what is said about each."""
    good = answers(folder, "drawn")
    name = next(iter(good))
    lines = good[name].decode().split("\n")
    header, first, second = lines[:3]
    target = first.partition(",")[0]

    def with_line(text):
        return {**good, name: "\n".join([header, text, *lines[2:]]).encode()}

    return {
        "nothing": ({}, "is missing; a submission answers every task"),
        "one missing": ({n: c for n, c in good.items() if n != name}, f"{name}: is missing"),
        "another file": ({**good, "notes.txt": b"hello"}, "notes.txt: answers no task"),
        "a folder": ({**good, f"wrapped/{name}": b""}, "only plain files"),
        "empty": ({**good, name: b""}, f"{name}: the file is empty"),
        "only a header": ({**good, name: f"{header}\n".encode()}, "has 0 rows; expected 20"),
        "not text": ({**good, name: b"\xff\x01"}, "is not UTF-8"),
        "another encoding": ({**good, name: b"\xff\xfe"}, "is UTF-16 text; save it as UTF-8"),
        "NUL": (with_line(f"{target},0.\x005"), ":2: contains a NUL byte"),
        "another header": (
            {**good, name: good[name].replace(b"target", b"id")},
            f"{name} target: this column is missing",
        ),
        "no header": (
            {**good, name: good[name].partition(b"\n")[2]},
            "this column is not in the schema",
        ),
        "not a number": (with_line(f"{target},nan"), "='nan': expected a number in 0..1"),
        "infinite": (with_line(f"{target},1e999"), "expected a number"),
        "a space": (with_line(f"{target}, 0.5"), "=' 0.5': expected a number"),
        "above one": (with_line(f"{target},1.5"), "expected a number in 0..1"),
        "three cells": (with_line(f"{first},1"), "expected 2 cells, found 3"),
        "a blank line": (with_line(""), ":2: is a blank line; delete it"),
        "unknown target": (with_line("nobody,0.5"), "no such target was asked about"),
        "twice": (with_line(second), "answered before, on line 2"),
        "an open quote": (with_line(f'"{target},0.5'), "does not end on its line"),
    }


KINDS = [
    *("nothing", "one missing", "another file", "a folder", "empty", "only a header"),
    *("not text", "another encoding", "NUL"),
    *("another header", "no header", "not a number", "infinite", "a space", "above one"),
    *("three cells", "a blank line", "unknown target", "twice", "an open quote"),
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_bad_submission_is_refused_with_a_sentence(live, bundle, kind, tmp_path):
    files, message = faulty(live)[kind]
    done = run_scoring(bundle, files, tmp_path)
    assert (done.code, done.scores) == (1, None)
    assert message in done.output
    assert "Traceback" not in done.output
    if kind not in ("nothing", "one missing"):  # our own judge takes partial answers
        with pytest.raises(QuintainError):
            check(live, track_of(live), "guess", "red", files)


def test_a_link_to_the_truth_is_not_followed(bundle, live, tmp_path):
    given = answers(live, "drawn")
    name = next(iter(given))
    (tmp_path / "app/input/res").mkdir(parents=True)
    (tmp_path / "app/input/res" / name).symlink_to(f"../ref/{name}")
    rest = {n: c for n, c in given.items() if n != name}
    done = run_scoring(bundle, rest, tmp_path)
    assert done.code == 1
    assert "only plain files" in done.output
    assert "member" not in done.output


def test_a_long_list_of_faults_is_cut(bundle, tmp_path):
    done = run_scoring(bundle, {f"{i}.txt": b"" for i in range(99)}, tmp_path)
    assert len(done.output.splitlines()) == 22
    assert "... and 89 more" in done.output


PLAIN = ["0.5", "1", "1.0", "-0", "1e-3", ".5", "5.", "+1", '"0.75"', "0.0000000001", "0,5", ""]
ODD = ["0x1", "nan", "1_0", "٣", "1e999", "0" * 61, '"', '""', "a\x1fb", "é", "\ufeff", "\t", " 1"]
CELL = st.sampled_from([*PLAIN, *ODD])
TARGET = st.sampled_from(["{0}", "{0}", "{0}", '"{0}"', "{1}", "{0} ", "0{0}", "20", ""])
ROW = st.builds("{},{}".format, TARGET, CELL) | st.lists(CELL, max_size=3).map(",".join)
HEADS = ["target,probability", '"target",probability', "\ufefftarget,probability", "target", "a,b"]


@pytest.mark.slow
@settings(deadline=None, max_examples=200)
@given(
    rows=st.lists(ROW, max_size=2),
    head=st.sampled_from([*HEADS, "probability,target", ""]),
    ends=st.sampled_from(
        [("\n", "\n"), ("\r\n", "\r\n"), ("\n", ""), ("\n", "\n\n"), ("\r", "\r"), ("\r\r\n", "\n")]
    ),
    form=st.sampled_from([FileFormat(), FileFormat(header=False), FileFormat(strict=True)]),
)
def test_what_is_valid_is_what_our_judge_finds_valid(live, rows, head, ends, form):
    track = track_of(live).model_copy(update={"files": form})
    rows = [row.format(i, i + 1) for i, row in enumerate(rows)]
    lines = ([head] if form.header else []) + rows + [f"{i},0.25" for i in range(len(rows), 20)]
    content = (ends[0].join(lines) + ends[1]).encode()
    sentences, guess = our_sentences(live, track, content)
    said, values = program_sentences(live, track, content)
    assert bool(said) == bool(sentences), (said, sentences)
    assert said == sentences
    if not sentences:
        columns = guess.table.columns
        assert values["target"] == columns["target"].astype(str).tolist()
        assert values["probability"] == columns["probability"].tolist()


# The starting kit


def test_the_baseline_of_the_starting_kit_is_a_valid_submission(live, bundle, tmp_path):
    for name, content in unpacked(bundle).items():
        if name.startswith("starting_kit/"):
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    kit = tmp_path / "starting_kit"

    def python(*arguments):
        command = [sys.executable, "-E", "-s", "-S", *arguments]
        return subprocess.run(command, cwd=kit, capture_output=True, text=True, check=False)

    assert python("baseline.py").returncode == 0
    for what in ("answers.zip", "example"):
        done = python("score.py", "--check", what)
        assert (done.returncode, done.stdout) == (0, "10 answers, complete and valid\n")
    check(live, track_of(live), "guess", "red", unpacked((kit / "answers.zip").read_bytes()))
    with zipfile.ZipFile(kit / "answers.zip", "a") as archive:
        archive.writestr("__MACOSX/identity.000.csv", b"")
    assert python("score.py", "--check", "answers.zip").returncode == 0
    with zipfile.ZipFile(kit / "answers.zip", "a") as archive:
        archive.writestr("wrapped/identity.000.csv", b"")
    assert "only plain files" in python("score.py", "--check", "answers.zip").stderr
    assert python("score.py", "--check", "nowhere").returncode == 1
    assert python("score.py", "--what").returncode == 2


@pytest.mark.parametrize("name", sorted(path.name for path in SCRIPTS))
def test_the_scripts_need_an_old_python_and_nothing_else(name):
    (script,) = (path for path in SCRIPTS if path.name == name)
    tree = ast.parse(script.read_text(), feature_version=(3, 7))
    assert "from __future__ import annotations" in script.read_text()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            modules = [node.module] if isinstance(node, ast.ImportFrom) else []
            modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert {module.split(".")[0] for module in modules} <= sys.stdlib_module_names | {
                "quintain"
            }


def test_the_bundle_imports_no_quintain(bundle):
    for name, content in unpacked(bundle).items():
        if name.endswith(".py"):
            assert b"from quintain" not in content
            assert b"import quintain" not in content


def test_the_program_knows_other_names_of_columns():
    price = Column(name="price", kind="integer", low=0, high=9, aliases=("unit_price",))
    columns = written_columns(Schema(columns=(price, Column(name="qty", kind="id"))))
    form = {"header": True, "strict": False, **Limits().model_dump()}
    faults = Faults()
    rows = read_table("a.csv", b"qty,unit_price\nx,4\n", columns, form, faults)
    assert rows is not None and faults.total == 0
    assert rows.values == {"price": [4], "qty": ["x"]}
