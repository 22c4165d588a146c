"""What goes wrong on the command line is said: a code that is not 0, every fault, no traceback."""

import zipfile

import pytest

from quintain.cli.main import main
from tests.contest_folders import small

FIVE_FAULTS = """\
include = "tiny"
id = "Not An Id"
repeats = 0
colour = "red"

[sample]
use = "targets"
targtes = 5

[[sanitizer]]
use = "rrr"
"""


@pytest.fixture
def quintain(capsys):
    """Runs a command that must fail; returns its code and what it said on standard error."""

    def run(*arguments):
        capsys.readouterr()
        with pytest.raises(SystemExit) as done:
            main([str(argument) for argument in arguments])
        shown = capsys.readouterr()
        assert done.value.code not in (0, None)
        assert "Traceback" not in shown.err
        return done.value.code, shown.err, shown.out

    return run


@pytest.fixture(scope="module")
def contest(tmp_path_factory):
    """A prepared contest in which nobody has handed in anything; read only."""
    out = tmp_path_factory.mktemp("errors") / "contest"
    return small(out, team=[{"id": "red"}], repeats=1).root


@pytest.fixture
def unprepared(tmp_path):
    folder = tmp_path / "unprepared"
    folder.mkdir()
    (folder / "edition.toml").write_text('include = "tiny"\n')
    return folder


def answers(contest, folder):
    """A complete valid answer, to be damaged."""
    folder.mkdir()
    for question in sorted(contest.glob("public/main/tasks/*/question.csv")):
        rows = question.read_text().splitlines()[1:]
        lines = [f"{row.split(',')[0]},0.5\n" for row in rows]
        (folder / f"{question.parent.name}.csv").write_text("target,probability\n" + "".join(lines))
    return folder


# --- wrong words ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["plya", "tiny"], "unknown command 'plya'"),
        (["play"], "Missing argument 'EDITION'"),
        (["play", "tiny", "--workers", "0"], "0 is not in the range"),
        (["play", "tiny", "--seed", "x"], "'x' is not a valid integer"),
        (["export", ".", "kits", "x.zip"], "'kits' is not one of"),
        (["--plugin", "gone.py", "parts"], "'gone.py' does not exist"),
        (["rank", "tiny"], "Missing option '--cells'"),
        (["check", ".", "x.csv"], "Missing option '--team'"),
    ],
)
def test_words_that_make_no_command_give_code_two(quintain, arguments, words):
    code, message, _ = quintain(*arguments)
    assert code == 2
    assert words in message


def test_an_unknown_edition_is_answered_with_the_nearest_or_all(quintain):
    code, message, _ = quintain("play", "tinny")
    assert code == 1
    sentence = "is neither an edition file nor a built-in edition; did you mean 'tiny'?"
    assert message == f"quintain: tinny: {sentence}\n"
    _, message, _ = quintain("play", "football")
    assert "; available: amic, darc, hide-and-seek" in message


def test_an_unknown_family_or_part_is_answered_with_the_nearest_or_all(quintain):
    _, message, _ = quintain("parts", "attak")
    assert message == "quintain: unknown family or part 'attak'; did you mean 'attack'?\n"
    _, message, _ = quintain("parts", "naerest")
    assert "did you mean 'nearest'?" in message
    _, message, _ = quintain("parts", "0")
    assert "; available: " in message
    assert ", nearest, " in message
    _, message, _ = quintain("parts", "attack/nearest-v99")
    assert "unknown attack 'nearest-v99'; available: nearest-v1" in message
    _, message, _ = quintain("editions", "tinny")
    assert message == "quintain: tinny: unknown edition; did you mean 'tiny'?\n"


# --- editions -------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["play", "lint"])
def test_every_fault_of_an_edition_file_is_listed_with_its_line(quintain, tmp_path, command):
    path = tmp_path / "wrong.toml"
    path.write_text(FIVE_FAULTS)
    code, message, _ = quintain(command, path)
    assert code == 1
    lines = message.removeprefix("quintain: ").splitlines()
    assert {line.split()[0].rstrip(":") for line in lines} == {
        f"wrong.toml:{number}" for number in (2, 3, 4, 8, 11)
    }


def test_every_fault_of_overrides_is_listed_and_nothing_is_made(quintain, tmp_path):
    out = tmp_path / "out"
    wrong = ("--set", "repeats=0", "--set", "sample.targtes=3", "--set", "dataset.rows=-1")
    for command in (("play", "tiny", "--out", out), ("new", "tiny", out)):
        code, message, _ = quintain(*command, *wrong)
        assert code == 1
        for name in ("repeats", "sample.targtes", "dataset.rows"):
            assert name in message
        assert not out.exists()


