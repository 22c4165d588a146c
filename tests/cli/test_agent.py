"""The command ``agent``: a kit or a rehearsal, a program, and the files that come of it."""

import json

import pytest

from quintain.cli.main import main
from quintain.kit.kit import kit_bytes
from tests.cli.command_cases import refusal
from tests.contest_folders import small

AGENT = """
def play(given):
    ask = given["ask"]
    for task in ask("tasks")["tasks"]:
        told = ask("attack", task=task["task"], use="exact-match")
        ask("guess", task=task["task"], guess=told["guess"])
"""


@pytest.fixture(scope="module")
def contest(tmp_path_factory):
    """A prepared contest; read only."""
    return small(tmp_path_factory.mktemp("agent") / "contest", repeats=1, team=[{"id": "red"}])


def quintain(*arguments):
    with pytest.raises(SystemExit) as done:
        main([str(word) for word in arguments])
    return done.value.code


def agent_file(place, text=AGENT):
    file = place / "agent.py"
    file.write_text(text)
    return file


def test_answers_from_a_kit_pass_the_check(contest, tmp_path, capsys):
    kit, out = tmp_path / "kit.zip", tmp_path / "session"
    kit.write_bytes(kit_bytes(contest))
    words = ["agent", kit, agent_file(tmp_path), "--trust-programs", "--out", out]
    assert quintain(*words, "--team", "red") == 0
    assert "5 answers after 5 queries" in capsys.readouterr().out
    assert quintain("check", contest.root, out / "answers", "--team", "red") == 0
    assert "scores" not in json.loads((out / "session.json").read_text())
    assert len((out / "transcript.jsonl").read_text().splitlines()) == 1 + 1 + 5 + 5 + 1


def test_answers_to_a_rehearsal_are_scored(contest, tmp_path, capsys):
    words = ["agent", contest.root, agent_file(tmp_path), "--trust-programs", "--json"]
    assert quintain(*words, "--task", "identity", "--out", tmp_path / "s") == 0
    scores = json.loads(capsys.readouterr().out)["scores"]["identity"]
    assert scores["membership_advantage"]["value"] > 0.7


def test_an_agent_without_a_guess_ends_with_a_code_and_a_sentence(contest, tmp_path, capsys):
    file, out = agent_file(tmp_path, "def play(given): 1 / 0"), tmp_path / "s"
    words = ["agent", contest.root, file, "--trust-programs", "--task", "identity"]
    error = refusal(capsys, *words, "--out", out)
    assert "it failed with ZeroDivisionError in agent.py, line 1" in error
    assert "it handed in no guess at identity" in error
    assert "ZeroDivisionError" in (out / "log.txt").read_text()


def test_a_file_of_another_name_is_refused(contest, tmp_path, capsys):
    (tmp_path / "main.py").write_text(AGENT)
    words = ["agent", contest.root, tmp_path / "main.py", "--trust-programs"]
    assert "needs agent.py" in refusal(capsys, *words, "--out", tmp_path / "s")
