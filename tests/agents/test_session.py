"""A session: tools, budget and transcript; and a sentence for each thing that goes wrong."""

import hashlib
import json

import pytest
from quintain_agent.session import AgentLimits, _with_kit

from quintain.errors import Refused, SubmissionError
from quintain.programs.limits import CallLimits
from quintain.programs.sandbox.bubblewrap import Bubblewrap
from tests.agents.conftest import TASK
from tests.programs.conftest import bubblewrap  # noqa: F401

GUESS = f"""
told = ask("attack", task="{TASK}", use="nearest")
ask("guess", task="{TASK}", guess=told["guess"])
"""


def lines(session):
    return [json.loads(line) for line in session.transcript.splitlines()]


def test_an_agent_practises_and_hands_in_a_guess(play, kit):
    session = play(
        f"""
from pathlib import Path
(task,) = ask("tasks")["tasks"]
assert Path(given["kit"], task["release"]).stat().st_size > 1000
assert Path(given["kit"], task["question"]).is_file()
game = ask("practise", task=task["task"], files=True)
assert game["release"].count("\\n") > 40
tried = ask("attack", task=game["task"], use="exact-match")
same = ask("score", task=game["task"], guess=tried["guess"])
assert same["score"] == tried["score"]
{GUESS}"""
    )
    assert session.problems == ()
    assert list(session.files) == [f"{TASK}.csv"]
    assert session.used == 4  # practise, two attacks, score; the rest is free
    tools = [json.loads(one["question"]["text"])["tool"] for one in lines(session)[1:-1]]
    assert tools == ["tasks", "practise", "attack", "score", "attack", "guess"]


def test_the_transcript_has_hashes_of_the_whole_and_of_the_line_before(play):
    session = play(f"ask('practise', task='{TASK}', files=True)\n{GUESS}")
    before = ""
    for line, facts in zip(session.transcript.splitlines(True), lines(session), strict=True):
        assert facts["before"] == before
        before = hashlib.sha256(line).hexdigest()
    long, short = (one["reply"] for one in lines(session)[1:3])
    assert len(long["text"]) == 400 < long["bytes"]
    whole = json.dumps({"answer": {"guess": session.files[f"{TASK}.csv"].decode()}}).encode()
    assert short["sha256"] == hashlib.sha256(whole).hexdigest()


def test_the_same_seed_gives_the_same_guesses(play):
    assert play(GUESS).files == play(GUESS).files


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("while True: pass", "did not end in time; the limit is 3 seconds"),
        ("pass", f"it handed in no guess at {TASK}"),
        (f"ask('guess', task='{TASK}', guess='who,knows')", "failed with ValueError in agent.py"),
        ("ask('attack', task='identty.000', use='nearest')", "failed with ValueError"),
        ("raise SystemExit(3)", "it failed with SystemExit in agent.py, line 3"),
        ("import os; os.kill(os.getpid(), 9)", "signal 9"),
        ("x = 'x' * (1 << 33)", "it failed with MemoryError in agent.py, line 3"),
        ("import os; os._exit(0)", "ended without returning anything"),
    ],
)
def test_every_bad_agent_gets_a_sentence(play, body, sentence):
    session = play(body, seconds=3 if "while" in body else 600)
    assert not session.files
    assert any(sentence in problem for problem in session.problems), session.problems
    assert f"{TASK}" in session.problems[-1]


def test_a_guess_in_a_wrong_format_is_told_to_the_agent_and_to_its_user(play):
    session = play(
        f"""
try:
    ask("guess", task="{TASK}", guess="target,score\\n0,2.5\\n")
except ValueError as refused:
    assert "score" in str(refused)
"""
    )
    (problem,) = session.problems
    assert problem.startswith(f"its last guess at {TASK} was refused")


def test_what_was_handed_in_before_counts(play):
    session = play(f"{GUESS}\nimport os; os._exit(1)")
    assert list(session.files) == [f"{TASK}.csv"]
    assert ["exit code 1" in problem for problem in session.problems] == [True]


def test_a_spent_budget_leaves_the_guess(play):
    body = f"""
told = ask("attack", task="{TASK}", use="nearest")
try:
    ask("practise", task="{TASK}")
except ValueError as refused:
    assert "all 1 queries are used up; tasks and guess are free" in str(refused)
else:
    raise AssertionError
ask("guess", task="{TASK}", guess=told["guess"])
"""
    session = play(body, queries=1)
    assert (session.problems, session.used) == ((), 1)


@pytest.mark.slow
def test_an_agent_that_asks_without_end_is_stopped(play):
    session = play("while True: ask('tasks')", transcript_mib=0.02)
    assert "its transcript is above 20,971 bytes" in session.problems[0]
    assert len(session.transcript) < 25_000


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ("ask('fly')", "unknown tool 'fly'"),
        ("ask('practise')", "task: is required"),
        ("ask('practise', task=3)", "task='3': expected a text"),
        ("ask('attack', task=TASK, use='nearest', sed=3)", "unknown argument; did you mean 'seed'"),
        ("ask('attack', task=TASK, use='nearst')", "unknown attack 'nearst'"),
        ("ask('attack', task=TASK, use='nearest', set={'far': 1})", "far"),
        ("ask('attack', task=TASK, use='regression')", "answers questions about"),
        ("ask('score', task=TASK, guess='')", TASK),
        ("ask('guess', task='x', guess='')", "unknown task 'x'"),
    ],
)
def test_a_wrong_call_is_refused_with_its_faults(play, call, sentence):
    session = play(
        f"""
TASK = "{TASK}"
try:
    {call}
except ValueError as refused:
    ask("told", words=str(refused))
"""
    )
    words = json.loads(lines(session)[1]["reply"]["text"])["refused"]
    assert sentence in words


def test_bytes_that_are_no_call_are_refused(play):
    body = """
streams = [cell.cell_contents for cell in ask.__closure__]
(source,), (pipe,) = ([s for s in streams if s.readable()], [s for s in streams if s.writable()])
for text in (b"[" * 90000, b"{}", b'{"tool": 1, "given": {}}'):
    pipe.write(b"question" + len(text).to_bytes(8, "big") + text)
    pipe.flush()
    source.read(int.from_bytes(source.read(8), "big"))
"""
    told = [one["reply"]["text"] for one in lines(play(body))[1:-1]]
    assert len(told) == 3
    assert all("a call is a JSON object" in text for text in told)


@pytest.mark.slow
def test_an_agent_in_bubblewrap_plays_and_reaches_no_network(play, bubblewrap):  # noqa: F811
    body = f"""
import socket
try:
    socket.create_connection(("192.0.2.1", 80), timeout=5)
except OSError as refused:
    print(refused)
else:
    raise AssertionError
{GUESS}"""
    session = play(body, sandbox=Bubblewrap(forgets=False))
    assert session.problems == ()
    stopped = play("import socket; socket.socket()", sandbox=Bubblewrap(forgets=False))
    assert "it failed with OSError in agent.py, line 3" in stopped.problems[0]


def test_a_program_that_cannot_play_is_refused_with_every_fault(kit):
    with pytest.raises(SubmissionError) as refused:
        _with_kit(kit, {"main.py": b"", "kit/rules.toml": b""}, CallLimits())
    assert "needs agent.py" in str(refused.value)
    assert "folder kit" in str(refused.value)


def test_a_kit_that_has_no_room_is_refused(kit, monkeypatch):
    monkeypatch.setattr("quintain_agent.session.scratch_bytes", lambda limits: 100)
    with pytest.raises(Refused, match="allow more memory"):
        _with_kit(kit, {"agent.py": b""}, AgentLimits().call)
