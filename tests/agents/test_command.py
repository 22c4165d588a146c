"""The command ``quintain-agent``: a kit or a rehearsal, a program, and the files that come out."""

import json
import os
import re
import subprocess
import sys
import tomllib
from importlib import import_module

import pytest
from quintain_agent.command import main

from quintain.cli.main import main as quintain_main
from quintain.kit.kit import kit_bytes
from tests.agents.conftest import PLUGIN
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


def code_of(command, *arguments):
    with pytest.raises(SystemExit) as done:
        command([str(word) for word in arguments])
    return done.value.code


def refusal(capsys, *arguments):
    assert code_of(main, *arguments) == 1
    return capsys.readouterr().err


def agent_file(place, text=AGENT):
    file = place / "agent.py"
    file.write_text(text)
    return file


def test_answers_from_a_kit_pass_the_check(contest, tmp_path, capsys):
    kit, out = tmp_path / "kit.zip", tmp_path / "session"
    kit.write_bytes(kit_bytes(contest))
    words = [kit, agent_file(tmp_path), "--trust-programs", "--out", out]
    assert code_of(main, *words, "--team", "red") == 0
    assert "5 answers after 5 queries" in capsys.readouterr().out
    assert code_of(quintain_main, "check", contest.root, out / "answers", "--team", "red") == 0
    assert "scores" not in json.loads((out / "session.json").read_text())
    assert len((out / "transcript.jsonl").read_text().splitlines()) == 1 + 1 + 5 + 5 + 1


def test_answers_to_a_rehearsal_are_scored(contest, tmp_path, capsys):
    words = [contest.root, agent_file(tmp_path), "--trust-programs", "--json"]
    assert code_of(main, *words, "--task", "identity", "--out", tmp_path / "s") == 0
    scores = json.loads(capsys.readouterr().out)["scores"]["identity"]
    assert scores["membership_advantage"]["value"] > 0.7


def test_an_agent_without_a_guess_ends_with_a_code_and_a_sentence(contest, tmp_path, capsys):
    file, out = agent_file(tmp_path, "def play(given): 1 / 0"), tmp_path / "s"
    words = [contest.root, file, "--trust-programs", "--task", "identity"]
    error = refusal(capsys, *words, "--out", out)
    assert "it failed with ZeroDivisionError in agent.py, line 1" in error
    assert "it handed in no guess at identity" in error
    assert "ZeroDivisionError" in (out / "log.txt").read_text()


def test_a_file_of_another_name_is_refused(contest, tmp_path, capsys):
    (tmp_path / "main.py").write_text(AGENT)
    words = [contest.root, tmp_path / "main.py", "--trust-programs"]
    assert "needs agent.py" in refusal(capsys, *words, "--out", tmp_path / "s")


def test_a_folder_that_is_not_empty_stays_unless_somebody_asks(contest, tmp_path, capsys):
    (tmp_path / "s").mkdir()
    (tmp_path / "s/log.txt").write_text("kept")
    words = [contest.root, agent_file(tmp_path), "--trust-programs", "--out", tmp_path / "s"]
    assert code_of(main, *words) == 2
    assert "--replace" in capsys.readouterr().err
    assert (tmp_path / "s/log.txt").read_text() == "kept"


def test_a_contest_without_releases_is_refused_in_a_sentence(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    words = [tmp_path / "empty", agent_file(tmp_path), "--trust-programs", "--out", tmp_path / "s"]
    assert refusal(capsys, *words).startswith("quintain-agent: ")


def test_the_agent_of_the_page_plays_in_the_plugin(contest, tmp_path):
    """The page's own agent, and the module that an installed plugin starts."""
    (text,) = re.findall(r"```python\n(.*?)```", (PLUGIN / "README.md").read_text(), re.DOTALL)
    others = os.environ.get("PYTHONPATH")
    path = os.pathsep.join(filter(None, [str(PLUGIN), others]))
    words = ["--trust-programs", "--task", "identity", "--queries", "30", "--out", tmp_path / "s"]
    played = subprocess.run(
        [sys.executable, "-m", "quintain_agent", contest.root, agent_file(tmp_path, text), *words],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not played.returncode, played.stderr
    assert "1 answer after" in played.stdout
    assert "membership_advantage" in played.stdout


def test_the_command_of_the_plugin_is_there():
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"]
    module, _, name = project["scripts"]["quintain-agent"].partition(":")
    assert getattr(import_module(module), name) is main
