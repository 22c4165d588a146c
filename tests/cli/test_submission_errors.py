"""Faults of submissions and loose files on the command line: every one is listed, no traceback."""

import zipfile

import pytest

from quintain.cli.main import main
from tests.contest_folders import small


def answers(contest, folder):
    """A complete valid answer, to be damaged."""
    folder.mkdir()
    for question in sorted(contest.glob("public/main/tasks/*/question.csv")):
        rows = question.read_text().splitlines()[1:]
        lines = [f"{row.split(',')[0]},0.5\n" for row in rows]
        (folder / f"{question.parent.name}.csv").write_text("target,probability\n" + "".join(lines))
    return folder


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
    assert not (contest / "submissions").exists()


def test_a_warning_is_no_fault(capsys, contest, tmp_path):
    folder = answers(contest, tmp_path / "answers")
    (folder / "identity.csv").unlink()
    with pytest.raises(SystemExit) as done:
        main(["check", str(contest), str(folder), "--team", "red"])
    shown = capsys.readouterr()
    assert done.value.code == 0
    assert "a valid guess of" in shown.out
    assert shown.err.startswith("warning: 1 of ")
    assert shown.err.endswith("not answered: identity\n")


def test_a_long_list_of_faults_ends_in_their_number(quintain, contest, tmp_path):
    lines = "".join(f"x{number},0.5\n" for number in range(300))
    (tmp_path / "identity.csv").write_text("target,probability\n" + lines)
    code, message, _ = quintain("check", contest, tmp_path / "identity.csv", "--team", "red")
    assert code == 1
    assert message.count("no such target was asked about") == 49
    # Three hundred unknown targets, and one line about those that were not answered, which shows.
    assert "20 not answered" in message
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
    assert message == "quintain: unknown team 'green'; no team has joined yet\n"


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
