"""What goes wrong on the command line is said: a code that is not 0, every fault, no traceback."""

import pytest

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
def unprepared(tmp_path):
    folder = tmp_path / "unprepared"
    folder.mkdir()
    (folder / "edition.toml").write_text('include = "tiny"\n')
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
        (["rank", "tiny"], "give --cells, --utility or both"),
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
    assert "; available: amic, darc, hidden-value, hide-and-seek" in message


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
    assert message == f"quintain: {missing} is not an edition folder: it has no edition.toml\n"


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
