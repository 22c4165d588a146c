"""The command line: quick, kind, and stable where outsiders check us."""

import json
import math
import re
import resource
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from io import StringIO
from types import SimpleNamespace

import click
import pytest

from quintain.cli.groups import ENTRY_POINTS
from quintain.cli.main import COMMANDS, ELSEWHERE, SUMMARIES, cli, main
from quintain.errors import FolderError


@dataclass(frozen=True)
class Done:
    """A command that ended."""

    returncode: int
    stdout: str
    stderr: str


def quintain(*arguments, cwd="."):
    """Run a command in this process, which spares importing everything again."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err), chdir(cwd), pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return Done(ended.value.code or 0, out.getvalue(), err.getvalue())


def cpu_seconds(*command):
    """The least CPU time of three runs."""

    def once():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(once() for _ in range(3))


def test_importing_is_quick():
    assert cpu_seconds(sys.executable, "-c", "import quintain") < 0.3


def test_help_is_quick():
    assert cpu_seconds(sys.executable, "-m", "quintain", "--help") < 0.5


@pytest.mark.parametrize("command", [*COMMANDS, *ELSEWHERE])
def test_every_command_has_help(command):
    done = quintain(command, "--help")
    assert done.returncode == 0
    assert "Usage: " in done.stdout
    assert SUMMARIES[command]


@pytest.mark.parametrize("command", ELSEWHERE)
@pytest.mark.parametrize("words", [[], ["--help"], ["site", "--port", "8000"]], ids=str)
def test_a_command_that_is_not_installed_says_what_to_install(command, words, monkeypatch, capsys):
    # A plugin cannot take the place either.
    impostor = EntryPoint(command, "quintain.cli.play:play", ENTRY_POINTS)
    vars(impostor)["dist"] = SimpleNamespace(name="quintain-plugin")
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [impostor])
    with pytest.raises(SystemExit) as ended:
        main([command, *words])
    assert ended.value.code == 1
    message = f"quintain {command} needs quintain-host, which is not installed"
    assert capsys.readouterr().err == f"quintain: {message}: pip install quintain-host\n"


@pytest.mark.parametrize("command", ["", *COMMANDS, *ELSEWHERE])
def test_examples_stand_on_lines_of_their_own_however_narrow_the_terminal(command):
    context = click.Context(cli, info_name="quintain", terminal_width=40)
    shown = cli
    if command:
        shown = cli.get_command(context, command)
        context = click.Context(shown, info_name=command, parent=context, terminal_width=40)
    text = shown.get_help(context)
    lines = text[text.index("Example") :].splitlines()
    assert lines[0].strip() in ("Example:", "Examples:")
    assert lines[1:]
    for line in lines[1:]:
        # A command that went on on the next line would not start on it.
        assert line.strip().startswith("quintain ")
        assert f"  {line.strip()}" in shown.epilog.splitlines()


@pytest.mark.parametrize(
    ("command", "default"),
    [
        ("play", "the edition's id with -run"),
        ("play", "all cores"),
        ("prepare", "secret seeds"),
        ("check", "the only one"),
        ("rank", "the first"),
        ("export", "bundle"),
    ],
)
def test_defaults_are_shown(command, default):
    context = click.Context(cli, info_name="quintain")
    shown = cli.get_command(context, command)
    text = " ".join(shown.get_help(click.Context(shown, info_name=command)).split())
    assert re.search(rf"default: \(?{default}", text)


def test_an_error_is_a_sentence_and_not_a_traceback(tmp_path):
    done = quintain("prepare", tmp_path)
    assert done.returncode == 1
    assert done.stderr == f"quintain: {tmp_path} is not an edition folder: it has no edition.toml\n"
    with pytest.raises(FolderError):
        main(["--debug", "prepare", str(tmp_path)])


def test_a_mistyped_edition_key_is_explained(tmp_path):
    done = quintain("play", "tiny", "--set", "sample.targtes=3", "--out", tmp_path / "x")
    assert done.returncode == 1
    assert "did you mean 'targets'" in done.stderr
    assert not (tmp_path / "x").exists()


def test_an_override_without_a_value_is_explained():
    done = quintain("play", "tiny", "--set", "repeats")
    assert done.returncode == 2
    assert "expected KEY=VALUE, got 'repeats'" in done.stderr


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("cli") / "run"
    done = quintain("play", "tiny", "--quick", "--seed", 5, "--out", out, "--workers", 1)
    assert done.returncode == 0, done.stderr
    return out


@pytest.mark.slow
def test_measure_prints_one_json_object_with_every_reading(run):
    secret = run / "secret/main/tasks/rr-keep0.9.000"
    release = run / "public/main/tasks/rr-keep0.9.000/release.csv"
    *_, last = map(json.loads, (run / "journal.jsonl").read_text().splitlines())
    guess = next(run.glob(f"submissions/files/*/{last['files']['rr-keep0.9.000.csv']}.csv"))
    files = ("--original", secret / "private.parquet", "--release", release)
    attack = ("--truth", secret / "truth.csv", "--guess", guess)
    done = quintain("measure", "tiny", *files, *attack, "--json")
    table = json.loads(done.stdout)
    assert set(table) == {
        "tv1",
        "tv2",
        "membership_advantage",
        "auc",
        "tpr_at_fpr",
        "readings",
    }
    assert table["tv1"] == table["readings"]["tv1"]["value"]
    assert table["readings"]["auc"]["better"] == "lower"
    only = json.loads(quintain("measure", "tiny", *files, "--json").stdout)
    assert set(only) == {"tv1", "tv2", "readings"}


def test_measure_names_what_is_missing_and_what_is_wrong(run, tmp_path):
    done = quintain("measure", "tiny", "--release", run / "public/main/schema.json")
    assert done.returncode == 1
    assert "--original and --release belong together" in done.stderr
    assert "schema.json" in done.stderr
    assert "give --original" in quintain("measure", "tiny").stderr


def test_rank_takes_a_matrix_from_elsewhere(tmp_path):
    matrix = tmp_path / "matrix.csv"
    matrix.write_text(",a,b,c\nred,0.5,0.1,\nblue,0.4,0.1,0.2\ngreen,0.1,0.0,0.3\n")
    done = quintain("rank", "tiny", "--cells", matrix, "--json")
    board = json.loads(done.stdout)["boards"]["attackers"]
    # red wins a; b is tied and goes to nobody; green wins c.
    assert board == [
        {"rank": 1, "score": 1.0, "team": "green"},
        {"rank": 1, "score": 1.0, "team": "red"},
        {"rank": 3, "score": 0.0, "team": "blue"},
    ]


def test_rank_names_every_bad_cell(tmp_path):
    matrix = tmp_path / "matrix.csv"
    matrix.write_text(",a,b\nred,x,0.1\nblue,0.4\ngreen,0.1,-\n")
    done = quintain("rank", "tiny", "--cells", matrix)
    assert done.returncode == 1
    assert "matrix.csv:2 a='x': expected a number" in done.stderr
    assert "matrix.csv:3: expected 3 cells, found 2" in done.stderr
    assert "matrix.csv:4 b='-'" in done.stderr


def test_infinity_is_valid_json_that_reads_as_infinity(capsys):
    from quintain.commitment import canonical_json

    assert json.loads(canonical_json({"x": math.inf}))["x"] == math.inf


def test_the_board_shows_only_what_the_policy_allows(run, tmp_path):
    shown = quintain("board", run).stdout
    assert shown == "track main: feedback is 'none': no score is shown before the end\n"
    assert "nearest" in quintain("board", run, "--official").stdout
    assert json.loads(quintain("board", run, "--json").stdout)["tracks"] == {"main": {}}


@pytest.mark.slow
def test_tracks_are_shown_in_the_order_of_the_edition(tmp_path):
    (tmp_path / "two.toml").write_text(
        'include = "tiny"\nid = "two"\nrepeats = 1\n'
        'feedback = { show = "full" }\ndataset = { rows = 600 }\n'
        "sample = { targets = 20, background = 60 }\n"
        '[[track]]\nid = "second"\n[[track]]\nid = "first"\n'
    )
    out, alone = tmp_path / "run", ("--seed", 1, "--workers", 1)
    played = quintain("play", tmp_path / "two.toml", "--out", out, *alone).stdout
    assert f"matrix:    {out / 'results/matrix.csv'}\n" in played
    assert played.index("second: Attackers") < played.index("first: Attackers")
    official = quintain("board", out, "--official").stdout
    assert official.index("second: Attackers") < official.index("first: Attackers")
    shown = quintain("board", out).stdout
    assert shown.index("track second") < shown.index("track first")


@pytest.mark.slow
def test_the_archive_verifies_and_the_kit_has_no_secrets(run, tmp_path):
    import zipfile

    assert quintain("export", run, "archive", tmp_path / "all.zip").returncode == 0
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        archive.extractall(tmp_path / "all")
    assert quintain("verify", tmp_path / "all").returncode == 0
    assert quintain("export", run, "kit", tmp_path / "kit.zip", "--rehearsal").returncode == 0
    with zipfile.ZipFile(tmp_path / "kit.zip") as kit:
        names = kit.namelist()
    assert "public/main/tasks/identity.000/release.csv" in names
    assert not [name for name in names if "secret" in name or "truth" in name]


def test_a_rehearsal_is_not_exported_by_mistake(run, tmp_path):
    for what in ("kit", "codabench"):
        done = quintain("export", run, what, tmp_path / "out.zip")
        assert done.returncode == 1
        assert "was prepared with --seed: anybody can compute its answers" in done.stderr
        assert "--rehearsal" in done.stderr
    assert not (tmp_path / "out.zip").exists()


def test_a_kit_without_data_of_the_teams_own_says_so(tmp_path):
    from tests.contest_folders import small

    contest = small(tmp_path / "contest", team=[{"id": "red"}], repeats=1).root
    done = quintain("export", contest, "kit", tmp_path / "kit.zip", "--team", "red", "--rehearsal")
    assert done.returncode == 0
    assert "team red has no private data: its kit has what everybody gets" in done.stdout
    assert (tmp_path / "kit.zip").is_file()


def test_verify_fails_loudly(run, tmp_path):
    import shutil

    shutil.copytree(run, tmp_path / "bad")
    (tmp_path / "bad/secret/seeds.json").write_text("{}")
    done = quintain("verify", tmp_path / "bad")
    assert done.returncode == 1
    assert "secret/seeds.json" in done.stdout
    assert "NOT verified" in done.stderr


def test_a_mistyped_command_is_answered_with_the_nearest():
    done = quintain("plya", "tiny")
    assert done.returncode == 2
    assert "unknown command 'plya'; did you mean 'play'?" in done.stderr


def test_quintain_alone_shows_its_commands():
    done = quintain()
    assert "Usage: quintain" in done.stdout + done.stderr
    assert "Play a whole contest" in done.stdout + done.stderr


def test_main_can_be_called_from_python(capsys):
    with pytest.raises(SystemExit) as done:
        main(["--version"])
    assert done.value.code == 0
    assert cli.name


def test_rank_refuses_cells_that_the_measure_cannot_read(tmp_path):
    matrix = tmp_path / "counts.csv"
    matrix.write_text(",a,b\nred,1086,0.2\nblue,0.4,-2\n")
    done = quintain("rank", "tiny", "--cells", matrix)
    assert done.returncode == 1
    assert "counts.csv:2 a='1086': membership_advantage is from -1 to 1" in done.stderr
    assert "counts.csv:3 b='-2': membership_advantage is from -1 to 1" in done.stderr
    assert "--of" in done.stderr


def test_rank_reads_counts_of_another_size(tmp_path):
    matrix = tmp_path / "counts.csv"
    matrix.write_text(",a,b\nred,1086,9000\nblue,2500,500\n")
    given = ["rank", "amic", "--track", "main", "--cells", matrix, "--of", "10000", "--json"]
    boards = json.loads(quintain(*given).stdout)["boards"]
    # The worst attacker of a found 25 %, that of b 90 %: 750 and 100 points of protection.
    assert {p["team"]: p["score"] for p in boards["anonymizers"]} == {"a": 750, "b": 100}
    too_few = quintain(*given[:-2], "1000")
    assert too_few.returncode == 1
    assert "counts.csv:2 b='9000': hit_rate is from 0 to 1000" in too_few.stderr


def test_rank_prints_boards_as_tables_with_plain_numbers(tmp_path):
    matrix = tmp_path / "cells.csv"
    matrix.write_text(",03,18\n03,,12\n18,13,\n")
    done = quintain("rank", "amic", "--track", "main", "--cells", matrix)
    assert "e+" not in done.stdout
    assert "┃ rank ┃ team ┃ score ┃" in done.stdout
    assert "noise floor" in done.stdout
