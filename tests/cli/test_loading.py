"""What commands load: no library that they do not use."""

import shutil
import subprocess
import sys

import pytest

from tests.contest_folders import small

COMMAND = """
import sys
from quintain.cli.main import main
try:
    main(sys.argv[2:])
except SystemExit as end:
    assert not end.code
print([name for name in sys.argv[1].split() if name in sys.modules], file=sys.stderr)
"""
UNUSED = "pandas scipy sklearn torch joblib pyarrow.parquet pyarrow.dataset jinja2"
OWN_UNUSED = "quintain.data.learning.input_table quintain.data.own_files.csv_file"


@pytest.fixture(scope="module")
def contest(tmp_path_factory):
    """A contest that takes guesses, and the guesses of a team in a file beside it."""
    root = tmp_path_factory.mktemp("loading")
    folder = small(root / "contest", team=[{"id": "red"}], repeats=1)
    rules = folder.edition().track[0]
    task = folder.tasks(rules)[0]
    targets = folder.question(rules, task).targets().tolist()
    rows = "".join(f"{target},{i % 2}\n" for i, target in enumerate(targets))
    (root / f"{task.name}.csv").write_text(f"target,probability\n{rows}")
    return root


def loaded(watched, *arguments):
    """Which of the watched modules a command has loaded."""
    command = [sys.executable, "-c", COMMAND, watched, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stderr.splitlines()[-1]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "submit"])
def test_guesses_are_submitted_without_what_only_other_commands_use(contest, tmp_path, command):
    folder = shutil.copytree(contest / "contest", tmp_path / "contest")
    (guess,) = contest.glob("*.csv")
    assert loaded(f"{UNUSED} {OWN_UNUSED}", command, folder, guess, "--team", "red") == "[]"


def test_a_contest_is_played_and_scored_without_pandas(tmp_path):
    once = ("--set", "repeats=1")
    out = tmp_path / "run"
    assert loaded("pandas", "play", "tiny", *once, "--seed", "1", "--out", out) == "[]"


def test_an_audit_says_what_it_will_cost_before_it_loads_what_takes_longest():
    """Its first line has to come soon, and this library alone takes half a second."""
    text = "import sys, quintain.audits.reading.tables, quintain.audits.release\n"
    text += "print('scipy.stats' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
