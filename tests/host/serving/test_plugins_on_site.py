"""A site with a plugin: the form, the workers and the judge know its parts, or say why not."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from quintain import registry
from quintain.data import Schema
from quintain.data.files.subprocess_reader import cells_apart
from quintain.errors import EditionError, Faults
from quintain.runs.folder.folder import Folder
from quintain_host.organising import drafts
from tests.host import contest_on_site as contest
from tests.host.serving.test_serve import answers, free_port, wait_for

CUP = '''
"""A statistic of the organisers, with a heavy library at its top."""

from collections.abc import Mapping
from typing import ClassVar

import pandas as pd
import pyarrow as pa

from quintain.measures import Reading, ReleaseMeasure
from quintain.registry import register

assert pa.table(pd.DataFrame({"a": [1]})).num_rows == 1


@register("cup-three-v1")
class CupThree(ReleaseMeasure):
    """The share of records that a release keeps."""

    reads: ClassVar[Mapping[str, str]] = {"cup_three": "higher"}

    def measure(self, original, release, test, *, rng):
        kept = len(pd.Series(range(len(release)))) / len(original)
        return {"cup_three": Reading.exact(min(1.0, kept), len(release), "higher")}
'''
TEXT = f"""{contest.TINY}
utility = ["cup-three"]
"""
PAGE = Path(__file__).parents[3] / "docs/how-to/add-a-shape.md"


@pytest.fixture
def no_plugins(monkeypatch):
    """Leave the registry of this process alone."""
    parts = {family: dict(named) for family, named in registry._parts.items()}
    monkeypatch.setattr(registry, "_parts", parts)
    monkeypatch.setattr(registry, "_files", {})
    monkeypatch.setattr(registry, "_left_out", {})
    monkeypatch.setenv(registry.PLUGIN_FILES, "")


@pytest.fixture
def cup(no_plugins, tmp_path_factory):
    """A plugin file that this process has loaded."""
    path = tmp_path_factory.mktemp("plugin") / "cup.py"
    path.write_text(CUP)
    registry.load_file(path)
    return path


def operator(site):
    contest.account(site, "olga", operator=True)
    return contest.visitor(site, "olga")


@pytest.mark.slow
def test_a_site_that_serves_with_a_plugin_plays_a_contest_with_it(one_site, cup):
    site = one_site
    edition = drafts.create(site, operator(site), TEXT)
    for kind in ("prepare", "score"):
        contest.request(site, edition, "scoring", kind, arguments={"seed": 3})
    port = free_port()
    command = [sys.executable, "-m", "quintain", "--plugin", str(cup), "serve", str(site.root)]
    bare = {name: text for name, text in os.environ.items() if name != registry.PLUGIN_FILES}
    serving = subprocess.Popen(
        [*command, "--port", str(port)], env=bare, stderr=subprocess.PIPE, text=True
    )
    try:
        wait_for(lambda: answers(f"http://127.0.0.1:{port}/readyz"))
        wait_for(lambda: all(j.state in ("done", "failed") for j in contest.jobs(site)))
        assert [(job.kind, job.state, job.reason) for job in contest.jobs(site)][:2] == [
            ("prepare", "done", ""),
            ("score", "done", ""),
        ]
        serving.send_signal(signal.SIGTERM)
        _, errors = serving.communicate(timeout=300)
    finally:
        serving.kill()
    assert serving.returncode == 0, errors
    folder = Folder(site.edition_root(edition))
    assert b"cup_three" in (folder.root / "results/standings.json").read_bytes()


def test_a_plugin_may_import_pandas_at_its_top(cup, one_site):
    checked = drafts.check_draft(one_site, TEXT, {})
    assert checked.id == "small"


@pytest.mark.filterwarnings("ignore:plugin old.py")
def test_the_form_says_why_a_plugin_is_left_out(one_site, no_plugins, tmp_path, monkeypatch):
    path = tmp_path / "old.py"
    path.write_text("from quintain.measures import Gone\n")
    monkeypatch.setenv(registry.PLUGIN_FILES, str(path))
    with pytest.raises(EditionError) as caught:
        drafts.check_draft(one_site, TEXT, {})
    (fault,) = caught.value.faults
    assert fault.message.startswith(
        "unknown measure 'cup-three'; plugin old.py cannot be loaded: ImportError: cannot import "
        "name 'Gone' from 'quintain.measures'; "
    )


def test_the_judge_reads_files_of_a_shape_that_a_plugin_adds(no_plugins, tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    code = next(block for block in blocks if "@register" in block)
    (tmp_path / "survey.py").write_text(f"import pandas\n{code}")
    registry.load_file(tmp_path / "survey.py")
    weight = {"name": "w", "kind": "real", "low": 0, "high": 9, "role": "weight"}
    age = {"name": "age", "kind": "integer", "low": 0, "high": 99}
    schema = Schema.model_validate({"shape": "survey", "columns": [weight, age]})
    faults = Faults("release.csv")
    cells = cells_apart(b"w,age\n1.5,40\n2,17\n", "release.csv", schema, faults=faults)
    assert list(faults) == []
    assert cells.data().columns["age"].tolist() == [40, 17]