def test_a_reason_not_to_launch_is_a_code_that_is_not_zero(quintain):
    small = ("--set", "dataset.rows=300", "--set", "sample.background=60")
    code, _, out = quintain("lint", "tiny", *small, "--set", "commitment.algorithm=sha512-unsalted")
    assert code == 1
    assert out.startswith("stop: open-commitments: track main: hashes of the truths are published")
    assert out.endswith("1 finding, 1 of them a reason not to launch\n")


# --- folders --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        ["prepare"],
        ["score"],
        ["verify"],
        ["export", "kit", "x.zip"],
        ["submit-round", ".", "--kind", "guess"],
        ["check", "x.csv", "--team", "red"],
        ["submit", "x.csv", "--team", "red"],
        ["board"],
        ["board", "--official"],
    ],
)
def test_a_folder_that_is_no_contest_is_named(quintain, tmp_path, command):
    missing = tmp_path / "gone"
    code, message, _ = quintain(command[0], missing, *command[1:])
    assert (code, message) == (1, f"quintain: the folder {missing} does not exist\n")
    missing.mkdir()
    code, message, _ = quintain(command[0], missing, *command[1:])
    assert code == 1
    assert message == f"quintain: {missing} is no edition folder: it has no edition.toml\n"


@pytest.mark.parametrize(
    "command",
    [
        ["score"],
        ["export", "kit", "x.zip"],
        ["check", "x.csv", "--team", "red"],
        ["submit", "x.csv", "--team", "red"],
        ["board"],
    ],
)
def test_a_folder_that_is_not_prepared_is_answered_with_the_command_to_run(
    quintain, unprepared, command
):
    code, message, _ = quintain(command[0], unprepared, *command[1:])
    assert code == 1
    assert f"is not prepared yet: run quintain prepare {unprepared}" in message


def test_a_board_without_scores_is_answered_with_the_command_to_run(quintain, contest):
    for options in ((), ("--official",), ("--json",)):
        code, message, out = quintain("board", contest, *options)
        assert (code, out) == (1, "")
        assert f"has no scores yet: run quintain score {contest}" in message


def test_a_folder_in_use_is_not_started_again(quintain, unprepared):
    before = (unprepared / "edition.toml").read_text()
    code, message, _ = quintain("new", "tiny", unprepared)
    assert code == 1
    assert "is not empty; start an edition in an empty folder" in message
    assert (unprepared / "edition.toml").read_text() == before


def test_a_folder_that_holds_something_else_is_not_played_into(quintain, tmp_path):
    (tmp_path / "diary.txt").write_text("dear diary")
    code, message, _ = quintain("play", "tiny", "--quick", "--out", tmp_path)
    assert code == 1
    assert "is not empty and holds no run" in message
    assert sorted(path.name for path in tmp_path.iterdir()) == ["diary.txt"]


def test_every_damaged_file_is_listed_by_verify(quintain, contest, tmp_path):
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(contest, copy)
    truths = sorted(copy.glob("secret/main/tasks/*/truth.csv"))
    truths[0].write_text("target,member\n")
    truths[1].unlink()
    (copy / "secret/extra.txt").write_text("late idea")
    code, message, out = quintain("verify", copy)
    assert code == 1
    names = [path.relative_to(copy).as_posix() for path in truths[:2]]
    assert f"{names[0]}: is not the file that was committed to" in out
    assert f"{names[1]}: is missing" in out
    assert "secret/extra.txt: no commitment covers this file" in out
    assert "NOT verified: 3 problems" in message


def test_a_kit_for_a_team_that_has_nothing_is_refused_and_not_written(quintain, contest, tmp_path):
    code, message, _ = quintain(
        "export", contest, "kit", tmp_path / "x.zip", "--team", "green", "--rehearsal"
    )
    assert code == 1
    assert "'green'" in message
    assert not (tmp_path / "x.zip").exists()


# --- submissions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["check", "submit"])
def test_the_faults_of_all_files_of_a_submission_are_listed(quintain, contest, tmp_path, command):
    folder = answers(contest, tmp_path / "answers")
    broken, short = folder / "identity.csv", folder / "rr-keep0.5.csv"
    lines = broken.read_text().splitlines()
    lines[1], lines[3] = "0,nan", "2,1.5"
    broken.write_text("\n".join(lines) + "\n")
    short.write_text("".join(short.read_text().splitlines(keepends=True)[:-1]))
    (folder / "notes.txt").write_text("my notes")
    code, message, out = quintain(command, contest, folder, "--team", "red")
    assert (code, out) == (1, "")
    assert "identity.csv:2 probability='nan': expected a number in 0..1" in message
    assert "identity.csv:4 probability='1.5': expected a number in 0..1" in message
    assert "rr-keep0.5.csv: has 19 rows; expected 20" in message
    assert "notes.txt: answers no task of track main" in message
    assert not (contest / "submissions/ledger.jsonl").exists()


