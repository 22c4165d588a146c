"""The example agent answers every task, and what it plays is what practice chose."""

import ast
import importlib.util
import json
from pathlib import Path

import pytest
from quintain_agent import AgentLimits, play_agent
from quintain_agent.games import leak, score_answers

from quintain.programs.sandbox.process import Process

EXAMPLES = Path(__file__).resolve().parents[2] / "examples/agent"
TEXT = (EXAMPLES / "agent.py").read_text()
FEW = TEXT.replace("ROUNDS = ((3, 8), (4, 4), (8, 4))", "ROUNDS = ((1, 3), (1, 2))")


def play(kit, tasks, **limits):
    assert FEW != TEXT
    given = AgentLimits(**{"seconds": 600, "memory_gib": 2, **limits})
    track, program = kit.edition().track[0], {"agent.py": FEW.encode()}
    return play_agent(kit, track, program, sandbox=Process(), limits=given, tasks=tasks)


@pytest.mark.slow
def test_it_finds_the_attack_that_reads_an_unprotected_release(contest, kit):
    session = play(kit, ["identity.000"])
    assert session.problems == ()
    scored = score_answers(contest, contest.edition().track[0], session.guesses)
    assert leak(scored["identity.000"]) > 0.7
    asked = [json.loads(line)["question"]["text"] for line in session.transcript.splitlines()[1:-1]]
    tools = [json.loads(text)["tool"] for text in asked if len(text) < 400]
    assert tools.count("practise") == 2
    assert session.used > 20


def test_it_hands_in_a_guess_when_the_budget_is_too_small_to_practise(kit):
    session = play(kit, ["identity.000"], queries=2)
    assert session.problems == () and session.used == 1
    assert list(session.guesses) == ["identity.000"]
    assert play(kit, ["identity.000"], queries=0).used == 0


@pytest.mark.slow
def test_every_task_gets_its_share_of_the_budget(kit):
    tasks = ["identity.000", "identity.001"]
    session = play(kit, tasks, queries=40)
    assert session.problems == () and session.used <= 40
    assert sorted(session.guesses) == tasks


@pytest.fixture
def agent():
    spec = importlib.util.spec_from_file_location("example_agent", EXAMPLES / "agent.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_blend_is_the_mean_of_ranks(agent):
    first, second = "target,probability\na,9\nb,1\nc,5\n", "target,probability\na,0\nb,0\nc,7\n"
    assert agent.blend([first, second]) == "target,probability\na,0.625\nb,0.125\nc,0.75\n"
    assert agent.blend([first]) == first
    with pytest.raises(ValueError, match="other things"):
        agent.blend([first, second.replace("c,", "d,")])
    with pytest.raises(ValueError, match="could not convert"):
        agent.blend([first, second.replace(",7", ",nurse")])


def test_what_the_task_for_inspect_takes_from_quintain_is_there():
    tree = ast.parse((EXAMPLES / "inspect_task.py").read_text())
    taken = [
        (node.module, name.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module.startswith("quintain")
        for name in node.names
    ]
    assert len(taken) > 5
    for module, name in taken:
        assert hasattr(importlib.import_module(module), name), f"{module} has no {name}"


def test_the_task_for_inspect_makes_a_sample_of_each_task(contest):
    pytest.importorskip("inspect_ai")
    spec = importlib.util.spec_from_file_location("inspect_task", EXAMPLES / "inspect_task.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    names = [sample.id for sample in module.privacy_contest(str(contest.root)).dataset]
    assert names == [task.name for task in contest.tasks(contest.edition().track[0])]
