"""A live contest of programs: strangers run contained, or not at all."""

import pytest

from quintain.programs.choice import (
    SANDBOXES,
    TRUSTED,
    sandbox_for_strangers,
    sandbox_of,
    sandbox_on_machine,
)
from quintain.programs.failures import SandboxError
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.play import reasons
from quintain.runs.submissions.submit import submit
from tests.runs.tasks.program_cases import PHASES, made, zipped

SPY = """
import contextlib, os, pathlib
def hider(d):
    for place in ("/proc/%d/cwd" % os.getppid(), "ROOT", "/tmp", "/var/tmp"):
        for path in pathlib.Path(place).glob("**/seeds.json"):
            raise SystemExit(path)
    with contextlib.suppress(OSError):
        os.symlink("ROOT/secret/seeds.json", "output.json")
        pathlib.Path("ROOT/public").mkdir(parents=True)
        pathlib.Path("ROOT/public/news.html").write_text("mine")
"""
HONEST = """
import numpy as np
def hider(d):
    return np.nan_to_num(d["data"]) + np.random.default_rng(d["seed"]).normal(size=d["data"].shape)
"""


def contest(root):
    folder = made(root, PHASES)
    spy = zipped(hider=SPY.replace("ROOT", str(folder.root.resolve())))
    submit(folder, "red", {"spy.zip": spy}, kind="release")
    submit(folder, "blue", {"honest.zip": zipped(hider=HONEST)}, kind="release")
    return folder


@pytest.mark.slow
def test_strangers_see_and_change_nothing_of_the_contest(bubblewrap, tmp_path):
    folder = contest(tmp_path / "contained")
    seeds = (folder.root / "secret/seeds.json").read_bytes()
    hand_over(folder)
    sentence = "red: it returned something that is not an array of numbers"
    assert reasons(folder) == {"red": sentence}, (
        "it saw no seeds, and wrote nowhere but in its own /tmp"
    )
    assert (folder.root / "secret/seeds.json").read_bytes() == seeds
    assert not (folder.root / "public/news.html").exists()
    trusted = contest(tmp_path / "trusted")
    hand_over(trusted, containment=TRUSTED)
    one, same = (
        [path.read_bytes() for path in sorted((root / "public").rglob("release.*"))]
        for root in (folder.root, trusted.root)
    )
    assert one, "blue's release was handed over"
    assert one == same, "what an honest program makes does not depend on the sandbox"


def test_without_a_sandbox_strangers_do_not_run(tmp_path, monkeypatch):
    folder = contest(tmp_path / "live")
    before = sorted((path, path.stat().st_size) for path in folder.root.rglob("*"))
    monkeypatch.setenv("PATH", str(tmp_path))
    sandbox_for_strangers.cache_clear()
    with pytest.raises(SandboxError, match=r"quintain doctor says more; --trust-programs runs"):
        hand_over(folder)
    assert sorted((path, path.stat().st_size) for path in folder.root.rglob("*")) == before


def test_another_machine_is_tested_before_it_runs_a_stranger(tmp_path, monkeypatch):
    assert sandbox_of(TRUSTED.ticket(), "red").name in SANDBOXES
    monkeypatch.setattr("quintain.programs.choice._machine", lambda: "another")
    assert sandbox_on_machine("red", "another").name == "bubblewrap"
    monkeypatch.setenv("PATH", str(tmp_path))
    sandbox_for_strangers.cache_clear()
    with pytest.raises(SandboxError, match="this machine cannot contain"):
        sandbox_on_machine("red", "this")
