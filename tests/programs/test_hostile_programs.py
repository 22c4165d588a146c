"""Hostile programs: they end nothing but themselves, and no reason carries private data out."""

import io
import os
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from quintain.contests import load
from quintain.data import Limits
from quintain.errors import Faults, SubmissionError
from quintain.programs import CallLimits, Draws
from quintain.programs.failures import ProgramError, Reason
from quintain.programs.hide_and_seek import HideAndSeek
from quintain.programs.runner import call
from quintain.programs.sandbox.process import Process
from quintain.runs.play import play, read_programs, reasons
from quintain.runs.submissions.checking import unpack_program
from quintain.runs.submissions.upload import read_upload, zip_bytes
from quintain.testing.examples import example

CONTRACT = HideAndSeek(steps=12, limits=CallLimits(seconds=600, memory_gib=4))


def failure(body, **names):
    """The error with which a hider with this body made nothing."""
    text = f"import json, os, sys\nimport numpy as np\ndef hider(d):\n    {body}\n"
    for name, value in names.items():
        text = text.replace(name, value)
    with pytest.raises(ProgramError) as caught:
        CONTRACT.release(
            {"hider.py": text.encode()},
            example("series"),
            draws=Draws.for_test(1),
            sandbox=Process(),
        )
    return caught.value


def details(body):
    """What its author reads after a run on public data."""
    return failure(body).details


SECRET = "71.25"


@pytest.mark.parametrize(
    "body",
    [
        "return 'SECRET'",
        "return np.zeros((0, 7125, 71))",
        "return d['data'], np.zeros((0, 7125, 71))",
        "return (d['data'],) * 7",
        "raise type('SECRET', (Exception,), {})",
        "raise type('SECRET', (Exception,), {'__module__': 'builtins'})",
        "exec(compile('1/0', os.getcwd() + '/program/SECRET', 'exec'))",
        "exec(compile('\\n' * 7124 + '1/0', os.getcwd() + '/program/hider.py', 'exec'))",
        "print('SECRET', flush=True); sys.stderr.write('SECRET'); os._exit(7)",
        "[os.write(f, b'SECRET') for f in range(3, 9) if os.path.exists(f'/proc/self/fd/{f}')]",
        "os._exit(71)",
        "os.kill(os.getpid(), 7)",
    ],
)
def test_no_reason_carries_private_data_out(body):
    sentence = str(failure(body, SECRET=SECRET))
    assert sentence in set(Reason)
    assert "71" not in sentence


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("return ()", "nothing else"),
        ("return None", "not an array"),
        ("return d['data'].astype(object)", "not an array"),
        ("return d['data'].astype(complex)", "not an array"),
        ("return d['data'].astype(str)", "not an array"),
        ("return (row for row in d['data'])", "not an array"),
        ("return np.zeros((300, 1000))", "more data than the limit"),
        ("return np.nan_to_num(d['data']) + 1e300", "beyond 1e+100"),
        ("return np.full(d['data'].shape, np.longdouble('1e400'))", "beyond 1e+100"),
        ("open('x', 'wb').truncate(1 << 40)", "OSError in hider.py, line 4"),
        ("return np.linalg.inv(np.zeros((2, 2)))", "ValueError in hider.py, line 4"),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(body, sentence):
    assert sentence in details(body)


def test_a_syntax_error_has_a_file_and_a_line_in_the_details_only():
    with pytest.raises(ProgramError) as caught:
        CONTRACT.release(
            {"hider.py": b"x = 1\ndef hider(:\n"},
            example("series"),
            draws=Draws.for_test(1),
            sandbox=Process(),
        )
    assert caught.value.details == "it failed with SyntaxError in hider.py, line 2"
    assert str(caught.value) == "it failed with an error"


def test_a_number_of_numpy_is_a_number_of_evaluations():
    text = b"import numpy as np\ndef hider(d):\n    return d['data'], np.int64(3)\n"
    made = CONTRACT.release(
        {"hider.py": text}, example("series"), draws=Draws.for_test(1), sandbox=Process()
    ).data
    assert np.array_equal(made.values, example("series").values, equal_nan=True)


