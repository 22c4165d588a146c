"""However a command ends, it leaves no private row in the folder for temporary files."""

import os
import signal
import subprocess
import sys
import time

import pytest

TOOL = "sh -c 'sleep 600; cp $0 $1' {input} {output}"


def start(place, workers=1):
    (place / "t.csv").write_text("".join(["age\n", *(f"{40 + i % 9}\n" for i in range(40))]))
    (place / "tmp").mkdir(exist_ok=True)
    words = ["audit", "sanitizer", TOOL, "--data", "t.csv", "--runs", "10", "--workers", workers]
    return subprocess.Popen(
        [sys.executable, "-m", "quintain", *map(str, words)],
        cwd=place,
        env={**os.environ, "TMPDIR": str(place / "tmp")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # Whoever started the tests may ignore this signal, as nohup does; a command then does, too.
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    )


def rows(place):
    return [path for path in (place / "tmp").rglob("*") if path.suffix == ".parquet"]


def wait_for_rows(place, running):
    for _ in range(1200):
        if rows(place):
            return
        assert running.poll() is None
        time.sleep(0.1)
    raise AssertionError("the program got no rows")


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_is_asked_to_end_tidies_up(tmp_path, number, workers):
    running = start(tmp_path, workers)
    wait_for_rows(tmp_path, running)
    running.send_signal(number)
    assert running.wait(60) == 128 + number
    assert rows(tmp_path) == [] and not [*(tmp_path / "tmp").glob("quintain-*")]


@pytest.mark.slow
def test_the_next_command_removes_what_a_killed_one_left_and_nothing_else(tmp_path):
    killed = start(tmp_path)
    wait_for_rows(tmp_path, killed)
    killed.kill()
    killed.wait()
    left = [*(tmp_path / "tmp").glob("quintain-scratch-*")]
    assert left
    foreign = tmp_path / "tmp" / "quintain-scratch-of-others"
    foreign.mkdir()
    (tmp_path / "tmp" / "quintain-scratch-abcdefgh").symlink_to(foreign)
    running = start(tmp_path)  # removes it, and has a folder of its own
    for _ in range(1200):
        if not any(folder.exists() for folder in left) and rows(tmp_path):
            break
        time.sleep(0.1)
    assert not any(folder.exists() for folder in left) and rows(tmp_path) and foreign.is_dir()
    third = [sys.executable, "-m", "quintain", "editions"]
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    subprocess.run(third, env=environment, check=True, stdout=subprocess.DEVNULL)
    assert rows(tmp_path)  # those of a command that still runs
    running.terminate()
    running.wait(60)
