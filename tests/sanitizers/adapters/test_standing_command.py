"""Standing commands: one start for many runs, and every way in which a program can go wrong."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from quintain.errors import PartError
from quintain.sanitizers import adapters
from tests.sanitizers.adapters.test_adapters import private, release, running, same_rows

module = sys.modules["quintain.sanitizers.adapters.standing_command"]

HEAD = """
import json, os, shutil, sys, time
assert sys.argv[1] == "-"
open(sys.argv[2], "a").write(f"{os.getpid()}\\n")
for number, line in enumerate(sys.stdin):
    request = json.loads(line)
    copy = lambda: shutil.copy(request["input"], request["output"])
"""
GOOD = """
    copy()
    print(json.dumps({"ok": True}), flush=True)
"""
INDENTED_GOOD = GOOD.replace("    ", " " * 8)


@pytest.fixture(autouse=True)
def _no_program_stays():
    yield
    adapters.end_programs()


def program(folder, body, **limits):
    """A program of which each start leaves its process number in a file."""
    (folder / "tool.py").write_text(HEAD + body)
    text = f"{sys.executable} {folder / 'tool.py'} {{requests}} {folder / 'starts.txt'}"
    return adapters.standing_command(text, **limits)


def starts(folder):
    return [int(line) for line in (folder / "starts.txt").read_text().split()]


def wait_until_ended(process):
    for _ in range(6000):  # a killed process may take a moment to end
        if not running(process):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_one_start_serves_all_runs(tmp_path, format):
    part = program(tmp_path, GOOD, format=format)
    for seed in range(3):
        assert same_rows(release(part, private(seed=seed)).data, private(seed=seed))
    (process,) = starts(tmp_path)
    adapters.end_programs()
    assert wait_until_ended(process)


def test_a_request_has_paths_seed_and_parameters(tmp_path):
    body = """
    open(request["output"] + "x", "w")
    assert set(request) == {"input", "output", "schema", "seed", "parameters"}
    assert len(json.load(open(request["schema"]))["columns"]) == 5
    open(sys.argv[2], "a").write(json.dumps([request["seed"], request["parameters"]]) + "\\n")
"""
    part = program(tmp_path, body + GOOD, epsilon=1.5)
    for seed in (1, 1, 2):
        release(part, private(), seed)
    release(part.with_parameter("epsilon", 3), private(), 2)
    lines = (tmp_path / "starts.txt").read_text().splitlines()[1:]
    (one, first), (again, _), (other, _), (same, last) = map(json.loads, lines)
    assert one == again != other == same
    assert (first, last) == ({"epsilon": 1.5}, {"epsilon": 3})


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("    sys.exit('out of luck')", "ended with exit code 1 before it answered:\nout of luck"),
        ("    os.kill(os.getpid(), 9)", "ended with exit code 137 before it answered"),
        ("    print('Epoch 1', flush=True)", "answered 'Epoch 1'; expected one line"),
        ("    print('[1]', flush=True)", "answered '[1]'; expected one line"),
        ("    print('{\"ok\": 1}', flush=True)", "expected one line"),
        ("    print('x' * 100_000, flush=True)", "an answer of more than 65,536 bytes"),
        ("    print('{\"ok\": true}', flush=True)", "wrote no file to {output}"),
        ("    os.close(1); time.sleep(3600)", "closed its standard output"),
        ('    print(\'{"error": "no numbers"}\', flush=True)', "answered: no numbers"),
    ],
)
def test_what_goes_wrong_is_told_in_words(tmp_path, body, words):
    with pytest.raises(PartError) as caught:
        release(program(tmp_path, body), private())
    assert words in str(caught.value)


def test_silence_ends_the_program_and_the_next_run_starts_it_again(tmp_path):
    part = program(tmp_path, "    if os.path.exists(sys.argv[2] + '2'):" + INDENTED_GOOD)
    with pytest.raises(PartError, match=r"gave no answer within 0\.5 s"):
        release(part.with_parameter("timeout", 0.5), private())
    assert part.text not in module._PROGRAMS._kept
    (tmp_path / "starts.txt2").write_text("")
    assert same_rows(release(part, private()).data, private())


def test_an_answer_of_why_not_does_not_end_the_program(tmp_path):
    body = """
    if number == 0:
        print(json.dumps({"error": "too early"}), flush=True)
        continue
"""
    part = program(tmp_path, body + GOOD)
    with pytest.raises(PartError, match="too early"):
        release(part, private())
    release(part, private())
    assert len(starts(tmp_path)) == 1


def test_a_line_that_nobody_asked_for_is_a_mistake(tmp_path):
    part = program(tmp_path, GOOD + '    print("{}", flush=True); open(sys.argv[2] + "2", "w")')
    release(part, private())
    while not (tmp_path / "starts.txt2").exists():
        time.sleep(0.01)
    with pytest.raises(PartError, match="nobody asked for"):
        release(part, private())


def test_messages_without_end_are_a_mistake(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_MESSAGES", 1000)
    body = "    sys.stderr.write('x' * 2000); sys.stderr.flush(); time.sleep(3600)"
    with pytest.raises(PartError, match="more than 1,000 bytes of messages:\nx"):
        release(program(tmp_path, body), private())


def test_a_program_that_ended_between_two_runs_is_started_again(tmp_path):
    part = program(tmp_path, GOOD)
    release(part, private())
    (process,) = starts(tmp_path)
    os.kill(process, signal.SIGKILL)
    assert wait_until_ended(process)
    kept = module._PROGRAMS._kept[part.text]
    while not kept.has_ended():
        time.sleep(0.01)
    release(part, private())
    assert len(starts(tmp_path)) == 2


def test_a_program_ends_with_its_killed_caller(tmp_path):
    part = program(tmp_path, "    time.sleep(3600)")
    caller = f"""
from quintain.sanitizers import adapters
from tests.sanitizers.adapters.test_adapters import private, release
release(adapters.adapt({part.text!r}), private())
"""
    root = Path(__file__).resolve().parents[3]
    paths = os.pathsep.join([str(root), str(root / "src")])
    environment = {**os.environ, "PYTHONPATH": paths}
    with subprocess.Popen([sys.executable, "-c", caller], env=environment) as calling:
        while not (tmp_path / "starts.txt").exists() or not starts(tmp_path):
            time.sleep(0.02)
            assert calling.poll() is None
        calling.kill()
    assert wait_until_ended(starts(tmp_path)[0])


def test_few_programs_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_PROGRAMS", 1)
    parts = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        parts.append(program(tmp_path / name, GOOD))
    for part in parts:
        release(part, private())
    assert wait_until_ended(starts(tmp_path / "one")[0])
    assert running(starts(tmp_path / "two")[0])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tool {input} {output}", "must contain {requests}"),
        ("tool '{requests}", "cannot be split"),
        ("no-such-program {requests}", "cannot start: "),
    ],
)
def test_a_command_that_cannot_work_says_why(text, words):
    with pytest.raises(PartError, match=words):
        release(adapters.standing_command(text), private())