@pytest.mark.parametrize(
    "body",
    [
        "for _ in range(2000): os.mkdir('d'); os.chdir('d')",
        "os.mkdir('d'); os.chmod('d', 0); os.chmod('.', 0o500)",
        "here = os.getcwd(); os.rename(here, here + '-moved'); os.symlink('VICTIM', here)",
        "import shutil; shutil.rmtree(os.getcwd())",
        "os.symlink('VICTIM/file', 'program/output.json'); os.symlink('VICTIM/file', 'part0')",
    ],
)
def test_whatever_a_program_does_to_its_folder_hurts_nobody_else(body, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim/file").write_text("")
    body = body.replace("VICTIM", str(tmp_path / "victim"))
    text = f"import os\ndef f(d):\n    {body}\n    return 1\n"
    try:
        assert call({"m.py": text.encode()}, "m", "f", {}, CallLimits(seconds=600), Process()) == [
            1
        ]
    except ProgramError as error:
        assert "returned nothing" in error.details
    assert (tmp_path / "victim/file").exists()
    left = [path.name for path in tmp_path.iterdir() if path.name != "victim"]
    assert left == [] or "rename" in body


def test_private_data_do_not_lie_in_the_folder_while_the_program_runs():
    text = b"import os\ndef f(d):\n    return ','.join(sorted(os.listdir()))\n"
    given = {"x": np.arange(3)}
    assert call({"m.py": text}, "m", "f", given, CallLimits(seconds=600), Process()) == ["program"]


def test_gigabytes_of_output_go_nowhere():
    text = b"def f(d):\n    for _ in range(300): print('x' * 1_000_000)\n    return 1\n"
    assert call({"m.py": text}, "m", "f", {}, CallLimits(seconds=600), Process()) == [1]


# --- zips -----------------------------------------------------------------------------------------


def renamed(old, new):
    """A program with one more file, whose name is then changed in the bytes of the zip."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("hider.py", "")
        archive.writestr(old, "x")
    return out.getvalue().replace(old.encode(), new)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (zip_bytes({"hider.py": b"", "hider.py/x": b""}), "a file and a folder"),
        (zip_bytes({"hider.py": b"", "A": b"", "a/b": b""}), "a file and a folder"),
        (zip_bytes({"hider.py": b"", "x" * 300: b""}), "bytes; the limit is 200"),
        (zip_bytes({"hider.py": b"", "d/" * 600 + "x": b""}), "bytes; the limit is 200"),
        (zip_bytes({"hider.py": b"", ".": b""}), "or an empty folder name"),
        (zip_bytes({"hider.py": b"", "./hider.py": b""}), "or an empty folder name"),
        (zip_bytes({"hider.py": b"", "a//b": b""}), "or an empty folder name"),
        (zip_bytes({"hider.py": b"", "a\nb": b""}), "cannot be shown"),
        (renamed("qqqq", b"\0qqq"), "cannot be read as a zip"),
    ],
)
def test_a_zip_that_could_not_be_unpacked_is_refused_when_it_is_handed_in(content, sentence):
    faults = Faults("x.zip")
    assert unpack_program(CONTRACT, content, Limits(), faults) == {}
    assert sentence in str(faults.findings[0])


@pytest.mark.skipif(sys.platform == "darwin", reason="names are text there")
def test_a_folder_with_a_name_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "hider.py").write_text("")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.txt")).write_text("")
    with pytest.raises(SubmissionError, match="cannot be shown"):
        read_upload(tmp_path, Limits(), program=True)


def test_a_program_is_called_like_its_folder_and_never_like_what_is_kept_beside_it(
    tmp_path, monkeypatch
):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/hider.py").write_text("")
    monkeypatch.chdir(tmp_path / "mine")
    assert list(read_upload(Path(), Limits(), program=True)) == ["mine.zip"]
    Path("reason.txt").write_bytes(zip_bytes({"hider.py": b""}))
    with pytest.raises(SubmissionError, match="a program is a zip"):
        read_upload(Path("reason.txt"), Limits(), program=True)


def test_a_release_that_breaks_the_rules_is_refused_without_lines_and_values(tmp_path):
    step = {"use": "hide-and-seek", "steps": 10, "limits": {"seconds": 20}}
    small = {
        "dataset": {"rows": 40, "steps": 10, "features": 4},
        "baseline": [{"id": "noise", "sanitizer": {"use": "add-noise"}}],
        "phase": [{"id": "hide", "submit": "release", "contract": step}],
    }
    edition = load("hide-and-seek", overrides=small)
    program = tmp_path / "hider.py"
    program.write_text(
        "def hider(d):\n    d['data'][3:7, :, 0] = float('nan')\n    return d['data']\n"
    )
    programs = read_programs(edition, [program])
    folder = play(edition, tmp_path / "run", seed=1, programs=programs)
    assert reasons(folder) == {"hider": "what it made breaks the rules of the contest"}
    assert "time='': expected a number" in reasons(folder, public_data=True)["hider"]
