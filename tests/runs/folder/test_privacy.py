"""Privacy of a folder: secrets are closed to other users of the machine, public files are open."""

import io
import os
import shutil
import stat
import subprocess
import sys
import zipfile

import pytest

from quintain.kit.archive import archive_bytes
from quintain.kit.kit import kit_bytes
from quintain.runs.folder.paths import list_exposed, make_root
from quintain.runs.organising.prepare import prepare
from quintain.runs.score import score
from quintain.runs.submissions.submit import submit
from tests.contest_folders import small

TASK = "rr-keep0.9.csv"


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def modes(root):
    """The modes of all files and folders below a root, by whether they are public."""
    out = {}
    for path in root.rglob("*"):
        top = path.relative_to(root).parts[0]
        kind = "folder" if path.is_dir() else "file"
        out.setdefault(("public" if top == "public" else "private", kind), set()).add(mode(path))
    return out


CLOSED = {
    ("public", "folder"): {0o755},
    ("public", "file"): {0o644},
    ("private", "folder"): {0o700},
    ("private", "file"): {0o600},
}


@pytest.fixture
def open_umask():
    """The umask of most machines: new files are readable for everybody."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def test_a_contest_is_closed_after_every_step(tmp_path, open_umask):
    live = small(tmp_path / "live", repeats=1, team=[{"id": "red"}])
    assert modes(live.root) == CLOSED
    (example,) = live.root.glob("public/main/tasks/rr-keep0.9/question.csv")
    targets = [line.split(",")[0] for line in example.read_text().splitlines()[1:]]
    answer = "target,probability\n" + "".join(f"{t},0.5\n" for t in dict.fromkeys(targets))
    submit(live, "red", {TASK: answer.encode()})
    score(live)
    assert modes(live.root) == CLOSED
    assert mode(live.root) == 0o711
    assert list(list_exposed(live.root)) == []


@pytest.mark.slow
def test_commands_write_private_files(tmp_path):
    run = tmp_path / "run"
    command = f"umask 022; {sys.executable} -m quintain play tiny --quick --seed 5 --workers 2"
    subprocess.run([f"{command} --out {run}"], shell=True, check=True, capture_output=True)
    assert modes(run) == CLOSED
    assert mode(run) == 0o711


def test_an_exported_kit_is_public_and_a_teams_kit_is_not(tmp_path):
    from click.testing import CliRunner

    from quintain.cli.main import cli

    live = small(tmp_path / "live", repeats=1, team=[{"id": "red"}])
    export = ["export", str(live.root), "kit", "--rehearsal"]
    for name, options in (("all.zip", []), ("red.zip", ["--team", "red"])):
        done = CliRunner().invoke(cli, [*export, str(tmp_path / name), *options])
        assert done.exit_code == 0, done.output
    assert (mode(tmp_path / "all.zip"), mode(tmp_path / "red.zip")) == (0o644, 0o600)


def test_a_command_gives_the_umask_back(tmp_path, open_umask):
    from click.testing import CliRunner

    from quintain.cli.main import cli

    assert CliRunner().invoke(cli, ["editions"]).exit_code == 0
    assert os.umask(0o022) == 0o022


def test_a_folder_of_an_earlier_version_is_not_changed(tmp_path, played, open_umask):
    old = tmp_path / "old"
    shutil.copytree(played, old)
    for path in [old, *old.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    make_root(old)
    assert mode(old) == 0o755
    assert mode(old / "secret") == 0o755
    assert list(list_exposed(old)) == [
        "secret",
        "submissions",
        "results",
        ".cache",
        "journal.jsonl",
    ]


@pytest.mark.parametrize("command", [prepare, score])
def test_drafts_of_a_crash_are_removed_and_never_published(tmp_path, command):
    live = small(tmp_path / "live", repeats=1, team=[{"id": "red"}])
    for place in ("secret", "public/main", "submissions", ".cache"):
        (live.root / place).mkdir(exist_ok=True)
        (live.root / place / f".{'0' * 32}.part").write_bytes(b"half a truth")
    for content in (kit_bytes(live), archive_bytes(live)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            assert not [name for name in archive.namelist() if name.endswith(".part")]
    command(live)
    assert list(live.root.rglob("*.part")) == []
