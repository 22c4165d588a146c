"""Run a bundle's scoring program here, in the folders it would find on CodaBench.

::

    app/program/       scoring_program/, where the command runs
    app/input/ref/     reference_data/
    app/input/res/     what was submitted
    app/data/          what the worker has of its own
    app/output/        scores.json

The interpreter starts without its installed packages: what runs here needs nothing but Python.
"""

from __future__ import annotations

import io
import json
import os
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from quintain.kit.codabench.bundle import require_yaml


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a scoring run ended: its exit code, the scores if there are any, what it printed."""

    code: int
    scores: dict[str, float] | None
    output: str


def run_scoring(
    bundle: bytes,
    answers: Mapping[str, bytes],
    place: Path,
    *,
    worker: bytes | None = None,
    mounted: bool = False,
    seconds: float = 600.0,
) -> Outcome:
    """Score a submission as CodaBench would.

    Parameters
    ----------
    answers : the files of the submission, by name.
    place : an empty folder to work in.
    worker : the zip for the worker, if the truth is split.
    mounted : mount the folders at /app for real; needs bubblewrap.
    """
    app = place / "app"
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        for name in archive.namelist():
            for source, target in (("scoring_program", "program"), ("reference_data", "input/ref")):
                if name.startswith(f"{source}/"):
                    _write(app / target / name.removeprefix(f"{source}/"), archive.read(name))
    for folder in ("input/res", "data", "output"):
        (app / folder).mkdir(parents=True, exist_ok=True)
    for name, content in answers.items():
        _write(app / "input/res" / name, content)
    if worker is not None:
        with zipfile.ZipFile(io.BytesIO(worker)) as archive:
            archive.extractall(app / "data")  # our own zip, made a moment ago
    return _run(app, mounted, seconds)


def can_mount() -> bool:
    """Whether bubblewrap is here and the kernel lets it mount."""
    if shutil.which("bwrap") is None:
        return False
    tried = subprocess.run(["bwrap", "--ro-bind", "/", "/", "true"], capture_output=True)
    return tried.returncode == 0


def _run(app: Path, mounted: bool, seconds: float) -> Outcome:
    metadata = require_yaml().safe_load((app / "program/metadata.yaml").read_bytes())
    program, *arguments = shlex.split(metadata["command"])
    assert program == "python3", f"only Python programs can be run here, not {program}"
    command = [str(Path(sys.executable).resolve()), "-E", "-s", "-S", *arguments]
    environment = {"PYTHONUNBUFFERED": "1", "PATH": os.defpath}
    if mounted:
        command = [*_mount(app), *command]
    else:
        environment["QUINTAIN_APP_ROOT"] = str(app.resolve())
    done = subprocess.run(  # the command is the one we wrote into the bundle
        command,
        cwd=app / "program",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds,
    )
    written = app / "output/scores.json"
    scores = json.loads(written.read_bytes()) if written.is_file() else None
    return Outcome(done.returncode, scores, done.stdout + done.stderr)


def _mount(app: Path) -> list[str]:
    """A sandbox without a network in which the folders are at /app."""
    out = ["bwrap", "--unshare-all", "--die-with-parent", "--proc", "/proc", "--dev", "/dev"]
    for place in ("/usr", "/lib", "/lib64", "/bin", sys.base_prefix):
        out += ["--ro-bind-try", place, place]
    return [*out, "--bind", str(app.resolve()), "/app", "--chdir", "/app/program"]


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