def test_a_long_list_of_faults_ends_in_their_number(quintain, contest, tmp_path):
    lines = "".join(f"x{number},0.5\n" for number in range(300))
    (tmp_path / "identity.csv").write_text("target,probability\n" + lines)
    code, message, _ = quintain("check", contest, tmp_path / "identity.csv", "--team", "red")
    assert code == 1
    assert message.count("no such target was asked about") == 50
    # Three hundred unknown targets, and one line about those that were not answered.
    assert message.endswith("... and 251 more\n")


def test_thousands_of_faults_in_several_files_are_all_counted(quintain, contest, tmp_path):
    folder = tmp_path / "answers"
    folder.mkdir()
    lines = "".join(f"x{number},0.5\n" for number in range(1500))
    for name in ("identity.csv", "rr-keep0.5.csv"):
        (folder / name).write_text("target,probability\n" + lines)
    code, message, _ = quintain("check", contest, folder, "--team", "red")
    assert code == 1
    # In each file, 1,500 unknown targets and one line about those that were not answered.
    assert message.endswith(f"... and {2 * 1501 - 50} more\n")


def test_thousands_of_faults_of_loose_files_are_all_counted(quintain, tmp_path):
    truth, guess = tmp_path / "truth.csv", tmp_path / "guess.csv"
    truth.write_text("target,member\n" + "".join(f"{i},2\n" for i in range(1200)))
    guess.write_text("target,probability\n" + "".join(f"{i},x\n" for i in range(1300)))
    _, message, _ = quintain("measure", "tiny", "--truth", truth, "--guess", guess)
    assert message.endswith(f"... and {2500 - 50} more\n")


def test_a_hostile_zip_is_refused_with_every_reason(quintain, contest, tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("../identity.csv", "x")
        archive.writestr("deep/identity.csv", "x")
    code, message, _ = quintain("submit", contest, tmp_path / "a.zip", "--team", "red")
    assert code == 1
    assert "'../identity.csv': a path that leads out of the archive" in message
    assert "'deep/identity.csv': files must be in the root of the archive" in message


@pytest.mark.parametrize("command", ["check", "submit"])
def test_a_team_nobody_knows_is_answered_with_those_there_are(quintain, contest, tmp_path, command):
    folder = answers(contest, tmp_path / "answers")
    code, message, out = quintain(command, contest, folder, "--team", "green")
    assert (code, out) == (1, "")
    assert message == "quintain: unknown team 'green'; available: red\n"


def test_a_contest_without_teams_says_so(quintain, tmp_path):
    contest = small(tmp_path / "contest", repeats=1).root
    folder = answers(contest, tmp_path / "answers")
    _, message, _ = quintain("check", contest, folder, "--team", "green")
    assert message == "quintain: unknown team 'green'; this edition has no teams\n"


# --- loose files ----------------------------------------------------------------------------------


def test_the_faults_of_both_files_are_listed_by_measure(quintain, tmp_path):
    truth, guess = tmp_path / "truth.csv", tmp_path / "guess.csv"
    truth.write_text("target,member\na,2\n")
    guess.write_text("target,probability\na,x\n")
    code, message, out = quintain("measure", "tiny", "--truth", truth, "--guess", guess, "--json")
    assert (code, out) == (1, "")
    assert "truth.csv:2 member='2': expected an integer in 0..1" in message
    assert "guess.csv:2 probability='x': expected a number in 0..1" in message


@pytest.mark.parametrize("content", ["", "\n", ",a\n", "x\ny\n"])
def test_a_matrix_without_entries_or_attackers_is_refused(quintain, tmp_path, content):
    (tmp_path / "matrix.csv").write_text(content)
    code, message, _ = quintain("rank", "tiny", "--cells", tmp_path / "matrix.csv")
    assert code == 1
    assert "expected one line with the entries, then one line per attacker" in message


def test_errors_leave_standard_output_to_the_json(quintain, tmp_path):
    (tmp_path / "matrix.csv").write_text(",a\nred,x\n")
    _, message, out = quintain("rank", "tiny", "--cells", tmp_path / "matrix.csv", "--json")
    assert out == ""
    assert "matrix.csv:2 a='x': expected a number" in message
