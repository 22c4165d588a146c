"""The escape suite and ``quintain doctor``, as this user and as an ordinary one."""

import json
import os
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest
from click.testing import CliRunner

import quintain
from quintain import registry
from quintain.cli.main import cli
from quintain.programs.choice import sandbox_for_own, sandbox_for_strangers
from quintain.programs.escape import calls
from quintain.programs.escape.program import attack_program
from quintain.programs.escape.suite import ATTACKS, WORK, Diagnosis, Outcome, check_work
from quintain.programs.escape.whispers import PAIRS, Whisper
from quintain.programs.failures import SandboxError
from quintain.programs.sandbox.namespaces import why_no_namespaces
from quintain.programs.sandbox.process import Process
from quintain.programs.sandbox.runtime import hidden_folders, runtime_paths

SOURCES = Path(quintain.__file__).parents[1]
ORDINARY = 64_123
NO_NAMESPACES = (
    "bwrap: No permissions to create new namespace, likely because the kernel does not allow "
    "non-privileged user namespaces."
)

# What succeeds where nothing contains a program, whoever runs it: the attacks are real.
REAL = {
    "files.read_truth",
    "files.read_commands",
    "files.read_environments",
    "files.write_contest",
    "files.leave_notes",
    "kernel.open_sockets",
    "kernel.connect_locally",
    "kernel.hide_memory",
    "resources.start_daemon",
    "resources.fill_disk",
}


def doctor(*arguments, prefix=(), **environment):
    """Run the command in a process of its own."""
    variables = {"PATH": os.environ["PATH"], "PYTHONPATH": str(SOURCES), "HOME": "/", **environment}
    command = [*prefix, sys.executable, "-B", "-m", "quintain", "doctor", *arguments]
    return subprocess.run(
        command, env=variables, cwd="/", capture_output=True, text=True, check=False
    )


def as_ordinary_user(command):
    """The same command by somebody who is not root."""
    hidden = hidden_folders([*runtime_paths(), SOURCES])
    folders = {str(folder): list(map(str, below)) for folder, below in hidden.items()}
    text = (resources.files("quintain.programs.sandbox") / "launcher.py").read_text()
    return [sys.executable, "-I", "-S", "-c", text, json.dumps([ORDINARY, 0, folders, command])]


def doctor_of_ordinary_user():
    variables = [f"PYTHONPATH={SOURCES}", f"PATH={os.environ['PATH']}", "HOME=/"]
    inner = ["env", "-i", *variables, sys.executable, "-B", "-m", "quintain", "doctor", "--json"]
    return subprocess.run(
        as_ordinary_user(inner), cwd="/", capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module", params=["this user", "an ordinary user"])
def report(request, bubblewrap):
    """What the doctor says in JSON."""
    if request.param == "this user":
        done = doctor("--json")
    elif os.geteuid() != 0:
        pytest.skip("this user is an ordinary one")
    else:
        done = doctor_of_ordinary_user()
    assert done.stdout, done.stderr
    return json.loads(done.stdout) | {"code": done.returncode}


@pytest.mark.slow
def test_bubblewrap_contains_every_attack(report):
    attacks = report["sandboxes"]["bubblewrap"]["attacks"]
    assert len(attacks) >= 22
    assert attacks == dict.fromkeys(ATTACKS, "")
    assert (report["strangers"], report["reason"], report["code"]) == (True, "", 0)


def test_no_pair_of_programs_can_whisper(report):
    whispers = report["sandboxes"]["bubblewrap"]["whispers"]
    assert set(whispers) == set(PAIRS)
    assert not [name for name, right in whispers.items() if Whisper(name, right).heard]


@pytest.mark.slow
def test_the_attacks_are_real_where_nothing_contains_them(report):
    attacks = report["sandboxes"]["process"]["attacks"]
    assert {name for name, got in attacks.items() if got} >= REAL
    assert not [got for got in attacks.values() if "went wrong" in got]


@pytest.mark.slow
def test_honest_work_goes_on_and_a_call_is_cheap(report):
    assert report["sandboxes"]["bubblewrap"]["broken"] == [], f"one of {list(WORK)}"
    assert report["sandboxes"]["process"]["broken"] is None, "nothing was in doubt"
    for name in ("bubblewrap", "process"):
        assert 0 < report["sandboxes"][name]["seconds"] < 10


def test_work_that_does_not_go_on_is_named(monkeypatch):
    text = attack_program()["honest_work.py"].replace(b"def run_command(", b"def run_nothing(")
    text = text.replace(b"return int(sum(sums)) // 4000", b"return 2")
    monkeypatch.setattr(
        calls, "attack_program", lambda: {**attack_program(), "honest_work.py": text}
    )
    assert check_work(Process()) == (
        "threads: a wrong result",
        "a command: it failed with AttributeError",
    )


@pytest.fixture
def without_namespaces(tmp_path):
    """A folder for PATH whose bwrap fails as on a machine without user namespaces."""
    stub = tmp_path / "bwrap"
    stub.write_text(f"#!/bin/sh\necho '{NO_NAMESPACES}' >&2\nexit 1\n")
    stub.chmod(0o755)
    return f"{tmp_path}{os.pathsep}{os.defpath}"


def test_a_machine_without_user_namespaces_refuses_in_words(without_namespaces):
    done = doctor(PATH=without_namespaces)
    assert done.returncode == 1
    last = done.stdout.strip().splitlines()[-1]
    assert last.startswith("programs of strangers are refused on this machine: the sandbox")
    reasons = ("does not allow non-privileged user namespaces", "/ is not a mount point")
    assert any(reason in last for reason in reasons), "in a chroot root cannot even hide folders"
    assert done.stderr == ""


def test_a_machine_without_bubblewrap_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    sandbox_for_strangers.cache_clear()
    sandbox_for_own.cache_clear()
    with pytest.raises(SandboxError, match=r"cannot contain .* install the package bubblewrap"):
        sandbox_for_strangers()
    assert sandbox_for_own().name == "process"
    sandbox_for_own.cache_clear()


def test_the_setting_that_forbids_user_namespaces_is_named(tmp_path):
    (tmp_path / "user").mkdir()
    (tmp_path / "user/max_user_namespaces").write_text("0\n")
    (tmp_path / "kernel").mkdir()
    (tmp_path / "kernel/unprivileged_userns_clone").write_text("1\n")
    sentence = "user namespaces are switched off: user.max_user_namespaces = 0"
    assert why_no_namespaces(tmp_path) == sentence
    (tmp_path / "user/max_user_namespaces").write_text("96360\n")
    assert why_no_namespaces(tmp_path) == ""


def test_plugins_that_are_left_out_are_named(monkeypatch):
    none = Diagnosis("bubblewrap", problem="no sandbox here")
    monkeypatch.setattr("quintain.programs.escape.suite.diagnose", lambda sandbox, **_: none)
    monkeypatch.setattr(registry, "_left_out", {"quintain-cup": "ImportError: no gone"})
    done = CliRunner().invoke(cli, ["doctor"])
    assert "left out: plugin quintain-cup cannot be loaded: ImportError: no gone" in done.stderr


def test_one_attack_that_succeeds_is_reason_enough_to_refuse():
    outcomes = [Outcome(name, "") for name in ATTACKS]
    assert Diagnosis("bubblewrap", attacks=tuple(outcomes)).refusal == ""
    outcomes[0] = Outcome("files.read_truth", "the secret")
    diagnosis = Diagnosis("bubblewrap", attacks=tuple(outcomes))
    assert not diagnosis.contains
    assert diagnosis.refusal.startswith(
        f"1 of {len(ATTACKS)} attacks succeed in bubblewrap: read a secret file"
    )
    assert not Diagnosis("bubblewrap", attacks=tuple(outcomes[1:])).contains, "one was not tried"


def test_a_whisper_that_is_heard_is_reason_enough_to_refuse():
    outcomes = tuple(Outcome(name, "") for name in ATTACKS)
    deaf = Diagnosis("bubblewrap", attacks=outcomes, whispers=(Whisper("names", 160),))
    assert deaf.refusal == ""
    heard = Diagnosis("bubblewrap", attacks=outcomes, whispers=(Whisper("names", 298),))
    assert heard.refusal == (
        "one program can leave notes for the next in bubblewrap, by the time to miss names "
        "(298 of 300 bits)"
    )
